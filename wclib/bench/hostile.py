"""Sketches that will not stop or take too much: how long each holds a browser, and whether it harms the next painting.

python -m wclib bench hostile      a table
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from wclib.errors import SketchFault
from wclib.render import Renderer
from wclib.render.golden import GOLDEN_SEED, GOLDEN_SKETCH

_SHAPES = 'brush.fill("#8a1f3d", 230); brush.circle(random(600), random(600), 60, 0.3);'


def _sketch(draw: str, setup: str = "noLoop();", size: str = "600, 600") -> str:
    return f"""function setup() {{ createCanvas({size}, WEBGL); brush.scaleBrushes(3); angleMode(DEGREES); {setup} }}
    function draw() {{ translate(-width / 2, -height / 2); background("#f7f1e3"); brush.noStroke(); {draw} }}"""


#: Each with what may come of it: a fault's code, "painted", or two of these.
HOSTILE: dict[str, tuple[str, str]] = {
    "while (true)": ("timeout", _sketch(f"{_SHAPES} while (true);")),
    "a draw that never stops": ("painted", _sketch(_SHAPES, setup="")),
    "a top level without end": ("timeout", "for (;;);"),
    # They fill memory as well, and which limit comes first depends on the deadline.
    "promises without end": ("timeout or resource_limit", _sketch("const f = () => Promise.resolve().then(f); f();")),
    "recursion": ("painted", _sketch(f"{_SHAPES} const f = () => f(); f();")),
    "a setup that never resolves": (
        "painted",
        "async function setup() { createCanvas(600, 600, WEBGL); await new Promise(() => {}); }",
    ),
    "100,000 shapes": ("timeout", _sketch(f"for (let i = 0; i < 1e5; i++) {{ {_SHAPES} }}")),
    "a 20,000 px canvas": ("resource_limit", _sketch(_SHAPES, size="20000, 20000")),
    "a memory bomb": (
        "resource_limit",
        _sketch("const a = []; for (;;) a.push(new Uint8Array(2 ** 26).fill(a.length + 1));"),
    ),
    "a heap bomb": ("resource_limit", _sketch("const a = []; for (;;) a.push({ a: new Array(999).fill(a.length) });")),
    "a hundred createGraphics": (
        "painted",
        _sketch(f"{_SHAPES} for (let i = 0; i < 100; i++) try {{ createGraphics(600, 600); }} catch {{}}"),
    ),
    "pixelDensity(4)": ("painted", _sketch(_SHAPES, setup="pixelDensity(4); noLoop();")),
}


def hostile(deadline_s: float = 20.0, names: tuple[str, ...] = tuple(HOSTILE)) -> Iterator[dict[str, Any]]:
    """Give each sketch to one renderer, then a good one.

    Yields:
        ``sketch``, ``outcome`` (a fault's code or ``painted``) and what was ``expected``, ``seconds`` until the answer
        (a sketch that does not stop gets a second attempt, after a known good one was painted on a fresh browser),
        ``next_s`` of the good sketch after it and ``next_equal``: it painted the very bytes it paints alone.

    Raises:
        UsageError, InfrastructureFault: the renderer does not start, or failed.
    """
    with Renderer(browsers=1, deadline_s=deadline_s) as renderer:
        alone = renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256
        for name in names:
            begin = time.monotonic()
            try:
                renderer.render(HOSTILE[name][1])
                outcome = "painted"
            except SketchFault as fault:
                outcome = fault.code
            answered = time.monotonic()
            after = renderer.render(GOLDEN_SKETCH, GOLDEN_SEED)
            yield {
                "sketch": name,
                "outcome": outcome,
                "expected": HOSTILE[name][0],
                "seconds": answered - begin,
                "next_s": time.monotonic() - answered,
                "next_equal": after.sha256 == alone,
            }
