"""Serving: take the port, check the settings, then start what is heavy.

    python -m wclib serve --port 8000
    curl -s localhost:8000/health

Covered: sessions progress side by side; over capacity a client is told so; a client that leaves
gives its slot back at once, a silent one when its pings go unanswered (40 s), an idle one after
:data:`wclib.env.studio.IDLE_S`; loopback unless told otherwise; the port is taken before anything heavy starts.
with ``WATERCOLOUR_ENV_TOKEN`` set, whoever does not send it is refused (:mod:`wclib.env.token`).
Not covered here: encryption. Put the server behind something that has it before exposing it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import TYPE_CHECKING

from wclib.env.studio import DEFAULT_SESSIONS, check_settings
from wclib.errors import UsageError

if TYPE_CHECKING:
    import uvicorn

#: Largest websocket message taken; a 5 MB reply passes, and the gate has its say about it.
MESSAGE_BYTES = 32 * 2**20
#: Tells a server the process that started it; the server ends when that one is gone, however it went.
PARENT_PID = "WATERCOLOUR_PARENT_PID"


def listen(host: str, port: int) -> socket.socket:
    """Take a port now, so that a clash shows before anything heavy starts.

    Args:
        host: address or name to serve on.
        port: 0 for any free one.

    Raises:
        UsageError: the port is taken, not allowed or out of range, or the host is unknown.
    """
    if not 0 <= port <= 65535:
        raise UsageError(f"cannot serve on port {port}: --port is a number from 0 (any free one) to 65535")
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


def serve(
    host: str = "127.0.0.1", port: int = 8000, max_sessions: int = DEFAULT_SESSIONS, renderer: str = "local"
) -> None:
    """Serve until interrupted. The address goes to stderr as soon as the port is taken.

    Raises:
        UsageError: the port cannot be had, there are no sessions, or a setting is wrong (see
            :func:`wclib.env.studio.check_settings`).
    """
    if max_sessions < 1:
        raise UsageError(f"--max-sessions {max_sessions}: a server needs at least one session")
    with listen(host, port) as taken:
        shown = f"[{host}]" if ":" in host else host
        print(f"wclib environment: http://{shown}:{taken.getsockname()[1]}", file=sys.stderr, flush=True)

        import uvicorn

        check_settings(renderer)  # a wrong setting is the caller's mistake: say so now instead of serving red

        from wclib.env.server import build_app

        config = uvicorn.Config(
            build_app(max_sessions, renderer=renderer),
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
