"""What is shown next and what a press does: the whole behaviour of the rater, without a widget.

The order is a shuffle by hash: a seed, the rater's name and the picture's own hash place every picture on a line from
0 to 1. A new candidate takes its place on that line and moves no other, and a restart finds the same order. A share of
the pictures comes back unannounced, at least a fifth of the line later: what a rater says the second time tells how
far to trust the first.
"""

from __future__ import annotations

import hashlib
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from wclib.rating.candidates import Candidate, Candidates
from wclib.rating.log import TIERS, WINNERS, RatingLog, Row, latest, standing

#: A press this soon after a picture appeared was meant for the one before; nobody judges in a seventh of a second.
MIN_LOOK_S = 0.15
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


class Session:
    """Rating into tiers.

    Args:
        candidates: what can be rated.
        log: where presses go; those it holds by this rater are taken up.
        rater: whose presses these are.
        seed: of the shuffle.
        repeats: share of pictures shown a second time.

    Attributes:
        slots: every showing, in order.
        current: the one shown, or None when all are answered.
        message: what happened last, for the status line and the screen reader.
    """

    event = "rate"
    column = "tier"
    #: (answer, key, label, what it means)
    answers: tuple[tuple[str, str, str, str], ...] = (
        ("love", "1", "Love", "I would hang it"),
        ("okay", "2", "Okay", "decent but plain"),
        ("nope", "3", "Nope", "a failure"),
        ("meh", "4", "Meh", "leave it out"),
    )

    def __init__(self, candidates: Candidates, log: RatingLog, rater: str, seed: int = 0, repeats: float = 0.08):
        self.candidates, self.log, self.rater, self.seed, self.repeats = candidates, log, rater, seed, repeats
        self.tier, self.subject = "all", "all"
        self.message = ""
        self.current: Slot | None = None
        self._read: tuple[int, list[Row], dict[Any, str]] = (-1, [], {})
        self._plan()
        known = self.candidates.by_sha
        old = [row for row in self._mine() if row["event"] == "rate" and row["sha256"] not in known]
        files = {(item.folder.name, item.file) for item in known.values()}
        self.stale = sorted({row["file"] for row in old if (row["folder"].rsplit("/", 1)[-1], row["file"]) in files})
        if self.stale:
            self.message = (
                f"{len(self.stale)} rated pictures have changed since, such as {self.stale[0]}: rate them anew"
            )
        self._advance(-1.0)

    # What there is

    def _unit(self, *parts: object) -> float:
        text = "\n".join(map(str, (self.seed, self.rater, *parts)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64

    def _id(self, *parts: object) -> str:
        return f"{int(self._unit('id', *parts) * 2**48):012x}"

    def picture_id(self, candidate: Candidate) -> str:
        """A name for a picture that tells nothing about it; also the id of its first showing."""
        return self._id(candidate.sha256)

    def picture(self, picture_id: str) -> Candidate | None:
        """The candidate of that name, None when there is none any more."""
        return self._pictures.get(picture_id)

    def _firsts(self) -> Iterator[Slot]:
        for sha, item in self.candidates.by_sha.items():
            yield Slot(self._id(sha), (item,), self._unit(sha))

    def _again(self, slot: Slot, position: float) -> Slot:
        return replace(slot, id=self._id(slot.id, "again"), position=position, repeat=True)

    def _plan(self) -> None:
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

    def rescan(self) -> bool:
        """Look for new candidates; whether anything changed. They take their places among those not yet shown."""
        before = len(self.candidates.by_sha)
        if not self.candidates.scan():
            return False
        self._plan()
        grown = len(self.candidates.by_sha) - before
        self.message = f"{grown} new paintings" if grown > 0 else "the paintings changed"
        if self.current is None or self.current.id not in self._by_id:
            self._advance(self.current.position if self.current else -1.0)
        return True

    # What was answered

    def _mine(self) -> list[Row]:
        if self._read[0] != len(self.log.rows):  # the log only grows
            mine = [row for row in standing(self.log.rows) if row["rater"] == self.rater]
            answers = {self._key(row): row[self.column] for row in mine if row["event"] == self.event}
            self._read = (len(self.log.rows), mine, answers)
        return self._read[1]

    def answered(self) -> dict[tuple[frozenset[str], bool], str]:
        """This rater's standing answer to every showing."""
        self._mine()
        return self._read[2]

    def _key(self, row: Row) -> tuple[frozenset[str], bool]:
        return frozenset((row["sha256"],)), bool(row.get("repeat"))

    def press(self, slot_id: str, answer: str, shown_s: float) -> bool:
        """Take an answer: write it, then move on. False when it was dropped; ``message`` says why.

        Args:
            slot_id: the showing it is meant for; one that is not shown any more is dropped.
            answer: one of ``answers``.
            shown_s: seconds since that showing appeared.

        Raises:
            InfrastructureFault: it could not be written, and nothing moved on.
        """
        slot = self.current
        if slot is None or slot.id != slot_id:
            self.message = "Not counted: that picture was no longer shown."
            return False
        if shown_s < MIN_LOOK_S:
            self.message = "Not counted: the picture had only just appeared."
            return False
        label = next(label for value, _, label, _ in self.answers if value == answer)
        columns = {self.column: answer, "repeat": slot.repeat, "shown_s": round(shown_s, 3)}
        self.log.append(self.event, self.rater, **columns, **self._references(slot))
        self._advance(slot.position)
        self.message = f"{label}. {self._count()}"
        return True

    def _references(self, slot: Slot) -> Row:
        return self.log.reference(slot.candidates[0])

    def undo(self) -> bool:
        """Take back the last press with a row of its own and show that picture again; False when there is none."""
        mine = [row for row in self._mine() if row["event"] == self.event]
        if not mine:
            self.message = "There is nothing to undo."
            return False
        self.log.append("undo", self.rater, undoes=mine[-1]["press"])
        key = self._key(mine[-1])
        self.current = next((slot for slot in self.slots if slot.key == key), self.current)
        self.message = f"Took back {mine[-1][self.column]}. {self._count()}"
        return True

    # Where to go

    def _matches(self, slot: Slot, answered: dict[Any, str]) -> bool:
        tier = answered.get(slot.key)
        tier_fits = self.tier == "all" or (tier is None if self.tier == "unrated" else tier == self.tier)
        return tier_fits and (self.subject == "all" or any(item.subject == self.subject for item in slot.candidates))

    def _advance(self, position: float) -> None:
        """To the next showing without an answer, those before ``position`` last; reviewing a tier, to its next."""
        answered = self.answered()
        reviewing = self.tier not in ("all", "unrated")
        open_ = [s for s in self.slots if self._matches(s, answered) and (reviewing or s.key not in answered)]
        later = [slot for slot in open_ if slot.position > position]
        self.current = next(iter(later or ([] if reviewing else open_)), None)

    def move(self, step: int) -> None:
        """Show the next (1) or the previous (-1) picture that passes the filter, answered or not."""
        answered = self.answered()
        shown = [slot for slot in self.slots if self._matches(slot, answered)]
        here = self.current.position if self.current else 2.0
        ahead = [slot for slot in shown if (slot.position > here if step > 0 else slot.position < here)]
        if ahead:
            self.current = ahead[0 if step > 0 else -1]
            self.message = self._where()
        else:
            self.message = "This is the last one." if step > 0 else "This is the first one."

    def go(self, slot_id: str) -> None:
        """Show one picture, as a click in the grid does."""
        self.current = self._by_id.get(slot_id, self.current)
        self.message = self._where()

    def filter(self, tier: str | None = None, subject: str | None = None) -> None:
        """Keep to a tier (``all``, ``unrated`` or one of the tiers) or to a subject (``all`` or one there is)."""
        self.tier, self.subject = tier or self.tier, subject or self.subject
        if self.current is None or not self._matches(self.current, self.answered()):
            self._advance(-1.0)
        self.message = "" if self.current else "No painting passes this filter."

    # What to say

    def _count(self) -> str:
        done, total, _ = self.progress()
        return f"{done} of {total}."

    def _where(self) -> str:
        tier = self.answered().get(self.current.key) if self.current else None
        return f"{self.alt(self.current)[0]}{f', rated {tier}' if tier else ''}." if self.current else ""

    def progress(self) -> tuple[int, int, float | None]:
        """``(answered, all, seconds left)``; the last is None before the third press."""
        answered = self.answered()
        done = sum(slot.key in answered for slot in self.slots)
        pace = [row["shown_s"] for row in self._mine() if row["event"] == self.event and row.get("shown_s")][-30:]
        left = statistics.median(pace) * (len(self.slots) - done) if len(pace) >= 3 else None
        return done, len(self.slots), left

    def alt(self, slot: Slot) -> list[str]:
        """Alternative text of each picture of a showing: place and subject, nothing that tells a tier."""
        number = self.slots.index(slot) + 1
        sides = ("",) if len(slot.candidates) == 1 else (", left", ", right")
        return [
            f"Painting {number} of {len(self.slots)}{side}{f': {item.subject}' if item.subject else ''}"
            for side, item in zip(sides, slot.candidates, strict=True)
        ]

    def after(self) -> Slot | None:
        """The showing that comes when the current one is answered: what to fetch ahead."""
        answered = self.answered()
        here = self.current.position if self.current else -1.0
        return next((s for s in self.slots if s.position > here and s.key not in answered), None)

    def counts(self) -> dict[str, int]:
        """How many showings have each answer."""
        found = Counter(self.answered().values())
        return {answer: found[answer] for answer, *_ in self.answers}

    def subjects(self) -> list[str]:
        """The subjects there are, sorted."""
        return sorted({item.subject for item in self.candidates.by_sha.values()} - {""})

    def range(self) -> list[tuple[Slot, str | None]]:
        """Every candidate once, in the order of the shuffle, with the rater's standing tier: what the grid shows."""
        tiers = {sha: row["tier"] for sha, row in latest(self._mine()).get(self.rater, {}).items()}
        order = sorted((self._unit(sha), sha) for sha in self.candidates.by_sha)
        items = ((self.candidates.by_sha[sha], tiers.get(sha), unit) for unit, sha in order)
        return [
            (Slot(self._id(item.sha256), (item,), unit), tier)
            for item, tier, unit in items
            if (self.tier == "all" or (tier or "unrated") == self.tier)
            and (self.subject == "all" or item.subject == self.subject)
        ]


class PairSession(Session):
    """ "Which is better?": every candidate meets another in each of ``rounds`` seeded matchings.

    Half a round's comparisons a candidate: 60 paintings and 4 rounds are 120 presses. A repeat has its sides swapped.
    """

    event = "compare"
    column = "winner"
    answers = (
        ("left", "1", "Left", "the left one is better"),
        ("right", "2", "Right", "the right one is better"),
        ("same", "3", "Same", "I cannot tell"),
    )

    def __init__(self, *args: Any, rounds: int = 4, **options: Any):
        self.rounds = rounds
        super().__init__(*args, **options)

    def _firsts(self) -> Iterator[Slot]:
        seen = set()
        for turn in range(self.rounds):
            order = [sha for _, sha in sorted((self._unit("round", turn, sha), sha) for sha in self.candidates.by_sha)]
            for pair in zip(order[::2], order[1::2], strict=False):
                if frozenset(pair) not in seen:
                    seen.add(frozenset(pair))
                    place = (turn + self._unit("pair", turn, *pair)) / self.rounds
                    yield Slot(self._id(*pair), tuple(self.candidates.by_sha[sha] for sha in pair), place)

    def _again(self, slot: Slot, position: float) -> Slot:
        return replace(super()._again(slot, position), candidates=slot.candidates[::-1])

    def _key(self, row: Row) -> tuple[frozenset[str], bool]:
        return frozenset((row["left_sha256"], row["right_sha256"])), bool(row.get("repeat"))

    def _references(self, slot: Slot) -> Row:
        left, right = slot.candidates
        return self.log.reference(left, "left_") | self.log.reference(right, "right_")


assert {answer for answer, *_ in Session.answers} == set(TIERS)
assert {answer for answer, *_ in PairSession.answers} == set(WINNERS)
