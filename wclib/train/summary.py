"""What a run came to: the summary that is printed, kept in ``run.json`` and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wclib import plots
from wclib.jsonl import read_rows
from wclib.train.evaluation import evaluations
from wclib.train.runlog import read_run

PARTS = ("generate", "render", "judge", "update")


def summary(folder: Path, minutes: float) -> dict[str, Any]:
    """The figures of a run; every path is relative to where the run's folder was given.

    Args:
        folder: the run's folder.
        minutes: wall time of this call, SFT and evaluations included.

    Returns:
        ``tag``, ``folder``, ``seed``, ``steps``, ``rollouts``, ``unscored``; ``reward_first_third`` and
        ``reward_last_third`` (means over k = n // 3 steps at either end); ``evaluation_before``, ``evaluation_last``,
        ``evaluation_best`` with ``best_after_steps`` and ``best_policy``; ``minutes``, ``sft_minutes`` (0 when cached),
        ``step_seconds`` and ``shares`` of step time by part; ``judge``, ``quality``, ``pool_fingerprint``;
        ``paintings_before`` and ``paintings_after`` (folders, the latter of the best policy); ``curve``.
    """
    run = read_run(folder)
    curve = pd.read_csv(folder / "curve.csv")
    rollouts, _ = read_rows(folder / "rollouts.jsonl")
    found = evaluations(folder)
    before, last = found[0], found[-1]
    # The first of equals: less training is less drift from what was taught.
    best = max(found[1:] or found, key=lambda item: (item.reward, -item.after_steps))
    third = max(1, len(curve) // 3)
    seconds = {part: float(curve[f"{part}_s"].sum()) for part in PARTS}
    whole = sum(seconds.values()) or 1.0
    return {
        "tag": run["tag"],
        "folder": str(folder),
        "seed": run["config"]["seed"],
        "steps": len(curve),
        "rollouts": len(rollouts),
        "unscored": sum(row["reward"] is None for row in rollouts),
        "reward_first_third": _mean(curve["reward"][:third]),
        "reward_last_third": _mean(curve["reward"][-third:]),
        "evaluation_before": before.reward,
        "evaluation_last": last.reward,
        "evaluation_best": best.reward,
        "best_after_steps": best.after_steps,
        "best_policy": str(folder / "checkpoints" / f"policy-{best.after_steps:04d}"),
        "minutes": minutes,
        "step_seconds": whole / max(1, len(curve)),
        "shares": {part: value / whole for part, value in seconds.items()},
        "judge": run["environment"]["judge"],
        "quality": run["environment"]["quality"],
        "pool_fingerprint": run["environment"]["pool"]["fingerprint"],
        "paintings_before": str(before.paintings),
        "paintings_after": str(best.paintings),
        "curve": str(folder / "curve.csv"),
    }


def _mean(values: pd.Series) -> float | None:
    return None if values.isna().all() else float(values.mean())


def figures(result: dict[str, Any]) -> dict[str, str]:
    """Draw a run's curve and its paintings before and after; returns the pictures' paths by name."""
    folder = Path(result["folder"])
    by = f"{result['judge']} and {result['quality']}" if result["judge"] != result["quality"] else result["judge"]
    curve = plots.reward_curve(pd.read_csv(folder / "curve.csv"), source=f"{folder / 'curve.csv'}; scored by {by}")
    sheet = plots.before_after(
        sorted(Path(result["paintings_before"]).glob("*.png")),
        sorted(Path(result["paintings_after"]).glob("*.png")),
        title=f"The same prompts and seeds: {result['evaluation_before']:.2f} before, {result['evaluation_best']:.2f} "
        f"after {result['best_after_steps']} steps ({by})",
    )
    return {
        "curve_figure": str(plots.save(curve, folder / "figures" / "curve")),
        "paintings_figure": str(plots.save(sheet, folder / "figures" / "before_after")),
    }


def told(result: dict[str, Any]) -> str:
    """The summary in a few lines."""
    shares = ", ".join(f"{part} {value:.0%}" for part, value in result["shares"].items())
    return (
        f"reward {_figure(result['reward_first_third'])} (mean of the first third) -> "
        f"{_figure(result['reward_last_third'])} (last third), {result['judge']}\n"
        f"fixed-seed evaluation {result['evaluation_before']:.3f} -> {result['evaluation_best']:.3f} "
        f"after {result['best_after_steps']} steps (best policy: {result['best_policy']})\n"
        f"{result['rollouts']} rollouts, {result['unscored']} of them unscored, in {result['minutes']:.1f} minutes; "
        f"a step took {result['step_seconds']:.1f} s: {shares}"
    )


def table(results: Sequence[dict[str, Any]]) -> str:
    """Runs beside each other, one a line."""
    lines = ["seed  first third  last third  before   best  after steps  unscored  minutes  rendering"]
    for result in results:
        first, last = _figure(result["reward_first_third"]), _figure(result["reward_last_third"])
        lines.append(
            f"{result['seed']:4d}  {first:>11}  {last:>10}  {result['evaluation_before']:6.3f}  "
            f"{result['evaluation_best']:5.3f}  {result['best_after_steps']:11d}  {result['unscored']:8d}  "
            f"{result['minutes']:7.1f}  {result['shares']['render']:9.0%}"
        )
    return "\n".join(lines)


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
