"""The log of ratings: JSON lines that are only ever added to, one a press, fsynced before the next picture shows.

====================  =========================================================================================
column                what
====================  =========================================================================================
press                 its own id
event                 ``rate``, ``compare`` or ``undo``
time, rater           when (UTC), who
tier                  of ``rate``: love, okay, nope or meh
winner                of ``compare``: left, right or same
undoes                of ``undo``: the press taken back; that row stays where it is
repeat                whether the rater had been shown it before, unannounced
shown_s               seconds from the picture's appearing to the press
sha256, file, folder  the picture: hash of its bytes, path inside the folder, the folder as seen from the log
backend               what painted it
left_*, right_*       the same four of the two pictures of ``compare``
====================  =========================================================================================

A torn last line is skipped and said. Export to CSV and back keeps every press.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wclib.errors import UsageError
from wclib.jsonl import JsonLines, atomic_write, read_rows
from wclib.pool import load_pool
from wclib.pool_files import rejected_of
from wclib.rating.candidates import Candidate, Candidates

#: What can be answered: the tiers, and meh, which leaves a picture out of the pool.
TIERS = ("love", "okay", "nope", "meh")
WINNERS = ("left", "right", "same")
Row = dict[str, Any]
_SIDES = ("", "left_", "right_")
_REFERENCE = ("sha256", "file", "folder", "backend")
COLUMNS = (
    *("press", "event", "time", "rater", "tier", "winner", "undoes", "repeat", "shown_s"),
    *(side + name for side in _SIDES for name in _REFERENCE),
)


class RatingLog:
    """One file of presses.

    Args:
        path: the ``.jsonl``; it and its folder are made when they are missing.
        say: is told what a person should know, such as a torn last line.

    Raises:
        UsageError: the file holds a line that is no press.
        InfrastructureFault: it cannot be written.
    """

    def __init__(self, path: str | Path, say: Callable[[str], None] = lambda text: None):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = JsonLines(self.path, say)
        self.rows = read_log(self.path)
        self._session = secrets.token_hex(4)

    def append(self, event: str, rater: str, **columns: Any) -> Row:
        """Write one press; it is on the disk when this returns.

        Raises:
            InfrastructureFault: the disk is full or the file is gone. Nothing was written.
        """
        press = {"press": f"{self._session}-{len(self.rows)}", "event": event}
        row = press | {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "rater": rater} | columns
        self.add([row])
        return row

    def add(self, rows: Iterable[Row]) -> int:
        """Append whole rows, those whose press is there already left out; how many were new."""
        have = {row["press"] for row in self.rows}
        new = [row for row in rows if row["press"] not in have]
        self._file.append(new)
        self.rows += new
        return len(new)

    def reference(self, candidate: Candidate, side: str = "") -> Row:
        """The columns that name a picture, from this log's point of view."""
        folder = Path(os.path.relpath(candidate.folder.resolve(), self.path.parent.resolve())).as_posix()
        values = (candidate.sha256, candidate.file, folder, candidate.backend)
        return {side + name: value for name, value in zip(_REFERENCE, values, strict=True)}

    def close(self) -> None:
        """Close the file; presses can no longer be appended."""
        self._file.close()


def read_log(path: str | Path, say: Callable[[str], None] = lambda text: None) -> list[Row]:
    """Every press of a file, in order.

    Raises:
        UsageError: there is a line that is no press; names it.
    """
    path = Path(path)
    rows, torn = read_rows(path)
    if torn:
        say(f"{path.name}: the last line was cut short and is left out")
    for number, row in enumerate(rows, 1):
        wrong = _wrong(row)
        if wrong:
            raise UsageError(f"{path} line {number} is no press of a rater: {wrong}; repair or remove it")
    return rows


def _wrong(row: Row) -> str:
    if lacking := [name for name in ("press", "event", "time", "rater") if not isinstance(row.get(name), str)]:
        return f"{lacking[0]} is missing"
    event = row["event"]
    if event == "undo":
        return "" if isinstance(row.get("undoes"), str) else "it does not say what it undoes"
    if event not in ("rate", "compare"):
        return f"the event is {event!r}, not rate, compare or undo"
    column, allowed = ("tier", TIERS) if event == "rate" else ("winner", WINNERS)
    if row.get(column) not in allowed:
        return f"{column} is {row.get(column)!r}, not one of {', '.join(allowed)}"
    sides = _SIDES[:1] if event == "rate" else _SIDES[1:]
    for name in (side + name for side in sides for name in ("sha256", "file", "folder")):
        if not row.get(name):
            return f"{name} is missing"
        if not isinstance(row[name], str):
            return f"{name} is {row[name]!r}, not text"
    return ""


def standing(rows: Iterable[Row]) -> list[Row]:
    """The presses that no undo took back, in order; a later one on the same picture replaces nothing here."""
    rows = list(rows)
    gone = {row["undoes"] for row in rows if row["event"] == "undo"}
    return [row for row in rows if row["event"] != "undo" and row["press"] not in gone]


def latest(rows: Iterable[Row], repeat: bool | None = None) -> dict[str, dict[str, Row]]:
    """``{rater: {picture: row}}`` with the standing rating that counts: a rater's last one of each picture.

    Args:
        repeat: keep first showings (False), second ones (True) or both (None).
    """
    out: dict[str, dict[str, Row]] = {}
    for row in standing(rows):
        if row["event"] == "rate" and repeat in (None, bool(row.get("repeat"))):
            out.setdefault(row["rater"], {})[row["sha256"]] = row
    return out


def export_csv(log: str | Path, path: str | Path) -> Path:
    """Write every press of a log as CSV, one line a press, the columns above in their order."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(read_log(log))
    atomic_write(Path(path), out.getvalue())
    return Path(path)


def import_csv(path: str | Path, log: RatingLog, folder: str | Path | None = None) -> int:
    """Add the ratings of a CSV to a log; how many were new. Doing it twice adds nothing.

    Args:
        path: what :func:`export_csv` wrote, or a table with ``file`` and ``tier`` (and perhaps ``rater``).
        folder: where the pictures of a table without hashes lie. Ratings without a rater are those of ``imported``.

    Raises:
        UsageError: it is no such table, or names a picture that is not in ``folder``; names the line.
    """
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as handle:
            table = list(csv.DictReader(handle))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the ratings {path}: {error}") from None
    pictures = {item.file: item for item in Candidates(folder).by_sha.values()} if folder else {}
    rows = []
    for number, cells in enumerate(table, 2):
        row: Row = {name: cell for name, cell in cells.items() if name in COLUMNS and cell not in ("", None)}
        if "press" not in row:
            if row.get("file") not in pictures:
                raise UsageError(f"{path} line {number}: there is no picture {row.get('file')!r} in {folder}")
            row = _foreign(log, pictures[row["file"]], row.get("tier", ""), row.get("rater", "imported"), "csv")
        if "repeat" in row:
            row["repeat"] = str(row["repeat"]) == "True"
        if "shown_s" in row:
            row["shown_s"] = float(row["shown_s"])
        if wrong := _wrong(row):
            raise UsageError(f"{path} line {number} is no rating: {wrong}")
        rows.append(row)
    return log.add(rows)


def import_pool(folder: str | Path, log: RatingLog, rater: str) -> int:
    """Add the tiers of a pool (the layout of the Hub's) to a log as one rater's ratings; how many were new."""
    pool = load_pool(folder)
    places = [place for place in (pool.folder, rejected_of(pool.folder)) if place.is_dir()]
    by_path = {item.path.resolve(): item for place in places for item in Candidates(place).by_sha.values()}
    rated = [(by_path.get(painting.path.resolve()), painting.tier) for painting in pool.paintings + pool.rejected]
    return log.add(_foreign(log, candidate, tier, rater, "pool") for candidate, tier in rated if candidate)


def _foreign(log: RatingLog, candidate: Candidate, tier: str, rater: str, source: str) -> Row:
    """A rating that was not pressed here: its id is made of what it says, so that importing twice is importing once."""
    mark = hashlib.sha256(f"{rater}\n{candidate.sha256}\n{tier}".encode()).hexdigest()[:12]
    press = {"press": f"{source}-{mark}", "event": "rate", "time": datetime.now(UTC).isoformat(timespec="milliseconds")}
    return press | {"rater": rater, "tier": tier, "repeat": False} | log.reference(candidate)
