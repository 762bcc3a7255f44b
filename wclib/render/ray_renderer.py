"""The same ``render`` on a Ray cluster: actors hold the browsers, anyone's machine may paint.

    pip install "wclib[ray]"
    python -m wclib serve --renderer ray          RAY_ADDRESS names the cluster; without it Ray starts on this machine

Worth it when painting is what you wait for and more machines are at hand. On one machine
:class:`wclib.render.Renderer` does the same with less.

Covered
    - a worker that dies is started again by Ray, and what it was painting goes to another; three deaths on one sketch
      are the machinery's fault, never the sketch's (a hostile sketch cannot take its worker down: its browser is a
      child of the worker and is killed alone)
    - every worker must paint with the same backend and the same Chromium, or pictures would differ by who painted
      them: said at start, with the two that differ
    - results are those of a local renderer, byte for byte on the same backend (a test)
Not covered
    - installing wclib, its JavaScript and a Chromium on the other machines: do that first (``make setup``)
"""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from wclib.errors import InfrastructureFault, SketchFault, UsageError
from wclib.render import Render, Renderer, default_browsers

if TYPE_CHECKING:
    from types import ModuleType

#: How many workers one sketch may lose before it is given up.
LIVES = 3
_START_S = 120.0


def open_renderer(kind: str = "local") -> Renderer | RayRenderer:
    """The renderer called ``local`` or ``ray``, started."""
    return RayRenderer() if kind == "ray" else Renderer()


class RayRenderer:
    """Paints sketches on a Ray cluster; used as :class:`wclib.render.Renderer` is.

    Args:
        workers: actors, one browser and one core each; by default as many as the cluster has cores.
        deadline_s, backend: as in :class:`wclib.render.Renderer`, for every worker.

    Raises:
        UsageError: Ray is not installed.
        InfrastructureFault: no cluster, a worker that does not start, or workers that paint differently.
    """

    def __init__(self, workers: int | None = None, backend: str = "auto", deadline_s: float | None = None):
        ray = self._ray = connect()
        self.browsers = workers or max(1, int(ray.cluster_resources().get("CPU", default_browsers())))
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_concurrency=2)(_Worker)
        self._idle: asyncio.Queue[Any] = asyncio.Queue()
        self._mending: list[asyncio.Task[None]] = []
        self._closed = False
        self._workers = [actor.remote(backend, deadline_s) for _ in range(self.browsers)]
        try:
            told = ray.get([worker.identity.remote() for worker in self._workers], timeout=_START_S)
        except Exception as error:
            self.close()
            raise InfrastructureFault(
                "renderer", f"a Ray worker does not start ({_first_line(error)}): `make setup` there?"
            ) from None
        if len(set(told)) > 1:
            self.close()
            one, other = sorted(set(told))[:2]
            raise InfrastructureFault(
                "renderer", f"workers paint differently, {one} and {other}: install the same on every machine"
            )
        self.backend, self.chromium, self.sandbox, self.deadline_s = told[0]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ray-renderer", daemon=True)
        self._thread.start()
        for worker in self._workers:
            self._loop.call_soon_threadsafe(self._idle.put_nowait, worker)

    def render(self, source: str, seed: int = 0) -> Render:
        """As :meth:`wclib.render.Renderer.render`."""
        return self._submit(source, seed).result()

    async def arender(self, source: str, seed: int = 0) -> Render:
        """:meth:`render` for an event loop."""
        return await asyncio.wrap_future(self._submit(source, seed))

    def pids(self) -> list[int]:
        """Process ids of the workers, each on its own machine."""
        return self._ray.get([worker.pid.remote() for worker in self._workers], timeout=_START_S)

    def _submit(self, source: str, seed: int) -> Future[Render]:
        if self._closed:
            raise InfrastructureFault("renderer", "it is closed: start another")
        return asyncio.run_coroutine_threadsafe(self._paint(source, seed), self._loop)

    async def _paint(self, source: str, seed: int) -> Render:
        lost = ""
        for _ in range(LIVES):
            worker = await self._idle.get()
            try:
                kind, value = await worker.paint.remote(source, seed)
            except self._ray.exceptions.RayError as error:
                lost = _first_line(error)
                self._mending.append(self._loop.create_task(self._mend(worker)))
                continue
            self._idle.put_nowait(worker)
            if kind == "painted":
                return value
            raise {"sketch": SketchFault, "machinery": InfrastructureFault}[kind](*value)
        raise InfrastructureFault("renderer", f"{LIVES} Ray workers were lost with this sketch, the last: {lost}")

    async def _mend(self, worker: Any) -> None:
        """Give a worker back once Ray has it running again, or after two minutes, so that nobody waits for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_START_S):
                while True:
                    try:
                        await worker.pid.remote()
                        break
                    except self._ray.exceptions.RayError:
                        await asyncio.sleep(0.2)
        self._idle.put_nowait(worker)

    def close(self) -> None:
        """End the workers and their browsers; calling it twice is fine. A cluster that was there before stays."""
        if self._closed:
            return
        self._closed = True
        with suppress(self._ray.exceptions.RayError):  # a worker that is gone has closed its browser already
            self._ray.get([worker.close.remote() for worker in self._workers], timeout=15)
        for worker in self._workers:
            self._ray.kill(worker)
        if hasattr(self, "_thread"):
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)

    def __enter__(self) -> RayRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Worker:
    """One browser on one core of the cluster; a Ray actor."""

    def __init__(self, backend: str, deadline_s: float | None):
        self._renderer = Renderer(1, backend, deadline_s)

    def identity(self) -> tuple[str, str, bool, float]:
        """What must be the same for all workers."""
        own = self._renderer
        return own.backend, own.chromium.partition(" at ")[0], own.sandbox, own.deadline_s

    def pid(self) -> int:
        return os.getpid()

    def close(self) -> None:
        self._renderer.close()

    def paint(self, source: str, seed: int) -> tuple[str, Any]:
        """A painting, or a fault as its arguments: exceptions of two arguments do not survive the journey."""
        try:
            return "painted", self._renderer.render(source, seed)
        except SketchFault as fault:
            return "sketch", (fault.code, fault.detail)
        except InfrastructureFault as fault:
            return "machinery", (fault.part, fault.detail)


def import_ray() -> ModuleType:
    """The module ``ray``.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import ray
    except ImportError:
        raise UsageError('rendering on a cluster needs Ray: pip install "wclib[ray]"') from None
    return ray


def connect(**options: Any) -> ModuleType:
    """Ray, started: the cluster of ``RAY_ADDRESS``, else one on this machine with ``ray.init``'s ``options``.

    Raises:
        UsageError: it is not installed.
        InfrastructureFault: it does not start, three times.
    """
    ray = import_ray()
    for again in (True, True, False):
        if ray.is_initialized():
            break
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR", **options)
        except Exception as error:  # a bare one when a busy machine does not start it in its 30 seconds
            ray.shutdown()
            if not again:
                raise InfrastructureFault("renderer", f"Ray does not start: {_first_line(error)}") from error
    return ray


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:300]
