"""A pool's folder, file by file, whatever state it is in; :mod:`wclib.building.check` says what the codes mean."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from wclib.domains import FILE, domain_of
from wclib.errors import UsageError
from wclib.gate import check_source
from wclib.likeness import thumbnail
from wclib.painting import TIERS
from wclib.pool_files import PICTURES, read_metadata, source_of

SIDE = 600


@dataclass(frozen=True)
class Finding:
    """One thing the check has to say: its code, the file it is about, and the remedy or reason."""

    code: str
    where: str
    message: str
    fault: bool = True


@dataclass(frozen=True)
class Picture:
    """A picture that can be read.

    Attributes:
        name, tier, generator: its file, its rating, and the model that made it.
        pixels: hash of its RGB pixels.
        thumb: its :func:`wclib.likeness.thumbnail`.
        sketch: its source without white space, ``""`` when there is none.
    """

    name: str
    tier: str
    generator: str
    pixels: str
    thumb: np.ndarray
    sketch: str


def look(folder: Path) -> tuple[list[Finding], list[Picture]]:
    """What is wrong in one folder, and what can be read in it."""
    if not folder.is_dir():
        return [Finding("no_pool", str(folder), "there is no such folder")], []
    findings, pictures = list[Finding](), list[Picture]()
    if (folder / FILE).is_file():
        try:
            domain_of(folder)
        except UsageError as error:
            findings.append(Finding("no_pool", FILE, str(error)))
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in PICTURES)
    there = {path.relative_to(folder).as_posix() for path in files}
    if not there:
        findings.append(Finding("no_pool", str(folder), "it holds no .png or .webp picture"))
    rows = _rows(folder, findings)
    for name in sorted(there - set(rows)):
        findings.append(Finding("picture_without_rating", name, "rate it, or take it out of the folder"))
    for name, row in sorted(rows.items()):
        tier = row.get("tier") or Path(name).name.split("_", 1)[0]
        if tier not in TIERS:
            findings.append(Finding("bad_row", name, f"the tier {tier!r} is none of {', '.join(TIERS)}"))
        elif name not in there:
            findings.append(Finding("rating_without_picture", name, "restore the picture or drop its row"))
        elif (image := _read(folder, name, findings)) is not None:
            pixels, sketch = hashlib.sha256(image.tobytes()).hexdigest(), _source(folder, name, row, findings)
            generator = str(row.get("generator_model") or "unknown")
            pictures.append(Picture(name, tier, generator, pixels, thumbnail(image), sketch))
    return findings, pictures


def _rows(folder: Path, findings: list[Finding]) -> dict[str, dict[str, Any]]:
    path = folder / "metadata.jsonl"
    if not path.is_file():
        findings.append(Finding("no_pool", str(path), "it is missing: give it one JSON row a picture"))
        return {}

    def wrong(number: int, fault: str) -> None:
        findings.append(Finding("bad_row", f"metadata.jsonl line {number}", f"it {fault}"))

    return read_metadata(folder, wrong)


def _read(folder: Path, name: str, findings: list[Finding]) -> Image.Image | None:
    try:
        with Image.open(io.BytesIO((folder / name).read_bytes())) as opened:
            image = opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        findings.append(Finding("unreadable_picture", name, f"{type(error).__name__}: restore it or drop its row"))
        return None
    if image.size != (SIDE, SIDE):
        size = " x ".join(map(str, image.size))
        findings.append(Finding("wrong_size", name, f"it is {size}; judges compare {SIDE} x {SIDE}: paint it again"))
    return image


def _source(folder: Path, name: str, row: dict[str, Any], findings: list[Finding]) -> str:
    """Check a row's sketch and return it without white space, ``""`` when there is none."""
    source = source_of(folder, row)
    if not row.get("source_file"):
        findings.append(Finding("no_source", name, "its row names no sketch; it cannot be painted again", fault=False))
    elif source is None:
        findings.append(Finding("missing_source", name, f"there is no {row['source_file']}: restore it"))
    elif codes := check_source(source.read_bytes()).codes:
        findings.append(Finding("gate", name, f"its sketch would not pass the gate: {', '.join(codes)}", fault=False))
    return "".join(source.read_text(encoding="utf-8", errors="replace").split()) if source else ""
