"""Raters that are a formula, and say so: for notebook 04, for the tests, and to see what the measures do.

Nobody rated ``data/ratings``. A simulated rater sees a picture's tier in the starter pool and answers

    v = s + own + bias + drift * t + noise,    s = 2 (love), 1 (okay), 0 (nope)

with ``own`` drawn once for every picture from N(0, taste), ``noise`` drawn for every press from N(0, noise) and ``t``
the place in the sitting from 0 to 1: love above 1.5, nope below 0.5, meh within 0.05 of either, else okay. In pairs
the larger v wins, and a difference under 0.2 is "same". Seconds a press are log-normal with a median of 1.8. The
presses go through the same :class:`~wclib.rating.session.Session` as a person's.

    python -m wclib.rating.simulate DIR     writes steady.jsonl, drifting.jsonl and pairs.jsonl
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wclib.rating.agreement import SCORE
from wclib.rating.candidates import Candidate, Candidates
from wclib.rating.log import RatingLog
from wclib.rating.session import PairSession, Session
from wclib.starter import STARTER_FOLDERS

#: (file, options): what data/ratings holds.
DEMONSTRATION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("steady", {"taste": 0.25, "noise": 0.15}),
    ("drifting", {"taste": 0.35, "noise": 0.3, "bias": -0.35, "drift": 0.8}),
    ("pairs", {"taste": 0.25, "noise": 0.15, "pairs": True}),
)


def simulate(
    log: str | Path,
    folders: Sequence[Path] = STARTER_FOLDERS,
    *,
    rater: str,
    seed: int = 0,
    taste: float = 0.25,
    noise: float = 0.15,
    bias: float = 0.0,
    drift: float = 0.0,
    pairs: bool = False,
) -> None:
    """Rate every painting of ``folders`` (their rows need a tier) into ``log``, by the formula above."""
    rng = random.Random(f"{seed}:{rater}")
    session = (PairSession if pairs else Session)(Candidates(folders), RatingLog(log), rater, seed)
    own: dict[str, float] = {}

    def value(item: Candidate) -> float:
        taste_of = own.setdefault(item.sha256, rng.gauss(0, taste))
        done, total, _ = session.progress()
        return SCORE[item.row["tier"]] + taste_of + bias + drift * done / total + rng.gauss(0, noise)

    while slot := session.current:
        values = [value(item) for item in slot.candidates]
        if pairs:
            difference = values[0] - values[1]
            answer = "same" if abs(difference) < 0.2 else "left" if difference > 0 else "right"
        elif min(abs(values[0] - 1.5), abs(values[0] - 0.5)) < 0.05:
            answer = "meh"
        else:
            answer = "love" if values[0] > 1.5 else "okay" if values[0] > 0.5 else "nope"
        session.press(slot.id, answer, max(0.4, rng.lognormvariate(0.588, 0.5)))
    session.log.close()


def main(out: Path) -> None:
    """Write the demonstration's three logs, anew."""
    for name, options in DEMONSTRATION:
        path = out / f"{name}.jsonl"
        path.unlink(missing_ok=True)
        simulate(path, rater=f"simulated-{name}", **options)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
