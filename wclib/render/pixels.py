"""Pixels: from what the browser hands over to the 600 x 600 picture that is judged, and how much of it is paint."""

from __future__ import annotations

import hashlib
import io

import numpy as np
from PIL import Image

SIZE = 600
PAINT_DISTANCE = 32.0


def modal_colour(rgb: np.ndarray) -> np.ndarray:
    """The most frequent colour of ``rgb`` (uint8, H x W x 3), the paper of a painting.

    The mode is taken after dropping the low four bits of each channel (published definition); the answer is the
    mean of the pixels in that bin, float64 of length 3.
    """
    bins = (rgb >> 4).astype(np.uint16)
    keys = ((bins[..., 0] << 8) | (bins[..., 1] << 4) | bins[..., 2]).ravel()
    mode = np.bincount(keys, minlength=4096).argmax()
    return rgb.reshape(-1, 3)[keys == mode].mean(axis=0)


def paint_fraction(rgb: np.ndarray) -> float:
    """Share of pixels farther than 32 (Euclidean, RGB 0-255) from the modal colour; ``rgb`` is uint8, H x W x 3."""
    distance = np.linalg.norm(rgb.reshape(-1, 3).astype(np.float64) - modal_colour(rgb), axis=1)
    return float((distance > PAINT_DISTANCE).mean())


def finish(raw: bytes) -> np.ndarray:
    """The judged picture, uint8 600 x 600 x 3, from a browser's PNG of any size.

    Transparency is laid over white. Another size is scaled to fit (Lanczos), and what a picture of another shape
    leaves free is filled with its own paper.
    """
    with Image.open(io.BytesIO(raw)) as opened:
        picture = opened.convert("RGBA")
    if picture.getextrema()[3] != (255, 255):
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    picture = picture.convert("RGB")
    if picture.size == (SIZE, SIZE):
        return np.asarray(picture)
    scale = SIZE / max(picture.size)
    small = picture.resize((max(1, round(picture.width * scale)), max(1, round(picture.height * scale))), Image.LANCZOS)
    paper = tuple(int(round(v)) for v in modal_colour(np.asarray(picture)))
    page = Image.new("RGB", (SIZE, SIZE), paper)
    page.paste(small, ((SIZE - small.width) // 2, (SIZE - small.height) // 2))
    return np.asarray(page)


def encode(rgb: np.ndarray) -> bytes:
    """``rgb`` as a PNG; the same pixels always give the same bytes."""
    out = io.BytesIO()
    Image.fromarray(rgb).save(out, "PNG", compress_level=6)
    return out.getvalue()


def decode(png: bytes) -> np.ndarray:
    """The pixels of a PNG as uint8 H x W x 3."""
    with Image.open(io.BytesIO(png)) as opened:
        return np.asarray(opened.convert("RGB"))


def digest(rgb: np.ndarray) -> str:
    """SHA-256 (hex) of the pixels, which, unlike a file's, does not depend on a PNG encoder."""
    return hashlib.sha256(np.ascontiguousarray(rgb).tobytes()).hexdigest()
