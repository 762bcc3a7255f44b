"""What a painting costs: our configuration against the flags of the published recipe, in one alternating run.

    python -m wclib bench render            a table
    python -m wclib bench render --json     one object on stdout (progress on stderr)

Both paint the same sketches with the same seed on this machine. ``cpu_s`` counts the browser's whole process tree
from opening the page to the pixels. The published side is Chromium as that recipe starts it, with p5.brush as
installed. Then throughput: a group of eight sketches with one and with two browsers. Takes some minutes; nearly all
of them are the published side's.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from playwright.async_api import async_playwright

from wclib.errors import InfrastructureFault
from wclib.render import Renderer
from wclib.render.backends import BACKENDS, Backend, find_chromium
from wclib.render.browser import Chromium
from wclib.render.pixels import difference, finish

#: Chromium as the published recipe starts it.
PUBLISHED = Backend(
    "swiftshader",
    ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"),
    plain=True,
)
SHAPES = (7, 16, 30, 79)
SEED = 1
_PATIENCE_S = 1200.0


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


async def _compare(shapes: tuple[int, ...]) -> list[dict[str, Any]]:
    rows = []
    async with async_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        ours = await Chromium.launch(playwright, path, BACKENDS["llvmpipe"])
        if not BACKENDS["llvmpipe"].accepts(ours.identity):
            await ours.close()
            ours = await Chromium.launch(playwright, path, BACKENDS["swiftshader"])
        try:
            for count in shapes:
                source, row = bench_sketch(count), {"shapes": count}
                pictures = {}
                published = await Chromium.launch(playwright, path, PUBLISHED)
                for name, chromium in (("ours", ours), ("published", published), ("again", ours)):
                    start = time.monotonic()
                    outcome, cpu = await chromium.paint(source, SEED, _PATIENCE_S)
                    wall = time.monotonic() - start
                    if outcome.errors:
                        raise InfrastructureFault("renderer", f"the {count}-shape sketch failed: {outcome.errors}")
                    pictures[name] = finish(outcome.raw)
                    row |= {f"{name}_cpu_s": cpu, f"{name}_wall_s": wall, f"{name}_backend": chromium.identity}
                    print(f"{count} shapes, {name}: {cpu:.2f} CPU s", file=sys.stderr)
                # With accelerated 2D the GPU process works on for half a minute after a page is closed.
                published.kill()
                row["same_bytes"] = bool((pictures["ours"] == pictures["again"]).all())
                row["times_less_cpu"] = row["published_cpu_s"] / (0.5 * (row["ours_cpu_s"] + row["again_cpu_s"]))
                rows.append(row | difference(pictures["ours"], pictures["published"]))
        finally:
            await ours.close()
    return rows


def _throughput(browsers: int) -> float:
    """Paintings a minute of a group of eight sketches of 7 to 30 shapes, browsers warm."""
    sources = [bench_sketch(shapes) for shapes in (7, 16, 30, 16, 7, 16, 30, 16)]
    with Renderer(browsers=browsers) as renderer, ThreadPoolExecutor(browsers) as threads:
        list(threads.map(renderer.render, [bench_sketch(7)] * browsers))
        start = time.monotonic()
        list(threads.map(renderer.render, sources))
        return 60 * len(sources) / (time.monotonic() - start)


def bench_render(as_json: bool = False, shapes: tuple[int, ...] = SHAPES) -> int:
    """Measure, print a table (or one JSON object) and return an exit status: 1 when the pictures are too far apart.

    Raises:
        UsageError, InfrastructureFault: no Chromium, or it failed.
    """
    rows = asyncio.run(_compare(shapes))
    speed = {str(browsers): _throughput(browsers) for browsers in (1, 2)}
    result = {"cores": os.cpu_count(), "seed": SEED, "sketches": rows, "paintings_per_minute": speed}
    if as_json:
        print(json.dumps(result))
    else:
        print("shapes  ours CPU s  published  times   max   mean   SSIM  backend")
        for row in rows:
            print(
                f"{row['shapes']:>6} {row['ours_cpu_s']:>11.2f} {row['published_cpu_s']:>10.2f} "
                f"{row['times_less_cpu']:>6.1f} {row['max']:>5.0f} {row['mean']:>6.2f} {row['ssim']:>6.3f}  "
                f"{row['ours_backend']}"
            )
        for browsers, rate in speed.items():
            print(f"{rate:.0f} paintings a minute with {browsers} browser{'s' * (browsers != '1')}")
    return 0 if all(row["ssim"] >= 0.99 and row["same_bytes"] for row in rows) else 1
