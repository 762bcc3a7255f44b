"""Verdicts before any model: how often the judge flips, which references meet which steps.

Takes a comparisons table (:func:`wclib.analysis.load.load_comparisons`) of one run. A *draw* is the references of one
group: a step, or a group within it where a step has several (``step``, ``group``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from wclib.analysis.schema import VERDICTS, score_of, single_run


def with_draws(comparisons: pd.DataFrame) -> pd.DataFrame:
    """The table with a column ``draw``, a number a draw in order of step and group; several runs are a UsageError."""
    single_run(comparisons)
    keys = [name for name in ("step", "group") if name in comparisons]
    return comparisons.assign(draw=comparisons.groupby(keys).ngroup())


def flips(comparisons: pd.DataFrame) -> dict[str, float]:
    """How the judge answers the same pair in its two orders.

    Returns:
        ``pairs`` that both orders answered, ``lost_calls``; shares of those pairs: ``agree``, ``only_first`` (the
        submission wins only when shown first: a lean to the first place), ``only_second`` (the reverse); ``lean``,
        the two flips' difference.
    """
    first, second = (comparisons[name] for name in VERDICTS)
    both = comparisons[first.notna() & second.notna()]
    won = both[list(VERDICTS)] == "submission"
    n = len(both)
    one, two = ((won[a] & ~won[b]).sum() for a, b in (VERDICTS, VERDICTS[::-1]))
    share = {"agree": n - one - two, "only_first": one, "only_second": two, "lean": one - two}
    lost = int(first.isna().sum() + second.isna().sum())
    return {
        "pairs": n,
        "lost_calls": lost,
        **{name: float(count / n) if n else math.nan for name, count in share.items()},
    }


def connectivity(comparisons: pd.DataFrame) -> dict[str, Any]:
    """Which draws and references can be compared at all: connected blocks of the graph of draws and references.

    Returns:
        ``blocks`` (1 is good: across blocks only the assumption that references are alike on average compares
        anything), ``largest`` (share of the draws in the largest block), ``references``, ``met_once`` (drawn a single
        time), ``never_beaten``, ``always_beaten``.
    """
    table = with_draws(comparisons)
    draw, reference = table["draw"].to_numpy(), pd.factorize(table["reference_id"])[0]
    draws, references = draw.max() + 1, reference.max() + 1
    size = draws + references
    graph = coo_array((np.ones(len(table)), (draw, draws + reference)), shape=(size, size))
    blocks, label = connected_components(graph, directed=False)
    score = score_of(table).groupby(table["reference_id"]).mean()
    return {
        "blocks": int(blocks),
        "largest": float(np.bincount(label[:draws]).max() / draws),
        "references": int(references),
        "met_once": int((table.groupby("reference_id")["draw"].nunique() == 1).sum()),
        "never_beaten": int((score == 0).sum()),
        "always_beaten": int((score == 1).sum()),
    }


def cells(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Verdicts counted by draw, reference and order; lost calls are not counted.

    Returns:
        Columns ``draw``, ``reference_id``, ``tier``, ``order`` (+1 submission first, -1), ``won``, ``n``.
    """
    table = with_draws(comparisons)
    parts = []
    for name, order in zip(VERDICTS, (1.0, -1.0), strict=True):
        answered = table[table[name].notna()]  # a longer column would give an empty part its rows back
        part = answered[["draw", "reference_id", "tier"]]
        parts.append(part.assign(order=order, won=(answered[name] == "submission").astype(float)))
    every = pd.concat(parts)
    keys = ["draw", "reference_id", "tier", "order"]
    return every.groupby(keys, observed=True)["won"].agg(["sum", "size"]).set_axis(["won", "n"], axis=1).reset_index()
