"""What every run keeps, the laptop's and the launch's alike: its groups, its environment, its whole checkpoints."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wclib.errors import InfrastructureFault, UsageError
from wclib.jsonl import atomic_write
from wclib.train.record import differences
from wclib.train.runlog import RunFolder, group_means
from wclib.train.scoring import Scored, Sessions, comparison_rows, comparisons, rollout_row

DONE = "complete.json"


def keep_group(folder: RunFolder, scored: Sequence[Scored], weights: dict[str, float]) -> list[dict[str, Any]]:
    """Write one whole group's paintings, comparisons and rollouts, and return its rows.

    Raises:
        InfrastructureFault: the group's rollouts faced different references, or the disk failed.
    """
    draws = {tuple(pair["reference"] for pair in pairs) for item in scored if (pairs := comparisons(item))}
    if len(draws) > 1:
        raise InfrastructureFault(
            "environment",
            f"rollouts of one group (seed {scored[0].job.seed}) were compared with different references "
            f"({' and '.join(map(str, sorted(draws)[:2]))}); their rewards cannot be set against each other. "
            "Serve every --env-url from the same pool and settings",
        )
    rows = []
    for item in scored:
        job = item.job
        name = f"paintings/{job.step:04d}_{job.group * len(scored) + job.position:02d}"
        image = folder.painting(name, job.reply, item.png)
        rows.append(rollout_row(folder.tag, item, weights, image))
    means = group_means(rows)
    for row in rows:
        row.update(means)
    folder.comparisons.append(line for item in scored for line in comparison_rows(folder.tag, item))
    folder.rollouts.append(rows)
    return rows


def same_environment(
    folder: RunFolder, sessions: Sessions, say: Callable[[str], None], allow_backend_change: bool = False
) -> dict[str, float]:
    """The environment's weights; keeps what it says about itself, and refuses another than the run began with.

    ``allow_backend_change``: another renderer alone is said and gone on with; every rollout's row names its own.

    Raises:
        UsageError: the run was scored by another environment before.
        InfrastructureFault: no answer.
    """
    report = sessions.health()
    report.pop("sessions", None)
    before = dict(folder.run.get("environment") or report)
    painted, paints = before["renderer"], report["renderer"]
    if painted != paints:
        if not allow_backend_change:
            raise UsageError(
                f"{folder.path} was painted by {painted} and would go on with {paints}; their pictures differ a little "
                "(`python -m wclib bench backends` measures it). Set WATERCOLOUR_BACKEND back, or say "
                "--allow-backend-change"
            )
        say(f"painted by {painted} until here, by {paints} from now on")
        before["renderer"] = paints
    changed = differences(before, report)
    if changed:
        raise UsageError(
            f"{folder.path} was scored by another environment ({changed}); a curve must not mix two. Restore "
            "it, or start a run with another --tag"
        )
    folder.update(environment=report)
    weights = report["weights"]
    say(
        f"scored by: {report['judge']} (weight {weights['judge']:g}), quality by {report['quality']} "
        f"(weight {weights['quality']:g}), {report['pool']['paintings']} references, {report['renderer']}"
    )
    return weights


def mark_whole(checkpoint: Path, steps: int) -> None:
    """Say that a checkpoint was written to its end, after ``steps`` steps."""
    atomic_write(checkpoint / DONE, json.dumps({"steps": steps}))


def last_checkpoint(checkpoints: Path) -> tuple[Path | None, int]:
    """The last whole checkpoint and the steps before it, or ``(None, 0)``; one whose writing was cut is removed."""
    whole = {}
    for path in checkpoints.glob("checkpoint-*"):
        if (path / DONE).exists():
            whole[json.loads((path / DONE).read_text())["steps"]] = path
        else:
            shutil.rmtree(path)
    return (whole[max(whole)], max(whole)) if whole else (None, 0)
