"""The server: OpenEnv's FastAPI app with many sessions, one shared studio and an honest ``/health``.

    python -m wclib serve --port 8000
    curl -s localhost:8000/health

Covered: sessions progress side by side; over capacity a client is told so; a client that leaves
gives its slot back at once, a silent one when its pings go unanswered (40 s), an idle one after
:data:`IDLE_S`; loopback unless told otherwise; the port is taken before anything heavy starts.
Not covered here: authentication. Put the server behind something that has it before exposing it.
"""

from __future__ import annotations

import asyncio
import functools
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from wclib.errors import UsageError

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Receive, Scope, Send

DEFAULT_SESSIONS = 64
#: A session without a message for this long is closed and its slot given back.
IDLE_S = 900.0
#: Largest websocket message taken; a 5 MB reply passes, and the gate has its say about it.
MESSAGE_BYTES = 32 * 2**20
#: Set by :func:`wclib.env.local.local_server`: the server ends when this parent is gone, however it went.
PARENT_PID = "WATERCOLOUR_PARENT_PID"


def build_app(max_sessions: int = DEFAULT_SESSIONS, idle_s: float = IDLE_S) -> FastAPI:
    """The ASGI app. Renderer and judges start with its lifespan, so building it is cheap.

    Args:
        max_sessions: websocket sessions at once; one more is refused with CAPACITY_REACHED.
        idle_s: seconds without a message after which a session's slot is given back.

    Raises:
        UsageError: ``max_sessions`` is not a positive number.
    """
    if max_sessions < 1:
        raise UsageError(f"--max-sessions {max_sessions}: a server needs at least one session")

    from fastapi import Request
    from fastapi.responses import JSONResponse
    from openenv.core.env_server import ConcurrencyConfig, create_app

    from wclib.env.environment import WatercolourEnvironment
    from wclib.env.models import WatercolourAction, WatercolourObservation
    from wclib.env.studio import Studio

    studio = Studio()
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
        from starlette.websockets import WebSocketDisconnect, WebSocketDisconnected

        try:
            await self._app(scope, receive, send)
        except (WebSocketDisconnect, WebSocketDisconnected):
            if scope["type"] != "websocket":
                raise


def listen(host: str, port: int) -> socket.socket:
    """Take a port now, so that a clash shows before anything heavy starts.

    Args:
        host: address or name to serve on.
        port: 0 for any free one.

    Raises:
        UsageError: the port is taken, not allowed or out of range, or the host is unknown.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
    except (OSError, OverflowError) as error:
        raise UsageError(f"cannot serve on {host}:{port}: {error}") from None
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(1024)
    except (OSError, OverflowError) as error:
        taken.close()
        raise UsageError(
            f"cannot serve on {host}:{port}: {getattr(error, 'strerror', None) or error}; "
            "choose another port with --port, or --port 0 for any free one"
        ) from None
    return taken


def serve(host: str = "127.0.0.1", port: int = 8000, max_sessions: int = DEFAULT_SESSIONS) -> None:
    """Serve until interrupted. The address goes to stderr as soon as the port is taken.

    Raises:
        UsageError: the port cannot be had, or a setting is wrong; see :func:`wclib.env.studio.check_settings`.
    """
    with listen(host, port) as taken:
        shown = f"[{host}]" if ":" in host else host
        print(f"wclib environment: http://{shown}:{taken.getsockname()[1]}", file=sys.stderr, flush=True)

        import uvicorn

        from wclib.env.studio import check_settings

        check_settings()  # a wrong setting is the caller's mistake: say so now instead of serving red

        config = uvicorn.Config(
            build_app(max_sessions),
            access_log=False,
            log_level="warning",
            ws_max_size=MESSAGE_BYTES,
            ws_per_message_deflate=False,  # pictures are compressed already
            timeout_graceful_shutdown=5,
        )
        server = uvicorn.Server(config)
        asyncio.run(_run(server, taken))


async def _run(server: uvicorn.Server, taken: socket.socket) -> None:
    parent = os.environ.get(PARENT_PID, "")
    watch = asyncio.create_task(_leave_with(int(parent), server)) if parent.isdecimal() else None
    try:
        await server.serve(sockets=[taken])
    finally:
        if watch is not None:
            watch.cancel()


async def _leave_with(parent: int, server: uvicorn.Server) -> None:
    while os.getppid() == parent:
        await asyncio.sleep(1)
    server.should_exit = True
