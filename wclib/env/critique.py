"""What a painter could see in its own picture, in words.

A critique speaks of the painting alone: how much is covered, how dark and how flat it is, where
it sits, which colours it has, how many shapes it took, what went wrong. It never tells the
score, a reference or a tier: with one seed a group all rollouts face the same references, and
a policy that hears how it placed learns to beat a draw instead of learning to paint.

The aims it measures against are the prompt's own (fifteen to thirty filled shapes, most of the
frame, paper on every side, no dark ground).
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np

from wclib.render.pixels import PAINT_DISTANCE, decode, modal_colour

#: Upper bound of hue in degrees, and what a painter calls the range below it: pale, and strong.
_HUES = (
    (15, "pink", "red"),
    (40, "peach", "orange"),
    (65, "cream", "yellow"),
    (95, "pale yellow-green", "yellow-green"),
    (165, "pale green", "green"),
    (200, "pale turquoise", "turquoise"),
    (255, "pale blue", "blue"),
    (290, "lilac", "violet"),
    (335, "pink", "magenta"),
    (361, "pink", "red"),
)
_BLOCK = 12
_LUMA = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class Look:
    """Measures of one picture.

    Attributes:
        coverage: share of pixels that are not paper, in [0, 1].
        lightness: mean lightness of the painted pixels, in [0, 1] (Rec. 601 luma).
        contrast: mean distance of the painted pixels from the paper (Euclidean, RGB 0-255).
        paper_lightness: lightness of the paper.
        offset: from the canvas centre to the centre of the paint, (right, down), in shares of the side.
        extent: width and height of the box holding the middle 98% of the paint, in shares of the side.
        edges: how many of the four edges (outer 2%) are more than half painted.
        flatness: share of wholly painted 12 x 12 blocks whose lightness varies by less than 2 of 255.
        palette: (colour name, share of the painted pixels), largest first, at most four.
    """

    coverage: float
    lightness: float
    contrast: float
    paper_lightness: float
    offset: tuple[float, float]
    extent: tuple[float, float]
    edges: int
    flatness: float
    palette: tuple[tuple[str, float], ...]


def look(png: bytes) -> Look:
    """Measure a painting.

    Paint is what the gate's paint fraction counts: pixels farther than 32 (Euclidean RGB) from the commonest colour.
    """
    rgb = decode(png)
    paper = modal_colour(rgb)
    distance = np.sqrt(np.square(rgb - paper).sum(axis=2))
    painted = distance > PAINT_DISTANCE
    luma = rgb @ _LUMA
    height, width = painted.shape
    paper_lightness = float(paper @ _LUMA / 255)
    if not painted.any():
        return Look(0.0, 0.0, 0.0, paper_lightness, (0.0, 0.0), (0.0, 0.0), 0, 0.0, ())

    rows, columns = np.nonzero(painted)
    left, right = np.percentile(columns, (1, 99))
    top, bottom = np.percentile(rows, (1, 99))
    rim = max(1, height // 50)
    borders = (painted[:rim], painted[-rim:], painted[:, :rim], painted[:, -rim:])
    return Look(
        coverage=float(painted.mean()),
        lightness=float(luma[painted].mean() / 255),
        contrast=float(distance[painted].mean()),
        paper_lightness=paper_lightness,
        offset=(float(columns.mean() / width - 0.5), float(rows.mean() / height - 0.5)),
        extent=(float((right - left) / width), float((bottom - top) / height)),
        edges=sum(float(border.mean()) > 0.5 for border in borders),
        flatness=_flatness(luma, painted),
        palette=_palette(rgb[painted]),
    )


def _flatness(luma: np.ndarray, painted: np.ndarray) -> float:
    height, width = (side - side % _BLOCK for side in luma.shape)
    shape = (height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK)
    whole = painted[:height, :width].reshape(shape).all(axis=(1, 3))
    spread = luma[:height, :width].reshape(shape).std(axis=(1, 3))
    return float((spread[whole] < 2).mean()) if whole.any() else 0.0


def _palette(pixels: np.ndarray) -> tuple[tuple[str, float], ...]:
    bins = (pixels >> 4).astype(np.uint16)
    counts = np.bincount(bins[:, 0] << 8 | bins[:, 1] << 4 | bins[:, 2], minlength=4096)
    shares: dict[str, float] = {}
    for colour in np.flatnonzero(counts):
        red, green, blue = (((colour >> shift) & 15) / 15 for shift in (8, 4, 0))
        name = _colour_name(red, green, blue)
        shares[name] = shares.get(name, 0.0) + counts[colour] / len(pixels)
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return tuple((name, float(share)) for name, share in ranked if share >= 0.05)[:4]


def _colour_name(red: float, green: float, blue: float) -> str:
    hue, lightness, _ = colorsys.rgb_to_hls(red, green, blue)
    chroma = max(red, green, blue) - min(red, green, blue)
    if lightness < 0.15:
        return "near-black"
    if chroma < 0.12:
        return "grey" if lightness < 0.8 else "near-white"
    degrees = hue * 360
    if 15 <= degrees < 65 and lightness < 0.4:
        return "brown"
    return next(pale if lightness > 0.7 else strong for bound, pale, strong in _HUES if degrees < bound)


def critique(png: bytes | None, shapes: int | None = None, errors: tuple[str, ...] = ()) -> str:
    """Describe a painting to its painter.

    Args:
        png: the picture, or None when there is none.
        shapes: filled shapes the sketch drew, where known.
        errors: what the sketch threw.
    """
    said = []
    if errors:
        said.append(f"The sketch threw while painting: {errors[0][:200]}.")
    if png is None:
        return " ".join([*said, "There is no picture."])
    seen = look(png)
    if seen.coverage < 0.005:
        return " ".join([*said, "The paper is blank: nothing was painted on the canvas."])
    said += [_cover(seen), *_place(seen), *_tone(seen)]
    if shapes is not None:
        few, many = shapes < 15, shapes > 30
        note = "; that is few layers, fifteen to thirty build up washes" if few else "; that is many, washes turn muddy"
        said.append(f"It took {shapes} filled shape{'' if shapes == 1 else 's'}{note if few or many else ''}.")
    said.append("Its colours: " + ", ".join(f"{name} {share:.0%}" for name, share in seen.palette) + ".")
    return " ".join(said)


def _cover(seen: Look) -> str:
    said = f"Paint covers {seen.coverage:.0%} of the paper"
    if seen.edges >= 3:
        return said + " and runs to its edges: leave paper on every side."
    if max(seen.extent) < 0.5:
        wide, high = seen.extent
        return said + f" and spans only {wide:.0%} by {high:.0%} of the frame: paint larger."
    return said + "."


def _place(seen: Look) -> list[str]:
    right, down = seen.offset
    sides = []
    if abs(right) > 0.07:
        sides.append(f"{abs(right):.0%} of the frame to the {'right' if right > 0 else 'left'}")
    if abs(down) > 0.07:
        sides.append(f"{abs(down):.0%} {'below' if down > 0 else 'above'}")
    return [f"It sits off the centre: {' and '.join(sides)}."] if sides else []


def _tone(seen: Look) -> list[str]:
    said = []
    if seen.paper_lightness < 0.5:
        said.append("The ground is dark; pale paper lets washes glow.")
    if seen.lightness < 0.35:
        said.append("The paint is dark and heavy.")
    elif seen.contrast < 50:
        said.append("The paint is so pale that it hardly shows.")
    if seen.flatness > 0.6:
        said.append("Most of it is flat colour: overlap translucent passes so that tones vary.")
    return said
