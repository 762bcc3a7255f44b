"""The numbers behind the local judge: its two heads, how they are fitted, and how far they can be trusted.

The pair head is a Bradley-Terry model: logistic regression, without a constant, on differences between the
statistics of paintings of different tiers. The quality head is logistic regression of kept against not kept.
Strong regularisation (C 0.003 for pairs) generalises better than weak, which puts weights of +-25 on
statistics that are nearly copies of one another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wclib.painting import TIERS

PAIR_C = 0.003
QUALITY_C = 0.1
#: Below this held-out pair accuracy, or with fewer ratings, the judge says it is not to be trusted.
TRUSTED_ACCURACY = 0.65
TRUSTED_RATINGS = 20
#: Rank of a tier: love 3, okay 2, nope 1; pictures of :mod:`wclib.judges.floor` have rank 0.
RANK = {tier: len(TIERS) - position for position, tier in enumerate(TIERS)}
KEPT = RANK["okay"]
_FOLDS = 5
_REPEATS = 5
_CUT = 3.0


@dataclass(frozen=True)
class Accuracy:
    """Held-out pair accuracy.

    Attributes:
        share: pairs ordered rightly (a draw counts half), over ``pairs``; None without any pair.
        low, high: 95% interval, families resampled 400 times.
        pairs: how many held-out pairs of different tiers.
        families: how many sketch families the paintings come from.
        ratings: how many rated paintings it was fitted on.
        by_tiers: the share for each pair of tiers, e.g. ``{"love>okay": 0.8}``.
    """

    share: float | None
    low: float | None
    high: float | None
    pairs: int
    families: int
    ratings: int
    by_tiers: dict[str, float]

    @property
    def trusted(self) -> bool:
        """Whether there are enough ratings and enough held-out pairs come out right."""
        return self.ratings >= TRUSTED_RATINGS and self.share is not None and self.share >= TRUSTED_ACCURACY

    @property
    def doubt(self) -> str:
        """Why not to trust it, ``""`` when it can be trusted; part of the judge's name, so every score shows it."""
        if self.ratings < TRUSTED_RATINGS:
            return f"fewer than {TRUSTED_RATINGS} ratings, do not trust it"
        if self.trusted:
            return ""
        return f"pair accuracy {'unknown' if self.share is None else f'below {TRUSTED_ACCURACY}'}, do not trust it"

    def __str__(self) -> str:
        counted = f"{self.ratings} ratings"
        if self.share is None:
            text = f"pair accuracy unknown ({counted} from {self.families} sketch families leave no pair to hold out)"
        else:
            text = (
                f"pair accuracy {self.share:.2f} (95% interval {self.low:.2f}-{self.high:.2f}; {self.pairs} held-out "
                f"pairs, {counted}, {self.families} sketch families)"
            )
        return f"{text}: {self.doubt}; rate more paintings" if self.doubt else text


@dataclass(frozen=True)
class Heads:
    """The fitted numbers: standardisation, the kept paintings' spread, and the two heads."""

    centre: np.ndarray
    scale: np.ndarray
    kept_centre: np.ndarray
    kept_scale: np.ndarray
    pair_weights: np.ndarray
    quality_weights: np.ndarray
    quality_bias: float

    def inputs(self, x: np.ndarray) -> np.ndarray:
        """Statistics (n, 18) to the model's inputs (n, 19): standardised, cut, and ``strange`` added."""
        standard = np.clip((x - self.centre) / self.scale, -_CUT, _CUT)
        strange = (np.clip((x - self.kept_centre) / self.kept_scale, -_CUT, _CUT) ** 2).mean(axis=1, keepdims=True)
        return np.hstack([standard, strange - 1.0])

    def taste(self, x: np.ndarray) -> np.ndarray:
        """Bradley-Terry scores of statistics (n, 18): the higher of two wins."""
        return self.inputs(x) @ self.pair_weights

    def quality(self, x: np.ndarray) -> np.ndarray:
        """Probability (n,) that a painting with these statistics would be kept."""
        return 1.0 / (1.0 + np.exp(-np.clip(self.inputs(x) @ self.quality_weights + self.quality_bias, -500, 500)))


def fit_heads(x: np.ndarray, rank: np.ndarray) -> Heads:
    """Fit both heads on statistics ``x`` (n, 18) with ranks 3 love, 2 okay, 1 nope, 0 floor."""
    rated, kept = x[rank > 0], x[rank >= KEPT]
    spread = np.maximum(x.std(axis=0), 1e-6)
    scale = np.maximum(rated.std(axis=0), 0.25 * spread)
    kept_scale = np.maximum(kept.std(axis=0), 0.25 * spread)
    bare = Heads(rated.mean(axis=0), scale, kept.mean(axis=0), kept_scale, np.zeros(0), np.zeros(0), 0.0)
    z = bare.inputs(x)
    better, worse, weight = _pairs(rank)
    # Twenty pairs a painting keeps the meaning of C whatever the pool's size: pairs grow with its square.
    weight *= 20 * len(rated) / weight.sum()
    # Every other pair is turned round, because a classifier wants to see both answers; the loss is the same.
    turned = np.where(np.arange(len(better)) % 2, -1.0, 1.0)
    pairs = _logistic(turned[:, None] * (z[better] - z[worse]), turned > 0, weight, PAIR_C, constant=False)
    quality = _logistic(z, rank >= KEPT, _balance(rank), QUALITY_C, constant=True)
    return Heads(bare.centre, scale, bare.kept_centre, kept_scale, pairs, quality[:-1], float(quality[-1]))


def _logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray, c: float, constant: bool) -> np.ndarray:
    """Weights, the constant last where there is one, that minimise ``|w|^2 / 2 + c * weighted log loss``.

    Args:
        x: inputs (n, d). y: 0 or 1 (n,). weight: of each row (n,). c: inverse strength of the penalty.
        constant: whether to fit one; it is not penalised.
    """
    # Imported here because a server whose judge is cached never fits, and the import takes a second. One thread:
    # the products are small, and a BLAS that wakes every core for them waits for the cores that paint.
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        model = LogisticRegression(C=c, fit_intercept=constant, solver="newton-cholesky", tol=1e-8)
        model.fit(x, y, sample_weight=weight)
    return np.append(model.coef_[0], model.intercept_) if constant else model.coef_[0]


def _pairs(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices of better and worse of every pair of different rank, and weights equal over kinds of pair.

    A rejected painting is not ranked against the floor: nobody rated them against each other.
    """
    better, worse = np.nonzero((rank[:, None] > rank[None, :]) & (rank[:, None] >= KEPT))
    kind = rank[better] * 4 + rank[worse]
    return better, worse, 1.0 / np.bincount(kind)[kind]


def _balance(rank: np.ndarray) -> np.ndarray:
    """Weights, mean 1, that make kept and not kept count alike, and rejected and floor alike among the latter."""
    kinds = np.select([rank >= KEPT, rank == RANK["nope"]], [2, 1], 0)
    present = np.bincount(kinds, minlength=3)
    share = np.array([0.5, 0.5, 1.0]) if present[1] else np.array([1.0, 0.0, 1.0])
    return (share / np.maximum(1, present))[kinds] * len(rank) / share.sum()


def cross_validate(x: np.ndarray, rank: np.ndarray, family: np.ndarray, count: int) -> Accuracy:
    """Held-out pair accuracy over folds of whole sketch families, five times over with new folds.

    Args:
        x, rank: statistics and ranks of the rated pictures, the first ``count`` rows, and of the floor after them.
        family: sketch family of each row; a spoiled picture has its painting's.
    """
    names, group = np.unique(family[:count], return_inverse=True)
    right, asked = np.zeros((count, count)), np.zeros((count, count))
    for repeat in range(_REPEATS if len(names) > 1 else 0):
        fold = np.random.default_rng(repeat).permutation(len(names)) % min(_FOLDS, len(names))
        for held in (np.flatnonzero(fold[group] == number) for number in range(fold.max() + 1)):
            training = ~np.isin(family, family[held])
            if not (rank[training] >= KEPT).any():
                continue
            taste = fit_heads(x[training], rank[training]).taste(x[held])
            better, worse = np.nonzero(rank[held][:, None] > rank[held][None, :])
            right[held[better], held[worse]] += (np.sign(taste[better] - taste[worse]) + 1) / 2
            asked[held[better], held[worse]] += 1
    better, worse = np.nonzero(asked)
    if not better.size:
        return Accuracy(None, None, None, 0, len(names), count, {})
    share = right[better, worse] / asked[better, worse]
    one, other = group[better], group[worse]
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(400):
        drawn = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))
        weight = drawn[one] * np.where(one == other, 1, drawn[other])
        if weight.sum():
            shares.append(float(np.average(share, weights=weight)))
    low, high = np.quantile(shares, [0.025, 0.975])
    kinds = {f"{a}>{b}": (RANK[a], RANK[b]) for i, a in enumerate(TIERS) for b in TIERS[i + 1 :]}
    by_tiers = {
        name: float(share[of].mean())
        for name, (a, b) in kinds.items()
        if (of := (rank[better] == a) & (rank[worse] == b)).any()
    }
    return Accuracy(float(share.mean()), float(low), float(high), int(better.size), len(names), count, by_tiers)
