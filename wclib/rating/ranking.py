"""Pairwise answers to an order: the Bradley-Terry model, fitted by choix.

The strength of picture i is the theta_i of P(i beats j) = 1 / (1 + exp(theta_j - theta_i)) (Bradley and Terry 1952).
"Same" counts as half a win each. A ridge, the penalty ``RIDGE / 2 * sum(theta ** 2)`` on the log-likelihood, keeps the
strength of a picture that won every time finite.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wclib.errors import UsageError
from wclib.rating.log import Row, standing

RIDGE = 0.1


@dataclass(frozen=True)
class Ranked:
    """A picture's place.

    Attributes:
        sha256, folder, file: the picture, as the log names it.
        strength: theta; a lead of 1 wins 73% of the time.
        compared: how often it was shown in a pair.
    """

    sha256: str
    folder: str
    file: str
    strength: float
    compared: int


def rank(rows: Iterable[Row]) -> list[Ranked]:
    """The compared pictures of a log's rows, strongest first.

    Raises:
        UsageError: there is no comparison.
    """
    import choix

    pairs = [row for row in standing(rows) if row["event"] == "compare"]
    if not pairs:
        raise UsageError("the log holds no comparison: rate some with Rater(..., mode='pairs')")
    pictures: dict[str, tuple[str, str]] = {}
    for row in pairs:
        for side in ("left_", "right_"):
            pictures[row[side + "sha256"]] = (row[side + "folder"], row[side + "file"])
    index = {sha: number for number, sha in enumerate(pictures)}
    wins: list[tuple[int, int]] = []
    for row in pairs:
        left, right = index[row["left_sha256"]], index[row["right_sha256"]]
        # Every answer is two half wins, so that "same" can be one each.
        first, second = {"left": (True, True), "right": (False, False), "same": (True, False)}[row["winner"]]
        wins += [(left, right) if won else (right, left) for won in (first, second)]
    strength = choix.opt_pairwise(len(index), wins, alpha=2 * RIDGE)  # every answer is in there twice
    compared = np.bincount([i for pair in wins for i in pair], minlength=len(index)) // 2
    ranked = [
        Ranked(sha, *pictures[sha], float(strength[number]), int(compared[number])) for sha, number in index.items()
    ]
    return sorted(ranked, key=lambda item: (-item.strength, item.sha256))


def tiers_of(ranked: list[Ranked]) -> dict[str, str]:
    """``{picture: tier}``: the first third of a ranking love, the second okay, the last nope."""
    return {item.sha256: ("love", "okay", "nope")[3 * place // len(ranked)] for place, item in enumerate(ranked)}
