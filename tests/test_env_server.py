"""The real server over real sockets: own rewards, 0 and None, revisions, capacity, health, ports, and its end."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from paintings import COOL, WARM, taste_pool

from wclib.env.app import listen
from wclib.env.client import WatercolourEnv
from wclib.env.local import local_server
from wclib.errors import InfrastructureFault, UsageError
from wclib.prompt import system_prompt

FLOWER = """```js
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}
function petal(angle, reach) {
  brush.beginShape(0.5);
  for (const [turn, share] of [[0, 0.1], [-24, 0.7], [0, 1], [24, 0.7]]) {
    brush.vertex(300 + reach * share * cos(angle + turn), 300 + reach * share * sin(angle + turn));
  }
  brush.endShape(true);
}
function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f1e3');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.3);
  brush.fill('HUE', 190);
  for (let i = 0; i < 5; i++) petal(i * 72 - 90, REACH);
}
```"""
ENDLESS = FLOWER.replace("for (let i = 0; i < 5; i++)", "while (true)").replace("i * 72", "0")
DEADLINE_S = 6


def flower(hue: str = "#d5567f", reach: int = 210) -> str:
    return FLOWER.replace("HUE", hue).replace("REACH", str(reach))


@pytest.fixture(scope="module", autouse=True)
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Every server of this module judges by a small pool, and knows no token of the caller's shell."""
    pool = taste_pool(tmp_path_factory.mktemp("env") / "pool", WARM, COOL)
    chosen = {"WATERCOLOUR_POOL_DIR": str(pool), "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
    with pytest.MonkeyPatch.context() as shell:
        for name in list(os.environ):
            if name.startswith("WATERCOLOUR_") and name != "WATERCOLOUR_CHROMIUM" or name == "HF_TOKEN":
                shell.delenv(name)
        yield chosen


@pytest.fixture(scope="module")
def url(settings: dict[str, str]) -> Iterator[str]:
    with local_server(env=settings, quiet=True) as address:
        yield address


@pytest.fixture(scope="module")
def narrow_url(settings: dict[str, str]) -> Iterator[str]:
    """Two sessions, a short deadline, and a wanted judge that is switched off: only faults are scored here."""
    variables = {**settings, "WATERCOLOUR_DISABLE_JUDGE": "1", "WATERCOLOUR_RENDER_DEADLINE_S": str(DEADLINE_S)}
    with local_server(max_sessions=2, env=variables, quiet=True) as address:
        yield address


def eventually(true: Callable[[], bool], within_s: float) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return False


def open_sessions(url: str) -> int:
    return httpx.get(f"{url}/health").json()["sessions"]["open"]


def test_reset_gives_the_task_and_step_pays_it(url: str) -> None:
    async def main() -> None:
        async with WatercolourEnv(url) as env:
            task = await env.reset(seed=7, subject="a coral hibiscus", return_image=True)
            asked = task.observation
            assert (task.reward, task.done, asked.subject) == (None, False, "a coral hibiscus")
            assert asked.prompt == "Paint a coral hibiscus in loose watercolour."
            assert asked.system_prompt == system_prompt()
            result = await env.step(flower())
            paid = result.observation
            assert result.done and result.reward is not None and 0 < result.reward <= 1
            assert paid.gate_passed and paid.finished and paid.violations == [] and paid.js_errors == []
            assert paid.task_id == asked.task_id and paid.judged and paid.quality_scored
            assert paid.judge_weight == 0.6 and 0.05 < paid.paint_fraction < 0.6
            assert base64.b64decode(paid.image_png_base64 or "").startswith(b"\x89PNG")
            parts = paid.breakdown
            terms = {"length": paid.length_score, "judge": paid.judge_score, "quality": paid.quality_score, "gate": 1.0}
            assert result.reward == pytest.approx(sum(parts[name]["weight"] * terms[name] for name in terms))
            assert parts["judge"]["by"] == "local judge"
            tiers = sorted(comparison["tier"] for comparison in parts["judge"]["comparisons"])
            assert tiers == ["love", "love", "okay", "okay"]
            assert all(comparison["reference"] for comparison in parts["judge"]["comparisons"])

    asyncio.run(main())


def test_sessions_at_once_get_their_own_rewards(url: str) -> None:
    replies = [flower("#d5567f"), flower("#f2b705", 120), "prose only", flower("#7fb3d5", 60)]

    async def alone() -> list[float | None]:
        async with WatercolourEnv(url) as env:
            return [(await env.paint(reply, seed=5)).reward for reply in replies]

    async def together() -> list[float | None]:
        clients = [WatercolourEnv(url) for _ in range(8)]
        results = await asyncio.gather(*(env.paint(replies[i % 4], seed=5) for i, env in enumerate(clients)))
        await asyncio.gather(*(env.close() for env in clients))
        return [result.reward for result in results]

    one_by_one = asyncio.run(alone())
    assert len(set(one_by_one)) == 4 and one_by_one[2] == 0
    assert asyncio.run(together()) == one_by_one * 2


def test_a_sketch_that_never_ends_holds_up_nobody_and_is_paid_zero(narrow_url: str) -> None:
    async def main() -> None:
        async with WatercolourEnv(narrow_url) as slow, WatercolourEnv(narrow_url) as quick:
            endless = asyncio.create_task(slow.paint(ENDLESS.replace("HUE", "#d5567f").replace("REACH", "200"), seed=1))
            await asyncio.sleep(0.5)
            start = time.monotonic()
            assert (await quick.paint("no sketch at all", seed=1)).reward == 0
            assert time.monotonic() - start < DEADLINE_S / 2
            assert not endless.done()
            result = await endless
            assert result.reward == 0 and result.observation.violations == ["timeout"]

    asyncio.run(main())


@pytest.mark.parametrize(
    "reply", ["", "I would rather not.", "```js\nfunction setup() {", "x" * 5_000_000, "a\ud800\0b"]
)
def test_the_sketchs_own_fault_is_zero_with_a_reason(url: str, reply: str) -> None:
    async def main() -> None:
        async with WatercolourEnv(url) as env:
            result = await env.paint(reply, seed=1)
            assert result.reward == 0 and result.done
            assert result.observation.violations and not result.observation.gate_passed
            assert "gate" in result.observation.feedback and result.observation.image_png_base64 is None

    asyncio.run(main())


def test_the_machinerys_fault_is_none_and_over_capacity_is_said(narrow_url: str) -> None:
    async def main() -> None:
        async with WatercolourEnv(narrow_url) as env, WatercolourEnv(narrow_url):
            result = await env.paint(flower(), seed=1)
            seen = result.observation
            assert result.reward is None and result.done and not seen.judged and seen.judge_score is None
            assert seen.gate_passed and seen.violations == [] and "no fault of the sketch" in seen.feedback
            assert (await env.paint("prose", seed=1)).reward == 0
            with pytest.raises(InfrastructureFault, match="all 2 sessions of the server are taken"):
                await WatercolourEnv(narrow_url).reset()
        async with WatercolourEnv(narrow_url) as env:
            await env.reset()

    asyncio.run(main())


def test_revisions_show_the_painting_and_pay_the_last_one(url: str) -> None:
    async def main() -> None:
        async with WatercolourEnv(url) as env:
            task = await env.reset(seed=5, revisions=2)
            assert task.observation.revisions_left == 2
            first = await env.step(flower(reach=60))
            second = await env.step("not a sketch")
            last = await env.step(flower("#f2b705", 120))
            for tried, left in ((first, 1), (second, 0)):
                seen = tried.observation
                assert (tried.reward, tried.done, seen.revisions_left) == (None, False, left)
                assert seen.judge_score is seen.quality_score is seen.length_score is None and not seen.judged
                assert seen.critique and set(seen.breakdown) == {"seed", "verdict"}
                for secret in ("reward", "score", "love_", "okay_", "tier", "reference", ".png"):
                    assert secret not in (seen.critique + seen.feedback).lower()
            assert base64.b64decode(first.observation.image_png_base64 or "").startswith(b"\x89PNG")
            assert "paint larger" in first.observation.critique and "5 filled shapes" in first.observation.critique
            assert first.observation.gate_passed and not second.observation.gate_passed
            assert last.done and last.observation.revisions_left == 0
            assert last.reward == (await env.paint(flower("#f2b705", 120), seed=5)).reward
            state = await env.state()
            assert (state.submitted, state.step_count) == (True, 1)

    asyncio.run(main())


def test_without_a_subject_the_seed_draws_one(url: str) -> None:
    async def main() -> None:
        async with WatercolourEnv(url) as env:
            subjects = [(await env.reset(seed=seed)).observation.subject for seed in (1, 2, 3, 4, 5, 6, 7, 8)]
            assert len(set(subjects)) > 1
            assert subjects[0] == (await env.reset(seed=1)).observation.subject

    asyncio.run(main())


def test_a_killed_client_gives_its_slot_back(url: str) -> None:
    program = f"""
import asyncio
from wclib.env.app import listen
from wclib.env.client import WatercolourEnv
async def main():
    env = WatercolourEnv({url!r})
    await env.reset()
    print("in", flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""
    before = open_sessions(url)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"in\n"
    assert open_sessions(url) == before + 1
    process.kill()
    process.wait()
    assert eventually(lambda: open_sessions(url) == before, 10)


def test_health_says_who_scores_and_http_refuses_in_words(url: str) -> None:
    response = httpx.get(f"{url}/health")
    report = response.json()
    assert response.status_code == 200 and report["status"] == "healthy" and report["problems"] == {}
    assert (report["judge"], report["quality"]) == ("local judge", "local judge")
    assert report["weights"] == {"gate": 0.05, "length": 0.05, "judge": 0.6, "quality": 0.3}
    assert len(report["pool"]["fingerprint"]) == 64 and report["renderer"] and report["sessions"]["max"] >= 8
    refused = httpx.post(f"{url}/reset", json={"sede": 3})
    assert refused.status_code == 422 and "sede" in refused.json()["detail"]
    assert httpx.post(f"{url}/reset", json={"seed": 3}).json()["observation"]["prompt"]
    step = httpx.post(f"{url}/step", json={"action": {"response": "x"}})
    assert step.status_code == 422 and "reset first" in step.json()["detail"]


def test_openenvs_own_check_of_a_running_server_passes(url: str) -> None:
    from openenv.cli._validation import validate_running_environment

    report = validate_running_environment(url, timeout_s=20)
    assert report["passed"], report


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
        response = httpx.get(f"{url}/health", timeout=30)
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


def test_step_is_asynchronous_only() -> None:
    from wclib.env.environment import WatercolourEnvironment
    from wclib.env.models import WatercolourAction
    from wclib.env.studio import Studio

    environment = WatercolourEnvironment(Studio())
    environment.reset(seed=1)
    with pytest.raises(UsageError, match="step_async"):
        environment.step(WatercolourAction(response="x"))
    environment.close()
    with pytest.raises(UsageError, match="idle"):
        environment.reset(seed=1)


def test_an_idle_session_is_closed_and_the_client_is_told(
    settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import uvicorn

    from wclib.env.server import build_app

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


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=1).status_code == 200
    except httpx.HTTPError:
        return False


def serve_command(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wclib", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **variables},
    )
