"""The probe: the same prompts, seeds and sampling before and after training, reported as means with intervals.

A group's reward moves by a tenth from step to step because every group faces another draw of references; the probe
does not. Gate failures and judged quality are reported apart: a mean over both says neither how many sketches broke
nor how good the others are. The rows and paintings lie under ``eval/``, as those of the laptop run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from wclib.errors import InfrastructureFault
from wclib.jsonl import read_rows
from wclib.prompt import messages
from wclib.train.evaluation import EVALUATION_SEED
from wclib.train.launch.flags import LaunchConfig
from wclib.train.runlog import RunFolder
from wclib.train.scoring import Job, Sessions, rollout_row
from wclib.train.steps import group_seed

#: Thinking is off: the reply is the sketch.
CHAT = {"enable_thinking": False}


def replies(
    model: Any, tokenizer: PreTrainedTokenizerBase, subjects: Sequence[str], seed: int, config: LaunchConfig
) -> Iterator[str]:
    """A reply a subject, sampled as in training, a generation's batch at a time; the caller's random state stays.

    Args:
        model: in evaluation mode, on its device.
        subjects: one prompt each.
        seed: of the sampling.
    """
    devices = list(range(torch.cuda.device_count()))
    with torch.random.fork_rng(devices=devices), torch.inference_mode():
        torch.manual_seed(seed)
        for first in range(0, len(subjects), config.generation_batch):
            prompts = tokenizer.apply_chat_template(
                [messages(subject=subject) for subject in subjects[first : first + config.generation_batch]],
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                padding=True,
                tokenizer_kwargs={"padding_side": "left"},
                **CHAT,
            ).to(model.device)
            out = model.generate(
                **prompts,
                do_sample=True,
                temperature=config.temperature,
                top_p=config.top_p,
                top_k=config.top_k,
                max_new_tokens=config.max_completion_length,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
            )
            width = prompts["input_ids"].shape[1]
            yield from tokenizer.batch_decode(out[:, width:], skip_special_tokens=True)


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
    rows = rows_of(folder.path, after_steps)
    if len(rows) < config.probe_samples:
        subjects = [config.subjects[i % len(config.subjects)] for i in range(config.probe_samples)]
        texts = list(replies(model.eval(), tokenizer, subjects, EVALUATION_SEED, config))
        jobs = [
            Job(text, subject, group_seed(EVALUATION_SEED, 0, i), step=after_steps, group=i, position=0)
            for i, (text, subject) in enumerate(zip(texts, subjects, strict=True))
        ]
        rows = []
        for item in sessions.score(jobs):
            image = folder.painting(f"eval/after_{after_steps:04d}/{item.job.group:02d}", item.job.reply, item.png)
            row = rollout_row(folder.tag, item, weights, image)
            rows.append({"after_steps": after_steps, "sample": item.job.group, **row})
        lost = [row for row in rows if row["reward"] is None]
        if len(lost) > len(rows) / 4:
            raise InfrastructureFault(
                "environment",
                f"{len(lost)} of the {len(rows)} probe paintings could not be scored; the last reason: "
                f"{lost[-1]['reason']}. Mend the cause, then start the same command again",
            )
        folder.evaluations.append(rows)
    return result(rows)


def rows_of(path: Any, after_steps: int) -> list[dict[str, Any]]:
    """The rows of one probe of a run's folder."""
    return [row for row in read_rows(path / "eval" / "rollouts.jsonl")[0] if row["after_steps"] == after_steps]


def result(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a probe says: counts, and means with 95% intervals.

    Returns:
        ``samples``, ``unscored``, ``gate_failures`` (a count, with ``gate_failure_share`` and its Wilson interval), and
        for the paintings that passed the gate ``reward_of_passed``, ``judge``, ``quality``: each ``{"mean", "low",
        "high", "n"}``, the interval by bootstrap over paintings (2,000 draws). ``reward`` is over all scored.
    """
    scored = [row for row in rows if row["reward"] is not None]
    passed = [row for row in scored if row["gate_passed"]]
    failed = len(scored) - len(passed)
    return {
        "samples": len(rows),
        "unscored": len(rows) - len(scored),
        "gate_failures": failed,
        "gate_failure_share": wilson(failed, len(scored)),
        "reward": interval([row["reward"] for row in scored]),
        "reward_of_passed": interval([row["reward"] for row in passed]),
        "judge": interval([row["judge_score"] for row in passed if row["judge_score"] is not None]),
        "quality": interval([row["quality_score"] for row in passed if row["quality_score"] is not None]),
    }


def interval(values: Sequence[float]) -> dict[str, float | int | None]:
    """Mean and 95% bootstrap interval (percentiles of 2,000 resampled means, fixed seed); None of nothing."""
    if not values:
        return {"mean": None, "low": None, "high": None, "n": 0}
    array = np.asarray(values, dtype=float)
    means = np.random.default_rng(0).choice(array, (2000, len(array))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {"mean": float(array.mean()), "low": float(low), "high": float(high), "n": len(array)}


def wilson(count: int, of: int) -> dict[str, float | int | None]:
    """A share with its 95% Wilson score interval (Wilson 1927): it stays within [0, 1] also at 0 of n."""
    if not of:
        return {"mean": None, "low": None, "high": None, "n": 0}
    z, share = 1.959964, count / of
    middle, spread = share + z**2 / (2 * of), z * (share * (1 - share) / of + z**2 / (4 * of**2)) ** 0.5
    whole = 1 + z**2 / of
    return {"mean": share, "low": max(0.0, (middle - spread) / whole), "high": (middle + spread) / whole, "n": of}


def told(name: str, found: dict[str, Any]) -> str:
    """A probe in one line."""

    def shown(part: dict[str, Any]) -> str:
        return "none" if part["mean"] is None else f"{part['mean']:.3f} ({part['low']:.3f}-{part['high']:.3f})"

    return (
        f"probe {name}: {found['gate_failures']} of {found['samples'] - found['unscored']} failed the gate "
        f"({shown(found['gate_failure_share'])}); of those that passed: reward {shown(found['reward_of_passed'])}, "
        f"judge {shown(found['judge'])}, quality {shown(found['quality'])}; {found['unscored']} unscored"
    )
