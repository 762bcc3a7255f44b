"""Pixels: from what the browser hands over to the 600 x 600 picture that is judged, and how much of it is paint."""

from __future__ import annotations

import hashlib
import io

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter, label, maximum_filter, minimum_filter

SIZE = 600
PAINT_DISTANCE = 32.0
_STEPS = np.arange(256) / 255
#: sRGB byte to linear light (IEC 61966-2-1).
LINEAR = np.where(_STEPS <= 0.04045, _STEPS / 12.92, ((_STEPS + 0.055) / 1.055) ** 2.4)


def modal_colour(rgb: np.ndarray) -> np.ndarray:
    """The most frequent colour of ``rgb`` (uint8, any shape x 3), the paper of a painting.

    The mode is taken after dropping the low four bits of each channel (published definition); the answer is the
    mean of the pixels in that bin, float64 of length 3.
    """
    bins = (rgb >> 4).astype(np.uint16)
    keys = ((bins[..., 0] << 8) | (bins[..., 1] << 4) | bins[..., 2]).ravel()
    mode = np.bincount(keys, minlength=4096).argmax()
    return rgb.reshape(-1, 3)[keys == mode].mean(axis=0)


def paint_mask(rgb: np.ndarray) -> np.ndarray:
    """Which pixels are paint: farther than 32 (Euclidean, RGB 0-255) from the modal colour. bool, H x W."""
    squares = sum((rgb[..., i] - value) ** 2 for i, value in enumerate(modal_colour(rgb)))
    return squares > PAINT_DISTANCE**2


def paint_fraction(rgb: np.ndarray) -> float:
    """Share of pixels that are paint, see :func:`paint_mask`; ``rgb`` is uint8, H x W x 3."""
    return float(paint_mask(rgb).mean())


def checks(rgb: np.ndarray, paint: np.ndarray) -> dict[str, float]:
    """What coverage does not tell, each a share of the ``paint`` (bool, H x W) from 0 to 1; reported, never paid.

    ``flat``: red + green + blue vary by 6 of 765 at most in the 5 x 5 pixels around: a poster's fill, not a wash.
    ``speckle``: in spots of fewer than 20 connected pixels: scattered noise, not shapes.
    ``dark``: relative luminance (Rec. 709, linear light) under 0.03, about L* 20: nearly black.
    """
    total = int(paint.sum())
    if not total:
        return {"flat": 0.0, "speckle": 0.0, "dark": 0.0}
    tone = rgb.sum(axis=2, dtype=np.uint16)
    flat = maximum_filter(tone, 5) - minimum_filter(tone, 5) <= 6
    light = sum(weight * LINEAR[rgb[..., i]] for i, weight in enumerate((0.2126, 0.7152, 0.0722)))
    spots, _ = label(paint, structure=np.ones((3, 3)))
    sizes = np.bincount(spots.ravel())
    sizes[0] = 0
    return {
        "flat": float(flat[paint].mean()),
        "speckle": float(sizes[sizes < 20].sum() / total),
        "dark": float((light[paint] < 0.03).mean()),
    }


def difference(a: np.ndarray, b: np.ndarray) -> dict[str, float]:
    """How far two pictures (uint8, H x W x 3) are apart: ``max`` and ``mean`` absolute difference, and ``ssim``.

    SSIM is that of Wang et al. 2004 (Gaussian window, sigma 1.5, K1 0.01, K2 0.03), averaged over the channels.
    """
    gap = np.abs(a.astype(np.int16) - b)

    def blur(x: np.ndarray) -> np.ndarray:
        return gaussian_filter(x, sigma=(1.5, 1.5, 0), truncate=3.5)

    x, y = a.astype(np.float64), b.astype(np.float64)
    mx, my = blur(x), blur(y)
    vx, vy, vxy = blur(x * x) - mx * mx, blur(y * y) - my * my, blur(x * y) - mx * my
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    ssim = ((2 * mx * my + c1) * (2 * vxy + c2)) / ((mx * mx + my * my + c1) * (vx + vy + c2))
    return {"max": float(gap.max()), "mean": float(gap.mean()), "ssim": float(ssim[5:-5, 5:-5].mean())}


def finish(raw: bytes) -> np.ndarray:
    """The judged picture, uint8 600 x 600 x 3, from a browser's PNG of any size.

    Transparency is laid over white. Another size is scaled to fit (Lanczos), and what a picture of another shape
    leaves free is filled with its own paper.
    """
    with Image.open(io.BytesIO(raw)) as opened:
        picture = opened.convert("RGBA")
    if picture.getchannel("A").getextrema() != (255, 255):
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    picture = picture.convert("RGB")
    if picture.size == (SIZE, SIZE):
        return np.asarray(picture)
    scale = SIZE / max(picture.size)
    small = picture.resize(
        (max(1, round(picture.width * scale)), max(1, round(picture.height * scale))), Image.Resampling.LANCZOS
    )
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
