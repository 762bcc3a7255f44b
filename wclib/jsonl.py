"""Files that survive a kill: JSON lines that are only ever added to, and whole files replaced in one go.

Covered: a row that :meth:`JsonLines.append` returned from is on the disk, whatever is killed next; a line torn by a
kill is left out by readers, cut off by the next writer, and counted, so that it can be said. A full disk leaves whole
lines.
Not covered: a disk that lies about fsync.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from wclib.errors import InfrastructureFault, UsageError


def atomic_write(path: Path, data: str | bytes) -> None:
    """Write a whole file or nothing: a temporary file beside it, fsynced, then renamed over it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as handle:
            handle.write(data.encode() if isinstance(data, str) else data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise disk_fault(path, error) from error


def read_rows(path: Path) -> tuple[list[dict[str, Any]], int]:
    """``(rows, dropped)`` of a JSON-lines file: a torn last line is left out and counted; no file is no rows.

    Raises:
        UsageError: a line other than the last is not a JSON object; names the line.
    """
    if not path.exists():
        return [], 0
    lines = path.read_bytes().split(b"\n")
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if number == len(lines):  # what follows the last newline is nothing, or a line that was torn
            return rows, int(bool(line.strip()))
        try:
            row, why = json.loads(line), "not an object"
        except (ValueError, RecursionError) as error:
            row, why = None, str(error)
        if not isinstance(row, dict):
            raise UsageError(f"{path} line {number} is not a JSON object ({why}); repair or remove it")
        rows.append(row)
    return rows, 0


class JsonLines:
    """An append-only file of JSON objects. What :meth:`append` returned from survives a kill.

    Opening it cuts off a line that an earlier process left torn and says so.
    """

    def __init__(self, path: Path, say: Callable[[str], None] = lambda text: None):
        self.path = path
        torn = cut_torn_line(path)
        if torn:
            say(f"{path.name}: dropped a last line that was cut short ({torn} bytes)")
        try:
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise disk_fault(path, error) from error

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write the rows and wait until they are on the disk.

        Raises:
            InfrastructureFault: the disk is full, or the run's folder was deleted. The file ends with a whole line.
            ValueError: a row holds NaN or an infinity.
        """
        data = lines_of(rows).encode()
        descriptor = self._file.fileno()
        before = os.fstat(descriptor)
        if before.st_nlink == 0:
            raise InfrastructureFault(
                "disk", f"{self.path} was deleted while it was being written: put its folder back"
            )
        try:
            written = 0
            while written < len(data):
                written += os.write(descriptor, data[written:])
            os.fsync(descriptor)
        except OSError as error:
            os.ftruncate(descriptor, before.st_size)
            raise disk_fault(self.path, error) from error

    def close(self) -> None:
        """Close the file; every row is on the disk already."""
        self._file.close()


def cut_torn_line(path: Path) -> int:
    """Cut off what follows the last newline of a file and return how many bytes that was."""
    if not path.exists():
        return 0
    data = path.read_bytes()
    keep = data.rfind(b"\n") + 1
    if keep < len(data):
        with path.open("r+b") as handle:
            handle.truncate(keep)
    return len(data) - keep


def lines_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON lines; a row that holds NaN or an infinity raises ValueError."""
    # A sampled reply may hold a lone surrogate: ASCII escapes carry it, UTF-8 cannot.
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)


def disk_fault(path: Path, error: OSError) -> InfrastructureFault:
    """A failed write as what it is: a fault of the machinery, naming the file."""
    return InfrastructureFault("disk", f"cannot write {path}: {error.strerror or error}")
