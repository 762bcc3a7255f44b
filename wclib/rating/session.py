"""What is shown next and what a press does: the whole behaviour of the rater, without a widget."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

from wclib.rating.candidates import Candidates
from wclib.rating.log import TIERS, WINNERS, RatingLog, Row, latest, standing
from wclib.rating.order import Order, PairOrder, Slot

#: A press this soon after a picture appeared was meant for the one before; nobody judges in a seventh of a second.
MIN_LOOK_S = 0.15


class Session:
    """Rating into tiers.

    Args:
        candidates: what can be rated.
        log: where presses go; those it holds by this rater are taken up.
        rater: whose presses these are.
        seed: of the shuffle.
        repeats: share of pictures shown a second time.

    Attributes:
        order: of every showing.
        current: the one shown, or None when all are answered.
        message: what happened last, for the status line and the screen reader.
    """

    event = "rate"
    column = "tier"
    ordered = Order
    #: (answer, key, label, what it means)
    answers: tuple[tuple[str, str, str, str], ...] = (
        ("love", "1", "Love", "I would hang it"),
        ("okay", "2", "Okay", "decent but plain"),
        ("nope", "3", "Nope", "a failure"),
        ("meh", "4", "Meh", "leave it out"),
    )

    def __init__(self, candidates: Candidates, log: RatingLog, rater: str, seed: int = 0, repeats: float = 0.08):
        self.candidates, self.log, self.rater = candidates, log, rater
        self.order = self.ordered(candidates, rater, seed, repeats)
        self.tier, self.subject = "all", "all"
        self.message = ""
        self.current: Slot | None = None
        self._read: tuple[int, list[Row], dict[Any, str]] = (-1, [], {})
        known = self.candidates.by_sha
        old = [row for row in self._mine() if row["event"] == "rate" and row["sha256"] not in known]
        files = {(item.folder.name, item.file) for item in known.values()}
        self.stale = sorted({row["file"] for row in old if (row["folder"].rsplit("/", 1)[-1], row["file"]) in files})
        if self.stale:
            self.message = (
                f"{len(self.stale)} rated pictures have changed since, such as {self.stale[0]}: rate them anew"
            )
        self._advance(-1.0)

    def rescan(self) -> bool:
        """Look for new candidates; whether anything changed. They take their places among those not yet shown."""
        before = len(self.candidates.by_sha)
        if not self.candidates.scan():
            return False
        self.order.plan()
        grown = len(self.candidates.by_sha) - before
        self.message = f"{grown} new paintings" if grown > 0 else "the paintings changed"
        if self.current is None or self.order.find(self.current.id) is None:
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
        self.current = next((slot for slot in self.order.slots if slot.key == key), self.current)
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
        open_ = [s for s in self.order.slots if self._matches(s, answered) and (reviewing or s.key not in answered)]
        later = [slot for slot in open_ if slot.position > position]
        self.current = next(iter(later or ([] if reviewing else open_)), None)

    def move(self, step: int) -> None:
        """Show the next (1) or the previous (-1) picture that passes the filter, answered or not."""
        answered = self.answered()
        shown = [slot for slot in self.order.slots if self._matches(slot, answered)]
        here = self.current.position if self.current else 2.0
        ahead = [slot for slot in shown if (slot.position > here if step > 0 else slot.position < here)]
        if ahead:
            self.current = ahead[0 if step > 0 else -1]
            self.message = self._where()
        else:
            self.message = "This is the last one." if step > 0 else "This is the first one."

    def go(self, slot_id: str) -> None:
        """Show one picture, as a click in the grid does."""
        self.current = self.order.find(slot_id) or self.current
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
        done = sum(slot.key in answered for slot in self.order.slots)
        pace = [row["shown_s"] for row in self._mine() if row["event"] == self.event and row.get("shown_s")][-30:]
        left = statistics.median(pace) * (len(self.order.slots) - done) if len(pace) >= 3 else None
        return done, len(self.order.slots), left

    def alt(self, slot: Slot) -> list[str]:
        """Alternative text of each picture of a showing: place and subject, nothing that tells a tier."""
        number = self.order.slots.index(slot) + 1
        sides = ("",) if len(slot.candidates) == 1 else (", left", ", right")
        return [
            f"Painting {number} of {len(self.order.slots)}{side}{f': {item.subject}' if item.subject else ''}"
            for side, item in zip(sides, slot.candidates, strict=True)
        ]

    def after(self) -> Slot | None:
        """The showing that comes when the current one is answered: what to fetch ahead."""
        answered = self.answered()
        here = self.current.position if self.current else -1.0
        return next((s for s in self.order.slots if s.position > here and s.key not in answered), None)

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
        rated = ((slot, tiers.get(slot.candidates[0].sha256)) for slot in self.order.singles())
        return [
            (slot, tier)
            for slot, tier in rated
            if self.tier in ("all", tier or "unrated") and self.subject in ("all", slot.candidates[0].subject)
        ]


class PairSession(Session):
    """Asking which of two is better."""

    event = "compare"
    column = "winner"
    ordered = PairOrder
    answers = (
        ("left", "1", "Left", "the left one is better"),
        ("right", "2", "Right", "the right one is better"),
        ("same", "3", "Same", "I cannot tell"),
    )

    def _key(self, row: Row) -> tuple[frozenset[str], bool]:
        return frozenset((row["left_sha256"], row["right_sha256"])), bool(row.get("repeat"))

    def _references(self, slot: Slot) -> Row:
        left, right = slot.candidates
        return self.log.reference(left, "left_") | self.log.reference(right, "right_")


assert {answer for answer, *_ in Session.answers} == set(TIERS)
assert {answer for answer, *_ in PairSession.answers} == set(WINNERS)
