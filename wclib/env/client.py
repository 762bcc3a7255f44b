"""The client: OpenEnv's own, with two faults of its sockets mended and every reply checked.

    async with WatercolourEnv("http://127.0.0.1:8000") as env:
        result = await env.paint(reply, seed=7)          # reset and step in one call
        print(result.reward, result.observation.feedback)

OpenEnv 0.3.0 to 0.4.2 keeps a socket that the far end has closed, so every later call fails; and
after a step that timed out the next step receives the previous reply, shifted by one from then
on: one sketch gets another's reward, silently. Here

* a socket on which anything went wrong is dropped, so no late reply can ever be read from it;
* ``reset`` on a socket that turns out dead connects again, within the call;
* every message carries an id, and a reply without that id is refused;
* ``step`` in an episode that was lost raises, and the next ``reset`` works.

Each failure is an :class:`~wclib.errors.InfrastructureFault` of part ``"environment"``: the reward
is None. This module imports nothing of the server side of wclib.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import uuid
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from wclib.env.models import ResetOptions, WatercolourAction, WatercolourObservation, WatercolourState
from wclib.env.token import bearer
from wclib.env.wire import EnvClient, StepResult
from wclib.errors import InfrastructureFault, UsageError

Result: TypeAlias = StepResult[WatercolourObservation]
_GOODBYE_S = 5.0


class WatercolourEnv(EnvClient[WatercolourAction, WatercolourObservation, WatercolourState]):
    """One session with an environment server; ``.sync()`` gives a synchronous wrapper.

    Args:
        base_url: ``http://``, ``https://`` or ``ws://`` address of the server.
        message_timeout_s: longest wait for one reply. A render's deadline is 20 s, a judge's longer.
        connect_timeout_s: longest wait for a connection.
        token: sent to a server that asks for one; ``WATERCOLOUR_ENV_TOKEN`` when None.
    """

    _ws: ClientConnection | None

    def __init__(
        self,
        base_url: str,
        message_timeout_s: float = 180.0,
        connect_timeout_s: float = 20.0,
        token: str | None = None,
    ):
        super().__init__(base_url, connect_timeout_s=connect_timeout_s, message_timeout_s=message_timeout_s)
        self._headers = bearer(token)
        self._episode = "none"  # none, open, over, lost
        self._echoes = True
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reset(self, **options: Any) -> Result:
        """Start an episode and return the task.

        Args:
            options: ``seed``, ``subject``, ``references``, ``return_image``, ``revisions``; see
                :class:`~wclib.env.models.ResetOptions`.

        Raises:
            UsageError: an option is unknown or out of range.
            InfrastructureFault: no answer, also not over a fresh connection.
        """
        data = ResetOptions.parse(options).model_dump(exclude_unset=True)
        reused = self._ws is not None
        try:
            result = await self._ask("reset", data)
        except InfrastructureFault as fault:
            if not reused or isinstance(fault.__cause__, TimeoutError):
                raise
            result = await self._ask("reset", data)
        self._episode = "over" if result.done else "open"
        return result

    async def step(self, action: WatercolourAction | str, **kwargs: Any) -> Result:
        """Send a reply (the policy's whole text) and return the painting's observation.

        Raises:
            UsageError: there is no open episode.
            InfrastructureFault: no answer, or not the answer to this reply. The episode is lost.
        """
        if self._episode == "lost":
            raise InfrastructureFault("environment", "the episode was lost with its connection: reset and paint again")
        if self._episode != "open":
            raise UsageError("there is no open episode: call reset before step")
        payload = self._step_payload(WatercolourAction(response=action) if isinstance(action, str) else action)
        result = await self._ask("step", payload)
        self._episode = "over" if result.done else "open"
        return result

    async def paint(self, reply: str, **options: Any) -> Result:
        """Reset and step in one call; when the connection is lost in between, the whole exchange runs once more.

        The same options and reply give the same painting, so running it again is safe. An answer that
        did not come in time is not asked for again.

        Raises:
            UsageError: an option is unknown or out of range.
            InfrastructureFault: no answer twice, or not in time.
        """
        await self.reset(**options)
        try:
            return await self.step(reply)
        except InfrastructureFault as fault:
            if isinstance(fault.__cause__, TimeoutError):
                raise
        await self.reset(**options)
        return await self.step(reply)

    async def connect(self) -> WatercolourEnv:
        """Connect, unless that is done already; ``reset`` does it when needed.

        Raises:
            OSError, WebSocketException: nobody answers there, or the server refuses us.
        """
        if self._ws is not None and self._loop is not asyncio.get_running_loop():
            self._drop()  # a socket cannot outlive the event loop it was opened in
        self._loop = asyncio.get_running_loop()
        if self._ws is None:
            local = urlsplit(self._ws_url).hostname in ("127.0.0.1", "::1", "localhost")
            self._ws = await connect(
                self._ws_url,
                open_timeout=self._connect_timeout,
                max_size=self._max_message_size,
                additional_headers=self._headers,
                proxy=None if local else True,
            )
        return self

    async def disconnect(self) -> None:
        """Close the connection. The session's slot on the server is free when this returns."""
        if self._ws is not None and self._loop is asyncio.get_running_loop():
            with contextlib.suppress(OSError, WebSocketException, TimeoutError):
                async with asyncio.timeout(_GOODBYE_S):
                    await self._send({"type": "close"})
                    # The server ends the session first and closes then; wait for that, not for our own close.
                    await self._ws.wait_closed()
        self._drop()
        self._episode = "none"

    # The renamed OpenEnv (openenv 0.10) and its synchronous wrapper call these four; ours must not be passed by.
    _connect_async, _disconnect_async, _reset_async, _step_async = connect, disconnect, reset, step

    async def _ask(self, kind: str, data: dict[str, Any]) -> Result:
        request_id = uuid.uuid4().hex
        if kind == "reset":
            data = {**data, "request_id": request_id}
        else:
            data = {**data, "metadata": {**data.get("metadata", {}), "request_id": request_id}}
        payload: Any = (await self._send_and_receive({"type": kind, "data": data})).get("data")
        try:
            observation = payload["observation"]
            if kind == "reset":
                # A server of the published environment returns no ids; ours always does.
                self._echoes = "request_id" in observation
            returned = observation.get("request_id")
            if self._echoes and returned != request_id:
                raise InfrastructureFault(
                    "environment",
                    f"the server answered request {returned!r} when {request_id!r} was asked: refused, paint again",
                )
            return self._parse_result(payload)
        except InfrastructureFault:
            self._drop()
            raise
        except (KeyError, TypeError, AttributeError, ValueError) as error:  # pydantic's is a ValueError
            self._drop()
            detail = (
                f"the server's answer is not an observation ({error}): is {self._ws_url} a watercolour environment?"
            )
            raise InfrastructureFault("environment", detail) from error

    async def _send_and_receive(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._message_timeout):
                await self.connect()
                assert self._ws is not None
                with contextlib.suppress(ConnectionClosed):
                    await self._send(message)  # a server that closed may have said why: read on
                response = json.loads(await self._ws.recv())
            if not isinstance(response, dict):
                raise ValueError("the answer is not a JSON object")
        except TimeoutError as error:
            self._drop()
            detail = f"no answer to {message['type']} from {self._ws_url} within {self._message_timeout:g} s"
            raise InfrastructureFault("environment", detail) from error
        except (OSError, WebSocketException, ValueError) as error:
            self._drop()
            detail = f"the connection to {self._ws_url} failed: {error}"
            if isinstance(error, InvalidStatus) and error.response.status_code in (401, 403):
                detail += "; it asks for a token: set WATERCOLOUR_ENV_TOKEN to the server's"
            raise InfrastructureFault("environment", detail) from error
        except BaseException:
            # Cancelled: the answer to this message is still on its way, and nobody else may read it.
            self._drop()
            raise
        if response.get("type") == "error":
            self._drop()
            raise _refusal(response.get("data"))
        return response

    def _drop(self) -> None:
        if self._episode == "open":
            self._episode = "lost"
        socket, self._ws = self._ws, None
        if socket is not None and self._loop is not None and not self._loop.is_closed():
            socket.transport.abort()

    def _step_payload(self, action: WatercolourAction) -> dict[str, Any]:
        # A lone surrogate is legal in a Python string and illegal in JSON text.
        response = action.response.encode("utf-8", "replace").decode("utf-8")
        return {"response": response, "metadata": dict(action.metadata)}

    def _parse_result(self, payload: dict[str, Any]) -> Result:
        known = WatercolourObservation.model_fields
        fields = {name: value for name, value in payload["observation"].items() if name in known}
        reward = payload.get("reward")
        if reward is not None:
            reward = float(reward)
            if not math.isfinite(reward):
                raise ValueError(f"the reward is {reward}")
        done = bool(payload.get("done"))
        return StepResult(WatercolourObservation(**fields, done=done, reward=reward), reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> WatercolourState:
        return WatercolourState(**payload)


def _refusal(data: Any) -> InfrastructureFault:
    data = data if isinstance(data, dict) else {}
    code, message = data.get("code", "UNKNOWN"), data.get("message", "no reason given")
    if code == "CAPACITY_REACHED":
        most = data.get("max_sessions", "several")
        message = f"all {most} sessions of the server are taken; close one, or start it with a larger --max-sessions"
    return InfrastructureFault("environment", f"{message} ({code})")
