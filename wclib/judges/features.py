"""What the local judge sees: eighteen plain statistics of colour and shape, about 12 ms a picture.

A picture is split into paper and paint first. Paper is the commonest colour of the outer frame; paint
is whatever lies farther than 32 (Euclidean RGB, the gate's threshold) from it. Colours are measured in
CIE Lab (D65), which is close to how differences look. Everything is measured on the picture
averaged down to 150 px, edges on 300 px.

========== ==================================================================================
coverage   square root of the painted share of the page
border     painted share of the outer frame (12 of 150 px): painted edge to edge
offset     distance from the page's centre to the paint's, in half pages
spread     root mean square distance of the paint from its own centre, in half pages
chroma     mean chroma of the paint
warmth     mean a* of the paint: green to red
yellow     mean b* of the paint: blue to yellow
lightness  mean L* of the paint
depth      standard deviation of L* over the paint: tones from pale wash to dark eye
variety    spread of hues, 0 for one hue: 1 - length of the mean hue vector weighted by chroma
leaf       green share of the paint (hue 95 to 185 degrees, chroma over 12)
dull       share of the paint that is grey or brown mud (chroma under 20)
heavy      share of the paint that is nearly black (L* under 30)
wash       mean change of colour from pixel to pixel inside the paint: washes and granulation
flat       share of the inside of the paint with hardly any such change
soft       faint pixels (8 to 32 from the paper) for each pixel of outline: edges that dissolve
ragged     length of the outline against that of a disc of the same area
heart      how much darker the paint's middle is than its rim
========== ==================================================================================
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image
from scipy import ndimage

from wclib.errors import InfrastructureFault
from wclib.render.pixels import LINEAR, PAINT_DISTANCE, modal_colour

FEATURES = (
    "coverage", "border", "offset", "spread", "chroma", "warmth", "yellow", "lightness", "depth",
    "variety", "leaf", "dull", "heavy", "wash", "flat", "soft", "ragged", "heart",
)  # fmt: skip
SIZE = 150
FRAME = 12
FAINT = 8.0

_LINEAR = LINEAR.astype(np.float32)
#: Linear sRGB to XYZ relative to the D65 white (IEC 61966-2-1).
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], np.float32)
_XYZ /= _XYZ.sum(axis=1, keepdims=True)


def measure(picture: bytes) -> np.ndarray:
    """The statistics of one encoded picture, in the order of :data:`FEATURES` (float64).

    Args:
        picture: PNG or WebP bytes of any size; 600 x 600 is what the renderer makes.

    Raises:
        InfrastructureFault: part ``"judge"``, when the bytes are not a picture.
    """
    return measure_image(open_picture(picture))


def open_picture(picture: bytes) -> Image.Image:
    """An encoded picture as an RGB image.

    Raises:
        InfrastructureFault: part ``"judge"``, when the bytes are not a picture.
    """
    try:
        with Image.open(io.BytesIO(picture)) as opened:
            return opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InfrastructureFault("judge", f"the picture to judge is unreadable ({type(error).__name__})") from error


def measure_image(image: Image.Image) -> np.ndarray:
    """The statistics of an RGB image, in the order of :data:`FEATURES` (float64)."""
    half = image.resize((2 * SIZE, 2 * SIZE), Image.Resampling.BOX)
    small = np.asarray(half.reduce(2))
    paper = _paper(small)
    mask = _apart(small, paper) > PAINT_DISTANCE**2
    apart = _apart(np.asarray(half), paper)
    outline = apart > PAINT_DISTANCE**2
    rim = max(1, int((outline & ~ndimage.binary_erosion(outline)).sum()))
    area = max(1, int(outline.sum()))
    values = {
        "coverage": np.sqrt(mask.mean()),
        "border": float(mask[_frame()].mean()),
        "soft": min(4.0, float(((apart > FAINT**2) & ~outline).sum()) / rim),
        "ragged": min(8.0, rim / (2.0 * np.sqrt(np.pi * area))),
        **_of_paint(small, mask),
    }
    return np.array([values[name] for name in FEATURES], dtype=np.float64)


def _of_paint(small: np.ndarray, mask: np.ndarray) -> dict[str, Any]:
    """The statistics that need some paint; an empty page gets those of nothing at all."""
    rows, columns = np.nonzero(mask)
    if rows.size < 9:
        nothing = dict.fromkeys(FEATURES[2:], 0.0)
        nothing.update(lightness=100.0, flat=1.0, dull=1.0)
        return {name: nothing[name] for name in FEATURES if name not in ("coverage", "border", "soft", "ragged")}
    lab = _lab(small)
    tone, a, b = lab[rows, columns].T
    chroma = np.hypot(a, b)
    hue = np.degrees(np.arctan2(b, a)) % 360
    centre_y, centre_x = rows.mean(), columns.mean()
    distance = np.hypot(rows - centre_y, columns - centre_x)
    spread = float(np.sqrt((distance**2).mean()))
    change = ndimage.gaussian_gradient_magnitude(lab[..., 0], 0.7) + 0.5 * np.hypot(
        ndimage.gaussian_gradient_magnitude(lab[..., 1], 0.7), ndimage.gaussian_gradient_magnitude(lab[..., 2], 0.7)
    )
    inside = ndimage.binary_erosion(mask, iterations=2)
    inside = inside if inside.any() else mask
    middle, rest = distance < 0.5 * spread, distance > spread
    return {
        "offset": float(np.hypot(centre_y - SIZE / 2, centre_x - SIZE / 2)) / (SIZE / 2),
        "spread": spread / (SIZE / 2),
        "chroma": float(chroma.mean()),
        "warmth": float(a.mean()),
        "yellow": float(b.mean()),
        "lightness": float(tone.mean()),
        "depth": float(tone.std()),
        "variety": 1.0 - float(np.hypot(a.sum(), b.sum()) / max(1e-6, chroma.sum())),
        "leaf": float(((hue > 95) & (hue < 185) & (chroma > 12)).mean()),
        "dull": float((chroma < 20).mean()),
        "heavy": float((tone < 30).mean()),
        "wash": float(np.minimum(change[inside], 12.0).mean()),
        "flat": float((change[inside] < 0.7).mean()),
        "heart": float(tone[rest].mean() - tone[middle].mean()) if middle.any() and rest.any() else 0.0,
    }


def _frame() -> np.ndarray:
    frame = np.ones((SIZE, SIZE), dtype=bool)
    frame[FRAME:-FRAME, FRAME:-FRAME] = False
    return frame


def _paper(small: np.ndarray) -> np.ndarray:
    """The frame's commonest colour."""
    return modal_colour(small[_frame()])


def _apart(rgb: np.ndarray, paper: np.ndarray) -> np.ndarray:
    """Squared Euclidean RGB distance of every pixel from the paper."""
    difference = rgb.astype(np.float32) - paper.astype(np.float32)
    return np.einsum("ijk,ijk->ij", difference, difference)


def _lab(rgb: np.ndarray) -> np.ndarray:
    xyz = _LINEAR[rgb] @ _XYZ.T
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), xyz * (841 / 108) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)
