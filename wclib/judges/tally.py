"""What verdicts in both orders come to: right, split and wrong, flips, circles; each share with its 95% interval.

Verdicts are those of :func:`wclib.judges.pairwise.both_orders`: who won with the one and with the other shown first,
None where a call was lost. A pair counts only when both orders answered.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from wclib.intervals import wilson

Verdicts = Sequence[tuple[str | None, str | None]]


def row(name: str, verdicts: Verdicts) -> dict[str, Any]:
    """A row of the audit: pairs asked, answered, ``right`` and ``wrong`` in both orders, ``split``; share right."""
    answered = [pair for pair in verdicts if None not in pair]
    right = answered.count(("submission", "submission"))
    wrong = answered.count(("reference", "reference"))
    return {
        "what": name,
        "pairs": len(verdicts),
        "answered": len(answered),
        "right": right,
        "split": len(answered) - right - wrong,
        "wrong": wrong,
        **share(right, len(answered)),
    }


def share(count: int, of: int) -> dict[str, float | None]:
    """``share``, ``low`` and ``high`` (Wilson); None of nothing."""
    low, high = wilson(count, of) if of else (None, None)
    return {"share": count / of if of else None, "low": low, "high": high}


def flips(verdicts: Verdicts) -> dict[str, Any]:
    """How often the order decided, and how often for the picture shown first."""
    answered = [pair for pair in verdicts if None not in pair]
    flipped = [one for one, other in answered if one != other]
    return {
        "answered": len(answered),
        "flipped": len(flipped),
        # A flip with the submission first and won is a lean to the first place.
        "to_the_first": flipped.count("submission"),
        **share(len(flipped), len(answered)),
    }


def circles(size: int, verdicts: Verdicts) -> dict[str, Any]:
    """Triples of ``size`` pictures that go in a circle, among those decided in both orders by all three pairs."""
    wins = dict(zip(itertools.combinations(range(size), 2), verdicts, strict=True))
    decided = {pair: v[0] == "submission" for pair, v in wins.items() if v[0] is not None and v[0] == v[1]}
    triples = [t for t in itertools.combinations(range(size), 3) if decided.keys() >= {*itertools.combinations(t, 2)}]
    # With a < b < c, the sides ab, bc and ac go round when ab and bc agree and ac does not.
    circular = sum(decided[a, b] == decided[b, c] != decided[a, c] for a, b, c in triples)
    return {"triples": len(triples), "circular": circular, **share(circular, len(triples))}
