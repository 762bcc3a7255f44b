"""The article's sentences against our numbers: :func:`audit` makes the table.

Each check computes its figures from the frames and decides by a rule written beside it. Without rollouts, checks that
need them say so. What per-step curves cannot tell at all: anything about single paintings (bad ones, the best,
shapes, how alike they look), where a step's time went, which rollouts had no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from wclib.analysis import audit_curves, audit_rollouts, audit_steps
from wclib.analysis.claims import SAID, Evidence, Row

CHECKS: dict[str, Callable[[Evidence], Row]] = audit_curves.CHECKS | audit_steps.CHECKS | audit_rollouts.CHECKS


def audit(curves: Mapping[str, pd.DataFrame], rollouts: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
    """Every claim with our number and a verdict.

    Args:
        curves: the three published curves by name (:func:`wclib.analysis.published.published_curves`).
        rollouts: published rollouts by name, as far as they are at hand.

    Returns:
        Columns ``claim``, ``article``, ``ours``, ``verdict`` (one of :data:`wclib.analysis.claims.VERDICTS`),
        ``why``; index: the claim's short name.
    """
    evidence = Evidence(curves, rollouts or {})
    rows = {}
    for name, said in SAID.items():
        ours, verdict, why = CHECKS[name](evidence)
        rows[name] = {"claim": said.claim, "article": said.figures, "ours": ours, "verdict": verdict, "why": why}
    return pd.DataFrame.from_dict(rows, orient="index")
