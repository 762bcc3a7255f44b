"""The real server over real sockets: own rewards, 0 and None, revisions, capacity, slots and health."""

from __future__ import annotations

import asyncio
import base64
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest
from env_fixtures import DEADLINE_S, ENDLESS, environment_settings, eventually, flower, open_sessions  # noqa: F401

from wclib.env.client import WatercolourEnv
from wclib.env.environment import WatercolourEnvironment
from wclib.env.local import local_server
from wclib.env.models import WatercolourAction
from wclib.env.studio import Studio
from wclib.errors import InfrastructureFault, UsageError
from wclib.prompt import system_prompt


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


def test_a_sketch_cannot_make_its_own_zero_unsendable(url: str) -> None:
    async def main() -> None:
        async with WatercolourEnv(url) as env:
            result = await env.paint(flower().replace("brush.noStroke()", r'brush["\ud800"]()'), seed=1)
            assert result.reward == 0 and result.observation.violations == ["unknown_brush_method"]
            throwing = flower().replace(" - 90, 210);", r' - 90, 210); throw new Error("\ud800");')
            result = await env.paint(throwing, seed=1)
            assert result.reward is not None and result.observation.js_errors == ["Error: ?"]

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
    assert report["mix"] == {"love": 0.5, "okay": 0.5}
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


def test_step_is_asynchronous_only() -> None:
    environment = WatercolourEnvironment(Studio())
    environment.reset(seed=1)
    with pytest.raises(UsageError, match="step_async"):
        environment.step(WatercolourAction(response="x"))
    environment.close()
    with pytest.raises(UsageError, match="idle"):
        environment.reset(seed=1)
