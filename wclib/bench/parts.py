"""What is left of a painting's cost: CPU seconds by kind of process, for sketches of several sizes.

The page's own process runs the libraries and fills the 2D masks, the GPU process mixes pigment in WebGL, the rest is
the browser itself. A straight line through the sizes tells a page's fixed cost from that of a shape.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import psutil

from wclib.bench.render import Bench, bench_sketch, run

KINDS = {"renderer": "page", "gpu-process": "gpu"}


class _Watch(threading.Thread):
    """Samples the CPU seconds of a browser's processes every 20 ms; a process that ends keeps its last sample."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self._root = psutil.Process(pid)
        self._over = threading.Event()
        self._kind: dict[int, str] = {}
        self._first: dict[int, float] = {}
        self._last: dict[int, float] = {}
        self._sample(new_from=None)

    def run(self) -> None:
        while not self._over.wait(0.02):
            self._sample(new_from=0.0)

    def end(self) -> dict[str, float]:
        """CPU seconds since the start by kind: ``page``, ``gpu``, ``browser``."""
        self._over.set()
        self.join()
        spent = dict.fromkeys(("page", "gpu", "browser"), 0.0)
        for pid, last in self._last.items():
            spent[self._kind[pid]] += last - self._first[pid]
        return spent

    def _sample(self, new_from: float | None) -> None:
        for process in (self._root, *self._root.children(recursive=True)):
            try:
                times = process.cpu_times()
                if process.pid not in self._kind:
                    words = process.cmdline()
                    if not words:
                        continue
                    kinds = [KINDS[kind] for kind in KINDS if f"--type={kind}" in words]
                    self._kind[process.pid] = kinds[0] if kinds else "browser"
                    self._first[process.pid] = times.user + times.system if new_from is None else new_from
                self._last[process.pid] = times.user + times.system
            except psutil.Error:
                continue


def parts(shapes: tuple[int, ...] = (3, 16, 30), again: int = 3) -> list[dict[str, Any]]:
    """A row a size: ``shapes`` and ``cpu_s`` by kind of process, median of ``again`` paintings.

    Raises:
        UsageError, InfrastructureFault: no Chromium, or it failed.
    """

    async def work() -> list[dict[str, Any]]:
        rows = []
        async with Bench() as bench:
            ours = await bench.first()
            for count in shapes:
                found = []
                for _ in range(again):
                    watch = _Watch(bench.running[ours].pid)
                    watch.start()
                    await bench.paint(ours, bench_sketch(count))
                    found.append(watch.end())
                rows.append({"shapes": count, "cpu_s": {k: float(np.median([f[k] for f in found])) for k in found[0]}})
        return rows

    return run(work())


def fixed_and_per_shape(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """CPU seconds of a page without shapes, and of each shape: a straight line through :func:`parts`."""
    slope, intercept = np.polyfit([row["shapes"] for row in rows], [sum(row["cpu_s"].values()) for row in rows], 1)
    return float(intercept), float(slope)
