"""Small pictures for the grid, and the sheet that readers without a kernel see."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

PAPER = "#fdfcf8"


def thumbnail(path: Path, side: int) -> Image.Image:
    """A picture as a square of ``side`` pixels, fitted on paper."""
    square = Image.new("RGB", (side, side), PAPER)
    with Image.open(path) as picture:
        small = picture.convert("RGB")
    small.thumbnail((side, side), Image.LANCZOS)
    square.paste(small, ((side - small.width) // 2, (side - small.height) // 2))
    return square


def sheet(paths: Sequence[Path], columns: int = 10, side: int = 72, most: int = 60) -> bytes:
    """The first ``most`` pictures side by side as one PNG of ``columns`` a row, each ``side`` pixels."""
    shown = paths[:most]
    step = side + 6
    paper = Image.new("RGB", (columns * step + 6, -(-len(shown) // columns) * step + 6), PAPER)
    for number, path in enumerate(shown):
        paper.paste(thumbnail(path, side), (6 + number % columns * step, 6 + number // columns * step))
    out = io.BytesIO()
    paper.quantize(128).save(out, "PNG", optimize=True)
    return out.getvalue()
