"""Draws of equal difficulty: when every reference's difficulty is known, a step need not be unlucky.

Difficulties come from anchors (``python -m wclib analyse --anchors``: a few frozen paintings judged once against the
whole pool), so they do not depend on the run, or from an earlier run's fit. Three ways to draw, each of which takes
every reference equally often in the long run:

* ``random``: as the sampler does, within each tier;
* ``strata``: each tier is cut into as many slices of difficulty as it gives references, one from each;
* ``mirror``: references are taken in pairs, the one at a random rank and the one at the mirrored rank of its tier.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from wclib.analysis.corrected import win
from wclib.errors import UsageError

WAYS = ("random", "strata", "mirror")
ROLLOUT_SD = 0.8
_QUANTILES = np.array([-1.534, -0.887, -0.489, -0.157, 0.157, 0.489, 0.887, 1.534])


def balanced_draw(pool: pd.DataFrame, seed: int, way: str = "strata", k: int = 4) -> list[str]:
    """``k`` reference ids, half of each tier (okay takes the odd one).

    Args:
        pool: ``reference_id``, ``tier``, ``difficulty``.
        seed: one a group: the same seed and pool always give the same draw.
        way: one of :data:`WAYS`.

    Raises:
        UsageError: an unknown way, or a tier too small.
    """
    if way not in WAYS:
        raise UsageError(f"there is no way of drawing called {way!r}: {', '.join(WAYS)}")
    rng = np.random.default_rng(seed)
    return [name for ids, share in _ranked(pool, k) for name in ids[_ranks(len(ids), share, way, rng)]]


def _ranked(pool: pd.DataFrame, k: int) -> list[tuple[np.ndarray, int]]:
    """Each tier's ids from easy to hard, and how many of them a draw takes."""
    tiers = []
    for tier, share in (("love", k // 2), ("okay", k - k // 2)):
        ids = pool[pool["tier"] == tier].sort_values(["difficulty", "reference_id"])["reference_id"].to_numpy()
        if len(ids) < share:
            raise UsageError(f"the pool has {len(ids)} {tier} pictures, a draw of {k} needs {share}")
        tiers.append((ids, share))
    return tiers


def _ranks(n: int, share: int, way: str, rng: np.random.Generator) -> np.ndarray:
    if way == "random" or share < 2:
        return rng.choice(n, share, replace=False)
    if way == "strata":
        edges = np.arange(share + 1) * n / share
        ranks = np.unique([int(rng.uniform(low, high)) for low, high in zip(edges[:-1], edges[1:], strict=True)])
        return np.r_[ranks, rng.choice(np.setdiff1d(np.arange(n), ranks), share - len(ranks), replace=False)]
    if n % 2 and rng.random() < share / n:  # the middle rank is its own mirror: it comes as often as any other, alone
        return np.r_[n // 2, rng.choice(np.delete(np.arange(n), n // 2), share - 1, replace=False)]
    taken = rng.choice(n // 2, share // 2, replace=False)
    ranks = np.concatenate([taken, n - 1 - taken])
    rest = np.setdiff1d(np.arange(n), ranks)
    return np.r_[ranks, rng.choice(rest, share - len(ranks), replace=False)]


def noise_by_way(pool: pd.DataFrame, strength: float = 0.0, order: float = 0.0, draws: int = 2000) -> pd.DataFrame:
    """How noisy a step's judge mean is at fixed strength, for each way of drawing.

    Simulated at the same number of verdicts: eight rollouts, four references, a spread of strength of
    :data:`ROLLOUT_SD` inside a step.

    Args:
        pool: ``reference_id``, ``tier`` and the true ``difficulty`` (logits).
        strength: of the policy (logits); the draw costs most where it wins half its comparisons.
        order: what being shown first is worth (logits).
        draws: simulated steps a way.

    Returns:
        A row a way: ``sd_draw`` (of P(win), rollouts averaged out), ``sd_step`` (what a curve shows: draw, rollouts
        and verdicts), ``steps_saved`` (share of steps that could be left out for a mean as sure as with ``random``).
    """
    hard = pool.set_index("reference_id")["difficulty"]
    tiers = [(hard[ids].to_numpy(), share) for ids, share in _ranked(pool, 4)]
    rng = np.random.default_rng(0)
    rows = {}
    for way in WAYS:
        met = np.hstack([[ids[_ranks(len(ids), share, way, rng)] for _ in range(draws)] for ids, share in tiers])
        own = strength + ROLLOUT_SD * rng.normal(size=(draws, 8))
        p = np.array([win(own[i], met[i], order) for i in range(draws)])
        fixed = np.array([win(strength + ROLLOUT_SD * _QUANTILES, met[i], order).mean() for i in range(draws)])
        score = rng.binomial(2, p).mean(axis=(1, 2)) / 2
        rows[way] = {"sd_draw": fixed.std(ddof=1), "sd_step": score.std(ddof=1)}
    table = pd.DataFrame.from_dict(rows, orient="index")
    # Steps are independent: to halve a curve's variance by steps alone takes twice as many of them.
    table["steps_saved"] = 1 - (table["sd_step"] / table.loc["random", "sd_step"]) ** 2
    return table
