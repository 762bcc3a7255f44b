"""The environment's optional token: who gets in, who is refused, and that no message shows it."""

from __future__ import annotations

import asyncio

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request, WebSocket

from wclib.env.app import listen
from wclib.env.client import WatercolourEnv
from wclib.env.token import VARIABLE, BearerToken
from wclib.errors import InfrastructureFault, UsageError
from wclib.train.scoring import health_report

TOKEN = "sesame-open"


def test_only_the_right_token_gets_in_and_the_client_sends_it(monkeypatch):
    inner = FastAPI()
    shown: list[str | None] = []

    @inner.get("/health")
    async def health(request: Request) -> dict[str, str]:
        shown.append(request.headers.get("authorization"))
        return {"status": "healthy"}

    @inner.get("/schema")
    async def schema() -> dict[str, str]:
        return {}

    @inner.websocket("/ws")
    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        await socket.receive_text()
        await socket.close()

    async def main() -> None:
        server = uvicorn.Server(uvicorn.Config(BearerToken(inner, TOKEN), log_level="error"))
        with listen("127.0.0.1", 0) as taken:
            serving = asyncio.create_task(server.serve(sockets=[taken]))
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
            async with httpx.AsyncClient(base_url=url) as http:
                refused = [None, "", TOKEN, "Bearer", f"Bearer {TOKEN}x", f"Bearer  {TOKEN}", "Bearer s\u00e9same"]
                for given in refused:
                    headers = {} if given is None else {"Authorization": given.encode()}
                    answer = await http.get("/schema", headers=headers)
                    assert answer.status_code == 401 and TOKEN not in answer.text
                assert (await http.get("/schema", headers={"Authorization": f"Bearer {TOKEN}"})).status_code == 200
                assert (await http.get("/health/..//schema")).status_code in (401, 404)
            for token, said in (("", "asks for a token"), ("wrong", "asks for a token"), (TOKEN, "connection")):
                with pytest.raises(InfrastructureFault, match=said) as fault:
                    await WatercolourEnv(url, token=token).reset(seed=1)
                assert ("asks for a token" in str(fault.value)) == (token != TOKEN) and TOKEN not in str(fault.value)
            monkeypatch.setenv(VARIABLE, f"{TOKEN}\n")  # as a file read by `cat` leaves it
            assert (await asyncio.to_thread(health_report, url))["status"] == "healthy"
            await WatercolourEnv(url).connect()
            monkeypatch.delenv(VARIABLE)
            await asyncio.to_thread(health_report, url)
            server.should_exit = True
            await serving

    asyncio.run(main())
    assert shown == [f"Bearer {TOKEN}", None]


@pytest.mark.parametrize("token", ["s\u00e9same", "sesame\r\nX-Other: 1", "two words", "sesame\x00"])
def test_a_token_no_header_can_hold_is_refused_unseen(monkeypatch, token):
    with pytest.raises(UsageError, match=VARIABLE) as refused:
        WatercolourEnv("http://127.0.0.1:9", token=token)
    assert "sesame" not in str(refused.value) and "two" not in str(refused.value)
