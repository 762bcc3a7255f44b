"""Rendering on a real two-worker Ray on this machine: same bytes as here, also when a worker is killed at work."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from env_fixtures import eventually, flower
from ray.exceptions import RayError

from wclib.errors import SketchFault
from wclib.gate import check_source
from wclib.render.ray_renderer import RayRenderer, connect

SOURCES = [
    check_source(flower(hue, reach)).source for hue, reach in (("#d5567f", 210), ("#e7b23c", 170), ("#5b7fc4", 190))
]

SERVE = ("serve", "--port", "0", "--renderer", "ray")


@pytest.fixture(scope="module")
def cluster():
    ray = connect(num_cpus=2, object_store_memory=100 * 2**20)
    with RayRenderer(workers=2, deadline_s=6) as pool:
        yield pool
    ray.shutdown()


@pytest.fixture(scope="module")
def here(renderer):
    return [renderer.render(source, seed).png for seed, source in enumerate(SOURCES)]


def test_a_cluster_paints_the_bytes_that_are_painted_here(cluster, here, renderer):
    assert (cluster.backend, cluster.browsers) == (renderer.backend, 2)
    with ThreadPoolExecutor(3) as threads:
        painted = list(threads.map(cluster.render, SOURCES, range(3)))
    assert [render.png for render in painted] == here and all(render.finished for render in painted)


def test_a_worker_that_is_killed_loses_no_painting(cluster, here):
    async def painting():
        tasks = [asyncio.create_task(cluster.arender(source, seed)) for seed, source in enumerate(SOURCES)]
        await asyncio.sleep(0.3)
        os.kill(cluster.pids()[0], signal.SIGKILL)
        return await asyncio.gather(*tasks)

    def replaced():
        with suppress(RayError):  # while Ray starts it again
            return len(before - set(cluster.pids()))

    before = set(cluster.pids())
    assert [render.png for render in asyncio.run(painting())] == here
    assert eventually(lambda: replaced() == 1, 60)


@pytest.mark.slow
def test_a_hostile_sketch_is_its_own_fault_there_too(cluster, here):
    started = time.monotonic()
    with pytest.raises(SketchFault) as fault:
        cluster.render(SOURCES[0].replace("for (let i = 0; i < 5; i++)", "while (true)").replace("i * 72", "0"), 0)
    assert fault.value.code == "timeout" and time.monotonic() - started < 60
    assert cluster.render(SOURCES[0], 0).png == here[0]


def test_without_ray_the_remedy_is_said():
    code = "import sys; sys.modules['ray'] = None; from wclib.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, *SERVE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and 'pip install "wclib[ray]"' in done.stderr
