"""Verdicts kept on disk: the same two pictures, model and question are paid for once.

Off unless ``WATERCOLOUR_VERDICT_CACHE`` names a folder. A verdict is kept under the SHA-256 of the first picture's
bytes, the second's, the model and the question, so that another order, model, criteria or wording is another verdict.
Only answers are kept: a lost call is asked again next time. A cache that cannot be read or written costs its savings
and nothing else.

Values are stored as JSON, not pickled: reading a cache that somebody else wrote runs no code.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

import diskcache

from wclib.errors import UsageError
from wclib.judges.local import LocalJudge
from wclib.judges.pairwise import Position
from wclib.judges.vision import VisionJudge, vision_judge_from_env
from wclib.pool import Pool

_BROKEN = (OSError, sqlite3.Error, diskcache.Timeout, ValueError)


class RememberedJudge:
    """A vision judge that looks into a folder first.

    Args:
        judge: who is asked when the verdict is not there.
        folder: of the cache; made when missing.

    Attributes:
        name: the judge's.
        remembered: verdicts taken from the cache so far.

    Raises:
        UsageError: the folder cannot be used.
    """

    def __init__(self, judge: VisionJudge, folder: str | Path):
        self.judge, self.name, self.folder, self.remembered = judge, judge.name, Path(folder), 0
        try:
            self._cache = diskcache.Cache(str(folder), disk=diskcache.JSONDisk)
        except _BROKEN as error:
            raise UsageError(
                f"WATERCOLOUR_VERDICT_CACHE={folder} cannot be used ({type(error).__name__}): name a folder you may "
                "write to"
            ) from None

    def __repr__(self) -> str:
        return f"<{self.describe()}>"

    def describe(self) -> str:
        """One line: who judges and where verdicts are kept."""
        return f"{self.judge!r}, verdicts kept in {self.folder}"

    async def verdict(self, first: bytes, second: bytes) -> Position:
        """Which picture is the better painting; asked once.

        Raises:
            InfrastructureFault: part ``"judge"``, when it is not in the cache and the judge did not answer.
        """
        key = self._key(first, second)
        try:
            known = self._cache.get(key)
        except _BROKEN:
            known = None
        if known in ("first", "second"):
            self.remembered += 1
            return known
        verdict = await self.judge.verdict(first, second)
        try:
            self._cache.set(key, verdict)
        except _BROKEN:
            pass
        return verdict

    def _key(self, first: bytes, second: bytes) -> str:
        digest = hashlib.sha256()
        for part in (first, second, self.judge.model.encode(), self.judge.question().encode()):
            digest.update(hashlib.sha256(part).digest())
        return digest.hexdigest()


def judge_from_env(pool: Pool) -> VisionJudge | RememberedJudge | LocalJudge:
    """The pairwise judge of a pool that the environment asks for.

    The vision judge where one is configured (:func:`wclib.judges.vision.vision_judge_from_env`), with its verdicts kept
    where ``WATERCOLOUR_VERDICT_CACHE`` says; else the local judge.

    Raises:
        UsageError: a bad URL or model, or the cache's folder cannot be used.
        InfrastructureFault: a picture of the pool went away while the local judge was fitted.
    """
    vision = vision_judge_from_env(pool.domain)
    if vision is None:
        return LocalJudge.for_pool(pool)
    folder = os.environ.get("WATERCOLOUR_VERDICT_CACHE", "").strip()
    return RememberedJudge(vision, folder) if folder else vision
