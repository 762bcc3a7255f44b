"""The checks of :mod:`wclib.analysis.audit` that need single paintings."""

from __future__ import annotations

from collections.abc import Callable

from wclib.analysis import curves as of
from wclib.analysis.claims import CAVEAT, CONTRADICTED, HOLDS, JUDGED, NEEDS, NOT_SHOWN, Evidence, Row
from wclib.analysis.paintings import bad_by_thirds, best_and_median, ceiling, decompose, obeys, step_means
from wclib.analysis.published import RUNS
from wclib.analysis.shapes import against_reward


def _with(runs: tuple[str, ...], check: Callable[[Evidence], Row]) -> Callable[[Evidence], Row]:
    """A check that needs the rollouts of some runs, and says so when they are not at hand."""

    def wrapped(e: Evidence) -> Row:
        missing = [run for run in runs if run not in e.rollouts]
        if missing:
            return "-", NEEDS, f"per-step means do not hold it; load the rollouts of {', '.join(missing)}"
        return check(e)

    return wrapped


def _near(ours: list[float], said: list[float], within: float) -> str:
    return HOLDS if all(abs(a - b) <= within for a, b in zip(ours, said, strict=True)) else CONTRADICTED


def _bad_first(e: Evidence) -> Row:
    parts = decompose(e.rollouts["hps-only"], resamples=500)
    share = float(parts.loc["fewer_bad", "share"])
    ours = f"{share:.0%} ({parts.loc['fewer_bad', 'value']:+.3f} of {parts.loc['rise', 'value']:+.3f})"
    return ours, _near([share], [0.75], 0.06), ""


def _bad(run: str, first: int, last: int) -> Callable[[Evidence], Row]:
    def check(e: Evidence) -> Row:
        bad = bad_by_thirds(e.rollouts[run])["bad"]
        return f"{bad['first']}, {bad['last']}", _near([bad["first"], bad["last"]], [first, last], 0), ""

    return _with((run,), check)


def _best(e: Evidence) -> Row:
    ours = best_and_median(e.rollouts["hps-only"])
    said = _near([ours["best"], ours["median"]], [0.034, 0.155], 0.003)
    return f"{ours['best']:+.3f}, {ours['median']:+.3f}", said, ""


def _good(runs: tuple[str, ...], said: list[float]) -> Callable[[Evidence], Row]:
    def check(e: Evidence) -> Row:
        ours = [float(decompose(e.rollouts[run]).loc["better_good", "value"]) for run in runs]
        return ", ".join(f"{each:+.3f}" for each in ours), _near(ours, said, 0.01), ""

    return _with(runs, check)


def _best_rises(e: Evidence) -> Row:
    lines = [of.slope(step_means(e.rollouts[run], how="max")) for run in JUDGED]
    return ", ".join(map(str, lines)), HOLDS if min(line.t_hac for line in lines) > 2 else NOT_SHOWN, ""


def _ceiling(e: Evidence) -> Row:
    late, whole = ceiling(e.rollouts["hps-only"])
    return f"last third {late:.3f}, whole run {whole:.3f}", _near([late], [0.771], 0.003), ""


#: How the published table counts, read in the published code; see :mod:`wclib.analysis.shapes`.
_CALLS = "published n_shapes counts calls in the source text: a loop over petals counts once and circles not at all"


def _shapes_count(e: Evidence) -> Row:
    means = [obeys(e.rollouts[run])["mean"] for run in RUNS]
    near = all(6.5 <= mean <= 9.5 for mean in means)
    ours = ", ".join(f"{mean:.1f}" for mean in means)
    return ours, CAVEAT if near else CONTRADICTED, f"the figure, but not the meaning: {_CALLS}"


def _shapes_reward(e: Evidence) -> Row:
    tables = [against_reward(e.rollouts[run], ("n_shapes",)) for run in RUNS]
    pooled = [float(table.loc[("n_shapes", "pooled", "pearson"), "r"]) for table in tables]
    inside = [float(table.loc[("n_shapes", "within", "pearson"), "r"]) for table in tables]
    ours = ", ".join(f"{r:+.3f}" for r in pooled) + "; within steps " + ", ".join(f"{r:+.3f}" for r in inside)
    return ours, _near(pooled, [0.0, -0.14, 0.07], 0.006), _CALLS


def _shapes_disobey(e: Evidence) -> Row:
    why = (
        f"{_CALLS}, so what was painted was never counted; and a correlation among rollouts that all stay under 15 "
        "cannot say what 15 would pay"
    )
    return "-", NOT_SHOWN, why


CHECKS: dict[str, Callable[[Evidence], Row]] = {
    "bad first": _with(("hps-only",), _bad_first),
    "bad judge-led": _bad("judge-led", 99, 16),
    "bad hps-led": _bad("hps-led", 37, 4),
    "best and median": _with(("hps-only",), _best),
    "good hps-only": _good(("hps-only",), [0.03]),
    "good judge runs": _good(JUDGED, [0.12, 0.16]),
    "best rises": _with(JUDGED, _best_rises),
    "shapes count": _with(RUNS, _shapes_count),
    "shapes reward": _with(RUNS, _shapes_reward),
    "shapes disobey": _shapes_disobey,
    "ceiling": _with(("hps-only",), _ceiling),
}
