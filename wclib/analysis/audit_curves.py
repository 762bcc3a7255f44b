"""The checks of :mod:`wclib.analysis.audit` on whole curves: how reward, judge, paint and spread went over a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wclib.analysis import curves as of
from wclib.analysis.claims import CAVEAT, CONTRADICTED, HOLDS, JUDGED, NEEDS, NOT_SHOWN, Evidence, Row
from wclib.analysis.published import RUNS
from wclib.analysis.schema import term_sum


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
    return str(line), HOLDS if abs(line.t_hac) < 2 else CONTRADICTED, why


def _still_climbing(e: Evidence) -> Row:
    lines = {}
    for run in JUDGED:
        curve = e.curves[run]
        lines[run] = of.slope(curve[curve["step"].isin(of.third_steps(curve["step"])[2])])
    ours = "last third: " + ", ".join(f"{run} {line}" for run, line in lines.items())
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


_LOOKS = "needs the pictures; wclib.analysis.diversity measures it where they are"

CHECKS: dict[str, Callable[[Evidence], Row]] = {
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
}
