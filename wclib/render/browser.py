"""One Chromium: started, measured, watched, and killed by its process ids when a sketch will not stop."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import Any

import psutil
from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import BrowserContext, Playwright, Route
from playwright.async_api import Error as PlaywrightError

from wclib.errors import InfrastructureFault, SketchFault
from wclib.render.backends import IDENTITY_JS, Backend, short_identity
from wclib.render.page import Outcome, paint

START_TIMEOUT_S = 30.0
#: All that Chromium gets of our environment: a sketch that breaks out must not find a token there.
_INHERITED = (
    *("PATH", "HOME", "TMPDIR", "LANG", "TZ", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"),
    *("VK_DRIVER_FILES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH", "SystemRoot"),
)
#: What a sketch may add to the memory of the browser's processes, in bytes.
MEMORY_LIMIT = 1_500_000_000
WATCH_EVERY_S = 0.15


class Chromium:
    """A running browser. Make one with :meth:`launch`; paint one sketch at a time."""

    def __init__(self, browser: PlaywrightBrowser, pid: int, sandbox: bool, changes: tuple[str, ...]):
        self._browser = browser
        self._changes = changes
        self.pid = pid
        self.sandbox = sandbox
        self.version = browser.version
        self.identity = ""
        self.alive = True
        self._context: BrowserContext | None = None

    @classmethod
    async def launch(cls, playwright: Playwright, path: str, backend: Backend) -> Chromium:
        """Start ``path`` with the flags of ``backend``, sandboxed where the machine lets it.

        Raises:
            InfrastructureFault: it does not start, with what it said.
        """
        # Chromium refuses to run sandboxed as root; elsewhere the kernel may not allow it.
        trouble = ""
        inherited: dict[str, str | float | bool] = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        for sandbox in (False,) if not hasattr(os, "geteuid") or os.geteuid() == 0 else (True, False):
            try:
                browser = await playwright.chromium.launch(
                    executable_path=path,
                    args=list(backend.args),
                    env={**inherited, **backend.env},
                    chromium_sandbox=sandbox,
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=START_TIMEOUT_S * 1000,
                )
            except PlaywrightError as error:
                trouble = str(error).strip().split("\n")[0]
                continue
            try:
                async with asyncio.timeout(START_TIMEOUT_S):
                    return await cls._met(browser, sandbox, backend)
            except (PlaywrightError, TimeoutError) as error:
                with suppress(PlaywrightError, TimeoutError):
                    await asyncio.wait_for(browser.close(), 5)
                said = str(error).strip().split("\n")[0] or f"no answer within {START_TIMEOUT_S:g} s"
                raise InfrastructureFault("renderer", f"the browser failed as it started: {said}") from None
        raise InfrastructureFault("renderer", f"{path} does not start ({trouble}); run `python -m wclib doctor`")

    @classmethod
    async def _met(cls, browser: PlaywrightBrowser, sandbox: bool, backend: Backend) -> Chromium:
        session = await browser.new_browser_cdp_session()
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        pid = next(process["id"] for process in processes if process["type"] == "browser")
        self = cls(browser, pid, sandbox, backend.changes)
        page = await browser.new_page()
        self.identity = short_identity(await page.evaluate(IDENTITY_JS))
        await page.close()
        return self

    async def paint(self, source: str, seed: int, deadline_s: float) -> tuple[Outcome, float]:
        """Paint ``source`` on a page of its own; returns the outcome and the CPU seconds the browser spent on it.

        Raises:
            SketchFault: ``timeout`` or ``resource_limit``; this browser is then dead.
            InfrastructureFault: the browser failed by itself; treat it as dead.
        """
        start = _cpu_of(self.processes())
        work = asyncio.ensure_future(self._paint(source, seed))
        watch = asyncio.ensure_future(self._watch(work))
        try:
            done, _ = await asyncio.wait({work, watch}, timeout=deadline_s, return_when=asyncio.FIRST_COMPLETED)
            if work in done:
                outcome = work.result()
                return outcome, _cpu_since(start, self.processes())
            self.kill()
            if watch in done:
                watch.result()
            raise SketchFault("timeout", f"the sketch did not end within {deadline_s:g} s")
        except PlaywrightError as error:
            raise _fault_of(error) from None
        finally:
            for task in (work, watch):
                task.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
            await self._leave()

    async def _paint(self, source: str, seed: int) -> Outcome:
        self._context = context = await self._browser.new_context(
            viewport={"width": 600, "height": 600},
            device_scale_factor=1,
            offline=True,
            accept_downloads=False,
            service_workers="block",
            locale="en-US",
            timezone_id="UTC",
        )
        await context.route("**/*", _abort)
        page = await context.new_page()
        crashed = asyncio.Event()
        page.on("crash", lambda _: crashed.set())
        crash = asyncio.ensure_future(crashed.wait())
        work = asyncio.ensure_future(paint(page, source, seed, self._changes))
        try:
            await asyncio.wait((work, crash), return_when=asyncio.FIRST_COMPLETED)
            if crashed.is_set():
                self.kill()
                raise SketchFault("resource_limit", "the sketch crashed its page, as running out of memory does")
            return work.result()
        finally:
            for task in (work, crash):
                task.cancel()
            await asyncio.gather(work, crash, return_exceptions=True)

    async def _leave(self) -> None:
        context, self._context = self._context, None
        if context is None or not self.alive:
            return
        try:
            await asyncio.wait_for(context.close(), 5)
        except (TimeoutError, PlaywrightError):
            self.kill()

    async def _watch(self, work: asyncio.Future[Any]) -> None:
        """Raise when the browser's processes grow by more than ``MEMORY_LIMIT``."""
        processes = self.processes()
        base = _memory_of(processes)
        ticks = 0
        while not work.done():
            await asyncio.sleep(WATCH_EVERY_S)
            ticks += 1
            if ticks in (2, 8):
                processes = self.processes()
            grown = _memory_of(processes) - base
            if grown > MEMORY_LIMIT:
                raise SketchFault("resource_limit", f"the sketch took {grown / 1e9:.1f} GB of memory")

    def processes(self) -> list[psutil.Process]:
        """The browser's processes, its own first; none once it is gone."""
        try:
            parent = psutil.Process(self.pid)
            return [parent, *parent.children(recursive=True)]
        except psutil.Error:
            return []

    def kill(self) -> None:
        """End every process of this browser at once, by process id."""
        self.alive = False
        for process in self.processes():
            with suppress(ProcessLookupError, PermissionError, psutil.Error):
                os.kill(process.pid, signal.SIGKILL)

    async def close(self) -> None:
        """Close the browser, or kill it when it does not answer."""
        if not self.alive:
            return
        self.alive = False
        try:
            await asyncio.wait_for(self._browser.close(), 5)
        except (TimeoutError, PlaywrightError):
            self.kill()


async def _abort(route: Route) -> None:
    await route.abort("blockedbyclient")


def _fault_of(error: PlaywrightError) -> Exception:
    text = str(error).strip().split("\n")[0]
    if any(sign in text for sign in ("context was destroyed", "Cannot find context", "given id", "target navigated")):
        return SketchFault("external_access", "the sketch left its page")
    return InfrastructureFault("renderer", f"the browser failed: {text}")


def _cpu_of(processes: list[psutil.Process]) -> dict[int, float]:
    spent: dict[int, float] = {}
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            spent[process.pid] = times.user + times.system
    return spent


def _cpu_since(start: dict[int, float], processes: list[psutil.Process]) -> float:
    return sum(spent - start.get(pid, 0.0) for pid, spent in _cpu_of(processes).items())


def _memory_of(processes: list[psutil.Process]) -> int:
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            total += process.memory_info().rss
    return total
