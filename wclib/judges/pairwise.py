"""The pairwise judge's method: each reference twice, once in each order.

A judge (the vision model or the local one) only ever answers "which of these two is better?". A vision
model leans towards one position, so every pair is asked in both orders: 1 when the submission wins
both, 0.5 when the orders disagree, 0 when it loses both. A pair counts only when both orders
answered; a lost call is missing, never a loss. The score is the mean over the counted pairs, as in
the published recipe, and without a single counted pair there is no score at all (None).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from wclib.errors import InfrastructureFault
from wclib.painting import Painting

Position = Literal["first", "second"]


class PairJudge(Protocol):
    """What can compare two pictures."""

    name: str

    async def verdict(self, first: bytes, second: bytes) -> Position:
        """Which picture is the better painting.

        Raises:
            InfrastructureFault: part ``"judge"``, when no answer could be had.
        """
        ...


@dataclass(frozen=True)
class Comparison:
    """One reference met in both orders.

    Attributes:
        reference_id: the reference's file name.
        tier: the reference's tier.
        verdict_submission_first: who won when the submission was shown first, ``"submission"`` or
            ``"reference"``; None when that call was lost.
        verdict_reference_first: the same with the reference shown first.
        faults: why calls were lost, at most one line an order.
    """

    reference_id: str
    tier: str
    verdict_submission_first: str | None
    verdict_reference_first: str | None
    faults: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """1, 0.5 or 0 for the submission; None unless both orders answered."""
        verdicts = (self.verdict_submission_first, self.verdict_reference_first)
        return None if None in verdicts else verdicts.count("submission") / 2

    def as_dict(self) -> dict[str, Any]:
        """JSON-able, with the columns of ``comparisons.jsonl``."""
        return {
            "reference_id": self.reference_id,
            "tier": self.tier,
            "verdict_submission_first": self.verdict_submission_first,
            "verdict_reference_first": self.verdict_reference_first,
            "score": self.score,
            "faults": list(self.faults),
        }


async def both_orders(
    png: bytes, reference: bytes, judge: PairJudge
) -> tuple[tuple[str | None, str | None], tuple[str, ...]]:
    """Ask one pair in both orders at once.

    Returns:
        Who won, ``"submission"`` or ``"reference"``, with the submission first and with the reference first, None
        where the call was lost; and why calls were lost.
    """

    async def ask(submission_first: bool) -> tuple[str | None, str | None]:
        try:
            won = await judge.verdict(*((png, reference) if submission_first else (reference, png)))
        except InfrastructureFault as fault:
            return None, str(fault)
        return ("submission" if (won == "first") == submission_first else "reference"), None

    answers = await asyncio.gather(ask(True), ask(False))
    return (answers[0][0], answers[1][0]), tuple(fault for _, fault in answers if fault)


async def compare_all(png: bytes, references: Sequence[Painting], judge: PairJudge) -> list[Comparison]:
    """Compare one painting with every reference in both orders, all at once.

    Args:
        png: the submission, PNG bytes.
        references: what it is compared with.
        judge: who compares.

    Returns:
        One comparison a reference, in the order given. A lost call leaves its verdict None.
    """

    async def meet(painting: Painting) -> Comparison:
        verdicts, faults = await both_orders(png, painting.read(), judge)
        return Comparison(painting.reference_id, painting.tier, *verdicts, faults)

    return list(await asyncio.gather(*(meet(reference) for reference in references)))


def judge_score(comparisons: Sequence[Comparison]) -> float | None:
    """Share of references won, over the pairs that count; None when none does."""
    counted = [comparison.score for comparison in comparisons if comparison.score is not None]
    return sum(counted) / len(counted) if counted else None
