"""The fixed-seed evaluation: the same prompts, sampling seed, reference draws and sketch seeds before and after.

The reward of a generation moves by a tenth from step to step, because every group faces another draw of references.
This does not: between two evaluations only the policy changes. The best policy of a run is chosen by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import Qwen3ForCausalLM
from transformers.tokenization_utils_base import PreTrainedTokenizerBase

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
    model: Qwen3ForCausalLM,
    tokenizer: PreTrainedTokenizerBase,
    sessions: Sessions,
    folder: RunFolder,
    config: LaptopConfig,
    weights: dict[str, float],
    after_steps: int,
) -> Evaluation:
    """Paint and score the evaluation set; the rows and paintings go under ``eval/``.

    The caller's random state is left as it was.

    Raises:
        InfrastructureFault: more than the run's limit of the paintings could not be scored.
    """
    subjects = [HIBISCUS.subjects[i % len(HIBISCUS.subjects)] for i in range(config.eval_samples)]
    replies = paint(model, tokenizer, subjects, EVALUATION_SEED, config.temperature, config.top_p, config.max_tokens)
    jobs = [
        Job(reply, subject, group_seed(EVALUATION_SEED, 0, i), step=after_steps, group=i, position=0)
        for i, (reply, subject) in enumerate(zip(replies, subjects, strict=True))
    ]
    scored = sessions.score(jobs)
    rows = []
    for item in scored:
        image = folder.painting(f"eval/after_{after_steps:04d}/{item.job.group:02d}", item.job.reply, item.png)
        row = rollout_row(folder.tag, item, weights, image)
        rows.append({"after_steps": after_steps, "sample": item.job.group, **row})
    folder.evaluations.append(rows)
    lost = [item for item in scored if item.reward is None]
    if len(lost) > config.unscored_limit * len(scored):
        raise InfrastructureFault(
            "environment",
            f"{len(lost)} of the {len(scored)} evaluation paintings could not be scored; the last reason: "
            f"{lost[-1].reason}. Mend the cause, then resume the run",
        )
    return summarise(folder.path, rows)


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
