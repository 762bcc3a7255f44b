"""The notebook's rater: put one at the end of a cell, or call ``display`` on it.

The first thing it shows is the whole range in a grid; Start, or G, shows one painting at a time. Readers without a
kernel see that grid as an ordinary picture.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wclib.errors import UsageError
from wclib.pictures import sheet
from wclib.rating.agreement import Summary, summarise
from wclib.rating.candidates import Candidates, Where
from wclib.rating.log import RatingLog, read_log
from wclib.rating.ranking import Ranked, rank
from wclib.rating.session import PairSession, Session


def _print(text: str) -> None:
    print(text)


class Rater:
    """Rate paintings in a notebook.

    Args:
        folders: where the paintings are: pools, a build's output, a run's ``paintings/``, or several of these.
        rater: your name, as the log will have it.
        log: the file the presses go to; what it holds already is taken up.
        seed: of the shuffle; every rater has an order of their own.
        mode: ``"tiers"`` (love, okay, nope, meh) or ``"pairs"`` (which is better?).
        where: keeps the paintings whose metadata row it returns True for.
        repeats: share of paintings shown a second time, unannounced.
        plain: ordinary buttons, for a front end without custom widgets.
        say: is told what a person should know.

    Raises:
        UsageError: a folder is missing or has no picture, the rater has no name, or the log is broken.
        InfrastructureFault: the log cannot be written.
    """

    def __init__(
        self,
        folders: str | Path | Sequence[str | Path],
        rater: str,
        log: str | Path,
        *,
        seed: int = 0,
        mode: str = "tiers",
        where: Where | None = None,
        repeats: float = 0.08,
        plain: bool = False,
        say: Callable[[str], None] = _print,
    ):
        if mode not in ("tiers", "pairs"):
            raise UsageError(f"mode is {mode!r}: give 'tiers' or 'pairs'")
        if not rater.strip():
            raise UsageError("the rater has no name: give rater='...', so that two people's ratings stay apart")
        candidates = Candidates(folders, where)
        need = 1 if mode == "tiers" else 2
        if len(candidates.by_sha) < need:
            raise UsageError(f"{folders} has {len(candidates.by_sha)} paintings to rate; {mode} needs {need} or more")
        if candidates.copies:
            say(f"{candidates.copies} pictures are copies of others and are shown once")
        if candidates.unreadable:
            say(f"{len(candidates.unreadable)} pictures cannot be read, such as {candidates.unreadable[0].name}")
        self.log = RatingLog(log, say)
        self.session = (Session if mode == "tiers" else PairSession)(candidates, self.log, rater, seed, repeats)
        if self.session.stale:
            say(self.session.message)
        self._plain = plain
        self._view: Any = None

    def summary(self, *others: str | Path) -> Summary:
        """Counts, agreement with oneself and with others, drift: see :mod:`wclib.rating.agreement`.

        Args:
            others: further raters' logs.
        """
        return summarise(row for path in (self.log.path, *others) for row in read_log(path))

    def ranking(self) -> list[Ranked]:
        """The pictures by strength, best first, from this log's comparisons."""
        return rank(read_log(self.log.path))

    @property
    def view(self) -> Any:
        """The widget, made once: two cells that show this rater show one state."""
        if self._view is None:
            from wclib.rating.plain import PlainView

            if not self._plain:
                try:
                    from wclib.rating.widget import with_fallback

                    self._view = with_fallback(self.session)
                except ImportError:  # anywidget is not installed
                    self._plain = True
            if self._plain:
                self._view = PlainView(self.session).box
        return self._view

    def __repr__(self) -> str:
        done, total, _ = self.session.progress()
        return f"Rater of {len(self.session.candidates.by_sha)} paintings: {done} of {total} answered"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = self.view._repr_mimebundle_() or {}
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        paths = [slot.candidates[0].path for slot, _ in self.session.range()]
        return data | {"image/png": base64.b64encode(sheet(paths)).decode(), "text/plain": repr(self)}
