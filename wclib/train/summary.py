"""What a run came to: the summary that is printed, kept in ``run.json`` and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wclib.jsonl import read_rows
from wclib.train.evaluation import best, evaluations
from wclib.train.record import read_run
from wclib.train.steps import PARTS


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
    before, last, chosen = found[0], found[-1], best(found)
    seconds = {part.removesuffix("_s"): float(curve[part].sum()) for part in PARTS}
    whole = sum(seconds.values()) or 1.0
    return {
        "tag": run["tag"],
        "folder": str(folder),
        "seed": run["config"]["seed"],
        "steps": len(curve),
        "rollouts": len(rollouts),
        "unscored": sum(row["reward"] is None for row in rollouts),
        **thirds(curve["reward"]),
        "evaluation_before": before.reward,
        "evaluation_last": last.reward,
        "evaluation_best": chosen.reward,
        "best_after_steps": chosen.after_steps,
        "best_policy": str(folder / "checkpoints" / f"policy-{chosen.after_steps:04d}"),
        "minutes": minutes,
        "step_seconds": whole / max(1, len(curve)),
        "shares": {part: value / whole for part, value in seconds.items()},
        "judge": run["environment"]["judge"],
        "quality": run["environment"]["quality"],
        "pool_fingerprint": run["environment"]["pool"]["fingerprint"],
        "paintings_before": str(before.paintings),
        "paintings_after": str(chosen.paintings),
        "curve": str(folder / "curve.csv"),
    }


def thirds(rewards: pd.Series) -> dict[str, float | None]:
    """``reward_first_third`` and ``reward_last_third``: means over ``k = n // 3`` steps at either end, at least one.

    Steps without a reward are left out; None where there is no other.
    """
    k = max(1, len(rewards) // 3)
    first, last = rewards[:k], rewards[-k:]
    return {
        "reward_first_third": float(first.mean()) if first.notna().any() else None,
        "reward_last_third": float(last.mean()) if last.notna().any() else None,
    }


def figures(result: dict[str, Any]) -> dict[str, str]:
    """Draw a run's curve and its paintings before and after; returns the pictures' paths by name."""
    from wclib import plots  # a machine that only trains has no Matplotlib

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
        f"reward {shown(result['reward_first_third'])} (mean of the first third) -> "
        f"{shown(result['reward_last_third'])} (last third), {result['judge']}\n"
        f"fixed-seed evaluation {result['evaluation_before']:.3f} -> {result['evaluation_best']:.3f} "
        f"after {result['best_after_steps']} steps (best policy: {result['best_policy']})\n"
        f"{result['rollouts']} rollouts, {result['unscored']} of them unscored, in {result['minutes']:.1f} minutes; "
        f"a step took {result['step_seconds']:.1f} s: {shares}"
    )


def table(results: Sequence[dict[str, Any]]) -> str:
    """Runs beside each other, one a line."""
    lines = ["seed  first third  last third  before   best  after steps  unscored  minutes  rendering"]
    for result in results:
        first, last = shown(result["reward_first_third"]), shown(result["reward_last_third"])
        lines.append(
            f"{result['seed']:4d}  {first:>11}  {last:>10}  {result['evaluation_before']:6.3f}  "
            f"{result['evaluation_best']:5.3f}  {result['best_after_steps']:11d}  {result['unscored']:8d}  "
            f"{result['minutes']:7.1f}  {result['shares']['render']:9.0%}"
        )
    return "\n".join(lines)


def shown(value: float | None) -> str:
    """A figure with three decimals, or ``none``."""
    return "none" if value is None else f"{value:.3f}"
