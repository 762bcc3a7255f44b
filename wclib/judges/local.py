"""The local judge: a taste learned from the pool's own tiers, with no token and no GPU.

It is a linear model on the statistics of :mod:`wclib.judges.features`, with two heads:

* **pairs**: a Bradley-Terry model fitted as logistic regression on differences between paintings of
  different tiers (love > okay > nope, and everything kept above the floor pictures of
  :mod:`wclib.judges.floor`). Strong regularisation (C 0.003) generalises better than weak, which
  puts weights of +-25 on statistics that are nearly copies of one another.
* **quality**: logistic regression of kept (love, okay) against rejected and floor, C 0.1, in [0, 1].

One statistic is added to the eighteen: ``strange``, how far a picture lies from the kept ones. It lets
a linear model say "too much" of what it otherwise likes, and standardised values are cut at +-3, so no
statistic can be driven without end. A scalar judge cannot prefer by position, nor be intransitive.

How far it can be trusted is measured when it is fitted and travels with its weights: the share of
held-out pairs of different tiers it orders rightly. Folds are split by sketch family, so variations of
a sketch are never on both sides, and the interval resamples families. It is not HPSv3 and not the
vision judge, and everything that shows its scores says "local judge".

Fitted weights are cached by the pool's fingerprint in ``$XDG_CACHE_HOME/wclib`` (``~/.cache/wclib``).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import tempfile
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from wclib.judges import features, floor
from wclib.judges.features import FEATURES, measure, measure_image
from wclib.judges.pairwise import Position
from wclib.pool import TIERS, Painting, Pool

NAME = "local judge"
PAIR_C = 0.003
QUALITY_C = 0.1
#: Below this held-out pair accuracy, or with fewer ratings, the judge says it is not to be trusted.
TRUSTED_ACCURACY = 0.65
TRUSTED_RATINGS = 20
_FOLDS = 5
_REPEATS = 5
_CUT = 3.0
_SPOILED = 12
_RANK = {tier: len(TIERS) - position for position, tier in enumerate(TIERS)}  # love 3, okay 2, nope 1, floor 0
_REMEMBERED = 4096


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

    def __str__(self) -> str:
        if self.share is None:
            text = f"pair accuracy unknown ({self.ratings} ratings from {self.families} sketch families leave no pair to hold out)"
        else:
            text = (
                f"pair accuracy {self.share:.2f} (95% interval {self.low:.2f}-{self.high:.2f}; {self.pairs} held-out "
                f"pairs, {self.ratings} ratings, {self.families} sketch families)"
            )
        if self.ratings < TRUSTED_RATINGS:
            return text + f": fewer than {TRUSTED_RATINGS} ratings, do not trust it; rate more paintings"
        return text if self.trusted else text + f": below {TRUSTED_ACCURACY}, do not trust it; rate more paintings"


@dataclass(frozen=True)
class _Heads:
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


class LocalJudge:
    """Compares two pictures and scores one, by the taste of a pool.

    Make one with :meth:`fit`, or with :meth:`for_pool`, which keeps what it fitted.
    """

    name = NAME

    def __init__(self, heads: _Heads, accuracy: Accuracy, fingerprint: str):
        self.heads, self.accuracy, self.fingerprint = heads, accuracy, fingerprint
        self._measured: dict[bytes, np.ndarray] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<{self.describe()}>"

    def describe(self) -> str:
        """One line: what it is, how far it can be trusted, and whose taste it has."""
        return f"{NAME}, fitted on pool {self.fingerprint[:12]}; {self.accuracy}"

    async def verdict(self, first: bytes, second: bytes) -> Position:
        """Which picture is the better painting; the same two pictures always get the same answer.

        Raises:
            InfrastructureFault: part ``"judge"``, when the bytes are not a picture.
        """
        one, other = await asyncio.to_thread(lambda: (self.taste(first), self.taste(second)))
        return "first" if one >= other else "second"

    async def quality(self, png: bytes) -> float:
        """How likely the pool's raters would keep this picture, in [0, 1].

        Raises:
            InfrastructureFault: part ``"judge"``, when the bytes are not a picture.
        """
        x = await asyncio.to_thread(self._measure, png)
        return float(self.heads.quality(x[None])[0])

    def taste(self, picture: bytes) -> float:
        """The picture's Bradley-Terry score (logits; only differences mean anything)."""
        return float(self.heads.taste(self._measure(picture)[None])[0])

    def weights(self) -> dict[str, tuple[float, float]]:
        """Each statistic's weight in the pair head and in the quality head, per standard deviation."""
        pairs, quality = self.heads.pair_weights, self.heads.quality_weights
        return {name: (float(pairs[i]), float(quality[i])) for i, name in enumerate((*FEATURES, "strange"))}

    def _measure(self, picture: bytes) -> np.ndarray:
        key = hashlib.sha256(picture).digest()
        # Eight verdicts on one submission arrive at once: the first measures, the others wait for it.
        with self._lock:
            known = self._measured.get(key)
            if known is None:
                if len(self._measured) >= _REMEMBERED:
                    self._measured.clear()
                known = self._measured[key] = measure(picture)
        return known

    @classmethod
    def fit(cls, pool: Pool) -> LocalJudge:
        """Fit on a pool's tiers, its rejected paintings and the floor; 1-3 s for a hundred pictures.

        Raises:
            InfrastructureFault: a picture of the pool cannot be read any more.
        """
        rated = list(pool.paintings + pool.rejected)
        pictures = [painting.png() for painting in rated]
        kept = [index for index, painting in enumerate(rated) if painting.tier != "nope"]
        chosen = kept[:: max(1, len(kept) // _SPOILED)]
        x = [measure(picture) for picture in pictures]
        rank = [_RANK[painting.tier] for painting in rated]
        family = [painting.family for painting in rated]
        for index in chosen:
            broken = [measure_image(image) for image in floor.spoiled(pictures[index])]
            x, rank, family = x + broken, rank + [0] * len(broken), family + [family[index]] * len(broken)
        flat = [measure_image(image) for image in floor.floor_pictures()]
        x, rank, family = x + flat, rank + [0] * len(flat), family + [""] * len(flat)
        table, ranks, families = np.array(x), np.array(rank), np.array(family)
        return cls(_fit_heads(table, ranks), _cross_validate(table, ranks, families, rated), pool.fingerprint)

    @classmethod
    def for_pool(cls, pool: Pool) -> LocalJudge:
        """The judge of this pool: from the cache when the same pool was fitted before, else fitted now."""
        path = _cache_folder() / f"local-judge-{_cache_key(pool)}.json"
        try:
            return cls.load(path)
        except (OSError, ValueError, KeyError, TypeError):
            judge = cls.fit(pool)
        try:
            judge.save(path)
        except OSError:
            pass  # A read-only home costs a refit at the next start, nothing else.
        return judge

    def save(self, path: Path) -> None:
        """Write weights and accuracy as JSON, whole or not at all."""
        heads = {name: np.asarray(value).tolist() for name, value in vars(self.heads).items()}
        text = json.dumps({"fingerprint": self.fingerprint, "accuracy": asdict(self.accuracy), "heads": heads}, indent=1)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "w") as out:
                out.write(text)
            os.replace(draft, path)
        except BaseException:
            os.unlink(draft)
            raise

    @classmethod
    def load(cls, path: Path) -> LocalJudge:
        """Read what :meth:`save` wrote.

        Raises:
            OSError, ValueError, KeyError, TypeError: not there, or not such a file.
        """
        stored = json.loads(path.read_text())
        arrays = {name: np.array(value) for name, value in stored["heads"].items()}
        heads = _Heads(**{**arrays, "quality_bias": float(arrays["quality_bias"])})
        if heads.pair_weights.shape != (len(FEATURES) + 1,) or not all(np.isfinite(v).all() for v in arrays.values()):
            raise ValueError(f"{path} does not fit this version's statistics")
        return cls(heads, Accuracy(**stored["accuracy"]), stored["fingerprint"])


def _fit_heads(x: np.ndarray, rank: np.ndarray) -> _Heads:
    """Fit both heads on statistics ``x`` (n, 18) with ranks 3 love, 2 okay, 1 nope, 0 floor."""
    rated, kept = x[rank > 0], x[rank > 1]
    spread = np.maximum(x.std(axis=0), 1e-6)
    scale = np.maximum(rated.std(axis=0), 0.25 * spread)
    kept_scale = np.maximum(kept.std(axis=0), 0.25 * spread)
    bare = _Heads(rated.mean(axis=0), scale, kept.mean(axis=0), kept_scale, np.zeros(0), np.zeros(0), 0.0)
    z = bare.inputs(x)
    better, worse, weight = _pairs(rank)
    # Twenty pairs a painting keeps the meaning of C whatever the pool's size: pairs grow with its square.
    weight *= 20 * len(rated) / weight.sum()
    pairs = _logistic(z[better] - z[worse], np.ones(len(better)), weight, PAIR_C)
    liked = rank > 1
    balance = np.where(liked, 0.5 / liked.mean(), 0.5 / max(1e-9, 1 - liked.mean()))
    quality = _logistic(np.hstack([z, np.ones((len(z), 1))]), liked, balance, QUALITY_C, bias=True)
    return _Heads(bare.centre, scale, bare.kept_centre, kept_scale, pairs, quality[:-1], float(quality[-1]))


def _logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray, c: float, bias: bool = False) -> np.ndarray:
    """Weights that minimise ``|w|^2 / 2 + c * weighted log loss``, by damped Newton steps.

    Written out because it is fifteen lines, gives the same digits on every machine load, and spares the
    environment's server an import of seconds.

    Args:
        x: inputs (n, d). y: 0 or 1 (n,). weight: of each row (n,). c: inverse strength of the penalty.
        bias: whether the last column of ``x`` is a constant, which is not penalised.
    """
    penalty = np.ones(x.shape[1])
    if bias:
        penalty[-1] = 0.0
    sign = np.where(y, 1.0, -1.0)

    def loss(w: np.ndarray) -> float:
        return float(0.5 * (penalty * w * w).sum() + c * (weight * np.logaddexp(0, -sign * (x @ w))).sum())

    w = np.zeros(x.shape[1])
    now = loss(w)
    for _ in range(50):
        chance = 1 / (1 + np.exp(np.clip(sign * (x @ w), -500, 500)))
        slope = penalty * w - c * x.T @ (weight * sign * chance)
        curve = np.diag(penalty) + c * (x.T * (weight * chance * (1 - chance))) @ x
        step = np.linalg.solve(curve + 1e-9 * np.eye(len(w)), slope)
        while (new := loss(w - step)) > now and np.abs(step).max() > 1e-10:
            step = step / 2
        w, gain, now = w - step, now - new, new
        if gain < 1e-10 * max(1.0, abs(now)):
            break
    return w


def _pairs(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices of better and worse of every pair of different rank, and weights equal over kinds of pair.

    A rejected painting is not ranked against the floor: nobody rated them against each other.
    """
    better, worse = np.nonzero((rank[:, None] > rank[None, :]) & (rank[:, None] > 1))
    kind = rank[better] * 4 + rank[worse]
    return better, worse, 1.0 / np.bincount(kind)[kind]


def _cross_validate(x: np.ndarray, rank: np.ndarray, family: np.ndarray, rated: list[Painting]) -> Accuracy:
    """Held-out pair accuracy over folds of whole sketch families, five times over with new folds."""
    count = len(rated)
    names, group = np.unique(family[:count], return_inverse=True)
    right, asked = np.zeros((count, count)), np.zeros((count, count))
    for repeat in range(_REPEATS if len(names) > 1 else 0):
        fold = np.random.default_rng(repeat).permutation(len(names)) % min(_FOLDS, len(names))
        for held in (np.flatnonzero(fold[group] == number) for number in range(fold.max() + 1)):
            training = ~np.isin(family, family[held])
            if not (rank[training] > 1).any():
                continue
            taste = _fit_heads(x[training], rank[training]).taste(x[held])
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
    kinds = {f"{a}>{b}": (_RANK[a], _RANK[b]) for i, a in enumerate(TIERS) for b in TIERS[i + 1 :]}
    by_tiers = {
        name: float(share[of].mean())
        for name, (a, b) in kinds.items()
        if (of := (rank[better] == a) & (rank[worse] == b)).any()
    }
    return Accuracy(float(share.mean()), float(low), float(high), int(better.size), len(names), count, by_tiers)


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wclib"


def _cache_key(pool: Pool) -> str:
    """Of the pool and of the code that measures and fits: a change in either is a new judge."""
    digest = hashlib.sha256(pool.fingerprint.encode())
    for module in (features, floor):
        digest.update(Path(module.__file__).read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()[:20]
