"""The ablation ladder: loved paintings broken one way at a time, a test of a judge that needs no rating.

Whoever can tell a good watercolour prefers a painting to the same painting spoiled. Each rung changes one thing in the
*sketch* and paints it again, with the same renderer and seed, so that nothing else differs:

============  ======================================================================================
one glaze     no wash is laid over another: a shape whose middle is already painted is left out
shrunk        everything at a third of its size, about the middle of the page
mud           every colour is mixed three to one with a grey brown
hard edges    no bleed and no texture: edges cut with scissors
off-centre    everything is moved 170 px to the right and 170 px down, part of it off the page
flat disc     one disc in the sketch's own colour instead of all the rest
============  ======================================================================================

A sketch is broken by handing its ``brush`` calls through a few lines of JavaScript put before it, so any sketch can be
climbed down, ours or a model's.
"""

from __future__ import annotations

import colorsys
import hashlib
import random
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from wclib.errors import UsageError
from wclib.jsonl import atomic_write
from wclib.painting import Painting
from wclib.pool import Pool
from wclib.progress import Bar
from wclib.prompt import SKELETON
from wclib.render import Renderer

#: What each rung sets; see the constants at the top of :data:`_PRELUDE`.
RUNGS: dict[str, dict[str, str]] = {
    "one glaze": {"GLAZE": "true"},
    "shrunk": {"SCALE": "0.33"},
    "mud": {"MUD": "0.75"},
    "hard edges": {"HARD": "true"},
    "off-centre": {"SHIFT": "170"},
    "flat disc": {},
}
_SETTINGS = {"GLAZE": "false", "SCALE": "1", "MUD": "0", "HARD": "false", "SHIFT": "0"}

_PRELUDE = """\
const ladder = (() => {
  const GLAZE = {GLAZE}, SCALE = {SCALE}, MUD = {MUD}, HARD = {HARD}, SHIFT = {SHIFT};
  const painted = [];
  let points = [], curve = 0;
  const move = (v) => 300 + SCALE * (v - 300) + SHIFT;
  const parts = (hex) => {
    const full = hex.length === 4 ? [...hex.slice(1)].map((c) => c + c).join('') : hex.slice(1);
    return [0, 2, 4].map((i) => parseInt(full.slice(i, i + 2), 16));
  };
  const tint = (hex) => {
    if (!MUD) return hex;
    const brown = [107, 90, 74];
    const mixed = parts(hex).map((part, i) => Math.round((1 - MUD) * part + MUD * brown[i]));
    return '#' + mixed.map((part) => part.toString(16).padStart(2, '0')).join('');
  };
  const inside = (x, y, outline) => {
    let within = false;
    for (let i = 0, j = outline.length - 1; i < outline.length; j = i++) {
      const [xi, yi] = outline[i], [xj, yj] = outline[j];
      if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) within = !within;
    }
    return within;
  };
  const fresh = (outline) => {
    const middle = [0, 1].map((k) => outline.reduce((sum, point) => sum + point[k], 0) / outline.length);
    if (GLAZE && painted.some((other) => inside(...middle, other))) return false;
    painted.push(outline);
    return true;
  };
  return {
    scaleBrushes: (factor) => brush.scaleBrushes(factor),
    noStroke: () => brush.noStroke(),
    noFill: () => brush.noFill(),
    fill: (hex, opacity) => brush.fill(tint(hex), opacity),
    fillBleed: (amount) => brush.fillBleed(HARD ? 0 : amount),
    fillTexture: (amount, border) => brush.fillTexture(HARD ? 0 : amount, HARD ? 0 : border),
    beginShape: (curvature) => { points = []; curve = curvature; },
    vertex: (x, y) => { points.push([x, y]); },
    endShape: (closed) => {
      if (!points.length || !fresh(points)) return;
      brush.beginShape(HARD ? 0 : curve);
      for (const [x, y] of points) brush.vertex(move(x), move(y));
      brush.endShape(closed);
    },
    circle: (x, y, radius, scribble) => {
      const corners = [45, 135, 225, 315].map((a) => [x + radius * cos(a), y + radius * sin(a)]);
      if (fresh(corners)) brush.circle(move(x), move(y), radius * SCALE, HARD ? 0 : scribble);
    },
  };
})();
"""

_DISC = """\
brush.noStroke();
  brush.fillBleed(0);
  brush.fillTexture(0, 0);
  brush.fill('{colour}', 230);
  brush.circle(300, 300, 200, 0);"""


@dataclass(frozen=True)
class Rung:
    """A loved painting, intact and broken in one way: both PNG, both from the same renderer and seed."""

    painting: Painting
    name: str
    intact: bytes
    broken: bytes


def break_sketch(source: str, rung: str) -> str:
    """The sketch broken in one way.

    Args:
        source: a sketch that calls ``brush.method(...)`` by that name.
        rung: one of :data:`RUNGS`.

    Raises:
        UsageError: no such rung.
    """
    if rung not in RUNGS:
        raise UsageError(f"there is no rung {rung!r}; choose one of: {', '.join(RUNGS)}")
    if rung == "flat disc":
        disc = _DISC.format(colour=_colour(source))
        return SKELETON.replace("#f7f1e3", _paper(source)).replace("// filled shapes go here", disc) + "\n"
    prelude = _PRELUDE
    for name, value in (_SETTINGS | RUNGS[rung]).items():
        prelude = prelude.replace(f"{{{name}}}", value)
    return prelude + re.sub(r"\bbrush\.(?=\w)", "ladder.", source)


def choose(pool: Pool, sketches: int) -> list[Painting]:
    """Loved paintings that have their sketch, one a family, drawn by a fixed seed.

    Raises:
        UsageError: the pool holds none.
    """
    families: dict[str, Painting] = {}
    for painting in pool.by_tier("love"):
        if painting.source_path is not None and painting.metadata.get("seed") is not None:
            families.setdefault(painting.family, painting)
    if not families:
        raise UsageError(
            f"{pool.folder} holds no loved painting with its sketch and seed to break; --sketches 0 asks none"
        )
    names = sorted(families)
    return [families[name] for name in sorted(random.Random(0).sample(names, min(sketches, len(names))))]


def climb_down(paintings: Sequence[Painting], renderer: Renderer, cache: Path) -> list[Rung]:
    """Break every painting in every way; about two seconds a picture, none when ``cache`` holds it.

    Raises:
        UsageError: a sketch cannot be read.
        SketchFault, InfrastructureFault: a broken sketch did not paint, or the renderer failed.
    """
    cache.mkdir(parents=True, exist_ok=True)
    jobs = [(painting, name) for painting in paintings for name in RUNGS]
    sources = {painting: _source(painting) for painting in paintings}

    def paint(job: tuple[Painting, str]) -> bytes:
        painting, name = job
        source, seed = break_sketch(sources[painting], name), int(painting.metadata["seed"])
        key = hashlib.sha256(f"{renderer.backend}\n{seed}\n{source}".encode()).hexdigest()
        path = cache / f"{key[:24]}.png"
        if not path.is_file():
            atomic_write(path, renderer.render(source, seed).png)
        return path.read_bytes()

    with ThreadPoolExecutor(renderer.browsers) as workers:
        broken = list(Bar(workers.map(paint, jobs), "ladder", len(jobs), unit="picture"))
    return [Rung(painting, name, painting.png(), png) for (painting, name), png in zip(jobs, broken, strict=True)]


def _source(painting: Painting) -> str:
    if painting.source_path is None:
        raise UsageError(f"{painting.path} has no sketch beside it: give its row a source_file, or break another one")
    try:
        return painting.source_path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{painting.source_path} cannot be read ({error.strerror}): restore it") from None


def _paper(source: str) -> str:
    found = re.search(r"background\(\s*['\"](#[0-9a-fA-F]{6})", source)
    return found[1] if found else "#f7f1e3"


def _colour(source: str) -> str:
    """The sketch's commonest flower colour: the median hue of its hex colours that are neither pale nor green."""

    def hsv(hex_colour: str) -> tuple[float, float, float]:
        return colorsys.rgb_to_hsv(*(int(hex_colour[i : i + 2], 16) / 255 for i in (1, 3, 5)))

    colours = re.findall(r"#[0-9a-fA-F]{6}\b", source)
    petals = [c for c in colours if hsv(c)[1] > 0.3 and not 0.17 < hsv(c)[0] < 0.5] or colours or ["#d8577a"]
    return sorted(petals, key=lambda c: (hsv(c)[0] + 0.5) % 1)[len(petals) // 2]
