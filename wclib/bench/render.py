"""What a painting costs: our configuration against the flags of the published recipe, in one alternating run.

    python -m wclib bench render --shapes 7,16,30                 a table (progress on a terminal)
    python -m wclib bench render --out data/bench/render.json     kept row by row; rows already there stay
    python -m wclib bench cures --out data/bench/cures.json       what each of our changes is worth, one after the other

Both sides paint the same sketches with the same seed on this machine. ``cpu_s`` counts the browser's whole process
tree from opening the page to the pixels. The published side is Chromium as that recipe starts it, with p5.brush as
installed; it uses one core, and most of the minutes this takes are its own.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from playwright.async_api import async_playwright

from wclib.errors import InfrastructureFault, SketchFault
from wclib.render.backends import BACKENDS, Backend, candidates, find_chromium
from wclib.render.browser import Chromium
from wclib.render.pixels import difference, finish

#: Chromium as the published recipe starts it.
PUBLISHED = Backend(
    "swiftshader",
    ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"),
    changes=(),
)
#: The way from there to ours, one cure at a time, each with all the ones before it.
CURES: dict[str, Backend] = {
    "published flags": PUBLISHED,
    "2D canvas on the CPU": replace(PUBLISHED, args=(*PUBLISHED.args, "--disable-accelerated-2d-canvas")),
    "half-float masks": replace(BACKENDS["swiftshader"], changes=("masks",)),
    "Mesa's llvmpipe": replace(BACKENDS["llvmpipe"], changes=("masks",)),
    "pigment once a draw": replace(BACKENDS["llvmpipe"], changes=("masks", "shader")),
    "shorter outlines": replace(BACKENDS["llvmpipe"], changes=("masks", "shader", "outlines")),
    "no idle work": BACKENDS["llvmpipe"],
}
SHAPES = (7, 16, 30, 79)
SEED = 1
#: Seconds one painting may take here.
PATIENCE_S = 1200.0
Row = dict[str, Any]
T = TypeVar("T")


def bench_sketch(shapes: int) -> str:
    """A flower of exactly ``shapes`` filled shapes: a stem, a centre, and rings of petals around it."""
    return f"""\
function setup() {{ createCanvas(600, 600, WEBGL); brush.scaleBrushes(3); angleMode(DEGREES); noLoop(); }}
function petal(angle, reach, spread) {{
  brush.beginShape(0.5);
  for (const [far, turn] of [[0.1, -60], [0.65, -spread], [1, 0], [0.65, spread], [0.1, 60]])
    brush.vertex(300 + far * reach * cos(angle + turn), 260 + far * reach * sin(angle + turn));
  brush.endShape(true);
}}
function draw() {{
  translate(-width / 2, -height / 2);
  background("#f7f1e3");
  brush.noStroke();
  brush.fillBleed(0.25);
  brush.fillTexture(0.45, 0.35);
  brush.fill("#5f8a4f", 200);
  brush.beginShape(0.3);
  for (const [x, y] of [[294, 330], [306, 330], [318, 570], [306, 570]]) brush.vertex(x, y);
  brush.endShape(true);
  const tints = ["#e79aa0", "#d9566f", "#b32f52", "#efb08c"], petals = {shapes} - 2, rings = ceil(petals / 9);
  for (let i = 0; i < petals; i++) {{
    const ring = floor(i * rings / petals);
    brush.fill(tints[i % 4], 190);
    petal(i * 137.5, 220 - ring * 150 / rings, 26);
  }}
  brush.fill("#f0c95c", 220);
  brush.circle(300, 260, 26, 0.3);
}}
"""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on a loop and thread of its own, so that it works in a notebook too."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class Bench:
    """Browsers by backend, started when first asked for, and paintings of theirs with what they cost.

    An asynchronous context manager, which ends them.
    """

    async def __aenter__(self) -> Bench:
        self.running: dict[Backend, Chromium] = {}
        self._playwright = await async_playwright().start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for backend in list(self.running):
            self.drop(backend)
        await self._playwright.stop()

    async def paint(self, backend: Backend, source: str) -> tuple[np.ndarray | None, Row]:
        """The picture, None when it was not done after :data:`PATIENCE_S`, and ``cpu_s``, ``wall_s``, ``backend``.

        Raises:
            InfrastructureFault: no Chromium, or it failed.
            SketchFault: the sketch failed otherwise than by its time.
        """
        chromium = self.running.get(backend)
        if chromium is None:
            path = find_chromium(self._playwright.chromium.executable_path)
            chromium = self.running[backend] = await Chromium.launch(self._playwright, path, backend)
        start = time.monotonic()
        try:
            outcome, cpu = await chromium.paint(source, SEED, PATIENCE_S)
        except SketchFault as fault:
            if fault.code != "timeout":
                raise
            self.drop(backend)
            return None, {"cpu_s": None, "wall_s": time.monotonic() - start, "backend": chromium.identity}
        if outcome.errors:
            raise InfrastructureFault("renderer", f"a sketch of this benchmark failed: {outcome.errors}")
        cost = {"cpu_s": cpu, "wall_s": time.monotonic() - start, "backend": chromium.identity}
        return finish(outcome.raw), cost

    def drop(self, backend: Backend) -> None:
        """End a browser. With accelerated 2D its GPU process works on for half a minute after a page is closed."""
        chromium = self.running.pop(backend, None)
        if chromium is not None:
            chromium.kill()

    async def first(self) -> Backend:
        """The backend that paints here by default.

        Raises:
            InfrastructureFault: none does.
        """
        for backend in candidates("auto"):
            await self.paint(backend, bench_sketch(7))
            if backend.accepts(self.running[backend].identity):
                return backend
        raise InfrastructureFault("renderer", "no backend has WebGL here; run `python -m wclib doctor`")


def compare(shapes: tuple[int, ...], done: Callable[[Row, dict[str, np.ndarray | None]], None]) -> None:
    """Paint :func:`bench_sketch` of each size with ours, with the published flags and with ours again.

    ``done`` gets each row and its pictures (``ours``, ``published``, ``again``; uint8, 600 x 600 x 3). A row:
    ``shapes``; ``ours_``, ``published_`` and ``again_`` + ``cpu_s``, ``wall_s``, ``backend``; ``same_bytes`` (ours
    twice); ``times_less_cpu``; ``max``, ``mean``, ``ssim`` of ours against published. Where the published flags were
    not done after :data:`PATIENCE_S`, their ``cpu_s`` and all that needs their picture are None.

    Raises:
        UsageError, InfrastructureFault: no Chromium, or it failed.
    """

    async def work() -> None:
        async with Bench() as bench:
            backend = await bench.first()
            for count in shapes:
                row: Row = {"shapes": count}
                pictures: dict[str, np.ndarray | None] = {}
                for name, painter in (("ours", backend), ("published", PUBLISHED), ("again", backend)):
                    pictures[name], cost = await bench.paint(painter, bench_sketch(count))
                    row |= {f"{name}_{key}": value for key, value in cost.items()}
                    _tell(f"{count} shapes, {name}", cost)
                bench.drop(PUBLISHED)
                ours, published, twice = pictures["ours"], pictures["published"], pictures["again"]
                row["same_bytes"] = ours is not None and twice is not None and np.array_equal(ours, twice)
                row |= dict.fromkeys(("times_less_cpu", "max", "mean", "ssim"))
                if ours is not None and published is not None:
                    row["times_less_cpu"] = row["published_cpu_s"] / (0.5 * (row["ours_cpu_s"] + row["again_cpu_s"]))
                    row |= difference(ours, published)
                done(row, pictures)

    run(work())


def cures(shapes: int = 16, again: int = 3) -> list[Row]:
    """One sketch with each of :data:`CURES`.

    Returns:
        A row a cure: ``cure``, ``cpu_s`` (median of ``again`` paintings; the published flags paint once), ``backend``,
        ``max``, ``mean`` and ``ssim`` against the published flags' picture.

    Raises:
        UsageError, InfrastructureFault: no Chromium, or it failed.
    """

    async def work() -> list[Row]:
        rows: list[Row] = []
        reference: np.ndarray | None = None
        async with Bench() as bench:
            for cure, backend in CURES.items():
                costs = []
                if backend is not PUBLISHED:
                    await bench.paint(backend, bench_sketch(7))  # a first page is dearer: shaders, fonts
                for _ in range(1 if backend is PUBLISHED else again):
                    picture, cost = await bench.paint(backend, bench_sketch(shapes))
                    costs.append(cost["cpu_s"])
                    _tell(cure, cost)
                bench.drop(backend)
                if picture is None:
                    raise InfrastructureFault("renderer", f"{cure}: not done after {PATIENCE_S:.0f} s")
                reference = picture if reference is None else reference
                row = {"cure": cure, "shapes": shapes, "cpu_s": float(np.median(costs)), "backend": cost["backend"]}
                rows.append(row | difference(picture, reference))
        return rows

    return run(work())


def _tell(what: str, cost: Row) -> None:
    if sys.stderr.isatty():  # like the bars; in a notebook it would stand in red
        spent = f"not done after {cost['wall_s']:.0f} s" if cost["cpu_s"] is None else f"{cost['cpu_s']:.2f} CPU s"
        print(f"{what}: {spent}", file=sys.stderr, flush=True)


def table(rows: list[Row]) -> str:
    """Rows of :func:`compare` for reading."""
    lines = ["shapes  ours CPU s  published  times   max   mean   SSIM  backend"]
    for row in rows:
        ours = f"{row['shapes']:>6} {row['ours_cpu_s']:>11.2f}"
        if row["published_cpu_s"] is None:
            lines.append(f"{ours}    not done after {row['published_wall_s']:.0f} s")
        else:
            lines.append(
                f"{ours} {row['published_cpu_s']:>10.2f} {row['times_less_cpu']:>6.1f} {row['max']:>5.0f} "
                f"{row['mean']:>6.2f} {row['ssim']:>6.3f}  {row['ours_backend']}"
            )
    return "\n".join(lines)
