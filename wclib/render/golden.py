"""A small painting whose pixels are known, to see whether this machine paints what every other one does.

``data/golden.json`` holds one checksum a backend (GL renderer string). The sketch also serves as the canary that
decides whose fault a timeout is, so it is small.

The first renderer of a process paints it and says when it differs; ``python -m wclib doctor`` checks it again. Add this
machine's backend to the file with
``python -c "from wclib.render.golden import record_golden; print(record_golden())"``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wclib.render.pixels import decode, digest, paint_fraction

if TYPE_CHECKING:
    from wclib.render import Renderer

GOLDEN_FILE = Path(__file__).resolve().parents[2] / "data" / "golden.json"
GOLDEN_SEED = 7
#: Share of paint under which the golden painting counts as blank; it covers 0.07.
BLANK = 0.01
GOLDEN_SKETCH = """\
function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}
function draw() {
  translate(-width / 2, -height / 2);
  background("#f7f1e3");
  brush.noStroke();
  brush.fillBleed(0.25);
  brush.fillTexture(0.4, 0.3);
  brush.fill("#d9566f", 200);
  brush.beginShape(0.5);
  brush.vertex(300, 330);
  brush.vertex(215, 220);
  brush.vertex(300, 120);
  brush.vertex(385, 220);
  brush.endShape(true);
  brush.fill("#5f8a4f", 190);
  brush.circle(300, 420, 40, 0.3);
}
"""


def compare(backend: str, picture: np.ndarray) -> tuple[bool, str]:
    """Compare ``picture`` (uint8, 600 x 600 x 3), the golden sketch as ``backend`` painted it: ``(ok, message)``.

    A backend without a checksum is not a fault of the machine: ``ok`` is True and the message says so.
    """
    painted = digest(picture)
    if paint_fraction(picture) < BLANK:
        return False, f"{backend} leaves the golden painting blank; run `python -m wclib doctor` for what is missing"
    known = json.loads(GOLDEN_FILE.read_text(encoding="utf-8")) if GOLDEN_FILE.is_file() else {}
    expected = known.get(backend)
    if expected is None:
        return True, f"no golden checksum is recorded for {backend}; this machine paints {painted[:12]}"
    if expected != painted:
        return False, (
            f"{backend} paints {painted[:12]}, but {expected[:12]} is recorded in {GOLDEN_FILE.name}: pictures here "
            "differ from the pool's. Install the Chromium and Mesa it was painted with, or paint the pool again here "
            "(`python -m wclib pool build-starter`), and do not mix the two in one run"
        )
    return True, f"golden painting {painted[:12]} as recorded for {backend}"


def check_golden(renderer: Renderer) -> tuple[bool, str]:
    """Paint the golden sketch and :func:`compare`.

    Raises:
        InfrastructureFault: the renderer failed.
    """
    return compare(renderer.backend, decode(renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).png))


def record_golden() -> str:
    """Paint the golden sketch twice with this machine's backend and record its checksum; returns it.

    Raises:
        ValueError: the two paintings differ, so there is nothing to record.
    """
    from wclib.render import Renderer

    with Renderer(browsers=1) as renderer:
        first, second = (renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256 for _ in range(2))
        if first != second:
            raise ValueError(f"{renderer.backend} does not paint the same picture twice")
        known = json.loads(GOLDEN_FILE.read_text(encoding="utf-8")) if GOLDEN_FILE.is_file() else {}
        known[renderer.backend] = first
    GOLDEN_FILE.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return first
