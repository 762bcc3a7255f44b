"""The probe: the same prompts, seeds and sampling before and after training, reported as means with intervals.

A group's reward moves by a tenth from step to step because every group faces another draw of references; the probe
does not. Gate failures and judged quality are reported apart: a mean over both says neither how many sketches broke
nor how good the others are. The rows and paintings lie under ``eval/``, as those of the laptop run.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from transformers import PreTrainedTokenizerBase

from wclib.intervals import bootstrap, wilson
from wclib.jsonl import read_rows
from wclib.prompt import messages
from wclib.train.evaluation import EVALUATION_SEED, score_set
from wclib.train.launch.flags import LaunchConfig
from wclib.train.policy import sample
from wclib.train.runlog import RunFolder
from wclib.train.scoring import Sessions

#: Thinking is off: the reply is the sketch.
CHAT: dict[str, Any] = {"enable_thinking": False}


def probe(
    model: Any,
    tokenizer: PreTrainedTokenizerBase,
    sessions: Sessions,
    folder: RunFolder,
    config: LaunchConfig,
    weights: dict[str, float],
    after_steps: int,
) -> dict[str, Any]:
    """Paint and score the probe's paintings and return its :func:`result`; one that is whole already is not run again.

    Raises:
        InfrastructureFault: more than a quarter of the paintings could not be scored.
    """
    rows = [r for r in read_rows(folder.path / "eval" / "rollouts.jsonl")[0] if r["after_steps"] == after_steps]
    if len(rows) < config.probe_samples:
        subjects = [config.subjects[i % len(config.subjects)] for i in range(config.probe_samples)]
        chats = [messages(subject=subject) for subject in subjects]
        prompts: Any = tokenizer.apply_chat_template(chats, add_generation_prompt=True, tokenize=False, **CHAT)
        replies = sample(
            model.eval(),
            tokenizer,
            prompts,
            EVALUATION_SEED,
            config.temperature,
            config.top_p,
            config.top_k,
            config.max_completion_length,
            batch=config.generation_batch,
        )
        rows = score_set(subjects, replies, sessions, folder, weights, after_steps)
    return result(rows)


def result(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a probe says: counts, and means with 95% intervals.

    Returns:
        ``samples``, ``unscored``, ``gate_failures`` (a count, with ``gate_failure_share`` and its Wilson interval), and
        for the paintings that passed the gate ``reward_of_passed``, ``judge``, ``quality``: each ``{"mean", "low",
        "high", "n"}``, the interval by bootstrap over paintings (2,000 draws). ``reward`` is over all scored.
    """
    scored = [row for row in rows if row["reward"] is not None]
    passed = [row for row in scored if row["gate_passed"]]
    failed = [not row["gate_passed"] for row in scored]
    return {
        "samples": len(rows),
        "unscored": len(rows) - len(scored),
        "gate_failures": sum(failed),
        "gate_failure_share": interval(failed, lambda lost: wilson(sum(lost), len(lost))),
        "reward": interval([row["reward"] for row in scored]),
        "reward_of_passed": interval([row["reward"] for row in passed]),
        "judge": interval([row["judge_score"] for row in passed if row["judge_score"] is not None]),
        "quality": interval([row["quality_score"] for row in passed if row["quality_score"] is not None]),
    }


def interval(
    values: Sequence[float], ends: Callable[[Sequence[Any]], tuple[float, float]] = bootstrap
) -> dict[str, float | int | None]:
    """Mean and ``ends`` of its 95% interval; None of nothing."""
    if not values:
        return {"mean": None, "low": None, "high": None, "n": 0}
    low, high = ends(values)
    return {"mean": statistics.fmean(values), "low": low, "high": high, "n": len(values)}


def told(name: str, found: dict[str, Any]) -> str:
    """A probe in one line."""

    def shown(part: dict[str, Any]) -> str:
        return "none" if part["mean"] is None else f"{part['mean']:.3f} ({part['low']:.3f}-{part['high']:.3f})"

    return (
        f"probe {name}: {found['gate_failures']} of {found['samples'] - found['unscored']} failed the gate "
        f"({shown(found['gate_failure_share'])}); of those that passed: reward {shown(found['reward_of_passed'])}, "
        f"judge {shown(found['judge'])}, quality {shown(found['quality'])}; {found['unscored']} unscored"
    )
