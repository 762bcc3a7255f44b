"""The local judge for pictures it has not seen: every pair is judged by one fitted without either sketch's family.

A judge that is asked about the very paintings it was fitted on is right too easily. Here the families of both pictures
(all variations of their sketches, and the floor pictures made from them) are left out of the fit. One fit takes about
30 ms; fits are kept by what they leave out.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading

import numpy as np

from wclib.errors import InfrastructureFault
from wclib.judges.features import measure
from wclib.judges.heads import KEPT, Heads, fit_heads
from wclib.judges.local import NAME, training_table
from wclib.judges.pairwise import Position
from wclib.pool import Pool


class HeldOutJudge:
    """Compares two pictures as the pool's local judge would, had it not seen their families.

    A picture that neither belongs to the pool nor was named by :meth:`know` is judged as a stranger: nothing is left
    out for it.
    """

    name = f"{NAME}, held out by sketch family"
    scalar = True

    def __init__(self, pool: Pool):
        self._table = training_table(pool)
        self._known: dict[bytes, tuple[str, np.ndarray]] = {}
        self._fitted: dict[frozenset[str], Heads] = {}
        self._lock = threading.Lock()
        for painting, statistics in zip(pool.paintings + pool.rejected, self._table.x, strict=False):
            self._known[hashlib.sha256(painting.read()).digest()] = painting.family, statistics

    def know(self, picture: bytes, family: str) -> None:
        """Say which family a picture outside the pool belongs to, such as a broken copy of a painting."""
        self._known[hashlib.sha256(picture).digest()] = family, measure(picture)

    async def verdict(self, first: bytes, second: bytes) -> Position:
        """Which picture is the better painting.

        Raises:
            InfrastructureFault: part ``"judge"``, when the bytes are not a picture, or nothing is left to fit on.
        """
        return await asyncio.to_thread(self._verdict, first, second)

    def _verdict(self, first: bytes, second: bytes) -> Position:
        with self._lock:
            (one, x), (other, y) = self._look_up(first), self._look_up(second)
            out = frozenset({one, other} - {""})
            if out not in self._fitted:
                kept = ~np.isin(self._table.family, list(out))
                if not (self._table.rank[kept] >= KEPT).any():
                    raise InfrastructureFault(
                        "judge",
                        f"without {', '.join(sorted(out))} no kept painting is left to fit on: rate more sketches",
                    )
                self._fitted[out] = fit_heads(self._table.x[kept], self._table.rank[kept])
            ahead, behind = self._fitted[out].taste(np.array([x, y]))
        return "first" if ahead >= behind else "second"

    def _look_up(self, picture: bytes) -> tuple[str, np.ndarray]:
        key = hashlib.sha256(picture).digest()
        if key not in self._known:
            self._known[key] = "", measure(picture)
        return self._known[key]
