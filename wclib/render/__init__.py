"""Sketch in, painting out: ``render(source, seed) -> Render``, in a hostile-proof headless Chromium.

Try it: ``python -m wclib render SKETCH --out PNG`` or

    >>> from wclib.render import render
    >>> render(open("sketch.js").read(), seed=3).paint_fraction

Covered (each with a test in tests/test_render_*.py)
    - every sketch gets a fresh browser context and page; nothing is kept between sketches
    - the page is offline, every request is aborted, its Content-Security-Policy forbids all script, workers, frames,
      images and connections; no downloads, dialogs, popups, storage or service workers
    - the sketch sees JavaScript, p5's helpers and a `brush` of ten methods. p5, the real p5.brush, the DOM and every
      other name of the browser are out of reach; touching one is reported in ``Render.tampering``
    - JavaScript's built-ins are frozen before the sketch runs, ``eval`` and its kin are gone
    - pixels are read from p5's own canvas in an isolated world, at 600 x 600 whatever the sketch's canvas
    - Math.random is seeded before the libraries load; time is virtual: clocks, timers and frames run in order of a
      virtual clock that stands still while code runs, so loops and clocks cannot make two renders differ
    - a deadline enforced from outside (``WATERCOLOUR_RENDER_DEADLINE_S``, 20 s) and a limit on memory; the browser is
      killed by process id and replaced
    - whose fault: a sketch is blamed for a timeout or a crash only if a known good sketch paints in time on a fresh
      browser right after and the suspect fails again
    - no WebGL, no Chromium, the wrong libraries: an error with the remedy, never a blank painting; the first renderer
      of a process paints a picture whose checksum is on record for each backend, and says when it differs

Not covered
    - a hole in Chromium itself. Its sandbox is on where the machine allows it (never as root; ``Renderer.sandbox``
      says it), and stands between a hostile sketch and your files; run untrusted models in a container
    - measuring CPU time inside the page: the clock is virtual, but a sketch can still burn its deadline
    - pictures are equal byte for byte on one backend, not between backends (`bench backends` says how far apart)
    - Windows is untested
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import psutil

from wclib.errors import InfrastructureFault, UsageError
from wclib.render.pixels import checks, digest, encode, finish, paint_mask
from wclib.render.pool import BrowserPool, default_browsers

__all__ = ["Render", "Renderer", "render", "default_browsers"]

DEFAULT_DEADLINE_S = 20.0
_T = TypeVar("_T")


@dataclass(frozen=True)
class Render:
    """One painting.

    Attributes:
        png: the 600 x 600 RGB picture.
        paint_fraction: share of its pixels that are not paper, see :func:`wclib.render.pixels.paint_fraction`.
        finished: setup and draw ended by themselves before the deadline and threw nothing. A draw that loops for ever
            counts as finished when each of its frames ended; it gets a bounded number of them.
        errors: what was thrown, in order, also after painting.
        elapsed_s: wall seconds on the browser. cpu_s: CPU seconds of the browser's processes, from opening the page
            to the pixels, browser start left out.
        backend: what painted: the GL renderer string, e.g. ``"llvmpipe (LLVM 15.0.6 256 bits)"``.
        seed: the seed of ``Math.random``.
        sha256: of the pixels.
        tampering: what the sketch touched that is not its business, e.g. ``("rect", "eval")``.
        calls: how often each of the ten brush methods was called.
        checks: ``flat``, ``speckle`` and ``dark`` shares of the paint, see :func:`wclib.render.pixels.checks`: what
            coverage does not tell. Reported, never paid.
    """

    png: bytes
    paint_fraction: float
    finished: bool
    errors: tuple[str, ...]
    elapsed_s: float
    cpu_s: float
    backend: str
    seed: int
    sha256: str
    tampering: tuple[str, ...]
    calls: dict[str, int]
    checks: dict[str, float] = field(default_factory=dict)

    @property
    def shapes(self) -> int:
        """How many filled shapes were painted."""
        return self.calls.get("endShape", 0) + self.calls.get("circle", 0)


class Renderer:
    """A pool of browsers that paints sketches; a context manager.

    It works from ordinary code, from several threads at once, and inside a running event loop such as Jupyter's:
    Playwright lives on a loop of its own in a background thread.

    Args:
        browsers: how many sketches are painted at once; by default one a core, see :func:`default_browsers`.
        backend: ``auto`` (llvmpipe, else SwiftShader), ``llvmpipe``, ``swiftshader`` or ``gpu``; ``auto`` defers to
            the environment variable ``WATERCOLOUR_BACKEND``.
        deadline_s: seconds a sketch may take; by default ``WATERCOLOUR_RENDER_DEADLINE_S``, else 20.

    Raises:
        UsageError: no Chromium, wrong libraries or a bad setting.
        InfrastructureFault: the browser does not start or has no WebGL.
    """

    def __init__(self, browsers: int | None = None, backend: str = "auto", deadline_s: float | None = None):
        count = default_browsers() if browsers is None else browsers
        if count < 1:
            raise UsageError(f"a renderer needs at least one browser, not {count}")
        self.deadline_s = _deadline() if deadline_s is None else float(deadline_s)
        self._pool = BrowserPool(count, backend, self.deadline_s)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="renderer", daemon=True)
        self._thread.start()
        self._closed = False
        try:
            self._run(self._pool.start())
        except BaseException:
            self.close()
            raise
        atexit.register(self.close)

    @property
    def backend(self) -> str:
        """The GL renderer string that paints."""
        return self._pool.identity

    @property
    def chromium(self) -> str:
        """Version and path of the browser, e.g. ``"156.0.8078.108 at /usr/bin/chromium-headless-shell"``."""
        return f"{self._pool.version} at {self._pool.path}"

    @property
    def sandbox(self) -> bool:
        """Whether Chromium's sandbox is on (it cannot be for root)."""
        return self._pool.sandbox

    @property
    def browsers(self) -> int:
        """How many sketches are painted at once."""
        return self._pool.count

    def processes(self) -> list[psutil.Process]:
        """Every process of the browsers that run now."""
        return self._pool.processes()

    def render(self, source: str, seed: int = 0) -> Render:
        """Paint ``source`` with ``seed``.

        Raises:
            SketchFault: ``timeout``, ``resource_limit`` or ``external_access`` (it left its page).
            InfrastructureFault: the renderer failed, not the sketch.
        """
        return self._run(self._render(source, seed))

    async def arender(self, source: str, seed: int = 0) -> Render:
        """:meth:`render` for an event loop.

        Raises:
            SketchFault, InfrastructureFault: as there.
        """
        if self._closed:
            raise InfrastructureFault("renderer", "it is closed: start another")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._render(source, seed), self._loop))

    async def _render(self, source: str, seed: int) -> Render:
        outcome, cpu_s, elapsed_s = await self._pool.paint(source, seed)
        developed = await asyncio.to_thread(_develop, outcome.raw)
        return Render(
            **developed,
            finished=outcome.finished,
            errors=outcome.errors,
            elapsed_s=elapsed_s,
            cpu_s=cpu_s,
            backend=self.backend,
            seed=seed,
            tampering=outcome.tampering,
            calls=outcome.calls,
        )

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        if self._closed:
            work.close()
            raise InfrastructureFault("renderer", "it is closed: start another")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End the browsers; calling it twice is fine."""
        if self._closed:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._pool.close(), self._loop).result(timeout=15)
        except TimeoutError:
            pass
        finally:
            self._closed = True
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)
            atexit.unregister(self.close)

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _develop(raw: bytes) -> dict[str, Any]:
    rgb = finish(raw)
    paint = paint_mask(rgb)
    return {
        "png": encode(rgb),
        "paint_fraction": float(paint.mean()),
        "sha256": digest(rgb),
        "checks": checks(rgb, paint),
    }


def _deadline() -> float:
    text = os.environ.get("WATERCOLOUR_RENDER_DEADLINE_S", "")
    if not text:
        return DEFAULT_DEADLINE_S
    try:
        value = float(text)
        if not 0 < value < 3600:
            raise ValueError
    except ValueError:
        raise UsageError(f"WATERCOLOUR_RENDER_DEADLINE_S is {text!r}; give seconds, such as 20") from None
    return value


_shared: Renderer | None = None
_shared_lock = threading.Lock()


def render(source: str, seed: int = 0) -> Render:
    """Paint with one renderer shared by the whole process, started at the first call; see :meth:`Renderer.render`."""
    global _shared
    with _shared_lock:
        if _shared is None or _shared._closed:
            _shared = Renderer()
    return _shared.render(source, seed)
