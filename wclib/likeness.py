"""How alike two paintings are: one measure, and a mark for each use.

Two paintings are compared by their 24 x 24 thumbnails with the paper taken off: the distance is the norm of their
difference over the larger of their norms, so 0 is the same picture, about 1 has nothing in common, and a small faint
flower is not near another merely because both are mostly paper.

Measured: a sketch of the starter pool under another seed is 0.24 to 0.57 from itself (16 sketches, mean 0.41;
:func:`wclib.train.watch.repainted`). The nearest two pictures of one family are 0.38 apart in the starter pool and 0.30
in the lemon pool, of two families 0.50 and 0.44.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 24
#: A painting nearer than this to one of the pool counts as a near-copy of it: 10 of those 16 lie under it, and no two
#: families of the starter pool.
COPY = 0.45
#: Two pictures of a pool nearer than this are one opponent twice: nearer than another seed brings a sketch to itself.
TWIN = 0.2


def thumbnail(image: Image.Image) -> np.ndarray:
    """``(24 * 24 * 3,)`` float32: an RGB image, 0 to 1, less the paper (the commonest colour of the outer frame)."""
    small = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32) / 255
    frame = np.concatenate([small[0], small[-1], small[:, 0], small[:, -1]])
    return (small - np.median(frame, axis=0)).ravel()


def thumbnails(pictures: Iterable[bytes | Path]) -> np.ndarray:
    """``(pictures, 24 * 24 * 3)``: the :func:`thumbnail` of each."""
    rows = []
    for picture in pictures:
        with Image.open(io.BytesIO(picture) if isinstance(picture, bytes) else picture) as opened:
            rows.append(thumbnail(opened.convert("RGB")))
    return np.array(rows, dtype=np.float32).reshape(len(rows), SIDE * SIDE * 3)


def distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """``(n, m)`` distances between two sets of thumbnails."""
    apart = np.array([np.linalg.norm(one - second, axis=1) for one in first]).reshape(len(first), len(second))
    larger = np.maximum(np.linalg.norm(first, axis=1)[:, None], np.linalg.norm(second, axis=1)[None])
    return apart / np.maximum(larger, 1e-6)
