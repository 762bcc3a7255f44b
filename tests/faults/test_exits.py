"""Promise 10: half an hour at full load changes nothing, and however a server ends, no browser outlives it.

Beside these, ``tests/test_render_speed.py`` paints on one browser again and again and holds its memory, its open files
and its pictures to what they were.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from urllib.parse import urlsplit

import numpy as np
import psutil
import pytest
from env_fixtures import environment_settings, eventually, flower, is_up  # noqa: F401

from wclib.env.client import WatercolourEnv
from wclib.env.local import local_server
from wclib.errors import InfrastructureFault


def server_at(url: str) -> psutil.Process:
    """The process that listens there."""
    port = urlsplit(url).port
    return psutil.Process(next(c.pid for c in psutil.net_connections("tcp") if c.laddr.port == port and c.pid))


@pytest.mark.timeout(3600)
def test_a_server_at_full_load_stays_flat(settings, whole, promised):
    seconds, samples, painted = 1800 if whole else 8, [], 0

    async def work(url: str, until: float) -> None:
        nonlocal painted
        async with WatercolourEnv(url) as env:
            while time.monotonic() < until:
                assert (await env.paint(flower(), seed=painted)).reward is not None
                painted += 1

    async def look(server: psutil.Process, until: float) -> None:
        while time.monotonic() < until:
            await asyncio.sleep(seconds / 180)
            members = [server, *server.children(recursive=True)]
            sizes = [one.memory_info().rss for one in members if one.is_running()]
            samples.append((sum(sizes) / 2**20, server.num_fds(), len(members)))

    async def both(url: str) -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(work(url, until) for _ in range(4)), look(server_at(url), until))

    with local_server(env=settings, quiet=True) as url:
        asyncio.run(both(url))
    third = len(samples) // 3
    early, late = (np.array(part).mean(axis=0) for part in (samples[third : 2 * third], samples[-third:]))
    assert late[0] < 1.15 * early[0] and late[1] < early[1] + 5 and late[2] < early[2] + 2, (early, late)
    memory, descriptors, processes = (f"{a:.0f} -> {b:.0f}" for a, b in zip(early, late, strict=True))
    promised(
        10,
        f"{seconds / 60:.3g} minutes, {painted:,} paintings by 4 sessions",
        f"memory {memory} MiB, descriptors {descriptors}, processes {processes} (second third -> last third)",
    )


@pytest.mark.parametrize(
    "end",
    [signal.SIGINT, signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)],
    ids=lambda end: end.name,
)
def test_no_browser_outlives_a_server_that_is_ended_while_it_paints(end, settings, tmp_path, promised):
    """Ctrl-C and a service manager's stop answer within seconds, and even kill -9 leaves no Chromium behind."""
    log = tmp_path / "log"
    command = [sys.executable, "-m", "wclib", "serve", "--port", "0"]
    server = psutil.Popen(
        command, stderr=log.open("w"), env={**os.environ, **settings, "WATERCOLOUR_JUDGE_MODEL": "local"}
    )
    try:
        assert eventually(lambda: "http://" in log.read_text(), 60)
        url = log.read_text().split("environment: ")[1].split()[0]
        assert eventually(lambda: is_up(url), 60)
        tree = server.children(recursive=True)
        assert any("chrom" in one.name() for one in tree)

        async def paint_while_it_ends() -> None:
            async with WatercolourEnv(url, message_timeout_s=20) as env:
                await env.reset(seed=1)
                asyncio.get_running_loop().call_later(0.4, server.send_signal, end)
                with pytest.raises(InfrastructureFault):
                    for seed in range(100):
                        await env.paint(flower(), seed=seed)

        asyncio.run(paint_while_it_ends())
        known = {member.pid for member in tree}
        tree += [one for one in psutil.process_iter(["ppid"]) if one.info["ppid"] in known]
        server.wait(15)
        assert eventually(lambda: not any(alive(one) for one in tree), 15), [one for one in tree if alive(one)]
    finally:
        for one in (server, *tree):
            if alive(one):
                one.kill()
    promised(10, f"{end.name} to a server that is painting", f"{len(tree)} processes of its browsers, none left")


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
