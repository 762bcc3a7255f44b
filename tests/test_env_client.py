"""The client against servers that misbehave in one way each, over real sockets."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from wclib.env.client import WatercolourEnv
from wclib.errors import InfrastructureFault, UsageError


def request_id(message: dict[str, Any]) -> str:
    data = message["data"]
    return data["request_id"] if message["type"] == "reset" else data["metadata"]["request_id"]


def answer(message: dict[str, Any], reward: float | None = None, **fields: Any) -> str:
    """The right answer to a message: reset opens an episode, step pays one hundredth of the reply's length."""
    step = message["type"] == "step"
    if step and reward is None:
        reward = len(message["data"]["response"]) / 100
    observation = {"request_id": request_id(message), "subject": "a flower", **fields}
    return json.dumps({"type": "observation", "data": {"observation": observation, "reward": reward, "done": step}})


class Far:
    """The far end: counts connections, keeps what it received, answers as ``behave`` says."""

    def __init__(self, behave: Callable[[Far, ServerConnection, dict[str, Any]], Awaitable[None]]):
        self.behave = behave
        self.connections = 0
        self.received: list[dict[str, Any]] = []

    async def handle(self, socket: ServerConnection) -> None:
        self.connections += 1
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "close":
                return
            self.received.append(message)
            await self.behave(self, socket, message)

    def steps(self) -> int:
        return sum(message["type"] == "step" for message in self.received)


@asynccontextmanager
async def far_end(behave: Any, **client: Any) -> AsyncIterator[tuple[Far, WatercolourEnv]]:
    far = Far(behave)
    async with serve(far.handle, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        env = WatercolourEnv(f"http://127.0.0.1:{port}", **client)
        try:
            yield far, env
        finally:
            await env.close()


async def honest(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
    await socket.send(answer(message))


def test_an_honest_server_is_believed() -> None:
    async def main() -> None:
        async with far_end(honest) as (far, env):
            task = await env.reset(seed=3, subject="a flower")
            assert (task.reward, task.done, task.observation.subject) == (None, False, "a flower")
            result = await env.step("x" * 7)
            assert (result.reward, result.done) == (0.07, True)
            assert far.received[0]["data"].keys() == {"seed", "subject", "request_id"}
            assert (await env.paint("x" * 9, seed=3)).reward == 0.09
            assert far.connections == 1

    asyncio.run(main())


def test_after_a_timed_out_step_no_later_step_gets_its_reply() -> None:
    async def slow_first(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        if message["type"] == "step" and far.steps() == 1:
            await asyncio.sleep(0.4)
        await socket.send(answer(message))

    async def main() -> None:
        async with far_end(slow_first, message_timeout_s=0.2) as (far, env):
            await env.reset()
            with pytest.raises(InfrastructureFault, match="no answer to step"):
                await env.step("a" * 50)
            with pytest.raises(InfrastructureFault, match="lost"):
                await env.step("b" * 3)
            await asyncio.sleep(0.4)
            for length in (3, 4, 5):
                await env.reset()
                assert (await env.step("b" * length)).reward == length / 100
            assert far.connections == 2

    asyncio.run(main())


def test_a_cancelled_step_leaves_no_reply_behind() -> None:
    async def slow_first(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        if message["type"] == "step" and far.steps() == 1:
            await asyncio.sleep(0.3)
        await socket.send(answer(message))

    async def main() -> None:
        async with far_end(slow_first) as (_, env):
            await env.reset()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(env.step("a" * 50), 0.1)
            await asyncio.sleep(0.3)
            assert (await env.paint("b" * 3)).reward == 0.03

    asyncio.run(main())


def test_the_answer_to_another_request_is_refused_and_its_socket_dropped() -> None:
    async def shifted(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        if message["type"] == "step" and far.steps() > 1:
            message = far.received[1]  # the first step ever, again
        await socket.send(answer(message))

    async def main() -> None:
        async with far_end(shifted) as (far, env):
            assert (await env.paint("a" * 50)).reward == 0.5
            await env.reset()
            with pytest.raises(InfrastructureFault, match="refused") as caught:
                await env.step("b" * 3)
            assert caught.value.part == "environment"
            with pytest.raises(InfrastructureFault, match="lost"):
                await env.step("c")
            await env.reset()
            assert far.connections == 2

    asyncio.run(main())


def test_a_server_that_stops_returning_ids_is_refused() -> None:
    async def forgets(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        text = json.loads(answer(message))
        if message["type"] == "step":
            del text["data"]["observation"]["request_id"]
        await socket.send(json.dumps(text))

    async def main() -> None:
        async with far_end(forgets) as (_, env):
            await env.reset()
            with pytest.raises(InfrastructureFault, match="refused"):
                await env.step("x")

    asyncio.run(main())


def test_a_server_without_ids_such_as_the_published_one_works() -> None:
    async def published(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        text = json.loads(answer(message, a_field_of_its_own=1))
        del text["data"]["observation"]["request_id"]
        await socket.send(json.dumps(text))

    async def main() -> None:
        async with far_end(published) as (_, env):
            assert (await env.paint("x" * 4)).reward == 0.04

    asyncio.run(main())


def test_a_socket_closed_between_episodes_is_replaced_within_reset() -> None:
    async def hangs_up_after_a_step(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        await socket.send(answer(message))
        if message["type"] == "step":
            await socket.close()

    async def main() -> None:
        async with far_end(hangs_up_after_a_step) as (far, env):
            for length in (1, 2, 3):
                await env.reset()
                assert (await env.step("x" * length)).reward == length / 100
                await asyncio.sleep(0.05)
            assert far.connections == 3

    asyncio.run(main())


def test_a_socket_closed_within_an_episode_loses_it_and_the_next_reset_works() -> None:
    async def hangs_up_on_the_first_step(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        if message["type"] == "step" and far.steps() == 1:
            await socket.close()
        else:
            await socket.send(answer(message))

    async def main() -> None:
        async with far_end(hangs_up_on_the_first_step) as (far, env):
            await env.reset()
            with pytest.raises(InfrastructureFault, match="connection"):
                await env.step("a")
            with pytest.raises(InfrastructureFault, match="lost"):
                await env.step("a")
            await env.reset()
            assert (await env.step("bb")).reward == 0.02
            assert (far.connections, far.steps()) == (2, 2)

    asyncio.run(main())


def test_paint_tries_a_lost_exchange_once_more_and_a_late_one_not() -> None:
    async def hangs_up(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        if message["type"] == "step" and far.steps() != 2:
            await socket.close()
        else:
            await socket.send(answer(message))

    async def never(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        if message["type"] == "reset":
            await socket.send(answer(message))

    async def main() -> None:
        async with far_end(hangs_up) as (far, env):
            assert (await env.paint("x" * 6)).reward == 0.06
            assert far.steps() == 2
            far.received.clear()
            far.received += [{"type": "step"}] * 2
            with pytest.raises(InfrastructureFault):
                await env.paint("x")
            assert far.steps() == 4
        async with far_end(never, message_timeout_s=0.2) as (far, env):
            with pytest.raises(InfrastructureFault, match="no answer"):
                await env.paint("x")
            assert far.steps() == 1

    asyncio.run(main())


@pytest.mark.parametrize(
    "text",
    [
        "not JSON",
        "[]",
        '{"type": "observation"}',
        '{"type": "observation", "data": {"observation": null}}',
        '{"type": "observation", "data": {"observation": {"request_id": "ID", "violations": 3}}}',
        '{"type": "observation", "data": {"observation": {"request_id": "ID"}, "reward": NaN, "done": true}}',
        '{"type": "observation", "data": {"observation": {"request_id": "ID"}, "reward": 1e999, "done": true}}',
        '{"type": "observation", "data": {"observation": {"request_id": "ID"}, "reward": "much", "done": true}}',
        '{"type": "error", "data": {"message": "it broke", "code": "EXECUTION_ERROR"}}',
        '{"type": "error", "data": null}',
    ],
)
def test_an_answer_that_is_no_observation_is_a_fault_and_never_a_reward(text: str) -> None:
    async def garbles(far: Far, socket: ServerConnection, message: dict[str, Any]) -> None:
        if message["type"] == "step" and far.steps() == 1:
            await socket.send(text.replace("ID", request_id(message)))
        else:
            await socket.send(answer(message))

    async def main() -> None:
        async with far_end(garbles) as (_, env):
            await env.reset()
            with pytest.raises(InfrastructureFault):
                await env.step("a")
            assert (await env.paint("bb")).reward == 0.02

    asyncio.run(main())


def test_nobody_there_is_a_fault_with_the_address() -> None:
    async def main() -> None:
        async with far_end(honest) as (_, env):
            url = env._ws_url
        gone = WatercolourEnv(url.removesuffix("/ws"))
        with pytest.raises(InfrastructureFault, match=url.replace("ws://", "")):
            await gone.reset()

    asyncio.run(main())


def test_wrong_use_is_told_before_anything_is_sent() -> None:
    async def main() -> None:
        async with far_end(honest) as (far, env):
            with pytest.raises(UsageError, match="call reset"):
                await env.step("x")
            for options in ({"sede": 1}, {"seed": -1}, {"references": 0}, {"revisions": 99}, {"subject": ""}):
                with pytest.raises(UsageError, match=next(iter(options))):
                    await env.reset(**options)
            assert far.received == []
            await env.paint("x")
            with pytest.raises(UsageError, match="call reset"):
                await env.step("x")

    asyncio.run(main())


def test_one_client_serves_one_event_loop_after_another() -> None:
    """As when a synchronous reward function calls asyncio.run each time."""
    process = subprocess.Popen(
        [sys.executable, "-c", _ECHO_SERVER], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        env = WatercolourEnv(f"http://127.0.0.1:{process.stdout.readline().strip()}")
        assert [asyncio.run(env.paint("x" * length)).reward for length in (1, 2, 3)] == [0.01, 0.02, 0.03]
        with WatercolourEnv(env._ws_url.removesuffix("/ws")).sync() as sync:
            assert sync.paint("x" * 5).reward == 0.05
    finally:
        process.kill()
        process.wait()


_ECHO_SERVER = """
import asyncio, json
from websockets.asyncio.server import serve

async def handle(socket):
    async for text in socket:
        message = json.loads(text)
        if message["type"] == "close":
            return
        step = message["type"] == "step"
        data = message["data"]
        observation = {"request_id": data["metadata"]["request_id"] if step else data["request_id"]}
        reward = len(data["response"]) / 100 if step else None
        await socket.send(json.dumps({"data": {"observation": observation, "reward": reward, "done": step}}))

async def main():
    async with serve(handle, "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()

asyncio.run(main())
"""


def test_the_client_needs_neither_our_server_nor_a_browser_nor_gradio() -> None:
    program = (
        "import sys, wclib.env.client\n"
        "unwanted = {'wclib.env.environment', 'wclib.env.studio', 'wclib.env.app', 'wclib.render', 'wclib.judges',\n"
        "            'wclib.reward', 'wclib.scorer', 'wclib.gate', 'playwright', 'sklearn', 'gradio', 'torch'}\n"
        "print(sorted(unwanted & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
