"""One model for every verdict: references' difficulty, and the curve that an average draw would have made.

    logit P(submission wins) = strength[draw] - (tier + delta[reference]) +- order      + when it is shown first

``delta`` is a random effect, N(0, s^2) with s by EM, which keeps references that were met once or never beaten
finite. Strength is free, apart from a prior so wide (sd 5) that it only stops a draw that won or lost everything at
about +-5; such draws are marked ``bounded``. Verdicts of both orders are fitted, not the 0, 0.5, 1 score; a lost call
is missing.

The corrected curve is P(win) at each strength averaged over the pool as the sampler draws it (half love, half okay)
and both orders. The draw's effect is raw less corrected. Intervals resample whole steps for the references'
difficulty, and add each step's own rollout noise where the curve is meant. Strength varies between rollouts of a step
and is one number here, so logits shrink: compare ranks and probabilities, not logits of different models. Assumed:
difficulty does not depend on the policy nor drift with the judge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.special import expit
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from wclib.analysis.schema import VERDICTS, score_of
from wclib.analysis.verdicts import cells, with_draws
from wclib.errors import UsageError

_WIDE = 1 / 5.0**2


@dataclass(frozen=True)
class Fit:
    """What the model found.

    Attributes:
        strength: one logit a draw.
        tier_love: how much harder the love tier is, in logits.
        order: what being shown first is worth, in logits.
        sd: s, the spread of references' difficulty within a tier.
        references: a row a reference: ``reference_id``, ``tier``, ``draws``, ``verdicts``, ``beaten`` (share),
            ``delta``, ``difficulty`` (tier and delta), ``se``.
        bounded: draws that won or lost everything.
        rounds: EM rounds until s changed by less than a thousandth.
    """

    strength: np.ndarray
    tier_love: float
    order: float
    sd: float
    references: pd.DataFrame
    bounded: np.ndarray
    rounds: int


@dataclass
class _Design:
    """Counted verdicts as matrices.

    Strengths are eliminated block by block, so only references meet in a dense system.
    """

    draw: np.ndarray
    reference: np.ndarray
    order: np.ndarray
    won: np.ndarray
    n: np.ndarray
    love: np.ndarray
    ids: np.ndarray
    z: csr_array

    @classmethod
    def of(cls, counted: pd.DataFrame) -> _Design:
        reference, ids = pd.factorize(counted["reference_id"], sort=True)
        love = counted.groupby("reference_id")["tier"].first().loc[ids].eq("love").to_numpy(float)
        order = counted["order"].to_numpy(float)
        rows = np.arange(len(counted))
        values = np.concatenate([-love[reference], order, -np.ones(len(counted))])
        columns = np.concatenate([np.zeros(len(counted), int), np.ones(len(counted), int), reference + 2])
        z = csr_array(coo_array((values, (np.tile(rows, 3), columns)), shape=(len(counted), len(ids) + 2)))
        won, n = (counted[name].to_numpy(float) for name in ("won", "n"))
        return cls(counted["draw"].to_numpy(), reference, order, won, n, love, np.asarray(ids), z)


def _newton(design: _Design, weight: np.ndarray, s2: float, start: tuple[np.ndarray, np.ndarray] | None):
    """Penalised maximum at a given s^2; returns strengths, (tier, order, deltas) and the latter's covariance."""
    draws = len(weight)
    n, won = design.n * weight[design.draw], design.won * weight[design.draw]
    a, b = start or (np.zeros(draws), np.zeros(design.z.shape[1]))
    precision = np.r_[_WIDE, _WIDE, np.full(len(design.ids), 1 / s2)]
    members = csr_array(coo_array((np.ones(len(n)), (design.draw, np.arange(len(n)))), shape=(draws, len(n))))
    for _ in range(50):
        p = expit(a[design.draw] + design.z @ b)
        w, left = n * p * (1 - p), won - n * p
        own = np.bincount(design.draw, w, draws) + _WIDE * np.maximum(weight, 1e-9)
        grad_a = np.bincount(design.draw, left, draws) - _WIDE * weight * a
        grad_b = design.z.T @ left - precision * b
        weighted = design.z.multiply(w[:, None]).tocsr()
        cross = members @ weighted
        schur = (design.z.T @ weighted).toarray() + np.diag(precision)
        schur -= (cross.T @ cross.multiply(1 / own[:, None]).tocsr()).toarray()
        step_b = np.linalg.solve(schur, grad_b - cross.T @ (grad_a / own))
        step_a = (grad_a - cross @ step_b) / own
        # A full step overshoots only when everything is won or lost; two logits at a time is always safe.
        scale = min(1.0, 2.0 / max(1e-12, np.abs(step_a).max(), np.abs(step_b).max()))
        a, b = a + scale * step_a, b + scale * step_b
        if max(np.abs(step_a).max(), np.abs(step_b).max()) < 1e-4:
            break
    return a, b, np.linalg.inv(schur)


def _fit(design: _Design, weight: np.ndarray, s2: float = 0.5, start=None, most: int = 200):
    rounds = 0
    while rounds < most:
        rounds += 1
        with threadpool_limits(1):  # the matrices are small: more threads only wait for each other
            a, b, covariance = _newton(design, weight, s2, start)
        start = (a, b)
        new = max(1e-6, float(np.mean(b[2:] ** 2 + np.diag(covariance)[2:])))
        done = abs(np.sqrt(new) - np.sqrt(s2)) < 1e-3 * np.sqrt(s2)
        s2 = new
        if done:
            break
    return a, b, covariance, s2, rounds


def fit_verdicts(comparisons: pd.DataFrame) -> Fit:
    """Fit the model to one run's comparisons (or to anchors': their numbers as steps).

    Raises:
        UsageError: no call was answered, or the table mixes several runs.
    """
    table = with_draws(comparisons)
    counted = cells(comparisons)
    if counted.empty:
        raise UsageError("no call of the judge was answered in these comparisons: there is nothing to fit")
    design = _Design.of(counted)
    a, b, covariance, s2, rounds = _fit(design, np.ones(table["draw"].max() + 1))
    by = counted.groupby("reference_id")
    references = pd.DataFrame(
        {
            "reference_id": design.ids,
            "tier": np.where(design.love > 0, "love", "okay"),
            "draws": by["draw"].nunique().loc[design.ids].to_numpy(),
            "verdicts": by["n"].sum().loc[design.ids].to_numpy(),
            "beaten": (by["won"].sum() / by["n"].sum()).loc[design.ids].to_numpy(),
            "delta": b[2:],
            "difficulty": b[0] * design.love + b[2:],
            "se": np.sqrt(np.diag(covariance)[2:]),
        }
    )
    share = counted.groupby("draw")[["won", "n"]].sum().reindex(range(len(a)), fill_value=0)
    bounded = ((share["won"] == 0) | (share["won"] == share["n"])).to_numpy()
    return Fit(a, float(b[0]), float(b[1]), float(np.sqrt(s2)), references, bounded, rounds)


def average_win(strength: np.ndarray, difficulty: np.ndarray, love: np.ndarray, order: float) -> np.ndarray:
    """P(win) at each strength over the pool as it is drawn: half love, half okay, both orders.

    Args:
        strength: of any length; the result has its shape.
        difficulty, love: of every picture of the pool, and whether it is of the love tier.
        order: what being shown first is worth.
    """
    tiers = [difficulty[love], difficulty[~love]]
    faced = [tier for tier in tiers if len(tier)]
    eta = [strength[:, None] - tier[None] for tier in faced]
    return np.mean([expit(part + way).mean(axis=1) for part in eta for way in (order, -order)], axis=0)


def _strength_given(design: _Design, fixed: np.ndarray, a: np.ndarray) -> np.ndarray:
    for _ in range(25):
        p = expit(a[design.draw] + fixed)
        own = np.bincount(design.draw, design.n * p * (1 - p), len(a)) + _WIDE
        step = (np.bincount(design.draw, design.won - design.n * p, len(a)) - _WIDE * a) / own
        a = a + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-6:
            break
    return a


def corrected_curve(
    comparisons: pd.DataFrame, fit: Fit, pool: pd.DataFrame | None = None, resamples: int = 0
) -> pd.DataFrame:
    """The judge's curve as it was, and as an average draw would have made it.

    Args:
        comparisons: one run's.
        fit: of the same comparisons.
        pool: ``reference_id`` and ``tier`` of the whole pool; by default the references that were met. Those never
            met count as average for their tier.
        resamples: bootstrap resamples of whole steps; 0 leaves intervals out.

    Returns:
        A row a step: ``raw`` (mean pair score), ``corrected``, ``effect`` (raw less corrected), ``difficulty`` (mean
        of its references'), ``bounded``; when resampled ``effect_low``/``_high`` (references uncertain) and
        ``corrected_low``/``_high`` (and rollouts).
    """
    table = with_draws(comparisons)
    design = _Design.of(cells(comparisons))
    extra = 0
    if pool is not None:
        unmet = pool[~pool["reference_id"].isin(fit.references["reference_id"])]
        extra = unmet["tier"].eq("love").to_numpy()
    love = np.r_[design.love > 0, extra] if pool is not None else design.love > 0
    hard = fit.references.set_index("reference_id").loc[design.ids]["difficulty"].to_numpy()

    def over_pool(strength: np.ndarray, difficulty: np.ndarray, tier: float, order: float) -> np.ndarray:
        unmet = np.where(extra, tier, 0.0) if pool is not None else np.empty(0)
        return average_win(strength, np.r_[difficulty, unmet], love, order)

    scored = table.assign(score=score_of(table))
    per = scored.groupby("draw").agg(step=("step", "first"), raw=("score", "mean"))
    per["corrected"] = over_pool(fit.strength, hard, fit.tier_love, fit.order)
    met = table.drop_duplicates(["draw", "reference_id"])
    lookup = fit.references.set_index("reference_id")["difficulty"]
    per["difficulty"] = met["reference_id"].map(lookup).groupby(met["draw"]).mean()
    per["bounded"] = fit.bounded
    per["effect"] = per["raw"] - per["corrected"]
    by_step = per.groupby("step").mean()
    by_step["bounded"] = by_step["bounded"] > 0
    if resamples:
        draws = _resample(table, design, fit, over_pool, resamples)
        codes = per["step"].to_numpy()
        for name, part in draws.items():
            value = pd.DataFrame(part.T, index=codes).groupby(level=0).mean()
            if name == "effect":
                value = by_step["raw"].to_numpy()[:, None] - value
            by_step[f"{name}_low"], by_step[f"{name}_high"] = np.nanpercentile(value, (2.5, 97.5), axis=1)
    return by_step.reset_index()


def _resample(table, design: _Design, fit: Fit, over_pool, resamples: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    start = (fit.strength, np.r_[fit.tier_love, fit.order, fit.references["delta"]])
    step_of = table.groupby("draw")["step"].first().to_numpy()
    steps = np.unique(step_of)
    error = _rollout_error(table, fit)
    out: dict[str, list[np.ndarray]] = {"effect": [], "corrected": []}
    for _ in tqdm(range(resamples), desc="resampling steps", disable=None if resamples > 100 else True, leave=False):
        times = np.bincount(rng.integers(len(steps), size=len(steps)), minlength=len(steps)).astype(float)
        weight = times[np.searchsorted(steps, step_of)]
        _, b, _, s2, _ = _fit(design, weight, fit.sd**2, start, most=3)
        # A reference that no resampled step met is unknown there, not average.
        absent = np.bincount(design.reference, weight[design.draw], len(design.ids)) == 0
        b[2:] += absent * rng.normal(size=len(design.ids)) * np.sqrt(s2)
        strength = _strength_given(design, design.z @ b, fit.strength)
        hard = b[0] * design.love + b[2:]
        out["effect"].append(over_pool(strength, hard, b[0], b[1]))
        luck = np.clip(
            strength + rng.standard_t(max(1, table["position_in_group"].nunique() - 1), len(strength)) * error, -6, 6
        )
        out["corrected"].append(over_pool(luck, hard, b[0], b[1]))
    return {name: np.array(rows) for name, rows in out.items()}


def _rollout_error(table: pd.DataFrame, fit: Fit) -> np.ndarray:
    """Standard error of each strength from its rollouts, taken as clusters: they differ, and share a draw."""
    lookup = fit.references.set_index("reference_id")["difficulty"]
    base = fit.strength[table["draw"]] - table["reference_id"].map(lookup).to_numpy()
    left, power = np.zeros(len(table)), np.zeros(len(table))
    for name, way in zip(VERDICTS, (1, -1), strict=True):
        p = expit(base + way * fit.order)
        known = table[name].notna().to_numpy()
        left += known * ((table[name] == "submission").to_numpy() - p)
        power += known * p * (1 - p)
    by = table.assign(left=left, power=power).groupby(["draw", "position_in_group"])[["left", "power"]].sum()
    clusters = by.groupby("draw").agg(n=("left", "size"), power=("power", "sum"))
    meat = (by["left"] ** 2).groupby("draw").sum() * clusters["n"] / (clusters["n"] - 1).clip(lower=1)
    return (np.sqrt(meat) / (clusters["power"] + _WIDE)).reindex(range(len(fit.strength)), fill_value=0.0).to_numpy()


def least_squares(comparisons: pd.DataFrame, fit: Fit) -> pd.Series:
    """A cheap check: score = draw - reference by ridge least squares, with the model's shrinkage.

    The difficulty by reference id. Compare ranks with the model's: the scale is the score's, and shrinks near 0 and 1.
    """
    table = with_draws(comparisons).assign(score=score_of(comparisons)).dropna(subset=["score"])
    reference, ids = pd.factorize(table["reference_id"], sort=True)
    # A pair tells the logit model 2 p (1 - p); so much of a unit of s^-2 is one pair's worth of ridge.
    p = np.clip(table["score"].mean(), 0.05, 0.95)
    ridge = 1 / (max(fit.sd, 1e-3) ** 2 * 2 * p * (1 - p))
    love = table["tier"].eq("love").to_numpy(float)
    rows = np.arange(len(table))
    place = (np.r_[rows, rows], np.r_[np.zeros(len(table), int), reference + 1])
    x = csr_array(coo_array((np.r_[love, np.ones(len(table))], place), shape=(len(table), len(ids) + 1)))
    draw = pd.factorize(table["draw"])[0]
    sums = coo_array((np.ones(len(table)), (draw, rows))).tocsr() @ x
    # The draw's own level is taken off without ever making the demeaned matrix, which would be dense.
    gram = (x.T @ x - sums.T @ sums.multiply(1 / np.bincount(draw)[:, None]).tocsr()).toarray()
    y = (table["score"] - table.groupby("draw")["score"].transform("mean")).to_numpy()
    b = -np.linalg.solve(gram + np.diag(np.r_[1e-6, np.full(len(ids), ridge)]), x.T @ y)
    tier = pd.Series(table["tier"].to_numpy()).groupby(reference).first().eq("love").to_numpy(float)
    return pd.Series(b[0] * tier + b[1:], index=pd.Index(ids, name="reference_id"), name="difficulty")
