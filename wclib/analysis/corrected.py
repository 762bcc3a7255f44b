"""The curve that an average draw would have made, from :mod:`wclib.analysis.drawfit`'s model of every verdict.

The corrected curve is P(win) at each strength averaged over the pool as the sampler draws it (half love, half okay)
and both orders. The draw's effect is raw less corrected. Intervals resample whole steps for the references'
difficulty, and add each step's own rollout noise where the curve is meant.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.special import expit

from wclib.analysis.drawfit import WIDE, Design, Fit, em
from wclib.analysis.schema import VERDICTS, score_of
from wclib.analysis.verdicts import cells, with_draws
from wclib.progress import Bar


def win(strength: np.ndarray, difficulty: np.ndarray, order: float) -> np.ndarray:
    """P(win) of each strength against each difficulty (logits), mean of both orders: ``(strengths, difficulties)``."""
    eta = strength[:, None] - difficulty[None]
    return (expit(eta + order) + expit(eta - order)) / 2


def average_win(strength: np.ndarray, difficulty: np.ndarray, love: np.ndarray, order: float) -> np.ndarray:
    """P(win) at each strength over the pool as it is drawn: half love, half okay, both orders.

    Args:
        strength: of any length; the result has its shape.
        difficulty, love: of every picture of the pool, and whether it is of the love tier.
        order: what being shown first is worth.
    """
    faced = [tier for tier in (difficulty[love], difficulty[~love]) if len(tier)]
    return np.mean([win(strength, tier, order).mean(axis=1) for tier in faced], axis=0)


def _strength_given(design: Design, fixed: np.ndarray, a: np.ndarray) -> np.ndarray:
    for _ in range(25):
        p = expit(a[design.draw] + fixed)
        own = np.bincount(design.draw, design.n * p * (1 - p), len(a)) + WIDE
        step = (np.bincount(design.draw, design.won - design.n * p, len(a)) - WIDE * a) / own
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
    design = Design.of(cells(comparisons))
    unmet = np.empty(0, bool)  # whether each reference that was never met is of the love tier
    if pool is not None:
        unmet = pool.loc[~pool["reference_id"].isin(fit.references["reference_id"]), "tier"].eq("love").to_numpy()
    love = np.r_[design.love > 0, unmet]
    hard = fit.references.set_index("reference_id").loc[design.ids]["difficulty"].to_numpy()

    def over_pool(strength: np.ndarray, difficulty: np.ndarray, tier: float, order: float) -> np.ndarray:
        return average_win(strength, np.r_[difficulty, np.where(unmet, tier, 0.0)], love, order)

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


def _resample(
    table: pd.DataFrame, design: Design, fit: Fit, over_pool: Callable[..., np.ndarray], resamples: int
) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    start = (fit.strength, np.r_[fit.tier_love, fit.order, fit.references["delta"]])
    step_of = table.groupby("draw")["step"].first().to_numpy()
    steps = np.unique(step_of)
    error = _rollout_error(table, fit)
    out: dict[str, list[np.ndarray]] = {"effect": [], "corrected": []}
    for _ in Bar(range(resamples), desc="resampling steps", disable=resamples <= 100 or None, leave=False):
        times = np.bincount(rng.integers(len(steps), size=len(steps)), minlength=len(steps)).astype(float)
        weight = times[np.searchsorted(steps, step_of)]
        _, b, _, s2 = em(design, weight, fit.sd**2, start, most=3)
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
    return (np.sqrt(meat) / (clusters["power"] + WIDE)).reindex(range(len(fit.strength)), fill_value=0.0).to_numpy()
