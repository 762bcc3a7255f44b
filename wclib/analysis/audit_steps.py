"""The checks of :mod:`wclib.analysis.audit` on steps: the draw of step 12, what steps took, what was lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from wclib.analysis import curves as of
from wclib.analysis.claims import CAVEAT, CONTRADICTED, HOLDS, JUDGED, NOT_SHOWN, Evidence, Row
from wclib.analysis.drawcurves import common_effects, compare_steps
from wclib.analysis.published import RUNS


def _step_12_falls(e: Evidence) -> Row:
    curve = e.curves["judge-led"].set_index("step")
    fall, judge = (curve.loc[11, name] - curve.loc[12, name] for name in ("reward", "judge_mean"))
    ours = f"reward {curve.loc[11, 'reward']:.3f} to {curve.loc[12, 'reward']:.3f}: {fall:.2f}"
    why = f"the judge's own mean fell by {judge:.2f}; no column falls by half a point"
    return ours, HOLDS if fall > 0.45 else CONTRADICTED, why


def _step_12_draw(e: Evidence) -> Row:
    pair = compare_steps({run: e.curves[run] for run in JUDGED}, "judge-led", 11, 12)
    share = pair.draw / pair.change
    most = pair.draw_low / pair.change
    ours = (
        f"of {pair.change:+.3f}, the draw did {pair.draw:+.3f} (95% {pair.draw_low:+.3f} to {pair.draw_high:+.3f}); "
        f"left {pair.left:+.3f} ({pair.left_low:+.3f} to {pair.left_high:+.3f}); hardest of the run: rank "
        f"{pair.difficulty_rank[0]} by both runs, {pair.difficulty_rank[1]} by the other alone"
    )
    why = (
        f"hps-led faced the same draws; HPSv3, which sees no draw, paid {pair.terms['quality']:+.3f} of the "
        f"fall; eight rollouts' luck is +-{pair.luck:.2f}"
    )
    # "Mostly" needs more than half: holds when even the interval says so, contradicted when no end of it does.
    verdict = HOLDS if share > 0.5 and pair.draw_high / pair.change > 0.5 else CONTRADICTED if most < 0.5 else NOT_SHOWN
    return ours, verdict, why


def _advantage_safe(e: Evidence) -> Row:
    effect = common_effects({run: e.curves[run] for run in JUDGED}).set_index("step")["from_other_judge-led"]
    curve = e.curves["judge-led"].set_index("step")
    left = pd.Series(of.residual(curve["reward_std"].to_numpy(), of.trend(curve.index))[0], index=curve.index)
    hard = effect.nsmallest(len(effect) // 5).index
    ours = (
        f"sd in the group against its trend: {left[hard].mean():+.3f} in the hardest fifth of draws, r "
        f"{effect.corr(left):+.2f}; "
        f"step 12: {curve.loc[12, 'reward_std']:.3f}, step 11: {curve.loc[11, 'reward_std']:.3f}"
    )
    why = (
        "the mean cancels in the advantage, by construction; a draw nobody beats also leaves the judge nothing to tell "
        "apart"
    )
    return ours, CAVEAT, why


def _step_minutes(e: Evidence) -> Row:
    parts = {run: e.curves[run]["step_time"] / 60 for run in RUNS}
    inside = np.mean([part.between(15, 18).mean() for part in parts.values()])
    ours = "mean " + ", ".join(f"{run} {part.mean():.1f}" for run, part in parts.items())
    good = all(15 <= part.mean() <= 18 for part in parts.values())
    why = "true of a typical step; judge-led's mean is longer, and slower towards the end"
    return f"{ours}; {inside:.0%} of steps between", HOLDS if good else CAVEAT, why


def _hours(e: Evidence) -> Row:
    hours = [e.curves[run]["step_time"].sum() / 3600 for run in RUNS]
    good = abs(hours[0] - 18) < 1 and all(abs(each - 34) < 2 for each in hours[1:])
    ours = ", ".join(f"{each:.1f}" for each in hours)
    return ours, HOLDS if good else CAVEAT, "sum of step times; start-up not in it"


def _rendering_share(e: Evidence) -> Row:
    mean = np.mean([e.curves[run]["step_time"].mean() for run in RUNS])
    ours = (
        f"step times only; eight renders of 69 to 96 s one by one would be {8 * 69 / mean:.0%} to "
        f"{8 * 96 / mean:.0%} of a mean step"
    )
    return ours, NOT_SHOWN, "the curves hold no render times"


def _render_seconds(e: Evidence) -> Row:
    why = "96 s is past the 90 s deadline, so at least the upper end needs an explanation"
    return "no render times in curves or datasets", NOT_SHOWN, why


def _faults(e: Evidence) -> Row:
    rows = {"hps-only": 470, "judge-led": 861, "hps-led": 872}
    wanted = {"hps-only": 480, "judge-led": 880, "hps-led": 880}
    if set(RUNS) <= set(e.rollouts):
        rows = {run: int(e.rollouts[run]["reward"].notna().sum()) for run in RUNS}
    lost = {run: wanted[run] - rows[run] for run in RUNS}
    ours = ", ".join(f"{run} {lost[run]} of {wanted[run]} ({lost[run] / wanted[run]:.1%})" for run in RUNS)
    ours += f"; together {sum(lost.values()) / sum(wanted.values()):.1%}"
    why = "rows missing from the three published datasets; the article counts all its runs, most of them unpublished"
    return ours, NOT_SHOWN, why


def _pool(e: Evidence) -> Row:
    return str(64 + 57 + 35 + 22), HOLDS, "adds up; the pictures themselves were not counted here"


CHECKS: dict[str, Callable[[Evidence], Row]] = {
    "step 12 falls": _step_12_falls,
    "step 12 draw": _step_12_draw,
    "advantage safe": _advantage_safe,
    "step minutes": _step_minutes,
    "hours": _hours,
    "rendering share": _rendering_share,
    "render seconds": _render_seconds,
    "faults": _faults,
    "pool adds up": _pool,
}
