"""A flower as a short p5.brush sketch: helpers that are fixed, and numbers and colours that are the painting.

A :class:`Flower` says where the flower sits, how many petals it has, how far each wash reaches, which colour, how
opaque, how much it bleeds; :func:`write` turns it into a sketch that keeps to the prompt's ten methods and skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass

from wclib.prompt import SKELETON

_HEAD = SKELETON.partition("'#f7f1e3'")[0]
#: The prompt's skeleton up to the paper's colour, in two: the set-up, and the start of ``draw``.
SETUP, DRAW = _HEAD[: _HEAD.index("function draw")], _HEAD[_HEAD.index("function draw") :]
OUTLINE = """\
function outline(points, turn, reach, girth) {
  brush.beginShape(0.6);
  for (const [along, across] of points) {
    const u = reach * (along + random(-0.02, 0.02)), v = girth * across;
    brush.vertex(cx + u * cos(turn) - v * sin(turn), cy + u * sin(turn) + v * cos(turn));
  }
  brush.endShape(true);
}
"""
#: Three ways to draw one petal: ruffled, round, pointed.
PETALS: tuple[str, ...] = tuple(
    f"const petal = [{points}];\n"
    for points in (
        "[0.02, -0.08], [0.3, -0.45], [0.62, -0.95], [0.88, -0.9], [0.99, -0.42], [0.94, 0], [1.02, 0.45], "
        "[0.86, 0.95], [0.6, 1], [0.3, 0.5], [0.02, 0.08]",
        "[0.02, -0.1], [0.25, -0.6], [0.55, -1], [0.82, -0.8], [0.98, -0.3], [1, 0.25], [0.84, 0.78], [0.55, 0.98], "
        "[0.25, 0.62], [0.02, 0.1]",
        "[0.02, -0.06], [0.3, -0.5], [0.55, -0.9], [0.75, -0.7], [0.9, -0.3], [1.04, 0.02], [0.9, 0.34], "
        "[0.74, 0.72], [0.55, 0.94], [0.3, 0.52], [0.02, 0.06]",
    )
)
WASH = """\
function wash(colour, opacity, reach, girth, turn) {
  for (let i = 0; i < petals; i++) {
    brush.fill(colour, opacity + random(-10, 10));
    outline(petal, turn + i * 360 / petals + random(-6, 6), reach * random(0.92, 1.06), girth);
  }
}
"""
LEAF = """\
function leaf(colour, opacity, turn, reach) {
  brush.fill(colour, opacity);
  const points = [[0.3, 0], [0.5, -0.6], [0.7, -1], [0.88, -0.5], [1, 0], [0.86, 0.6], [0.68, 0.95], [0.5, 0.6]];
  outline(points, turn, reach, reach * 0.2);
}
"""
STEM = """\
function stem(colour, opacity, turn, reach) {
  brush.fill(colour, opacity);
  outline([[0.1, -1], [0.6, -0.6], [1, -1], [1, 0.4], [0.6, 0.8], [0.1, 0.6]], turn, reach, 9);
}
"""
STAMEN = """\
function stamen(colour, opacity, turn, reach) {
  brush.fill(colour, opacity);
  outline([[0, -1], [0.5, -0.5], [1, -0.9], [1.05, 0], [1, 0.9], [0.5, 1.2], [0, 1]], turn, reach, 7);
  for (let i = 0; i < 7; i++) {
    const u = reach * random(0.7, 1.1), v = random(-16, 16);
    brush.circle(cx + u * cos(turn) - v * sin(turn), cy + u * sin(turn) + v * cos(turn), random(5, 9), 0.3);
  }
}
"""
#: Text that never varies: the tokenizer makes one token of each.
FIXED_LINES: tuple[str, ...] = (
    SETUP,
    OUTLINE,
    *PETALS,
    WASH,
    LEAF,
    STEM,
    STAMEN,
    DRAW,
    ");\n  brush.noStroke();\n  brush.fillBleed(",
    "  brush.fillTexture(",
    "const cx = ",
    ", cy = ",
    ", petals = ",
    "  wash(",
    "  leaf(",
    "  stem(",
    "  stamen(",
)


@dataclass(frozen=True)
class Wash:
    """One pass over all petals: hex colour, opacity 0-255, reach and girth in pixels, turn in degrees."""

    colour: str
    opacity: int
    reach: int
    girth: int
    turn: int


@dataclass(frozen=True)
class Stroke:
    """A leaf, the stem or the stamen: hex colour, opacity 0-255, turn in degrees, reach in pixels."""

    colour: str
    opacity: int
    turn: int
    reach: int


@dataclass(frozen=True)
class Flower:
    """Everything that varies between two sketches. Positions are pixels from the top left corner of 600 x 600."""

    cx: int
    cy: int
    petals: int
    shape: int
    paper: str
    bleed: float
    texture: float
    border: float
    washes: tuple[Wash, ...]
    leaves: tuple[Stroke, ...] = ()
    stem: Stroke | None = None
    stamen: Stroke | None = None
    habits: tuple[str, ...] = ()


def write(flower: Flower) -> str:
    """The p5.brush sketch of a flower: one program, helpers first, then ``draw``."""

    def stroke(name: str, s: Stroke) -> str:
        return f"  {name}('{s.colour}', {s.opacity}, {s.turn}, {s.reach});\n"

    parts = [
        f"const cx = {flower.cx}, cy = {flower.cy}, petals = {flower.petals};\n",
        SETUP,
        OUTLINE,
        PETALS[flower.shape],
        WASH,
        LEAF if flower.leaves else "",
        STEM if flower.stem else "",
        STAMEN if flower.stamen else "",
        f"{DRAW}'{flower.paper}');\n  brush.noStroke();\n",
        f"  brush.fillBleed({flower.bleed:g});\n  brush.fillTexture({flower.texture:g}, {flower.border:g});\n",
        stroke("stem", flower.stem) if flower.stem else "",
        *(stroke("leaf", leaf) for leaf in flower.leaves),
        *(f"  wash('{w.colour}', {w.opacity}, {w.reach}, {w.girth}, {w.turn});\n" for w in flower.washes),
        stroke("stamen", flower.stamen) if flower.stamen else "",
        "}\n",
    ]
    return "".join(parts)
