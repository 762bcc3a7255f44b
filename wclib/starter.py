"""The starter pool, painted again from its sketches.

``data/pool`` and ``data/pool_nope`` are ordinary pools: ``metadata.jsonl`` holds a row a painting, and the row names
the sketch and the seed it came from. ``build`` renders every row with our renderer, so the pictures the judges compare
with were made by the same code and the same settings as the ones they judge. A picture whose pixels did not change
keeps its bytes, and with them the pool keeps its fingerprint.

To add a painting: put its sketch into ``sources/``, add a row with ``file_name``, ``source_file``, ``seed``, ``tier``
and ``subject``, and run the command. Rating is by looking: the tier in the row is the rating.

Try it: ``python -m wclib pool build-starter``
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from wclib.domains import HIBISCUS
from wclib.errors import SketchFault, UsageError
from wclib.jsonl import atomic_write, lines_of
from wclib.pool_files import COLUMNS, read_metadata
from wclib.render import Render, Renderer, default_browsers
from wclib.render.pixels import decode

STARTER_FOLDERS = (HIBISCUS.pool, HIBISCUS.pool.with_name(HIBISCUS.pool.name + "_nope"))


def build(folders: Sequence[Path] = STARTER_FOLDERS) -> dict[str, Any]:
    """Paint every row of every folder's ``metadata.jsonl`` and write the pictures that differ.

    Returns:
        ``{"painted": how many, "changed": [file names], "backend": what painted}``.

    Raises:
        UsageError: a row without a sketch or seed, a sketch that fails, or one that throws while painting.
        InfrastructureFault: no renderer; nothing is written to the folder it was working on.
    """
    changed: list[str] = []
    painted = 0
    with Renderer() as renderer, ThreadPoolExecutor(default_browsers()) as workers:
        for folder in map(Path, folders):
            rows = list(read_metadata(folder).values())
            renders = list(workers.map(lambda row, folder=folder: _paint(renderer, folder, row), rows))
            different = [
                (folder / row["file_name"], render.png)
                for row, render in zip(rows, renders, strict=True)
                if not _same_pixels(folder / row["file_name"], render.png)
            ]
            # Packing a lossless WebP takes as long as painting it, and both can use every core.
            for (picture, _), data in zip(different, workers.map(_encode, different), strict=True):
                atomic_write(picture, data)
                changed.append(picture.name)
            for row, render in zip(rows, renders, strict=True):
                row |= {"paint_coverage": round(render.paint_fraction, 4), "backend": render.backend}
            whole = ({key: row.get(key, default) for key, default in COLUMNS.items()} for row in rows)
            atomic_write(folder / "metadata.jsonl", lines_of(whole))
            painted += len(rows)
        return {"painted": painted, "changed": changed, "backend": renderer.backend}


def _paint(renderer: Renderer, folder: Path, row: dict[str, Any]) -> Render:
    try:
        sketch, seed = folder / row["source_file"], int(row["seed"])
        source = sketch.read_text(encoding="utf-8")
    except (KeyError, TypeError, ValueError, OSError) as error:
        place = f"{folder / 'metadata.jsonl'}, row {row.get('file_name')}"
        raise UsageError(f"{place}: it needs a source_file and a seed ({error})") from error
    try:
        render = renderer.render(source, seed)
    except SketchFault as fault:
        raise UsageError(f"{sketch} cannot be painted: {fault}") from fault
    if render.errors or not render.finished:
        raise UsageError(f"{sketch} did not finish: {'; '.join(render.errors) or 'it was cut off'}")
    return render


def _same_pixels(picture: Path, png: bytes) -> bool:
    return picture.is_file() and np.array_equal(decode(picture.read_bytes()), decode(png))


def _encode(item: tuple[Path, bytes]) -> bytes:
    """The PNG in the format of its file name. Lossless WebP is a quarter smaller than an optimised PNG."""
    path, png = item
    out = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    if path.suffix == ".webp":
        picture.save(out, "WEBP", lossless=True, quality=100, method=6)
    else:
        picture.save(out, "PNG", optimize=True)
    return out.getvalue()
