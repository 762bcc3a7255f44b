"""Sketches that will not stop: an attempt ends within its deadline and two seconds, the next sketch is unharmed."""

import asyncio
import time

import psutil
import pytest
from playwright.async_api import async_playwright
from test_render_pictures import DOT, sketch

from wclib.bench.hostile import HOSTILE
from wclib.errors import InfrastructureFault, SketchFault
from wclib.render import Renderer
from wclib.render.backends import candidates, find_chromium
from wclib.render.browser import Chromium
from wclib.render.golden import GOLDEN_SEED, GOLDEN_SKETCH
from wclib.render.pixels import digest, finish

DEADLINE_S = 2.5


class Easel:
    """One browser, replaced when it was killed, on an event loop that outlives a test."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._playwright = self._loop.run_until_complete(async_playwright().start())
        self.chromium = None

    def paint(self, source: str, seed: int, deadline_s: float) -> str:
        """The checksum of the painting."""
        if self.chromium is None or not self.chromium.alive:
            launch = Chromium.launch(self._playwright, find_chromium(), candidates("llvmpipe")[0])
            self.chromium = self._loop.run_until_complete(launch)
            self.paint(GOLDEN_SKETCH, 0, 30)  # the first page of a browser takes longest
        outcome, _ = self._loop.run_until_complete(self.chromium.paint(source, seed, deadline_s))
        return digest(finish(outcome.raw))

    def close(self):
        self._loop.run_until_complete(self.chromium.close())
        self._loop.run_until_complete(self._playwright.stop())
        self._loop.close()


@pytest.fixture(scope="module")
def easel():
    one = Easel()
    yield one
    one.close()


@pytest.fixture(scope="module")
def alone(renderer):
    return renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_sketch_is_stopped_in_time_and_the_next_painting_is_unharmed(name, easel, alone):
    expected, source = HOSTILE[name]
    # Filling memory takes its time on a busy machine; what is tested there is the limit, not the deadline.
    deadline = DEADLINE_S if "timeout" in expected else 25.0
    easel.paint(GOLDEN_SKETCH, 0, 30)
    processes = easel.chromium.processes()
    start = time.monotonic()
    if expected == "painted":
        easel.paint(source, 0, deadline)
    else:
        with pytest.raises(SketchFault) as caught:
            easel.paint(source, 0, deadline)
        assert caught.value.code in expected.split(" or ")
    assert time.monotonic() - start < deadline + 2
    if not easel.chromium.alive:
        assert not [p for p in psutil.wait_procs(processes, timeout=5)[1] if p.status() != psutil.STATUS_ZOMBIE]
    assert easel.paint(GOLDEN_SKETCH, GOLDEN_SEED, 30) == alone


@pytest.mark.parametrize(
    "source",
    [
        "function setup() { createCanvas(600, 600, WEBGL); setInterval(() => {}, 1); }",
        sketch(DOT + "throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } });"),
    ],
    ids=["timers without end", "a hostile error"],
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
            one.render(HOSTILE["while (true)"][1])
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
