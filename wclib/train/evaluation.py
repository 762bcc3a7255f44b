"""The fixed-seed evaluation: the same prompts, sampling seed, reference draws and sketch seeds before and after.

The reward of a generation moves by a tenth from step to step, because every group faces another draw of references.
This does not: between two evaluations only the policy changes. The best policy of a run is chosen by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast

from wclib.domains import HIBISCUS
from wclib.errors import InfrastructureFault
from wclib.jsonl import read_rows
from wclib.train.config import LaptopConfig
from wclib.train.policy import paint
from wclib.train.runlog import RunFolder
from wclib.train.scoring import Job, Sessions, rollout_row
from wclib.train.steps import group_seed

#: Of sampling and of the draws, whatever the run's own seed is: runs are compared on the same paintings.
EVALUATION_SEED = 90_210


@dataclass(frozen=True)
class Evaluation:
    """``after_steps`` 0 is before training. ``reward`` is the mean of the scored, in [0, 1]."""

    after_steps: int
    reward: float
    scored: int
    samples: int
    paintings: Path


def evaluate(
    model: Any,
    tokenizer: PreTrainedTokenizerFast,
    sessions: Sessions,
    folder: RunFolder,
    config: LaptopConfig,
    weights: dict[str, float],
    after_steps: int,
) -> Evaluation:
    """Paint and score the evaluation set; the caller's random state is left as it was.

    Raises:
        InfrastructureFault: more than the run's limit of the paintings could not be scored.
    """
    subjects = [HIBISCUS.subjects[i % len(HIBISCUS.subjects)] for i in range(config.eval_samples)]
    replies = paint(model, tokenizer, subjects, EVALUATION_SEED, config.temperature, config.top_p, config.max_tokens)
    rows = score_set(subjects, replies, sessions, folder, weights, after_steps, config.unscored_limit)
    return summarise(folder.path, rows)


def score_set(
    subjects: Sequence[str],
    replies: Sequence[str],
    sessions: Sessions,
    folder: RunFolder,
    weights: dict[str, float],
    after_steps: int,
    limit: float = 0.25,
) -> list[dict[str, Any]]:
    """Score a reply a subject; its rows and paintings go under ``eval/``.

    Raises:
        InfrastructureFault: more than ``limit`` of the paintings could not be scored: then no row is kept.
    """
    jobs = [
        Job(reply, subject, group_seed(EVALUATION_SEED, 0, i), step=after_steps, group=i, position=0)
        for i, (reply, subject) in enumerate(zip(replies, subjects, strict=True))
    ]
    rows = []
    for item in sessions.score(jobs):
        image = folder.painting(f"eval/after_{after_steps:04d}/{item.job.group:02d}", item.job.reply, item.png)
        row = rollout_row(folder.tag, item, weights, image)
        rows.append({"after_steps": after_steps, "sample": item.job.group, **row})
    lost = [row["reason"] for row in rows if row["reward"] is None]
    if len(lost) > limit * len(rows):
        raise InfrastructureFault(
            "environment",
            f"{len(lost)} of the {len(rows)} evaluation paintings could not be scored; the last reason: {lost[-1]}. "
            "Mend the cause, then go on with the run",
        )
    folder.evaluations.append(rows)
    return rows


def summarise(folder: Path, rows: list[dict[str, Any]]) -> Evaluation:
    """The evaluation that some rows of ``eval/rollouts.jsonl`` make up."""
    after = rows[0]["after_steps"]
    rewards = [row["reward"] for row in rows if row["reward"] is not None]
    mean = sum(rewards) / len(rewards) if rewards else float("nan")
    return Evaluation(after, mean, len(rewards), len(rows), folder / "eval" / f"after_{after:04d}")


def evaluations(folder: Path) -> list[Evaluation]:
    """All whole evaluations of a run, in the order of training."""
    found: dict[int, list[dict[str, Any]]] = {}
    for row in read_rows(folder / "eval" / "rollouts.jsonl")[0]:
        found.setdefault(row["after_steps"], []).append(row)
    return [summarise(folder, rows) for _, rows in sorted(found.items())]


def best(found: Sequence[Evaluation]) -> Evaluation:
    """The best of a run's evaluations after training (the one before, when there is no other).

    Of equals the first: less training is less drift from what was taught.
    """
    return max(found[1:] or found, key=lambda item: (item.reward, -item.after_steps))
