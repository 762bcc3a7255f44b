"""A step of GRPO as data: which prompts and draws it has, what is written about it, where its seconds went.

A step is one generation: a few groups of rollouts, each group one subject and one seed.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from datasets import Dataset

from wclib.errors import InfrastructureFault
from wclib.train.runlog import group_means
from wclib.train.scoring import Job, Scored

#: A step's seconds by part, as columns of the curve.
PARTS = ("generate_s", "render_s", "judge_s", "update_s")


def group_seed(run_seed: int, step: int, group: int) -> int:
    """The seed of a group, below 2**31: the same for a resumed run, different for every other group."""
    digest = hashlib.sha256(f"group {run_seed} {step} {group}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def group_rows(prompt: Callable[[str], Any], subjects: Sequence[str], seeds: Iterable[int]) -> Dataset:
    """One row a group, in the order of training: ``prompt``, ``subject`` (in turn) and the group's ``seed``.

    The draws are part of the data, so a resumed run makes the same ones.
    """
    chosen = ((subjects[i % len(subjects)], seed) for i, seed in enumerate(seeds))
    return Dataset.from_list(
        [{"prompt": prompt(subject), "subject": subject, "seed": seed} for subject, seed in chosen]
    )


def generation_jobs(
    completions: Sequence[Any], columns: dict[str, Sequence[Any]], step: int, rollouts: int
) -> list[Job]:
    """The completions of a generation, texts or chats, as jobs of their groups.

    Args:
        completions: group by group.
        columns: the ``subject`` and ``seed`` of each.
        step: the generation's number.
        rollouts: replies a group.

    Raises:
        InfrastructureFault: the trainer put replies to two prompts into one group.
    """
    texts = [reply if isinstance(reply, str) else reply[-1]["content"] for reply in completions]
    jobs = [
        Job(text, subject, seed, step, i // rollouts, i % rollouts)
        for i, (text, subject, seed) in enumerate(zip(texts, columns["subject"], columns["seed"], strict=True))
    ]
    if len({(job.group, job.seed) for job in jobs}) > len({job.group for job in jobs}):
        raise InfrastructureFault("environment", "the trainer mixed two prompts in one group; nothing was scored")
    return jobs


def curve_row(step: int, rows: Sequence[dict[str, Any]], logs: dict[str, Any], step_time: float) -> dict[str, Any]:
    """One row of ``curve.csv`` from a step's rollouts and the trainer's log; means leave unscored rollouts out.

    ``reward_std`` is the mean over groups of the standard deviation within a group, as the published curves have it.
    """
    means = group_means(rows)
    groups: dict[int, list[float]] = {}
    for row in rows:
        if row["reward"] is not None:
            groups.setdefault(row["group"], []).append(row["reward"])
    spreads = [statistics.stdev(rewards) for rewards in groups.values() if len(rewards) > 1]
    painted = [row["gate_passed"] for row in rows if row["gate_passed"] is not None]
    told = ("frac_reward_zero_std", "entropy", "loss", "grad_norm", "learning_rate", "completions/mean_length", "kl")
    return {
        "step": step,
        "reward": means["step_group_reward"],
        "reward_std": statistics.fmean(spreads) if spreads else None,
        **{name: logs.get(name) for name in told},
        "step_time": step_time,
        "clipped_ratio": logs.get("completions/clipped_ratio"),
        "judge_mean": means["group_judge_mean"],
        "length_mean": means["group_length_mean"],
        "paint_fraction_mean": means["group_paint_mean"],
        "quality_mean": means["group_quality_mean"],
        "scored_share": sum(row["reward"] is not None for row in rows) / len(rows),
        "gate_share": sum(painted) / len(painted) if painted else None,
        "distinct_share": len({row["code"] for row in rows}) / len(rows),
        "n_shapes_mean": statistics.fmean(row["shapes_painted"] or 0 for row in rows),
    }


@dataclass(frozen=True)
class StepClock:
    """Where a step's seconds went.

    The environment reports each render's own seconds. What is left of the quickest rollout (one that did not wait for
    a browser) is what the gate and the judges take for one; the wall time of scoring is split in that proportion.
    """

    generate_s: float = 0.0
    score_s: float = 0.0
    update_s: float = 0.0
    render_share: float = 0.0

    def parts(self, took: float) -> dict[str, float]:
        """Seconds of the whole step (``took``) by part, as columns of the curve; what is left is the update's."""
        render = self.score_s * self.render_share
        seconds = (self.generate_s, render, self.score_s - render, took - self.generate_s - self.score_s)
        return dict(zip(PARTS, seconds, strict=True))

    def with_scores(self, scored: Sequence[Scored], score_s: float) -> StepClock:
        """Add what scoring took; ``score_s`` is its wall time in seconds."""
        rendered = [item for item in scored if item.render_s]
        total = sum(item.render_s for item in rendered)
        beside = min((item.seconds - item.render_s for item in rendered), default=0.0) * len(rendered)
        share = total / (total + max(0.0, beside)) if total else 0.0
        return replace(self, score_s=score_s, render_share=share)


class UnscoredWatch:
    """Stops a run whose rollouts cannot be scored any more.

    Args:
        limit: highest share of unscored rollouts over a full window.
        window: steps a window.
    """

    def __init__(self, limit: float = 0.25, window: int = 3):
        self.limit, self.window = limit, window
        self._steps: list[tuple[int, int]] = []

    def add(self, unscored: int, total: int, reason: str = "") -> None:
        """Count a step.

        Raises:
            InfrastructureFault: the share over the last ``window`` steps is above the limit.
        """
        self._steps = [*self._steps, (unscored, total)][-self.window :]
        lost, rollouts = (sum(column) for column in zip(*self._steps, strict=True))
        if len(self._steps) == self.window and lost / rollouts > self.limit:
            raise InfrastructureFault(
                "environment",
                f"{lost} of the last {rollouts} rollouts could not be scored ({lost / rollouts:.0%}, the limit is "
                f"{self.limit:.0%} over {self.window} steps); the last reason: {reason or 'none given'}. The step is "
                "not trained on. Mend the cause, then resume the run",
            )
