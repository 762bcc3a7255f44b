"""Pictures nobody's taste asks for, so that the local judge knows the floor whatever the pool.

A pool holds what people kept and what they turned down; it need not hold a blank page, and a policy
that is paid for statistics will find whatever was left out. So the local judge also learns from two
kinds of picture that rank below every kept one:

* made here: an empty page, flat shapes over the whole canvas, flat discs, a speck, scribble;
* kept paintings spoiled: drained of colour, turned to mud, cut out flat, shrunk to a speck.

Spoiling says nothing against a restrained taste: a painting that is nearly grey already is not
drained or muddied, for the pool then says that grey is liked.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator

import numpy as np
from PIL import Image, ImageDraw, ImageOps
from scipy import ndimage

PAPER = (247, 241, 227)
MUD = (104, 88, 74)
_SIDE = 300
_COLOURS = ((216, 87, 122), (233, 150, 96), (94, 138, 74), (120, 110, 170), (150, 146, 140), (96, 78, 64))


@functools.cache
def floor_pictures() -> tuple[Image.Image, ...]:
    """Pictures that should score low under any pool; always the same ones, made once a process."""
    rng = np.random.default_rng(7)
    made = [_page()]
    for index, colour in enumerate(_COLOURS):
        inset = 30 + 20 * index
        for washed in (False, True):
            made.append(_flat(rng, "rectangle", (14, 14, 285, 285), colour, washed))
            made.append(_flat(rng, "ellipse", (inset, inset, _SIDE - inset, _SIDE - inset), colour, washed))
    for colour in _COLOURS[::2]:
        made.append(_flat(rng, "rectangle", (0, 0, _SIDE, _SIDE), colour, True))
        made.append(_flat(rng, "ellipse", (140, 145, 157, 161), colour, True))
        made.append(_scribble(rng, colour))
    return tuple(made)


def spoiled(painting: bytes) -> Iterator[Image.Image]:
    """One kept painting broken in up to four ways: drained, muddied, cut out flat, shrunk."""
    with Image.open(io.BytesIO(painting)) as opened:
        image = opened.convert("RGB").resize((_SIDE, _SIDE), Image.Resampling.BOX)
    pixels = np.asarray(image).astype(np.float32)
    paper = np.array(image.resize((9, 9), Image.Resampling.BOX).getpixel((0, 0)), np.float32)
    painted = np.sqrt(((pixels - paper) ** 2).sum(axis=-1)) > 32
    if not painted.any():
        return
    paint = pixels[painted]
    if (paint.max(axis=1) - paint.min(axis=1)).mean() > 40:
        yield ImageOps.grayscale(image).convert("RGB")
        strength = np.clip(np.abs(pixels - paper).max(axis=-1, keepdims=True) / 64, 0, 1) * 0.8
        yield Image.fromarray((pixels * (1 - strength) + np.array(MUD) * strength).astype(np.uint8))
    flat = np.where(painted[..., None], paint.mean(axis=0), paper)
    yield Image.fromarray(flat.astype(np.uint8))
    speck = Image.new("RGB", image.size, tuple(int(part) for part in paper))
    speck.paste(image.resize((35, 35), Image.Resampling.BOX), (132, 132))
    yield speck


def _page() -> Image.Image:
    return Image.new("RGB", (_SIDE, _SIDE), PAPER)


def _flat(
    rng: np.random.Generator, shape: str, box: tuple[int, ...], colour: tuple[int, int, int], washed: bool
) -> Image.Image:
    """One shape in one colour: cut from paper, or laid down as a single wash with a wandering, dissolving edge."""
    mask = Image.new("L", (_SIDE, _SIDE))
    getattr(ImageDraw.Draw(mask), shape)(box, fill=255)
    alpha = np.asarray(mask, np.float32) / 255
    if washed:
        edge = ndimage.gaussian_filter(alpha, 6) + 0.12 * _clouds(rng, 9)
        alpha = np.clip((edge - 0.4) / 0.15, 0, 1) * np.clip(0.6 + 0.18 * _clouds(rng, 5), 0.15, 1)
    alpha = alpha[..., None]
    return Image.fromarray((np.array(PAPER) * (1 - alpha) + np.array(colour) * alpha).astype(np.uint8))


def _clouds(rng: np.random.Generator, cells: int) -> np.ndarray:
    """Smooth noise over the page, mean 0 and standard deviation about 1, with ``cells`` bumps a side."""
    bumps = ndimage.zoom(rng.normal(size=(cells, cells)), _SIDE / cells, order=3, mode="reflect", grid_mode=True)
    return bumps / bumps.std()


def _scribble(rng: np.random.Generator, colour: tuple[int, int, int]) -> Image.Image:
    image = _page()
    points = [tuple(point) for point in rng.integers(30, 270, (40, 2)).tolist()]
    ImageDraw.Draw(image).line(points, fill=colour, width=2)
    return image
