"""95% intervals: Wilson's of a share, and by bootstrap of a mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import binomtest


def wilson(count: int, of: int) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927): within [0, 1] also at 0 of n, and all of it without a trial."""
    if not of:
        return 0.0, 1.0
    interval = binomtest(count, of).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95% of the means of 2,000 resamples of ``values`` (at least one), drawn by a fixed seed."""
    means = np.random.default_rng(0).choice(np.asarray(values, dtype=float), (2000, len(values))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
