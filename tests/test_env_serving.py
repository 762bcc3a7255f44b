"""The server as a process: ports, settings, a missing browser, restarts, idle sessions, and its end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
import uvicorn
from env_fixtures import environment_settings, eventually, flower, is_up  # noqa: F401

from wclib.env.app import listen
from wclib.env.client import WatercolourEnv
from wclib.env.local import local_server
from wclib.env.server import build_app
from wclib.errors import InfrastructureFault


def test_a_port_in_use_is_wrong_usage_and_said_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        start = time.monotonic()
        done = serve_command("--port", str(port))
        assert done.returncode == 2 and str(port) in done.stderr and "--port" in done.stderr
        assert "Traceback" not in done.stderr
        assert time.monotonic() - start < 5  # a server takes longer than that to start


@pytest.mark.parametrize(
    ("arguments", "variable", "said"),
    [
        (["--port", "99999"], {}, "99999"),
        (["--host", "no.such.host.invalid"], {}, "no.such.host.invalid"),
        (["--port", "0", "--max-sessions", "0"], {}, "--max-sessions"),
        (["--port", "0"], {"WATERCOLOUR_POOL_DIR": "/no/such/pool"}, "/no/such/pool"),
        (["--port", "0"], {"WATERCOLOUR_JUDGE_WEIGHT": "much"}, "WATERCOLOUR_JUDGE_WEIGHT"),
    ],
)
def test_wrong_settings_are_refused_with_the_remedy(
    settings: dict[str, str], arguments: list[str], variable: dict[str, str], said: str
) -> None:
    done = serve_command(*arguments, **{**settings, **variable})
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_server_that_does_not_start_shows_its_log(tmp_path: Path) -> None:
    variables = {"WATERCOLOUR_POOL_DIR": str(tmp_path / "no-such-pool")}
    with pytest.raises(InfrastructureFault, match="status 2(?s:.)*no-such-pool"), local_server(env=variables):
        pass


def test_without_a_browser_the_server_stays_up_and_is_red(settings: dict[str, str], tmp_path: Path) -> None:
    variables = {**settings, "WATERCOLOUR_CHROMIUM": str(tmp_path / "chromium")}
    log = tmp_path / "log"
    process = subprocess.Popen(
        [sys.executable, "-m", "wclib", "serve", "--port", "0"],
        stderr=log.open("w"),
        env={**os.environ, **variables},
    )
    try:
        assert eventually(lambda: "http://" in log.read_text(), 20)
        url = log.read_text().split("environment: ")[1].split()[0]
        response = httpx.get(f"{url}/health", timeout=90)
        assert response.status_code == 503 and response.json()["status"] == "unhealthy"
        assert "renderer" in response.json()["problems"]

        async def main() -> None:
            async with WatercolourEnv(url) as env:
                result = await env.paint(flower(), seed=1)
                assert result.reward is None and result.observation.render_unavailable
                assert str(tmp_path) not in result.observation.model_dump_json()

        asyncio.run(main())
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 130
    assert "Traceback" not in log.read_text()


def test_the_server_ends_when_whoever_started_it_is_killed(settings: dict[str, str]) -> None:
    program = """
import time
from wclib.env.local import local_server
with local_server(quiet=True) as url:
    print(url, flush=True)
    time.sleep(60)
"""
    starter = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env={**os.environ, **settings}
    )
    assert starter.stdout is not None
    url = starter.stdout.readline().strip()
    assert httpx.get(f"{url}/health").status_code == 200
    starter.kill()
    starter.wait()

    def gone() -> bool:
        try:
            httpx.get(f"{url}/health", timeout=1)
        except httpx.HTTPError:
            return True
        return False

    assert eventually(gone, 15)


def test_a_restarted_server_is_found_again_within_one_call(settings: dict[str, str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "wclib", "serve", "--port", port]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, **settings})
        assert eventually(lambda: is_up(f"http://127.0.0.1:{port}"), 30)
        return process

    async def main() -> None:
        server = start()
        env = WatercolourEnv(f"http://127.0.0.1:{port}")
        try:
            assert (await env.paint("prose", seed=1)).reward == 0
            server.kill()
            server.wait()
            server = start()
            assert (await env.paint("prose", seed=1)).reward == 0
            await env.reset(seed=1)
            server.kill()
            server.wait()
            with pytest.raises(InfrastructureFault):
                await env.step("prose")
            with pytest.raises(InfrastructureFault):
                await env.reset(seed=1)
        finally:
            server.kill()
            server.wait()
            await env.close()

    asyncio.run(main())


def test_an_idle_session_is_closed_and_the_client_is_told(
    settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, promised: Callable[..., None]
) -> None:
    for name, value in {**settings, "WATERCOLOUR_CHROMIUM": str(tmp_path / "none")}.items():
        monkeypatch.setenv(name, value)

    async def main() -> None:
        server = uvicorn.Server(uvicorn.Config(build_app(max_sessions=1, idle_s=1), log_level="error"))
        with listen("127.0.0.1", 0) as taken:
            serving = asyncio.create_task(server.serve(sockets=[taken]))
            async with WatercolourEnv(f"http://127.0.0.1:{taken.getsockname()[1]}") as env:
                await env.reset(seed=1)
                with pytest.raises(InfrastructureFault, match="all 1 sessions"):
                    await WatercolourEnv(env._ws_url.removesuffix("/ws")).reset()
                await asyncio.sleep(7)  # OpenEnv looks every five seconds
                async with WatercolourEnv(env._ws_url.removesuffix("/ws")) as other:
                    await other.reset(seed=1)
                with pytest.raises(InfrastructureFault, match="idle too long"):
                    await env.step("prose")
                assert (await env.reset(seed=1)).observation.task_id
            server.should_exit = True
            await serving

    asyncio.run(main())
    promised(5, "a session without a message for a second (the limit then)", "closed, its slot reused, its client told")


def serve_command(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wclib", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **variables},
    )
