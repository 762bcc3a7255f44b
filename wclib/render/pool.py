"""A pool of warm browsers, and the question whose fault a failure is.

A sketch that runs out of time or memory, or takes its page down, may be guilty or just unlucky: the machine may be
overloaded or the browser ill. So a second browser is started, a small sketch known to be good (the canary) is painted
on it in time, and then the suspect gets a second try. Only if it fails again is it the sketch's fault.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import suppress

import psutil
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright

from wclib.errors import InfrastructureFault, SketchFault
from wclib.jsruntime import check_libraries
from wclib.render.backends import Backend, candidates, find_chromium
from wclib.render.browser import START_TIMEOUT_S, Chromium
from wclib.render.golden import BLANK, GOLDEN_SEED, GOLDEN_SKETCH, compare
from wclib.render.page import Outcome, prepare
from wclib.render.pixels import finish, paint_fraction

#: Faults that end the browser and are therefore looked into.
_DEADLY = ("timeout", "resource_limit")


def default_browsers() -> int:
    """One browser a core this process may use, 16 at most.

    A painting keeps one core busy (its page does four fifths of the work), so two browsers on two cores paint 1.5 to
    1.7 times as much as one (``data/bench/throughput.json``, measured by ``python -m wclib bench throughput``).
    """
    with suppress(AttributeError):
        return max(1, min(16, len(os.sched_getaffinity(0))))
    return max(1, min(16, os.cpu_count() or 1))


async def _paints(chromium: Chromium) -> bool:
    """Whether the golden painting has paint on it; one that is not as recorded is said. Once a process and version."""
    key = (chromium.identity, chromium.version)
    if key not in _golden:
        try:
            outcome, _ = await chromium.paint(GOLDEN_SKETCH, GOLDEN_SEED, START_TIMEOUT_S)
        except SketchFault as fault:
            raise InfrastructureFault("renderer", f"a known good sketch failed at the start: {fault.detail}") from None
        picture = finish(outcome.raw)
        well, message = compare(chromium.identity, picture)
        if not well:
            print(f"warning: {message}", file=sys.stderr, flush=True)
        _golden[key] = paint_fraction(picture) >= BLANK
    return _golden[key]


#: What :func:`_paints` found, by renderer string and Chromium version.
_golden: dict[tuple[str, str], bool] = {}


class BrowserPool:
    """``count`` browsers of the first backend that works. Every method runs on one event loop."""

    def __init__(self, count: int, choice: str, deadline_s: float):
        self.count = count
        self.deadline_s = deadline_s
        self._choice = choice
        self._idle: asyncio.Queue[Chromium | None] = asyncio.Queue()
        self._all: set[Chromium] = set()
        self._playwright: Playwright | None = None
        self._backend: Backend | None = None
        self.path = ""
        self.identity = ""
        self.version = ""
        self.sandbox = False

    async def start(self) -> None:
        """Start the first browser and learn what paints.

        Raises:
            UsageError: no Chromium, an unknown backend, or the wrong libraries.
            InfrastructureFault: no browser starts, or none has WebGL 2.
        """
        check_libraries()
        prepare()
        backends = candidates(self._choice)
        try:
            self._playwright = await async_playwright().start()
        except (OSError, PlaywrightError) as error:
            raise InfrastructureFault(
                "renderer", f"Playwright does not start ({error}); run `python -m wclib doctor`"
            ) from error
        self.path = find_chromium(self._playwright.chromium.executable_path)
        seen = []
        for backend in backends:
            self._backend = backend
            chromium = await self._launch()
            accepted = backend.accepts(chromium.identity)
            if accepted and await _paints(chromium):
                self.identity, self.sandbox, self.version = chromium.identity, chromium.sandbox, chromium.version
                self._idle.put_nowait(chromium)
                for _ in range(self.count - 1):
                    self._idle.put_nowait(None)
                return
            what = f"{chromium.identity} paints nothing" if accepted else chromium.identity or "no WebGL 2"
            seen.append(f"{backend.name}: {what}")
            await self._discard(chromium)
        raise InfrastructureFault(
            "renderer",
            f"{self.path} has no usable WebGL ({'; '.join(seen)}); install Mesa's software GL "
            "(`apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri`), or set WATERCOLOUR_BACKEND to another backend",
        )

    async def paint(self, source: str, seed: int) -> tuple[Outcome, float, float]:
        """Paint one sketch: its outcome, CPU seconds and wall seconds (waiting for a free browser left out).

        Raises:
            SketchFault, InfrastructureFault: see the module.
        """
        chromium = await self._idle.get()
        try:
            start = time.monotonic()
            try:
                if chromium is None or not chromium.alive:
                    chromium = await self._launch()
                outcome, cpu = await chromium.paint(source, seed, self.deadline_s)
            except SketchFault as fault:
                if chromium is None or chromium.alive or fault.code not in _DEADLY:
                    raise
                chromium, outcome, cpu, start = await self._second_opinion(chromium, source, seed, fault)
            except InfrastructureFault:
                if chromium is not None:
                    await self._discard(chromium)
                chromium = None
                start = time.monotonic()
                chromium = await self._launch()
                outcome, cpu = await chromium.paint(source, seed, self.deadline_s)
            return outcome, cpu, time.monotonic() - start
        finally:
            if chromium is not None and not chromium.alive:
                await self._discard(chromium)
                chromium = None
            self._idle.put_nowait(chromium)

    def processes(self) -> list[psutil.Process]:
        """Every process of the browsers that run now."""
        return [process for chromium in list(self._all) if chromium.alive for process in chromium.processes()]

    async def _second_opinion(
        self, dead: Chromium, source: str, seed: int, fault: SketchFault
    ) -> tuple[Chromium, Outcome, float, float]:
        await self._discard(dead)
        fresh = await self._launch()
        try:
            await fresh.paint(GOLDEN_SKETCH, GOLDEN_SEED, self.deadline_s)
        except (SketchFault, InfrastructureFault) as error:
            await self._discard(fresh)
            detail = f"a sketch failed ({fault.detail}), and so did a known good one ({error.detail}): paint it again"
            raise InfrastructureFault("renderer", detail) from None
        start = time.monotonic()
        try:
            outcome, cpu = await fresh.paint(source, seed, self.deadline_s)
        except BaseException:
            await self._discard(fresh)
            raise
        return fresh, outcome, cpu, start

    async def _launch(self) -> Chromium:
        assert self._playwright is not None and self._backend is not None
        try:
            chromium = await Chromium.launch(self._playwright, self.path, self._backend)
        except InfrastructureFault:
            # Playwright's own helper process may be what died.
            with suppress(Exception):
                await self._playwright.stop()
            self._playwright = await async_playwright().start()
            chromium = await Chromium.launch(self._playwright, self.path, self._backend)
        if self.identity and chromium.identity != self.identity:
            chromium.kill()
            what = chromium.identity or "no WebGL"
            detail = f"a restarted browser paints with {what} instead of {self.identity}: start again"
            raise InfrastructureFault("renderer", detail)
        self._all.add(chromium)
        return chromium

    async def _discard(self, chromium: Chromium) -> None:
        self._all.discard(chromium)
        if chromium.alive:
            await chromium.close()

    async def close(self) -> None:
        """End every browser and Playwright."""
        await asyncio.gather(*(self._discard(chromium) for chromium in list(self._all)), return_exceptions=True)
        if self._playwright is not None:
            with suppress(Exception):
                await asyncio.wait_for(self._playwright.stop(), 5)
