"""The pictures that can be rated: any folder of paintings, looked through again while you rate.

A folder is a pool (``metadata.jsonl``), what a build wrote (the same), a run's ``paintings/`` (its rows are in
``../rollouts.jsonl``) or plain pictures, with or without a sketch of the same stem beside each.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from wclib.errors import UsageError
from wclib.pool_files import PICTURES, not_finite
from wclib.progress import Bar

Where = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True)
class Candidate:
    """A picture to rate.

    Attributes:
        sha256: of the file's bytes. Ratings are keyed to it: another picture of the same name is another picture.
        folder: the folder it was found in.
        file: its path inside that folder.
        row: its metadata row, ``{}`` when there is none.
        sketch: its source, or None.
    """

    sha256: str
    folder: Path
    file: str
    row: dict[str, Any] = field(hash=False, compare=False)
    sketch: Path | None = field(default=None, compare=False)

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder / self.file

    def read(self) -> bytes | None:
        """The picture's bytes; None when they are not the ones that were found: it changed or is gone."""
        try:
            data = self.path.read_bytes()
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == self.sha256 else None

    @property
    def subject(self) -> str:
        """What was asked for, ``""`` when the row does not say."""
        return str(self.row.get("subject") or "")

    @property
    def backend(self) -> str | None:
        """What painted it, as its row says."""
        return self.row.get("backend")


class Candidates:
    """Every readable picture of some folders, each kept once however often it is there.

    Args:
        folders: one or several; they are searched with their sub-folders.
        where: keeps the pictures whose metadata row (with ``file_name``) it returns True for.

    Raises:
        UsageError: a folder is missing, or its table is broken.
    """

    def __init__(self, folders: str | Path | Sequence[str | Path], where: Where | None = None):
        given = [folders] if isinstance(folders, str | Path) else list(folders)
        self.folders = [Path(folder) for folder in given]
        if missing := [folder for folder in self.folders if not folder.is_dir()]:
            raise UsageError(f"there is no folder {missing[0]}: name a folder of paintings to rate")
        self._where = where
        self.by_sha: dict[str, Candidate] = {}
        self.unreadable: list[Path] = []
        self.copies = 0
        self.scan()

    def scan(self) -> bool:
        """Look for pictures that are new, changed or gone; whether there were any.

        A picture that cannot be read (it may still be being written) is listed in ``unreadable`` and tried again.
        """
        found: dict[str, Candidate] = {}
        self.unreadable, self.copies = [], 0
        for folder in self.folders:
            rows = _rows(folder)
            for path in Bar(sorted(folder.rglob("*")), "reading paintings", delay=2, leave=False):
                file = path.relative_to(folder).as_posix()
                if path.suffix.lower() not in PICTURES or any(part.startswith(".") for part in Path(file).parts):
                    continue
                row = {"file_name": file} | rows.get(file, {})
                if self._where and not self._where(row):
                    continue
                try:
                    sha = _hash(path, _mark(path))
                except (OSError, SyntaxError, Image.DecompressionBombError):
                    self.unreadable.append(path)
                    continue
                if sha in found:
                    self.copies += 1
                else:
                    found[sha] = Candidate(sha, folder, file, row, _sketch(folder, path, row))
        changed = found.keys() != self.by_sha.keys()
        self.by_sha = found
        return changed


def _mark(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size


@lru_cache(100_000)
def _hash(path: Path, mark: tuple[int, int]) -> str:
    """sha256 of a picture that can be read; a file that did not change is not read again."""
    data = path.read_bytes()
    Image.open(io.BytesIO(data)).load()
    return hashlib.sha256(data).hexdigest()


def _rows(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of a folder's pictures by their path in it."""
    pool, run = folder / "metadata.jsonl", folder.parent / "rollouts.jsonl"
    if pool.is_file():
        return _read_table(pool, "file_name", _mark(pool))
    if run.is_file():
        rows = _read_table(run, "image", _mark(run))
        return {name.removeprefix(f"{folder.name}/"): row for name, row in rows.items()}
    return {}


@lru_cache(16)
def _read_table(path: Path, key: str, mark: tuple[int, int]) -> dict[str, dict[str, Any]]:
    rows = {}
    lines = [line for line in path.read_bytes().decode("utf-8-sig", "replace").split("\n") if line.strip()]
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            rows[str(row[key])] = row
        except (ValueError, KeyError, TypeError, RecursionError):
            if number < len(lines):  # the last line may be being written
                raise UsageError(f"{path} line {number} is not a JSON row with {key}: mend or delete it") from None
            continue
        if column := not_finite(row):
            said = f"holds NaN or an infinity in the column {column!r}, which JSON has not: write null"
            raise UsageError(f"{path} line {number} {said}")
    return rows


def _sketch(folder: Path, picture: Path, row: dict[str, Any]) -> Path | None:
    named = row.get("source_file")
    places = [folder / named, folder / "sources" / named, folder.parent / named] if isinstance(named, str) else []
    return next((path for path in (*places, picture.with_suffix(".js")) if path.is_file()), None)
