"""Pictures made small: for a page, for a grid, for a model that is shown one."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from PIL import Image

from wclib.jsonl import atomic_write
from wclib.progress import Bar

PAPER = "#fdfcf8"


def shrunk(picture: Path | bytes, side: int) -> Image.Image:
    """A picture in RGB, its longer side at most ``side`` pixels.

    Raises:
        OSError, ValueError, SyntaxError, DecompressionBombError: it cannot be read.
    """
    with Image.open(io.BytesIO(picture) if isinstance(picture, bytes) else picture) as opened:
        image = opened.convert("RGB")
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    return image


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    """The bytes of an image as ``"WEBP"``, ``"JPEG"`` or ``"PNG"``."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def small(path: Path, side: int) -> bytes | None:
    """A picture as WebP bytes, its longer side at most ``side`` pixels; None when it cannot be read."""
    try:
        return encoded(shrunk(path, side), "WEBP", quality=76, method=4)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def smalls(paths: Sequence[Path | None], side: int) -> list[bytes | None]:
    """:func:`small` of each path, in order, with a bar on stderr."""
    return _each(lambda path: path and small(path, side), paths)


def write_smalls(paths: Sequence[Path | None], targets: Sequence[Path], side: int) -> list[bool]:
    """Write each picture small to its target; say which have one. What an earlier try left is kept."""

    def write(pair: tuple[Path | None, Path]) -> bool:
        path, target = pair
        if path is None:
            return False
        if not (target.exists() and target.stat().st_mtime >= path.stat().st_mtime):
            data = small(path, side)
            if data is None:
                return False
            atomic_write(target, data)
        return True

    return _each(write, list(zip(paths, targets, strict=True)))


def _each(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(Bar(threads.map(function, items), total=len(items), desc="pictures", unit=""))


def square(path: Path, side: int) -> Image.Image:
    """A picture as a square of ``side`` pixels, fitted on paper."""
    image, paper = shrunk(path, side), Image.new("RGB", (side, side), PAPER)
    paper.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return paper


def sheet(paths: Sequence[Path], most: int = 60) -> bytes:
    """The first ``most`` pictures side by side as one PNG, ten a row, each 72 pixels wide."""
    shown, columns, side = paths[:most], 10, 72
    step = side + 6
    paper = Image.new("RGB", (columns * step + 6, -(-len(shown) // columns) * step + 6), PAPER)
    for number, path in enumerate(shown):
        paper.paste(square(path, side), (6 + number % columns * step, 6 + number // columns * step))
    return encoded(paper.quantize(128), "PNG", optimize=True)
