"""Watercolour-like pictures and small rated pools, made with numpy and Pillow: no browser needed.

They have what the judges look at (washes, soft edges, petals round a heart, paper) and are quick to
make; they are not p5.brush renders.
"""

from __future__ import annotations

import colorsys
import io
import json
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SIDE = 300
PAPER = (247, 241, 227)
#: Two opposite tastes: warm and large, cool and small.
WARM = {"hue": 0.96, "reach": 115}
COOL = {"hue": 0.62, "reach": 62}


def flower(
    seed: int, hue: float = 0.96, reach: float = 115, layers: int = 3, soft: float = 3.0, grain: float = 5.0
) -> bytes:
    """PNG bytes of a flower: five petals in ``layers`` translucent washes, a dark heart, a leaf and a stem."""
    rng = np.random.default_rng(seed)
    canvas = np.empty((SIDE, SIDE, 3), np.float32)
    canvas[:] = PAPER
    centre = SIDE / 2 + rng.normal(0, 5, 2)
    turn = rng.uniform(0, 72)
    stem = [(centre[0] - 4, centre[1]), (centre[0] + 4, centre[1]), (centre[0] + 2, 280)]
    _wash(canvas, rng, stem, (96, 140, 76), 0.7, soft, grain)
    _wash(canvas, rng, _petal(rng, centre + (0, 60), 30, 70, 20), (110, 156, 84), 0.7, soft, grain)
    for layer in range(layers):
        for petal in range(5):
            colour = _colour(hue + rng.normal(0, 0.015), 0.35 + 0.15 * layer, 0.95 - 0.1 * layer)
            size = reach * (1 - 0.25 * layer)
            shape = _petal(rng, centre, turn + 72 * petal + 8 * layer, size, 0.36 * size)
            _wash(canvas, rng, shape, colour, 0.55, soft, grain)
    heart = _petal(rng, centre - (0, 0.1 * reach), 0, 0.25 * reach, 0.12 * reach)
    _wash(canvas, rng, heart, _colour(hue, 0.8, 0.45), 0.8, soft, grain)
    return png(Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8)))


def clumsy(seed: int, hue: float = 0.1) -> bytes:
    """PNG bytes of a painting few would keep: one or two hard, flat, greyish blobs off the centre."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (SIDE, SIDE), PAPER)
    draw = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(1, 3))):
        x, y, radius = rng.uniform(40, 260), rng.uniform(40, 260), rng.uniform(12, 80)
        colour = _colour(hue + rng.normal(0, 0.2), rng.uniform(0.05, 0.3), rng.uniform(0.3, 0.6))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
    return png(image)


def disc(colour: tuple[int, int, int] = (216, 87, 122), radius: int = 100) -> bytes:
    """PNG bytes of one flat disc in the middle of the page."""
    image = Image.new("RGB", (SIDE, SIDE), PAPER)
    ImageDraw.Draw(image).ellipse((SIDE / 2 - radius,) * 2 + (SIDE / 2 + radius,) * 2, fill=colour)
    return png(image)


def sheet(colour: tuple[int, int, int], margin: int = 14) -> bytes:
    """PNG bytes of one flat shape over the whole canvas, a thin margin of paper left."""
    image = Image.new("RGB", (SIDE, SIDE), PAPER)
    ImageDraw.Draw(image).rectangle((margin, margin, SIDE - margin, SIDE - margin), fill=colour)
    return png(image.filter(ImageFilter.GaussianBlur(2)))


def blank() -> bytes:
    """PNG bytes of an empty page."""
    return png(Image.new("RGB", (SIDE, SIDE), PAPER))


def png(image: Image.Image) -> bytes:
    """PNG bytes of an image."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def write_pool(folder: Path, tiers: dict[str, list[bytes]], families: int = 8) -> Path:
    """Write a rated pool in the published layout; nope goes to the sibling folder. Returns ``folder``."""
    for tier, pictures in tiers.items():
        home = folder.with_name(folder.name + "_nope") if tier == "nope" else folder
        (home / "sources").mkdir(parents=True, exist_ok=True)
        with open(home / "metadata.jsonl", "a") as rows:
            for index, picture in enumerate(pictures):
                source = f"sources/{tier[0]}{index % families}_v{index}.js"
                name = f"{tier}_flower-{index:02}_s{index}.png"
                (home / name).write_bytes(picture)
                (home / source).write_text(f"// {tier} {index}\nfunction setup() {{}}\n")
                row = {"file_name": name, "tier": tier, "source_file": source, "subject": "a peach hibiscus"}
                rows.write(json.dumps(row) + "\n")
    return folder


def taste_pool(folder: Path, liked: dict, other: dict, each: int = 8) -> Path:
    """A pool that loves flowers like ``liked``, finds half-way ones okay, and rejects ``other`` and clumsy ones."""
    between = {key: (liked[key] + other[key]) / 2 for key in liked}
    return write_pool(
        folder,
        {
            "love": [flower(100 + i, **liked) for i in range(each)],
            "okay": [flower(200 + i, **between, layers=2) for i in range(each)],
            "nope": [flower(300 + i, **other) for i in range(each // 2)] + [clumsy(400 + i) for i in range(each // 2)],
        },
    )


def _petal(rng: np.random.Generator, centre: np.ndarray, degrees: float, length: float, width: float) -> list[tuple]:
    angle = np.radians(degrees)
    outline = np.array([(0, 0), (-0.6, 0.3), (-1, 0.65), (-0.5, 0.95), (0, 1), (0.5, 0.95), (1, 0.65), (0.6, 0.3)])
    outline = outline * (width, length) + rng.normal(0, 0.03 * length, outline.shape)
    x = centre[0] + outline[:, 0] * np.cos(angle) - outline[:, 1] * np.sin(angle)
    y = centre[1] + outline[:, 0] * np.sin(angle) + outline[:, 1] * np.cos(angle)
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _wash(canvas, rng, outline, colour, opacity: float, soft: float, grain: float) -> None:
    """Blend one translucent polygon into the canvas, its edge blurred by ``soft`` px, its pigment grainy."""
    xs, ys = zip(*outline, strict=True)
    pad = 3 * soft + 2
    left, top = max(0, int(min(xs) - pad)), max(0, int(min(ys) - pad))
    right, bottom = min(SIDE, int(max(xs) + pad) + 1), min(SIDE, int(max(ys) + pad) + 1)
    mask = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in outline], fill=255)
    alpha = np.asarray(mask.filter(ImageFilter.GaussianBlur(soft)), np.float32)[..., None] / 255 * opacity
    height, width = alpha.shape[:2]
    grains = rng.normal(0, grain, (height // 4 + 1, width // 4 + 1, 1)).repeat(4, 0).repeat(4, 1)[:height, :width]
    patch = canvas[top:bottom, left:right]
    patch[:] = patch * (1 - alpha) + (np.array(colour, np.float32) + grains) * alpha


def _colour(hue: float, saturation: float, value: float) -> tuple[int, int, int]:
    return tuple(round(255 * part) for part in colorsys.hsv_to_rgb(hue % 1, min(1, saturation), value))
