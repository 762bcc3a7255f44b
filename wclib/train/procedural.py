"""Flowers from a seed: the sketches the tiny policy is taught on before it is rewarded.

A policy of 0.7 M parameters cannot write a free program of a hundred lines. It can learn a short one whose helpers are
fixed (:mod:`wclib.train.flower`) and whose numbers and colours are the painting. :func:`draw` picks those from a seed.

About two sketches in three have a bad habit (small, faint, off-centre, muddy, bare, hard-edged, blown up). That is on
purpose: a policy taught only on good flowers leaves reinforcement learning nothing to find.

Try it: ``python -m wclib.train.procedural 7 > flower.js``
"""

from __future__ import annotations

import random
import sys

from wclib.domains import HIBISCUS
from wclib.train.flower import PETALS, Flower, Stroke, Wash, write

#: Six shades a family, pale to deep. The first five families belong to the hibiscus subjects, in their order.
SHADES: dict[str, tuple[str, ...]] = {
    "peach": ("#f8cdb0", "#f4b48f", "#f2a07a", "#ec8a63", "#e0714f", "#c9583f"),
    "white": ("#fbf3ea", "#f6e6e0", "#f3d9d6", "#eed3c4", "#e3c3cb", "#d9b3b0"),
    "magenta": ("#f2a6cd", "#e878b0", "#dd4f98", "#c93184", "#a82070", "#861a5c"),
    "yellow": ("#fbe7a1", "#f8d873", "#f5c84a", "#efb52e", "#e09a22", "#c77f1c"),
    "coral": ("#f9b3a4", "#f5937f", "#f0765f", "#e85c48", "#d34438", "#b2342e"),
    "rose": ("#f7c6cf", "#ef9dae", "#e5738d", "#d44d6e", "#b53556", "#8f2442"),
    "violet": ("#d3c0ee", "#b79ee3", "#9a7bd4", "#7d5bc2", "#6243a6", "#4a3286"),
    "blue": ("#bcd7f2", "#93bde8", "#699fdb", "#4480c8", "#2f64a8", "#234c86"),
    "teal": ("#b5e0d8", "#84cbc0", "#52b0a5", "#33938b", "#237570", "#1b5a58"),
}
MUD = ("#9c8b74", "#8a7f72", "#7d7466", "#6f655a", "#5c5148", "#4a4038")
GREENS = ("#8fae6a", "#7ba05b", "#6b9a4d", "#55803f", "#4a7a52", "#3f6b3a")
HEARTS = ("#f0c541", "#e8b83a", "#f6d976", "#c8283c", "#a81f35", "#7c1d2f")
EYES = ("#c8283c", "#a81f35", "#a8324a", "#8c2a5a", "#6d2a3d")
PAPERS = ("#f7f1e3", "#f9f4e6", "#f5ecd8", "#faf6ee", "#f3e9dc")
SUBJECT_SHADES = dict(zip(HIBISCUS.subjects, ("peach", "white", "magenta", "yellow", "coral"), strict=True))
HABITS = ("small", "faint", "off-centre", "muddy", "bare", "hard-edged", "blown up")


def _grid(rng: random.Random, low: float, high: float, step: int = 10) -> int:
    return round(rng.uniform(low, high) / step) * step


def draw(rng: random.Random, subject: str) -> Flower:
    """Pick a flower for ``subject``; the same generator state gives the same flower.

    Args:
        rng: the only source of chance.
        subject: one of the domain's subjects; three sketches in four take its colours, the rest any colours.
    """
    habits = tuple(h for h in HABITS if rng.random() < 0.16)
    family = SUBJECT_SHADES.get(subject)
    if family is None or rng.random() < 0.3:
        family = rng.choice(tuple(SHADES))
    shades = MUD if "muddy" in habits and rng.random() < 0.5 else SHADES[family]
    size = {"small": 0.4, "blown up": 1.35}.get(next((h for h in habits if h in ("small", "blown up")), ""), 1.0)
    opacity = (40, 110) if "faint" in habits else (150, 230)
    spread = 150 if "off-centre" in habits else 25

    def colour(palette: tuple[str, ...], low: int = 0, high: int = 5) -> str:
        if "muddy" in habits and rng.random() < 0.4:
            return rng.choice(MUD)
        return palette[min(rng.randint(low, high), len(palette) - 1)]

    passes = 1 if "bare" in habits else rng.choices((1, 2, 3, 4), (1, 3, 5, 2))[0]
    turn = _grid(rng, 0, 60)
    washes = []
    for index in range(passes):
        reach = size * rng.uniform(160, 245) * (1 - index / (passes + 0.6))
        low = min(4, round(index * 4 / max(1, passes - 1)) if passes > 1 else 1)
        palette = EYES if index == passes - 1 and passes > 2 and rng.random() < 0.4 else shades
        washes.append(
            Wash(
                colour(palette, max(0, low - 1), min(5, low + 1)),
                _grid(rng, *opacity),
                max(10, _grid(rng, reach, reach)),
                max(10, _grid(rng, 0.28 * reach, 0.55 * reach)),
                (turn + _grid(rng, -12, 30)) % 70,
            )
        )
    leaf_count = 0 if "bare" in habits else rng.choices((0, 1, 2, 3), (2, 3, 4, 2))[0]
    leaves = tuple(
        Stroke(
            colour(GREENS),
            _grid(rng, *opacity),
            _grid(rng, 10, 170) if rng.random() < 0.8 else _grid(rng, 180, 350),
            _grid(rng, 190 * size, 290 * size),
        )
        for _ in range(leaf_count)
    )
    stem = None
    if "bare" not in habits and rng.random() < 0.75:
        stem = Stroke(colour(GREENS), _grid(rng, *opacity), _grid(rng, 70, 110), _grid(rng, 260 * size, 330 * size))
    stamen = None
    if rng.random() < 0.75:
        stamen = Stroke(colour(HEARTS), _grid(rng, *opacity), _grid(rng, 0, 350), _grid(rng, 60 * size, 150 * size))
    return Flower(
        cx=_grid(rng, 300 - spread, 300 + spread),
        cy=_grid(rng, 275 - spread, 285 + spread),
        petals=rng.choices((3, 4, 5, 6, 7, 8), (1, 2, 8, 3, 1, 1))[0],
        shape=rng.randrange(len(PETALS)),
        paper=rng.choice(PAPERS),
        bleed=rng.choice((0, 0.05)) if "hard-edged" in habits else rng.choice((0.1, 0.15, 0.2, 0.25, 0.3, 0.35)),
        texture=rng.choice((0, 0.1)) if "hard-edged" in habits else rng.choice((0.2, 0.3, 0.4, 0.5, 0.6)),
        border=rng.choice((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
        washes=tuple(washes),
        leaves=leaves,
        stem=stem,
        stamen=stamen,
        habits=habits,
    )


def sketch(seed: int) -> tuple[str, str]:
    """``(subject, source)`` for a seed."""
    rng = random.Random(f"procedural sketch {seed}")
    subject = rng.choice(HIBISCUS.subjects)
    return subject, write(draw(rng, subject))


if __name__ == "__main__":
    sys.stdout.write(sketch(int(sys.argv[1]) if len(sys.argv) > 1 else 0)[1])
