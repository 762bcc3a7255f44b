"""How many paintings a minute, and for how long: throughput of one and two browsers, and a soak.

python -m wclib bench throughput      paintings a minute of a group of eight sketches
python -m wclib bench soak            500 renders: do memory and open files stay flat?
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import psutil

from wclib.bench.render import bench_sketch
from wclib.progress import Bar
from wclib.render import Renderer
from wclib.render.golden import GOLDEN_SEED, GOLDEN_SKETCH

#: A group of eight as a policy paints them: shapes of each sketch.
GROUP = (7, 16, 30, 16, 7, 16, 30, 16)


def throughput(browsers: tuple[int, ...] = (1, 2), again: int = 2) -> list[dict[str, Any]]:
    """Paint :data:`GROUP` with each count of browsers, in turn, ``again`` times.

    Returns:
        A row a count: ``browsers``, ``paintings_per_minute`` (of the quickest turn: another program on the machine
        only ever slows one), ``all`` (of every turn), ``cpu_s`` a painting.

    Raises:
        UsageError, InfrastructureFault: the renderer does not start, or failed.
    """
    sources = [bench_sketch(shapes) for shapes in GROUP]
    rates: dict[int, list[float]] = {count: [] for count in browsers}
    cpu: dict[int, float] = {}
    for count in browsers * again:
        with Renderer(browsers=count, deadline_s=120) as renderer, ThreadPoolExecutor(count) as threads:
            list(threads.map(renderer.render, [bench_sketch(7)] * count))
            start = time.monotonic()
            renders = list(threads.map(renderer.render, sources))
            rates[count].append(60 * len(sources) / (time.monotonic() - start))
            cpu[count] = sum(render.cpu_s for render in renders) / len(renders)
    return [
        {"browsers": count, "paintings_per_minute": max(rates[count]), "all": rates[count], "cpu_s": cpu[count]}
        for count in browsers
    ]


def soak(renders: int = 500, browsers: int = 2, every: int = 20) -> dict[str, Any]:
    """Paint small sketches over and over and watch the processes.

    Every tenth sketch throws and every twenty-fifth allocates 100 MB; what grows over hundreds of pages shows.

    Returns:
        ``rows`` (one each ``every`` renders: ``renders``, ``browsers_mb``, ``browsers_files``, ``python_mb``,
        ``python_files``), ``seconds``, ``same_bytes`` (the golden sketch painted the same at the start and the end)
        and, per measured quantity, ``growth``: last fifth of the rows against their second fifth, as a ratio.

    Raises:
        UsageError, InfrastructureFault: the renderer does not start, or failed.
    """
    throws = GOLDEN_SKETCH.replace("brush.circle(300, 420, 40, 0.3);", "leaves.forEach(() => {});")
    large = GOLDEN_SKETCH.replace(
        "brush.noStroke();", "globalThis.kept = new Uint8Array(1e8).fill(1); brush.noStroke();"
    )
    rows: list[dict[str, Any]] = []
    start = time.monotonic()
    with Renderer(browsers=browsers) as renderer, ThreadPoolExecutor(browsers) as threads:
        first = renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256
        with Bar(total=renders, desc="soak", unit="render") as bar:
            for begin in range(0, renders, every):
                numbers = range(begin, min(begin + every, renders))
                sources = [large if i % 25 == 24 else throws if i % 10 == 9 else GOLDEN_SKETCH for i in numbers]
                list(threads.map(renderer.render, sources, numbers))
                bar.update(len(numbers))
                memory, files = _held(renderer.processes())
                mine, my_files = _held([psutil.Process()])
                rows.append(
                    {
                        "renders": numbers[-1] + 1,
                        "browsers_mb": memory,
                        "browsers_files": files,
                        "python_mb": mine,
                        "python_files": my_files,
                    }
                )
        same = renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256 == first
    return {
        "rows": rows,
        "browsers": browsers,
        "backend": renderer.backend,
        "seconds": time.monotonic() - start,
        "same_bytes": same,
        "growth": {name: _growth([row[name] for row in rows]) for name in rows[0] if name != "renders"},
    }


def _held(processes: list[psutil.Process]) -> tuple[float, int]:
    """Memory (MB, PSS: shared pages count once) and open files of the processes that are still there."""
    memory, files = 0.0, 0
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # a page's process ends a moment after its page
            memory += process.memory_full_info().pss / 1e6
            files += process.num_fds()
    return memory, files


def _growth(values: list[float]) -> float:
    fifth = max(1, len(values) // 5)
    early = values[fifth : 2 * fifth] or values[:1]
    return float(np.mean(values[-fifth:]) / np.mean(early))
