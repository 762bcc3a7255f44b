"""Promises 4 and 5: no reply is ever paired with another's reward, and the server outlives rude clients."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
import uvicorn
from env_fixtures import environment_settings, eventually, flower, open_sessions  # noqa: F401
from flaky import Flaky
from websockets.asyncio.client import connect

from wclib.env.app import listen
from wclib.env.client import WatercolourEnv
from wclib.env.local import local_server
from wclib.env.server import build_app
from wclib.errors import InfrastructureFault

SECRET = "the-servers-own-value"
MARKED = "```js\nfunction setup() {{ createCanvas(600, 600, WEBGL); brush.mark{0}(); }}\n```"
HOLDER = """
import asyncio, sys
from wclib.env.client import WatercolourEnv
async def main():
    clients = [WatercolourEnv(sys.argv[1]) for _ in range(int(sys.argv[2]))]
    for client in clients:
        await client.reset(seed=1)
    print("in", flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def url(settings) -> Iterator[str]:
    with local_server(max_sessions=64, env={**settings, "SECRET": SECRET}, quiet=True) as address:
        yield address


def address(url: str) -> tuple[str, int]:
    """Host and port."""
    return urlsplit(url).hostname or "", urlsplit(url).port or 0


def server_of(url: str) -> psutil.Process:
    """The process that listens there."""
    _, port = address(url)
    found = {c.pid for c in psutil.net_connections("tcp") if c.status == psutil.CONN_LISTEN and c.laddr.port == port}
    return psutil.Process(found.pop())


def test_no_reply_is_ever_paired_with_anothers_answer(settings, whole, promised):
    """Each reply holds a mark of its own; the verdict quotes it back. The server is killed and replaced half-way."""
    steps, sessions, patience_s = (10_000, 16, 4) if whole else (200, 8, 2)
    count: Counter[str] = Counter()
    rewards: Counter[float | None] = Counter()

    async def session(through: str, marks: Iterator[int]) -> None:
        async with WatercolourEnv(through, message_timeout_s=patience_s, connect_timeout_s=10) as env:
            for mark in marks:
                try:
                    result = await env.paint(MARKED.format(mark), seed=mark)
                except InfrastructureFault:
                    count["fault"] += 1
                    continue
                quoted = f'brush.mark{mark}"' in json.dumps(result.observation.breakdown["verdict"])
                right = quoted and result.observation.task_id.endswith(f"/{mark}") and result.reward == 0
                count["right" if right else "mixed up"] += 1

    async def doomed(straight: str) -> float | None:
        async with WatercolourEnv(straight) as env:
            try:
                return (await env.paint(flower(), seed=1)).reward
            except InfrastructureFault:
                return None

    async def run(servers: ExitStack) -> float | None:
        first = servers.enter_context(local_server(env=settings, quiet=True))
        flaky.upstream = steady.upstream = address(first)
        async with flaky.running() as through, steady.running() as past, WatercolourEnv(past) as lasting:
            for marks in (range(steps // 2), range(steps // 2, steps)):
                left = iter(marks)
                await lasting.paint("nothing", seed=1)
                await asyncio.gather(*(session(through, left) for _ in range(sessions)))
                if not marks.start:
                    painting = [asyncio.create_task(doomed(first)) for _ in range(6)]
                    await asyncio.sleep(0.4)
                    server_of(first).kill()
                    rewards.update(await asyncio.gather(*painting))
                    flaky.upstream = steady.upstream = address(
                        servers.enter_context(local_server(env=settings, quiet=True))
                    )
                    recovered = (await lasting.paint("nothing", seed=1)).reward
        return recovered

    flaky, steady = Flaky(seed=5), Flaky(moods={"well": 1})
    with ExitStack() as servers:
        assert asyncio.run(run(servers)) == 0
    promised(4, "server killed between two calls, another in its place", "the next call is answered")
    assert rewards[None] >= 2 and len(rewards) <= 2, "painted before the kill, then always the same number, or None"
    promised(1, "server killed while it paints 6 rollouts", f"{rewards[None]} None, the others were done")
    assert count["mixed up"] == 0
    assert count["right"] + count["fault"] == steps and count["right"] > 0.7 * steps
    assert all(flaky.moods[name] for name in ("cut", "close", "delay", "garble"))
    did = ", ".join(f"{name} {flaky.moods[name]}" for name in sorted(flaky.moods))
    what = f"{steps:,} steps over a proxy ({did} connections), the server killed once"
    promised(4, what, f"{count['fault']} None, 0 mixed up")


def test_a_tunnel_that_swallows_everything_holds_up_no_caller_and_no_slot(url, promised):
    """Nothing is closed and nothing arrives any more, neither messages nor pings: the caller's deadline ends it."""
    began = time.monotonic()

    async def run() -> float | None:
        flaky = Flaky(moods={"swallow": 1})
        flaky.upstream = address(url)
        async with flaky.running() as through, WatercolourEnv(through, message_timeout_s=1.5) as env:
            with pytest.raises(InfrastructureFault, match="within 1.5 s"):
                for seed in range(100):
                    await env.paint("nothing", seed=seed)
            flaky.weights = {"well": 1}
            return (await env.paint("nothing", seed=1)).reward

    assert asyncio.run(run()) == 0
    assert eventually(lambda: open_sessions(url) == 0, 10)
    promised(4, "a tunnel that swallows messages and pings", "typed after 1.5 s, next call answered, slot back")
    assert time.monotonic() - began < 20


def test_slots_come_back_from_clients_that_are_killed_or_stopped(url, whole, promised):
    held = 64 if whole else 12
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, url, str(held)], stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdout.readline() == b"in\n"
    assert open_sessions(url) == held
    if whole:
        with pytest.raises(InfrastructureFault, match="64 sessions of the server are taken"):
            asyncio.run(WatercolourEnv(url).reset(seed=1))
    holder.kill()
    holder.wait()
    assert eventually(lambda: open_sessions(url) == 0, 60)
    promised(5, f"{held} clients killed", "all slots back")
    if whole:  # a stopped client is noticed by its unanswered pings, which takes 40 s
        holder = subprocess.Popen([sys.executable, "-c", HOLDER, url, "8"], stdout=subprocess.PIPE)
        assert holder.stdout is not None and holder.stdout.readline() == b"in\n"
        holder.send_signal(signal.SIGSTOP)
        assert eventually(lambda: open_sessions(url) == 0, 60)
        holder.kill()
        holder.wait()
        promised(5, "8 clients stopped (SIGSTOP)", "all slots back")


def test_rude_clients_leave_the_server_up_and_its_memory_bounded(url, whole, promised):
    server = server_of(url)
    before = server.memory_info().rss
    count = 1000 if whole else 100

    async def run() -> int:
        async with WatercolourEnv(url) as env:
            five = await env.paint("x" * 5_000_000, seed=1)
            assert five.reward == 0 and five.observation.violations
        ws = url.replace("http", "ws") + "/ws"
        for frame in ("{", "[]", '"reset"', '{"type": "fly"}', b"\x00\xff", '{"type": "step", "data": 3}'):
            async with connect(ws, proxy=None) as rude:
                await rude.send(frame)
                await asyncio.wait_for(rude.recv(), 10)
        with socket.create_connection(address(url)) as slow:
            slow.send(b"GET /ws HTTP/1.1\r\nHost: ")  # and never goes on
            held = await asyncio.gather(*(connect(ws, proxy=None, open_timeout=60) for _ in range(count)))
            assert httpx.get(f"{url}/health", timeout=20).status_code == 200
            await asyncio.gather(*(one.close() for one in held))
        return len(held)

    connections = asyncio.run(run())
    assert eventually(lambda: open_sessions(url) == 0, 60)
    assert httpx.get(f"{url}/health").json()["status"] == "healthy"
    grown = (server.memory_info().rss - before) / 2**20
    assert grown < 300, f"the server grew by {grown:.0f} MiB"
    promised(
        5, f"5 MB reply, 6 malformed frames, a half-sent request, {connections} connections", f"up, +{grown:.0f} MiB"
    )


def test_a_token_is_asked_for_and_only_loopback_is_served(url, settings, monkeypatch, tmp_path, promised):
    """The real app, in this process and without a browser."""
    token = "not-a-real-secret"
    for name, value in {**settings, "WATERCOLOUR_CHROMIUM": str(tmp_path), "WATERCOLOUR_ENV_TOKEN": token}.items():
        monkeypatch.setenv(name, value)

    async def run() -> str:
        server = uvicorn.Server(uvicorn.Config(build_app(), log_level="error"))
        with listen("127.0.0.1", 0) as taken:
            serving = asyncio.create_task(server.serve(sockets=[taken]))
            guarded = f"http://127.0.0.1:{taken.getsockname()[1]}"
            async with httpx.AsyncClient(base_url=guarded, timeout=20) as http:
                assert (await http.get("/health")).status_code == 503  # anyone may ask how it is: it has no browser
                for given in ({}, {"Authorization": "Bearer another"}):
                    assert (await http.post("/reset", json={}, headers=given)).status_code == 401
            for wrong in ("", "another"):
                with pytest.raises(InfrastructureFault, match="WATERCOLOUR_ENV_TOKEN"):
                    await WatercolourEnv(guarded, token=wrong).reset(seed=1)
            async with WatercolourEnv(guarded, token=token) as known:
                task = (await known.reset(seed=1)).observation.task_id
            server.should_exit = True
            await serving
            return task

    assert asyncio.run(run())
    listening = {c.laddr.ip for c in server_of(url).net_connections("tcp") if c.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    promised(5, "no token, a wrong one, the right one", "refused, refused, served; loopback only")


def test_a_sketch_cannot_read_the_server_and_observations_leak_nothing(url, promised):
    """Files, environment and paths: by what a sketch throws, prints or paints, nothing of the server comes back."""
    sketches = [
        flower().replace("brush.noStroke();", text + " brush.noStroke();")
        for text in (
            "fetch('file:///etc/hostname');",
            "throw new Error(typeof process + typeof require + location.href);",
            "throw new Error(new Error().stack);",
            "throw new Error(String(document.cookie) + navigator.userAgent);",
        )
    ]

    async def run() -> list[str]:
        async with WatercolourEnv(url) as env:
            return [(await env.paint(sketch, seed=3)).observation.model_dump_json() for sketch in sketches]

    answers = asyncio.run(run())
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for text in answers:
        assert SECRET not in text and home not in text and "Traceback" not in text and ".py" not in text
    promised(5, f"{len(sketches)} sketches that pry", "no path, variable or trace in an observation")
