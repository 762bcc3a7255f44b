"""The files of a pool: its table, its pictures and the sketches they came from.

A pool's folder holds pictures, ``sources/*.js`` and ``metadata.jsonl`` with a row a picture, in the columns of the
published pool and two of ours.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from wclib.errors import UsageError

PICTURES = (".png", ".webp")
#: The columns of a row in the order they are written, and what stands in one that nothing is known of.
COLUMNS: dict[str, Any] = {
    "file_name": None,
    "source_file": None,
    "tier": None,
    "subject": None,
    "generator_model": "hand-written (authors)",
    "refinement_round": 0,
    "hpsv3_mu": None,
    "paint_coverage": None,
    "gate_errors": [],
    "reference_photo": None,
    "reference_photo_licence": None,
    "reference_photo_attribution": None,
    "reference_photo_url": None,
    "seed": None,
    "backend": None,
}


def read_metadata(folder: Path, wrong: Callable[[int, str], None] | None = None) -> dict[str, dict[str, Any]]:
    """The rows of a folder's ``metadata.jsonl`` by file name, in the order of the file.

    Args:
        folder: the pool's.
        wrong: told the line's number and the fault of each bad row, which is then left out (a row with NaN stays, and
            of two rows of one picture the last one). By default the first bad row is refused.

    Raises:
        UsageError: there is no such file, or a bad row in it; names the line.
    """
    path = folder / "metadata.jsonl"
    if not path.is_file():
        raise UsageError(
            f"the pool {folder} has no metadata.jsonl: give it one JSON row a picture (file_name, tier, ...)"
        )

    def refuse(number: int, fault: str) -> None:
        raise UsageError(f"{path} line {number} {fault}")

    wrong = wrong or refuse
    rows: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(path.read_bytes().decode("utf-8-sig", "replace").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            name = row["file_name"]
        except (ValueError, KeyError, TypeError, RecursionError):
            wrong(number, "is not a JSON row with a file_name: mend or delete it")
            continue
        if not isinstance(name, str) or not inside(name):
            wrong(number, f"has the file_name {name!r}, which must be a path inside the pool folder")
            continue
        if name in rows:
            wrong(number, f"names {name} a second time: keep one row a picture")
        if column := not_finite(row):
            wrong(number, f"holds NaN or an infinity in the column {column!r}, which JSON has not: write null")
        rows[name] = row
    return rows


def not_finite(row: Mapping[str, Any]) -> str | None:
    """The first column of a row that holds NaN or an infinity, as Python's JSON reader lets pass; None without one."""
    for column, value in row.items():
        try:
            json.dumps(value, allow_nan=False)
        except ValueError:
            return column
    return None


def read_picture(path: Path) -> bytes:
    """The bytes of a picture's file.

    Raises:
        UsageError: it cannot be read, or is no picture.
    """
    try:
        data = path.read_bytes()
        with Image.open(io.BytesIO(data)) as picture:
            picture.verify()
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        why = "it is no PNG or WebP" if isinstance(error, UnidentifiedImageError) else error
        raise UsageError(f"the picture {path} is unreadable ({why}): restore it, or take it and its row out") from error
    return data


def source_of(folder: Path, row: Mapping[str, Any]) -> Path | None:
    """The sketch a metadata row names, as it is written or under ``sources/``; None when it is not there."""
    name = row.get("source_file")
    if not isinstance(name, str) or not name or not inside(name):
        return None
    for candidate in (folder / name, folder / "sources" / name):
        if candidate.is_file():
            return candidate
    return None


def rejected_of(folder: Path) -> Path:
    """Where the rejected paintings of a pool lie: the folder of its name and ``_nope`` beside it, there or not."""
    return folder.resolve().with_name(f"{folder.resolve().name}_nope")


def inside(name: str) -> bool:
    """Whether a name from a metadata row stays inside the pool's folder."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts
