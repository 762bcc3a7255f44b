"""Pictures made small: WebP of one size, two threads at a time, each file written whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from PIL import Image
from tqdm import tqdm

from wclib.jsonl import atomic_write

QUALITY = 76


def small(path: Path, side: int) -> bytes | None:
    """A picture as WebP bytes, its longer side at most ``side`` pixels; None when it cannot be read."""
    try:
        image = Image.open(path).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, "WEBP", quality=QUALITY, method=4)
    return out.getvalue()


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
        return list(tqdm(threads.map(function, items), total=len(items), desc="pictures", unit="", disable=None))
