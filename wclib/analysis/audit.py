"""The article's sentences against our numbers: :func:`audit` makes the table.

Each check computes its figures from the frames and decides by a rule written beside it. Without rollouts, checks that
need them say so. What per-step curves cannot tell at all: anything about single paintings (bad ones, the best,
shapes, how alike they look), where a step's time went, which rollouts had no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from wclib.analysis import audit_rollouts as paintings
from wclib.analysis import curves as of
from wclib.analysis.claims import CAVEAT, CONTRADICTED, HOLDS, JUDGED, NEEDS, NOT_SHOWN, SAID, Evidence, Row
from wclib.analysis.drawcurves import common_effects, compare_steps
from wclib.analysis.published import RUNS
from wclib.analysis.schema import term_sum


def audit(curves: Mapping[str, pd.DataFrame], rollouts: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
    """Every claim with our number and a verdict.

    Args:
        curves: the three published curves by name (:func:`wclib.analysis.published.published_curves`).
        rollouts: published rollouts by name, as far as they are at hand.

    Returns:
        Columns ``claim``, ``article``, ``ours``, ``verdict`` (one of :data:`wclib.analysis.claims.VERDICTS`),
        ``why``; index: the claim's short name.
    """
    evidence = Evidence(curves, rollouts or {})
    rows = {}
    for name, said in SAID.items():
        ours, verdict, why = CHECKS[name](evidence)
        rows[name] = {"claim": said.claim, "article": said.figures, "ours": ours, "verdict": verdict, "why": why}
    return pd.DataFrame.from_dict(rows, orient="index")


def _thirds(run: str, first: float, last: float) -> Callable[[Evidence], Row]:
    def check(e: Evidence) -> Row:
        ours = of.thirds(e.curves[run])
        good = abs(ours[0] - first) < 0.006 and abs(ours[2] - last) < 0.006
        return f"{ours[0]:.3f}, {ours[2]:.3f} ({ours[2] - ours[0]:+.3f})", HOLDS if good else CONTRADICTED, ""

    return check


def _all_learn(e: Evidence) -> Row:
    lines = [of.slope(e.curves[run]) for run in RUNS]
    ours = ", ".join(f"{line.t:+.2f}" for line in lines) + "; HAC " + ", ".join(f"{line.t_hac:+.1f}" for line in lines)
    return ours, HOLDS if min(line.t_hac for line in lines) > 3 else CAVEAT, "holds with HAC errors too; one run a mix"


def _lower_start(e: Evidence) -> Row:
    starts = {run: of.thirds(e.curves[run])[0] for run in RUNS}
    first = {run: e.curves[run].query("step < 20") for run in RUNS}
    same = {run: curve["reward"].mean() for run, curve in first.items()}
    # One run's paintings paid by another run's weights: what the mix alone does to the level.
    swap = term_sum(first["hps-only"], "judge-led").mean()
    ours = ", ".join(f"{starts[run]:.3f}" for run in ("hps-only", "hps-led", "judge-led"))
    why = (
        f"first thirds differ in length; over steps 0-19: {same['hps-only']:.3f}, {same['hps-led']:.3f}, "
        f"{same['judge-led']:.3f}. The level is mostly arithmetic: hps-only's first 20 steps would earn {swap:.3f} "
        "under judge-led's weights, because the judge's term is lower than HPSv3's"
    )
    return ours, CAVEAT, why


def _noisier(e: Evidence) -> Row:
    sd = [of.noise(e.curves[run]) for run in ("hps-only", "hps-led", "judge-led")]
    rising = sd[0] < sd[1] < sd[2]
    why = "sd about a smooth trend, weight 0, 0.3, 0.6"
    why += "" if rising else ": judge-led is noisiest, but hps-led is the calmest"
    return ", ".join(f"{each:.3f}" for each in sd), HOLDS if rising else CAVEAT, why


def _flat_start(e: Evidence) -> Row:
    line, whole = of.slope(e.curves["judge-led"].query("step < 30")), of.slope(e.curves["judge-led"])
    why = f"whole run {whole.per_step:+.4f} a step; HAC over 30 steps is itself rough"
    return _line(line), HOLDS if abs(line.t_hac) < 2 else CONTRADICTED, why


def _line(line: of.Slope) -> str:
    return f"{line.per_step:+.4f} a step (HAC t {line.t_hac:+.1f})"


def _still_climbing(e: Evidence) -> Row:
    lines = {}
    for run in JUDGED:
        curve = e.curves[run]
        lines[run] = of.slope(curve[curve["step"].isin(of.third_steps(curve["step"])[2])])
    ours = "last third: " + ", ".join(f"{run} {_line(line)}" for run, line in lines.items())
    sure = [line.t_hac > 2 for line in lines.values()]
    return ours, HOLDS if all(sure) else CAVEAT if any(sure) else NOT_SHOWN, "36 steps a run"


def _judge_climbs(e: Evidence) -> Row:
    parts = []
    good = True
    for run in JUDGED:
        thirds, line = of.thirds(e.curves[run], "judge_mean"), of.slope(e.curves[run], "judge_mean")
        parts.append(f"{run} {thirds[0]:.2f} to {thirds[2]:.2f} (HAC t {line.t_hac:+.1f})")
        good &= line.t_hac > 3
    return ", ".join(parts), HOLDS if good else NOT_SHOWN, ""


def _only_with_judge(e: Evidence) -> Row:
    line, thirds = of.slope(e.curves["hps-only"], "judge_mean"), of.thirds(e.curves["hps-only"], "judge_mean")
    ours = f"{thirds[0]:.3f} to {thirds[2]:.3f} ({line.per_step:+.5f} a step, HAC t {line.t_hac:+.1f})"
    if line.t_hac > 2:
        return ours, CONTRADICTED, "the judge's mean, recorded though it paid nothing, rose there too"
    why = "the judge was recorded in hps-only too, so it could have been said; there it rose a little, within the noise"
    return ours, CAVEAT, why


def _no_collapse(e: Evidence) -> Row:
    most = max(e.curves[run]["frac_reward_zero_std"].max() for run in RUNS)
    least = min(e.curves[run]["reward_std"].min() for run in RUNS)
    return f"0 of 280; smallest sd {least:.3f}", HOLDS if most == 0 and least > 0 else CONTRADICTED, ""


def _warm_up(e: Evidence) -> Row:
    good = all(
        np.allclose(each["learning_rate"], np.minimum(each["step"], 5) * 1e-5, atol=1e-9) for each in e.curves.values()
    )
    return "0, 1e-5 ... 5e-5 over steps 0-5, then constant", HOLDS if good else CONTRADICTED, "step 0 trains at rate 0"


def _coverage_doubles(e: Evidence) -> Row:
    thirds = [of.thirds(e.curves[run], "paint_fraction_mean") for run in JUDGED]
    ours = ", ".join(f"{t[0]:.3f} to {t[2]:.3f} (x{t[2] / t[0]:.2f})" for t in thirds)
    return ours, HOLDS if min(t[2] / t[0] for t in thirds) > 1.9 else CONTRADICTED, ""


def _coverage_hps_only(e: Evidence) -> Row:
    curve = e.curves["hps-only"]
    thirds, line = of.thirds(curve, "paint_fraction_mean"), of.slope(curve, "paint_fraction_mean")
    at = [e.curves[run].query("40 <= step < 60")["paint_fraction_mean"].mean() for run in JUDGED]
    ours = f"{thirds[0]:.3f} to {thirds[2]:.3f} (x{thirds[2] / thirds[0]:.2f})"
    why = (
        f"a third more paint, HAC t {line.t_hac:+.1f}; and it had 60 steps: over the same steps 40-59 the "
        f"judge runs had reached only {at[0]:.3f} and {at[1]:.3f}"
    )
    return ours, CAVEAT if line.t_hac > 2 else HOLDS, why


def _judge_makes_pigment(e: Evidence) -> Row:
    first = {run: of.rise(e.curves[run].query("step < 60"), "paint_fraction_mean") for run in RUNS}
    ours = "rise over the first 60 steps: " + ", ".join(f"{run} {value:+.3f}" for run, value in first.items())
    why = (
        "one run a mix, other things drift too; and hps-led, with half the judge weight, gained more paint than "
        "judge-led"
    )
    return ours, NOT_SHOWN, why


def _alike_rewards(e: Evidence) -> Row:
    thirds = {run: of.thirds(e.curves[run], "reward_std") for run in RUNS}
    ours = ", ".join(f"{run} " + " ".join(f"{each:.3f}" for each in t) for run, t in thirds.items())
    always = all(t[0] > t[1] > t[2] for t in thirds.values())
    return ours, HOLDS if always else CAVEAT, "judge-led stopped narrowing after its first third" if not always else ""


def _hardest_converges(e: Evidence) -> Row:
    spread = {run: of.thirds(e.curves[run], "reward_std")[2] for run in RUNS}
    entropy = {run: of.thirds(e.curves[run], "entropy")[2] for run in RUNS}
    ours = "last third: sd " + ", ".join(f"{run} {v:.3f}" for run, v in spread.items())
    ours += "; entropy " + ", ".join(f"{v:.3f}" for v in entropy.values())
    good = any(found["hps-only"] == min(found.values()) for found in (spread, entropy))
    why = (
        "said of looks, which need the pictures; in rewards and entropy hps-only has narrowed less (it also had half "
        "the steps)"
    )
    return ours, HOLDS if good else NOT_SHOWN, why


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
    why = f"hps-led faced the same draws; HPSv3, which sees no draw, paid {pair.terms['quality']:+.3f} of the "
    f"fall; eight rollouts' luck is +-{pair.luck:.2f}"
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
    ours = f"step times only; eight renders of 69 to 96 s one by one would be {8 * 69 / mean:.0%} to "
    f"{8 * 96 / mean:.0%} of a mean step"
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


_LOOKS = "needs the pictures; wclib.analysis.diversity measures it where they are"

CHECKS: dict[str, Callable[[Evidence], Row]] = {
    **paintings.CHECKS,
    "thirds hps-only": _thirds("hps-only", 0.58, 0.71),
    "thirds judge-led": _thirds("judge-led", 0.45, 0.72),
    "thirds hps-led": _thirds("hps-led", 0.57, 0.82),
    "all learn": _all_learn,
    "lower start": _lower_start,
    "noisier": _noisier,
    "flat start": _flat_start,
    "still climbing": _still_climbing,
    "judge climbs": _judge_climbs,
    "only with judge": _only_with_judge,
    "no collapse": _no_collapse,
    "warm-up": _warm_up,
    "coverage doubles": _coverage_doubles,
    "coverage hps-only": _coverage_hps_only,
    "judge makes pigment": _judge_makes_pigment,
    "alike rewards": _alike_rewards,
    "alike paintings": lambda e: ("-", NEEDS, _LOOKS),
    "hardest converges": _hardest_converges,
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
