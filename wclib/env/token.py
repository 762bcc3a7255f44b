"""An optional bearer token: who may talk to a server that can be reached from outside.

Set ``WATERCOLOUR_ENV_TOKEN`` for the server and for whoever uses it. Only ``/health`` answers without it, since load
balancers and the trainer's first look ask there; it names no path and no secret.
"""

from __future__ import annotations

import hmac
import os
import re
from typing import TYPE_CHECKING

from wclib.errors import UsageError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

VARIABLE = "WATERCOLOUR_ENV_TOKEN"


class BearerToken:
    """ASGI middleware: requests and websockets without the token are refused before anything else sees them.

    Args:
        app: what is guarded.
        token: the secret; it is compared in constant time.
    """

    def __init__(self, app: ASGIApp, token: str):
        self._app, self._expected = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        kind = scope["type"]
        if kind in ("http", "websocket") and not (kind == "http" and scope["path"] == "/health"):
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                await _refuse(scope, receive, send)
                return
        await self._app(scope, receive, send)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})  # before it was accepted: the client sees HTTP 403
        return
    from starlette.responses import JSONResponse

    detail = f"this server asks for a token: send it as Authorization: Bearer ..., or set {VARIABLE}"
    await JSONResponse({"detail": detail}, 401)(scope, receive, send)


def token_from_env() -> str:
    """The token that was set, or nothing; spaces and line ends around it are dropped.

    Raises:
        UsageError: it holds what a header cannot; the value is not shown.
    """
    return checked(os.environ.get(VARIABLE, "").strip())


def checked(token: str) -> str:
    """The token itself, when a header can hold it.

    Raises:
        UsageError: it holds spaces, control characters or letters outside ASCII; the value is not shown.
    """
    if not re.fullmatch(r"[!-~]*", token):
        raise UsageError(f"{VARIABLE} holds a space, a line end or a letter outside ASCII: a header cannot carry it")
    return token


def bearer(token: str | None = None) -> dict[str, str]:
    """The header that shows a token, :func:`token_from_env`'s when None; no header without one."""
    token = token_from_env() if token is None else checked(token)
    return {"Authorization": f"Bearer {token}"} if token else {}
