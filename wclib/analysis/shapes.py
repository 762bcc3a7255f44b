"""Does painting more shapes pay? Correlations with the reward that do not fool themselves.

A step is a group here: where a step has several, each is taken by itself. *Pooled* correlations mix two things: what
differs between rollouts of a step, and what drifts over the run. *Within* takes each step's mean off both first.
*Partial* takes coverage off both (by a straight line). Intervals resample whole steps, because the rollouts of a step
are not independent; beside them, narrower and wrong when steps matter, intervals that resample rollouts.

``n_shapes`` of the published tables counts the places in the *source* that call ``brush.beginShape(``. A loop that
paints five petals counts once, and circles do not count: it is not the number of shapes painted, which is our column
``shapes_painted``.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from wclib.analysis.paintings import coverage_column, one_run
from wclib.analysis.terms import groups_of

COUNTS = ("n_shapes", "n_vertices", "code_chars")
VIEWS = ("pooled", "within", "partial")


def correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r; NaN when either is constant or fewer than three pairs are there."""
    if len(x) < 3:
        return math.nan
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale > 1e-12 * len(x) else math.nan


def demeaned(values: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Values less the mean of their step."""
    _, code = np.unique(steps, return_inverse=True)
    return values - (np.bincount(code, values) / np.bincount(code))[code]


def without(values: np.ndarray, control: np.ndarray) -> np.ndarray:
    """What a straight line in ``control`` leaves of the values."""
    centred = control - control.mean()
    spread = float(centred @ centred)
    return values - values.mean() - (centred * (float(centred @ values) / spread) if spread > 0 else 0)


def views(x: np.ndarray, y: np.ndarray, steps: np.ndarray, control: np.ndarray | None) -> dict[tuple[str, str], float]:
    """Pearson's and Spearman's correlation, pooled, within steps, and partial, by ``(view, method)``.

    Ranks are averaged; within steps they are those of what is left of the step's mean.
    """
    if len(x) < 3:
        return {(view, method): math.nan for view in VIEWS for method in ("pearson", "spearman")}
    pairs = {"pooled": (x, y), "within": (demeaned(x, steps), demeaned(y, steps))}
    figures = {}
    for name, (a, b) in pairs.items():
        figures[name, "pearson"] = correlation(a, b)
        figures[name, "spearman"] = correlation(rankdata(a), rankdata(b))
    if control is not None:
        figures["partial", "pearson"] = correlation(without(x, control), without(y, control))
        ranks = [rankdata(values) for values in (x, y, control)]
        figures["partial", "spearman"] = correlation(without(ranks[0], ranks[2]), without(ranks[1], ranks[2]))
    return figures


def against_reward(rollouts: pd.DataFrame, columns: tuple[str, ...] = COUNTS, resamples: int = 0) -> pd.DataFrame:
    """Counts against the reward, over the scored rollouts of one run.

    Args:
        rollouts: one run.
        columns: counts to look at; those that are not there are left out.
        resamples: bootstrap resamples; 0 leaves the intervals out.

    Returns:
        Rows ``(column, view, method)`` with ``r`` and, when resampled, 95% intervals ``step_low``, ``step_high``
        (whole steps) and ``rollout_low``, ``rollout_high``. ``control`` names what *partial* holds fixed: each
        painting's coverage or, in published tables, only its group's mean.
    """
    scored, control = one_run(rollouts), coverage_column(rollouts)
    rng = np.random.default_rng(0)
    rows = []
    for column in (name for name in columns if name in scored):
        used = scored[[column, "reward", *groups_of(scored), *([control] if control else [])]].dropna()
        x, y = (used[name].to_numpy(float) for name in (column, "reward"))
        steps = used.groupby(groups_of(scored)).ngroup().to_numpy()
        held = used[control].to_numpy(float) if control else None
        intervals = _intervals(x, y, steps, held, resamples, rng) if resamples else {}
        for key, r in views(x, y, steps, held).items():
            rows.append({"column": column, "view": key[0], "method": key[1], "r": r, **intervals.get(key, {})})
    table = pd.DataFrame(rows, columns=None if rows else ["column", "view", "method", "r"])
    table = table.set_index(["column", "view", "method"])
    table.attrs["control"] = control
    return table


def _intervals(x, y, steps, held, resamples: int, rng: np.random.Generator) -> dict[tuple[str, str], dict[str, float]]:
    _, code = np.unique(steps, return_inverse=True)
    order = np.argsort(code, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(code))[:-1])
    drawn: dict[str, list[dict]] = {"step": [], "rollout": []}
    for _ in range(resamples):
        chosen = rng.integers(len(members), size=len(members))
        taken = np.concatenate([members[each] for each in chosen])
        # A step that is drawn twice is two steps, each with the same mean.
        named = np.repeat(np.arange(len(chosen)), [len(members[each]) for each in chosen])
        single = rng.integers(len(x), size=len(x))
        for kind, rows, label in (("step", taken, named), ("rollout", single, steps[single])):
            drawn[kind].append(views(x[rows], y[rows], label, None if held is None else held[rows]))
    intervals: dict[tuple[str, str], dict[str, float]] = {}
    for key in drawn["step"][0]:
        intervals[key] = {}
        for kind, figures in drawn.items():
            values = np.array([each[key] for each in figures])
            known = values[~np.isnan(values)]
            ends = np.percentile(known, (2.5, 97.5)) if len(known) > resamples / 2 else (math.nan, math.nan)
            intervals[key] |= {f"{kind}_low": float(ends[0]), f"{kind}_high": float(ends[1])}
    return intervals
