"""How far ratings can be trusted: with oneself, with others, and over a sitting.

A rater who is shown a picture again without being told agrees with himself only so often; no judge trained on those
ratings can agree with him more. Three questions, each answered with an interval:

* **repeats**: Cohen's kappa between first and second showing. Wilson's interval of the share that agreed, carried over
  to kappa with the chance agreement held at its estimate; unlike a bootstrap it does not shrink to a point when every
  repeat agreed.
* **raters**: Krippendorff's alpha (nominal) on first showings, with a percentile bootstrap over pictures.
* **drift**: Spearman's rho between the order of the presses and the tier (love 2, okay 1, nope 0, meh left out). The
  order is a shuffle, so a rater whose scale holds still has rho near 0.

A repeat that changed has a direction too: ``shift`` is the mean of second minus first, on the same 2, 1, 0.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import spearmanr

from wclib.intervals import wilson
from wclib.rating.log import TIERS, Row, latest, standing

SCORE = {"love": 2, "okay": 1, "nope": 0}
BOOTSTRAPS = 1000


@dataclass(frozen=True)
class Kappa:
    """Agreement of two answers to the same pictures beyond chance; ``value`` is NaN when there is no telling.

    Attributes:
        n: pictures answered twice.
        agreed: share of them with the same answer.
        value, low, high: kappa and its 95% interval.
        table: counts, first answer by row and second by column, in the order of ``TIERS``.
        shift: mean of second minus first (love 2, okay 1, nope 0), NaN when none of them is comparable.
    """

    n: int
    agreed: float
    value: float
    low: float
    high: float
    table: np.ndarray
    shift: float

    def __str__(self) -> str:
        if math.isnan(self.value):
            return f"kappa cannot be told from {self.n} pictures"
        return f"kappa {self.value:.2f} ({self.low:.2f} to {self.high:.2f}), {self.agreed:.0%} of {self.n} agreed"


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha between raters, with its 95% interval; NaN when no picture has two raters."""

    value: float
    low: float
    high: float
    pictures: int


@dataclass(frozen=True)
class Drift:
    """Whether a rater's scale moved over the sitting.

    Attributes:
        rho, p: Spearman's correlation of order and tier, and its p-value.
        shares: share of each tier in the first, second and last third of the presses.
        seconds: median seconds a press in each third.
        n: presses counted.
    """

    rho: float
    p: float
    shares: tuple[dict[str, float], ...]
    seconds: tuple[float, ...]
    n: int


@dataclass(frozen=True)
class Summary:
    """All of it, for printing; the parts are attributes."""

    counts: dict[str, dict[str, int]]
    repeats: dict[str, Kappa]
    between: Alpha
    pairs: dict[tuple[str, str], Kappa]
    drift: dict[str, Drift]
    comparisons: dict[str, int]
    undone: int

    def __str__(self) -> str:
        lines = []
        for rater, counts in self.counts.items():
            lines.append(f"{rater}: " + ", ".join(f"{counts[tier]} {tier}" for tier in TIERS))
            lines.append(f"  with oneself: {self.repeats[rater]}")
            drift = self.drift[rater]
            if not math.isnan(drift.rho):
                lines.append(f"  drift: rho {drift.rho:+.2f} (p {drift.p:.2g}) over {drift.n} presses")
        for rater, count in self.comparisons.items():
            lines.append(f"{rater}: {count} comparisons")
        for (one, other), kappa in self.pairs.items():
            lines.append(f"{one} and {other}: {kappa}")
        if self.between.pictures:
            alpha = self.between
            interval = f"({alpha.low:.2f} to {alpha.high:.2f}), {alpha.pictures} pictures"
            lines.append(f"all raters: Krippendorff's alpha {alpha.value:.2f} {interval}")
        if self.undone:
            lines.append(f"{self.undone} presses were taken back")
        return "\n".join(lines) or "nothing is rated yet"

    __repr__ = __str__


def summarise(rows: Iterable[Row]) -> Summary:
    """Everything above, from the rows of one log or of several joined."""
    rows = list(rows)
    both, first, second = latest(rows), latest(rows, repeat=False), latest(rows, repeat=True)
    compared = Counter(row["rater"] for row in standing(rows) if row["event"] == "compare")
    return Summary(
        {
            rater: {tier: [row["tier"] for row in by.values()].count(tier) for tier in TIERS}
            for rater, by in both.items()
        },
        {rater: _kappa_of(first.get(rater, {}), second.get(rater, {})) for rater in both},
        alpha([{sha: row["tier"] for sha, row in by_sha.items()} for by_sha in first.values()]),
        {(one, other): _kappa_of(first[one], first[other]) for one, other in combinations(first, 2)},
        {rater: drift([row for row in standing(rows) if row["rater"] == rater]) for rater in both},
        dict(compared),
        sum(row["event"] == "undo" for row in rows),
    )


def _kappa_of(first: dict[str, Row], second: dict[str, Row]) -> Kappa:
    both = [sha for sha in first if sha in second]
    return kappa([first[sha]["tier"] for sha in both], [second[sha]["tier"] for sha in both])


def kappa(first: Sequence[str], second: Sequence[str]) -> Kappa:
    """Cohen's kappa of two answers to the same pictures, in the same order."""
    from sklearn.metrics import cohen_kappa_score, confusion_matrix

    n = len(first)
    shifts = [SCORE[b] - SCORE[a] for a, b in zip(first, second, strict=True) if a in SCORE and b in SCORE]
    shift = float(np.mean(shifts)) if shifts else math.nan
    if not n:
        return Kappa(0, math.nan, math.nan, math.nan, math.nan, np.zeros((4, 4), int), shift)
    table = confusion_matrix(first, second, labels=TIERS)
    same = int(np.trace(table))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one tier only: kappa is 0/0, and NaN says so
        value = float(cohen_kappa_score(first, second, labels=TIERS))
    chance = float(table.sum(0) @ table.sum(1)) / n**2
    if chance == 1:
        return Kappa(n, same / n, math.nan, math.nan, math.nan, table, shift)
    low, high = ((bound - chance) / (1 - chance) for bound in wilson(same, n))
    return Kappa(n, same / n, value, low, high, table, shift)


def alpha(raters: Sequence[dict[str, str]]) -> Alpha:
    """Krippendorff's alpha of several raters' tiers, ``{picture: tier}`` each; pictures with one rater do not count."""
    import krippendorff

    pictures = sorted({sha for tiers in raters for sha in tiers if sum(sha in other for other in raters) > 1})
    counts = np.array([[sum(by.get(sha) == tier for by in raters) for tier in TIERS] for sha in pictures])
    if not pictures or (counts.sum(0) > 0).sum() < 2:
        return Alpha(math.nan, math.nan, math.nan, len(pictures))

    def value(table: np.ndarray) -> float:
        if (table.sum(0) > 0).sum() < 2:
            return math.nan
        return float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))

    rng = np.random.default_rng(0)
    drawn = [value(counts[rng.integers(0, len(counts), len(counts))]) for _ in range(BOOTSTRAPS)]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return Alpha(value(counts), float(low), float(high), len(pictures))


def drift(rows: Sequence[Row]) -> Drift:
    """Whether the tiers of one rater's standing presses, in order, move in one direction."""
    rated = [row for row in rows if row["event"] == "rate" and row["tier"] in SCORE and row.get("shown_s") is not None]
    scores = [SCORE[row["tier"]] for row in rated]
    rho, p = (math.nan, math.nan)
    if len(set(scores)) > 1 and len(scores) > 3:
        rho, p = map(float, spearmanr(range(len(scores)), scores))
    parts = np.array_split(np.arange(len(rated)), 3)
    shares = tuple(
        {tier: float(np.mean([rated[i]["tier"] == tier for i in part])) if len(part) else math.nan for tier in SCORE}
        for part in parts
    )
    seconds = tuple(float(np.median([rated[i]["shown_s"] for i in part])) if len(part) else math.nan for part in parts)
    return Drift(rho, p, shares, seconds, len(rated))
