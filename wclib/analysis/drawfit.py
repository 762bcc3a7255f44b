"""One model for every verdict: how strong each draw's submissions were, and how hard each reference is.

    logit P(submission wins) = strength[draw] - (tier + delta[reference]) +- order      + when it is shown first

``delta`` is a random effect, N(0, s^2) with s by EM, which keeps references that were met once or never beaten
finite. Strength is free, apart from a prior so wide (sd 5) that it only stops a draw that won or lost everything at
about +-5; such draws are marked ``bounded``. Verdicts of both orders are fitted, not the 0, 0.5, 1 score; a lost call
is missing. Strength varies between rollouts of a step and is one number here, so logits shrink: compare ranks and
probabilities, not logits of different models. Assumed: difficulty does not depend on the policy nor drift with the
judge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.special import expit
from threadpoolctl import threadpool_limits

from wclib.analysis.schema import score_of
from wclib.analysis.verdicts import cells, with_draws
from wclib.errors import UsageError

#: Precision of the wide prior: sd 5.
WIDE = 1 / 5.0**2


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
    """

    strength: np.ndarray
    tier_love: float
    order: float
    sd: float
    references: pd.DataFrame
    bounded: np.ndarray


@dataclass
class Design:
    """Counted verdicts as matrices, a row a draw, reference and order.

    Strengths are eliminated block by block, so only references meet in a dense system.

    Attributes:
        draw, reference: numbers of the row's draw and reference.
        won, n: verdicts for the submission, and all of them.
        love: of each reference, 1 for the love tier, else 0.
        ids: the references' ids.
        z: everything but the strength: ``z @ (tier, order, deltas)``.
    """

    draw: np.ndarray
    reference: np.ndarray
    won: np.ndarray
    n: np.ndarray
    love: np.ndarray
    ids: np.ndarray
    z: csr_array

    @classmethod
    def of(cls, counted: pd.DataFrame) -> Design:
        """The design of :func:`wclib.analysis.verdicts.cells`."""
        reference, ids = pd.factorize(counted["reference_id"], sort=True)
        love = counted.groupby("reference_id")["tier"].first().loc[ids].eq("love").to_numpy(float)
        order = counted["order"].to_numpy(float)
        rows = np.arange(len(counted))
        values = np.concatenate([-love[reference], order, -np.ones(len(counted))])
        columns = np.concatenate([np.zeros(len(counted), int), np.ones(len(counted), int), reference + 2])
        z = csr_array(coo_array((values, (np.tile(rows, 3), columns)), shape=(len(counted), len(ids) + 2)))
        won, n = (counted[name].to_numpy(float) for name in ("won", "n"))
        return cls(counted["draw"].to_numpy(), reference, won, n, love, np.asarray(ids), z)


def _newton(design: Design, weight: np.ndarray, s2: float, start: tuple[np.ndarray, np.ndarray] | None):
    """Penalised maximum at a given s^2; returns strengths, (tier, order, deltas) and the latter's covariance."""
    draws = len(weight)
    n, won = design.n * weight[design.draw], design.won * weight[design.draw]
    a, b = start or (np.zeros(draws), np.zeros(design.z.shape[1]))
    precision = np.r_[WIDE, WIDE, np.full(len(design.ids), 1 / s2)]
    members = csr_array(coo_array((np.ones(len(n)), (design.draw, np.arange(len(n)))), shape=(draws, len(n))))
    for _ in range(50):
        p = expit(a[design.draw] + design.z @ b)
        w, left = n * p * (1 - p), won - n * p
        own = np.bincount(design.draw, w, draws) + WIDE * np.maximum(weight, 1e-9)
        grad_a = np.bincount(design.draw, left, draws) - WIDE * weight * a
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


def em(
    design: Design,
    weight: np.ndarray,
    s2: float = 0.5,
    start: tuple[np.ndarray, np.ndarray] | None = None,
    most: int = 200,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Fit strengths and references for a given s^2, then s^2 from them, until s changes by under a thousandth.

    Args:
        design: the verdicts.
        weight: of each draw, such as how often a resample drew it.
        s2: s^2 to begin with.
        start: strengths and ``(tier, order, deltas)`` to begin with.
        most: rounds at most.

    Returns:
        Strengths, ``(tier, order, deltas)``, the latter's covariance, s^2.
    """
    for _ in range(most):
        with threadpool_limits(1):  # the matrices are small: more threads only wait for each other
            a, b, covariance = _newton(design, weight, s2, start)
        start = (a, b)
        new = max(1e-6, float(np.mean(b[2:] ** 2 + np.diag(covariance)[2:])))
        done = abs(np.sqrt(new) - np.sqrt(s2)) < 1e-3 * np.sqrt(s2)
        s2 = new
        if done:
            break
    return a, b, covariance, s2


def fit_verdicts(comparisons: pd.DataFrame) -> Fit:
    """Fit the model to one run's comparisons (or to anchors': their numbers as steps).

    Raises:
        UsageError: no call was answered, or the table mixes several runs.
    """
    table = with_draws(comparisons)
    counted = cells(comparisons)
    if counted.empty:
        raise UsageError("no call of the judge was answered in these comparisons: there is nothing to fit")
    design = Design.of(counted)
    a, b, covariance, s2 = em(design, np.ones(table["draw"].max() + 1))
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
    return Fit(a, float(b[0]), float(b[1]), float(np.sqrt(s2)), references, bounded)


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
