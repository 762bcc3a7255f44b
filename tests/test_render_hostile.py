"""Sketches that will not stop: an attempt ends within its deadline and two seconds, the next sketch is unharmed."""

import asyncio
import time

import psutil
import pytest
from playwright.async_api import async_playwright
from test_render_pictures import DOT, sketch

from wclib.errors import InfrastructureFault, SketchFault
from wclib.render import Renderer
from wclib.render.backends import candidates, find_chromium
from wclib.render.browser import Chromium
from wclib.render.golden import GOLDEN_SEED, GOLDEN_SKETCH
from wclib.render.pixels import digest, finish

DEADLINE_S = 2.5
HOSTILE = {
    "a loop without end": ("timeout", sketch(DOT + "while (true);")),
    "a loop of promises": ("timeout", sketch(DOT + "const f = () => Promise.resolve().then(f); f();")),
    "a hundred thousand shapes": ("timeout", sketch(f"for (let i = 0; i < 1e5; i++) {{ {DOT} }}")),
    "a top level without end": ("timeout", "for (;;);"),
    "a memory bomb": (
        "resource_limit",
        sketch(
            "const a = []; for (let i = 0; i < 400; i++) a.push(new Uint8Array(2 ** 24).fill(i + 1)); while (true);"
        ),
    ),
    "a heap bomb": ("resource_limit", sketch("const a = []; for (;;) a.push({ a: new Array(999).fill(a.length) });")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_sketch_is_stopped_in_time_and_its_browser_is_gone(name):
    code, source = HOSTILE[name]

    async def attempt():
        async with async_playwright() as playwright:
            chromium = await Chromium.launch(playwright, find_chromium(), candidates("llvmpipe")[0])
            processes = chromium.processes()
            start = time.monotonic()
            # Filling memory takes its time on a busy machine; what is tested there is the limit, not the deadline.
            deadline = DEADLINE_S if code == "timeout" else 25.0
            with pytest.raises(SketchFault) as caught:
                await chromium.paint(source, 0, deadline)
            return caught.value, time.monotonic() - start - deadline, processes, chromium.alive

    fault, late, processes, alive = asyncio.run(attempt())
    assert fault.code == code and late < 2 and not alive
    assert not [p for p in psutil.wait_procs(processes, timeout=5)[1] if p.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize(
    "source",
    [
        sketch(DOT + "const f = () => f(); f();"),
        "async function setup() { createCanvas(600, 600, WEBGL); await new Promise(() => {}); }",
        "function setup() { createCanvas(600, 600, WEBGL); setInterval(() => {}, 1); }",
        sketch(DOT + "throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } });"),
    ],
    ids=["recursion", "a setup that never resolves", "timers without end", "a hostile error"],
)
def test_what_never_ends_quietly_ends_by_itself(renderer, source):
    start = time.monotonic()
    render = renderer.render(source)
    assert time.monotonic() - start < 20 and (not render.finished or not render.errors)


def test_after_a_killed_browser_the_next_painting_is_the_same(renderer):
    alone = renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256
    with Renderer(browsers=1, deadline_s=6) as one:
        start = time.monotonic()
        with pytest.raises(SketchFault, match="timeout"):
            one.render(HOSTILE["a loop without end"][1])
        assert time.monotonic() - start < 2 * (6 + 2) + 8  # two attempts and the canary between them
        assert one.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256 == alone


def test_a_canary_that_fails_too_makes_it_the_infrastructures_fault():
    with Renderer(browsers=1, deadline_s=0.05) as hurried, pytest.raises(InfrastructureFault, match="known good one"):
        hurried.render(GOLDEN_SKETCH)


def test_a_browser_that_dies_by_itself_is_replaced(renderer):
    with Renderer(browsers=1) as one:
        alone = one.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256
        (chromium,) = one._pool._all
        psutil.Process(chromium.pid).kill()
        assert one.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256 == alone


def test_a_closed_renderer_says_so():
    with Renderer(browsers=1) as one:
        pass
    with pytest.raises(InfrastructureFault, match="closed"):
        one.render(GOLDEN_SKETCH)


def test_the_picture_is_read_where_the_sketch_cannot_reach():
    forged = sketch(DOT + "try { HTMLCanvasElement.prototype.toDataURL = () => 'data:,'; } catch {}")

    async def both():
        async with async_playwright() as playwright:
            chromium = await Chromium.launch(playwright, find_chromium(), candidates("llvmpipe")[0])
            pictures = [
                digest(finish((await chromium.paint(source, 0, 30))[0].raw)) for source in (forged, sketch(DOT))
            ]
            await chromium.close()
            return pictures

    first, second = asyncio.run(both())
    assert first == second


def test_what_a_sketch_throws_can_always_be_sent(renderer):
    painted = renderer.render(sketch(DOT + r'throw new Error("\ud800 petals");'))
    assert painted.errors == ("Error: ? petals",) and painted.paint_fraction > 0
