"""The order pictures are shown in: a shuffle by hash, which a restart finds again.

A seed, the rater's name and the picture's own hash place every picture on a line from 0 to 1. A new candidate takes its
place on that line and moves no other. A share of the pictures comes back unannounced, at least a fifth of the line
later: what a rater says the second time tells how far to trust the first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from wclib.rating.candidates import Candidate, Candidates

#: Matchings of all candidates with one another, in which each meets one other.
ROUNDS = 4
_GAP = 0.2
_EARLY = 0.6


@dataclass(frozen=True)
class Slot:
    """One showing: of a picture, or of two side by side; ``repeat`` when the rater has seen it before."""

    id: str
    candidates: tuple[Candidate, ...]
    position: float
    repeat: bool = False

    @property
    def key(self) -> tuple[frozenset[str], bool]:
        """What an answer to it is kept under: the pictures' hashes, and whether it is the second showing."""
        return frozenset(item.sha256 for item in self.candidates), self.repeat


class Order:
    """Every showing there is for a rater.

    Args:
        candidates: what can be rated.
        rater: whose order it is.
        seed: of the shuffle.
        repeats: share of pictures shown a second time.

    Attributes:
        slots: every showing, in order.
    """

    def __init__(self, candidates: Candidates, rater: str, seed: int, repeats: float):
        self.candidates, self.rater, self.seed, self.repeats = candidates, rater, seed, repeats
        self.plan()

    def plan(self) -> None:
        """Place every candidate there is by now."""
        firsts = list(self._firsts())
        lottery = sorted((self._unit("repeat", slot.id), slot) for slot in firsts if slot.position < _EARLY)
        chosen = [slot for _, slot in lottery][: round(self.repeats * len(firsts))]
        again = [
            self._again(slot, low + (1 - low) * self._unit("when", slot.id))
            for slot in chosen
            for low in [slot.position + _GAP]
        ]
        self.slots = sorted(firsts + again, key=lambda slot: (slot.position, slot.id))
        self._by_id = {slot.id: slot for slot in self.slots}
        self._pictures = {self.picture_id(item): item for item in self.candidates.by_sha.values()}

    def find(self, slot_id: str) -> Slot | None:
        """The showing of that id, None when there is none any more."""
        return self._by_id.get(slot_id)

    def picture_id(self, candidate: Candidate) -> str:
        """A name for a picture that tells nothing about it; also the id of its first showing."""
        return self._id(candidate.sha256)

    def picture(self, picture_id: str) -> Candidate | None:
        """The candidate of that name, None when there is none any more."""
        return self._pictures.get(picture_id)

    def singles(self) -> list[Slot]:
        """Every candidate alone and once, in the order of the shuffle."""
        alone = (Slot(self._id(sha), (item,), self._unit(sha)) for sha, item in self.candidates.by_sha.items())
        return sorted(alone, key=lambda slot: (slot.position, slot.id))

    def _unit(self, *parts: object) -> float:
        text = "\n".join(map(str, (self.seed, self.rater, *parts)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64

    def _id(self, *parts: object) -> str:
        return f"{int(self._unit('id', *parts) * 2**48):012x}"

    def _firsts(self) -> Iterable[Slot]:
        return self.singles()

    def _again(self, slot: Slot, position: float) -> Slot:
        return replace(slot, id=self._id(slot.id, "again"), position=position, repeat=True)


class PairOrder(Order):
    """Two side by side: every candidate meets another in each of :data:`ROUNDS` seeded matchings.

    60 paintings are 120 presses. A repeat has its sides swapped.
    """

    def _firsts(self) -> Iterable[Slot]:
        seen = set()
        for turn in range(ROUNDS):
            order = [sha for _, sha in sorted((self._unit("round", turn, sha), sha) for sha in self.candidates.by_sha)]
            for pair in zip(order[::2], order[1::2], strict=False):
                if frozenset(pair) not in seen:
                    seen.add(frozenset(pair))
                    place = (turn + self._unit("pair", turn, *pair)) / ROUNDS
                    yield Slot(self._id(*pair), tuple(self.candidates.by_sha[sha] for sha in pair), place)

    def _again(self, slot: Slot, position: float) -> Slot:
        return replace(super()._again(slot, position), candidates=slot.candidates[::-1])
