"""The ASGI app: OpenEnv's own with many sessions, one shared studio and an honest ``/health``.

``uvicorn server.app:app`` in a Space and :func:`wclib.env.app.serve` on the command line both run this.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect, WebSocketDisconnected

from wclib.env.environment import WatercolourEnvironment
from wclib.env.models import WatercolourAction, WatercolourObservation
from wclib.env.studio import DEFAULT_SESSIONS, IDLE_S, Studio
from wclib.env.token import BearerToken, token_from_env
from wclib.env.wire import ConcurrencyConfig, create_app
from wclib.errors import UsageError


def build_app(max_sessions: int = DEFAULT_SESSIONS, idle_s: float = IDLE_S, renderer: str = "local") -> FastAPI:
    """The ASGI app. Renderer and judges start with its lifespan, so building it is cheap.

    Args:
        max_sessions: websocket sessions at once; one more is refused with CAPACITY_REACHED.
        idle_s: seconds without a message after which a session's slot is given back.
        renderer: ``local``, or ``ray`` to paint on a cluster.
    """
    studio = Studio(renderer)
    app = create_app(
        functools.partial(WatercolourEnvironment, studio),
        WatercolourAction,
        WatercolourObservation,
        env_name="watercolour",
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=max_sessions, session_timeout=idle_s),
    )
    # OpenEnv's /health answers "healthy" whatever happens; ours knows.
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", "") != "/health"]

    @app.get("/health", tags=["Health"])
    async def health() -> JSONResponse:
        report = studio.health()
        report["sessions"]["max"] = max_sessions
        return JSONResponse(report, status_code=200 if report["status"] == "healthy" else 503)

    @app.exception_handler(UsageError)
    async def refuse(request: Request, error: UsageError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status_code=422)

    app.add_middleware(_QuietGoodbyes)
    if token := token_from_env():
        app.add_middleware(BearerToken, token=token)
    openenv_lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[object]:
        await asyncio.to_thread(studio.open)
        for part, problem in studio.problems.items():
            print(f"[FAIL] {part}: {problem}", file=sys.stderr, flush=True)
        try:
            async with openenv_lifespan(app) as state:
                yield state
        finally:
            await asyncio.to_thread(studio.close)

    app.router.lifespan_context = lifespan
    return app


class _QuietGoodbyes:
    """ASGI middleware: a client that left is no error, though OpenEnv tries to tell it one more thing and fails."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except (WebSocketDisconnect, WebSocketDisconnected):
            if scope["type"] != "websocket":
                raise
