"""Fewer bad paintings or better good ones? Best and median of a step, the ceiling, coverage.

Every function takes the rollouts of *one* run (:func:`wclib.analysis.load.load_rollouts`). A painting is *bad* when
its reward is strictly under 0.3. Unscored rollouts are left out. Means over a third are means of step means, so that
a step of six scored rollouts weighs as much as one of eight.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from wclib.analysis.curves import third_steps, thirds
from wclib.analysis.schema import single_run

BAD = 0.3
#: Under this rise a share of it means nothing.
LEAST_RISE = 0.02
ASKED = (15, 30)
PARTS = ("fewer_bad", "better_good", "less_bad")


def one_run(rollouts: pd.DataFrame) -> pd.DataFrame:
    """The scored rollouts of a table that holds one run; one that mixes several is a UsageError."""
    return single_run(rollouts)[rollouts["reward"].notna()]


def step_means(rollouts: pd.DataFrame, column: str = "reward", how: str = "mean") -> pd.DataFrame:
    """A curve from rollouts: ``step`` and a figure of each step's scored rollouts (``how`` as pandas names it)."""
    every = pd.Index(np.unique(rollouts["step"]), name="step")
    return one_run(rollouts).groupby("step")[column].agg(how).reindex(every).reset_index()


def bad_by_thirds(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Rows ``first``, ``middle``, ``last``; columns ``scored``, ``bad``, ``share``, ``mean_bad``, ``mean_good``."""
    scored = one_run(rollouts)
    rows = {}
    for name, steps in zip(("first", "middle", "last"), third_steps(rollouts["step"]), strict=True):
        reward = scored.loc[scored["step"].isin(steps), "reward"]
        bad = reward < BAD
        rows[name] = {
            "scored": len(reward),
            "bad": int(bad.sum()),
            "share": bad.mean(),
            "mean_bad": reward[bad].mean(),
            "mean_good": reward[~bad].mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def decompose(rollouts: pd.DataFrame, resamples: int = 0, seed: int = 0) -> pd.DataFrame:
    """Split the rise of the mean, last third minus first, into fewer bad, better good, and bad less bad.

    With ``p`` the share of bad, ``g`` and ``b`` the means of good and bad, and bars for the mean of both periods, the
    rise is exactly ``-dp (g - b) + (1 - p) dg + p db``. An empty subgroup borrows the other period's mean.

    Args:
        rollouts: one run.
        resamples: bootstrap resamples of whole steps within each third; 0 leaves the intervals out.
        seed: of the bootstrap.

    Returns:
        Rows ``fewer_bad``, ``better_good``, ``less_bad``, ``rise``; columns ``value``, ``share`` (of the rise; only
        when the rise exceeds 0.02 and both main terms have its sign) and, when resampled, ``low`` and ``high`` (95%).
    """
    scored = one_run(rollouts)
    first, _, last = third_steps(rollouts["step"])
    sums = _step_sums(scored)
    periods = [sums[sums.index.isin(steps)].to_numpy() for steps in (first, last)]
    if not all(len(period) for period in periods):
        return pd.DataFrame(math.nan, index=[*PARTS, "rise"], columns=["value", "share"])
    values = _parts(*(period.mean(axis=0) for period in periods))
    whole = values[3]
    shares = np.full(4, math.nan)
    if abs(whole) > LEAST_RISE and np.sign(values[0]) == np.sign(values[1]) == np.sign(whole):
        shares = values / whole
    table = pd.DataFrame({"value": values, "share": shares}, index=[*PARTS, "rise"])
    if resamples:
        rng = np.random.default_rng(seed)
        drawn = np.array(
            [
                _parts(*(period[rng.integers(len(period), size=len(period))].mean(axis=0) for period in periods))
                for _ in range(resamples)
            ]
        )
        table["low"], table["high"] = np.nanpercentile(drawn, (2.5, 97.5), axis=0)
    return table


def _step_sums(scored: pd.DataFrame) -> pd.DataFrame:
    """A row a step: share of bad, mean reward from good, mean reward from bad (the two add up to the step's mean)."""
    bad = scored["reward"] < BAD
    parts = pd.DataFrame(
        {
            "step": scored["step"],
            "bad": bad.astype(float),
            "from_good": scored["reward"].where(~bad, 0.0),
            "from_bad": scored["reward"].where(bad, 0.0),
        }
    )
    return parts.groupby("step").mean()


def _parts(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    p = np.array([first[0], last[0]])
    with np.errstate(invalid="ignore", divide="ignore"):
        good = np.array([first[1], last[1]]) / (1 - p)
        bad = np.array([first[2], last[2]]) / p
    good = np.where(p < 1, good, good[::-1])
    bad = np.where(p > 0, bad, bad[::-1])
    # Where both periods lack a subgroup it has no mean to borrow, and its weight is 0 in both.
    good, bad = np.nan_to_num(good), np.nan_to_num(bad)
    dp, dg, db = np.diff(p)[0], np.diff(good)[0], np.diff(bad)[0]
    terms = [-dp * (good.mean() - bad.mean()), (1 - p.mean()) * dg, p.mean() * db]
    return np.array([*terms, last[1:3].sum() - first[1:3].sum()])


def best_and_median(rollouts: pd.DataFrame) -> dict[str, float]:
    """Rise, last third minus first, of the best and of the median reward of a step, and of its mean."""
    steps = third_steps(rollouts["step"])
    figures = {}
    for name, how in (("best", "max"), ("median", "median"), ("mean", "mean")):
        curve = step_means(rollouts, how=how)
        first, last = (curve.loc[curve["step"].isin(part), "reward"].mean() for part in (steps[0], steps[2]))
        figures[name] = float(last - first)
    return figures


def ceiling(rollouts: pd.DataFrame) -> tuple[float, float]:
    """What a run would earn without bad paintings: mean of the good rewards in its last third, and in all of it."""
    scored = one_run(rollouts)
    good = scored[scored["reward"] >= BAD]
    late = good["step"].isin(third_steps(rollouts["step"])[2])
    return float(good.loc[late, "reward"].mean()), float(good["reward"].mean())


def coverage_column(rollouts: pd.DataFrame) -> str | None:
    """Each painting's own coverage where it was recorded, else its group's mean (all that is published), else None."""
    known = (
        name for name in ("paint_fraction", "group_paint_mean") if name in rollouts and rollouts[name].notna().any()
    )
    return next(known, None)


def coverage_by_thirds(rollouts: pd.DataFrame) -> tuple[float, float, float]:
    """Mean coverage by thirds; NaN where it was not recorded."""
    column = coverage_column(rollouts)
    if column is None:
        return (math.nan,) * 3
    curve = step_means(rollouts, column)
    return thirds(curve, column)


def coverage_against_reward(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Correlation of coverage and reward: all scored rollouts, and only the highest quarter by reward.

    Returns:
        Rows ``all`` and ``high reward``; columns ``n``, ``pearson``, ``spearman``. Few and alike rewards in the band
        make its correlation small by itself.
    """
    scored, column = one_run(rollouts), coverage_column(rollouts)
    rows = {}
    for name, part in (("all", scored), ("high reward", scored[scored["reward"] >= scored["reward"].quantile(0.75)])):
        x, y = (part[column], part["reward"]) if column else (pd.Series(dtype=float),) * 2
        defined = len(x.dropna()) > 2 and x.nunique() > 1 and y.nunique() > 1
        rows[name] = {
            "n": len(part),
            "pearson": x.corr(y) if defined else math.nan,
            "spearman": x.rank().corr(y.rank()) if defined else math.nan,
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def obeys(rollouts: pd.DataFrame, column: str = "n_shapes") -> dict[str, float]:
    """Mean of a count over scored rollouts, and the share within what the prompt asks for (fifteen to thirty)."""
    count = one_run(rollouts)[column].dropna()
    if count.empty:
        return {"mean": math.nan, "share": math.nan, "most": math.nan}
    return {"mean": float(count.mean()), "share": float(count.between(*ASKED).mean()), "most": float(count.max())}
