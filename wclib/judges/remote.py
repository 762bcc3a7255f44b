"""Asking a scorer over HTTP: three attempts, ``Retry-After`` honoured, one deadline over all of it.

Whatever goes wrong ends as one :class:`~wclib.errors.InfrastructureFault` that says what was asked, how
often and what came back. It never quotes a header, a body or a URL with its credentials, so no
secret can reach a log, an observation or a run's folder through it.
"""

from __future__ import annotations

import asyncio
import base64
import email.utils
import math
import os
import re
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar
from urllib.parse import urlsplit

import httpx
import stamina
import stamina.instrumentation

from wclib.errors import InfrastructureFault, UsageError

# What an attempt lost is said once, by the fault that is raised when all are lost.
stamina.instrumentation.set_on_retry_hooks([])

T = TypeVar("T")
ATTEMPTS = 3
#: Statuses after which the same request may succeed.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_REMEDIES = {
    401: "check the token",
    402: "the account has no credit left",
    403: "the token may not use this",
    404: "check the URL and the model's name",
    413: "the picture is too large for it",
}


class Lost(Exception):
    """One attempt that gave no usable answer.

    Args:
        detail: what happened, free of secrets.
        again: whether another attempt may help.
        wait_s: seconds the far end asked us to wait, or None.
    """

    def __init__(self, detail: str, again: bool = True, wait_s: float | None = None):
        super().__init__(detail)
        self.detail, self.again, self.wait_s = detail, again, wait_s


def lost_status(status: int, headers: Mapping[str, str]) -> Lost:
    """The :class:`Lost` for an HTTP status other than 200."""
    remedy = _REMEDIES.get(status)
    return Lost(
        f"HTTP {status}" + (f" ({remedy})" if remedy else ""),
        again=status in _PASSING,
        wait_s=retry_after(headers),
    )


def lost_transport(error: Exception) -> Lost:
    """The :class:`Lost` for a connection that failed, broke or timed out."""
    if isinstance(error, (httpx.TimeoutException, TimeoutError)):
        return Lost("no answer in time")
    return Lost(f"connection failed ({type(error).__name__})")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds asked for by a ``Retry-After`` header: a number or an HTTP date (RFC 9110, section 10.2.3)."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


async def ask(part: str, whom: str, attempt: Callable[[], Awaitable[T]], deadline_s: float) -> T:
    """Run ``attempt`` until it answers: at most three times, within ``deadline_s`` seconds in all.

    Args:
        part: what the fault is called, ``"judge"`` or ``"quality"``.
        whom: who is asked, for the message.
        attempt: one request; raises :class:`Lost`.
        deadline_s: seconds for every attempt and wait together.

    Raises:
        InfrastructureFault: no attempt answered; names the last thing that went wrong.
    """
    tried, last = 0, Lost("no answer in time")

    def again(error: Exception) -> bool | float:
        if not isinstance(error, Lost) or not error.again:
            return False
        return True if error.wait_s is None else error.wait_s

    try:
        async with asyncio.timeout(deadline_s):
            async for context in stamina.retry_context(
                again, attempts=ATTEMPTS, timeout=deadline_s, wait_initial=0.25, wait_max=8.0, wait_jitter=0.25
            ):
                with context:
                    tried += 1
                    try:
                        return await attempt()
                    except Lost as lost:
                        last = lost
                        raise
    except (Lost, TimeoutError):
        pass
    times = "once" if tried == 1 else f"{tried} times"
    raise InfrastructureFault(part, f"{whom} asked {times} within {deadline_s:g} s: {last.detail}")


def host(url: str, variable: str) -> str:
    """``host[:port]`` of an http(s) URL, for messages.

    Raises:
        UsageError: not such a URL; names the environment variable it came from.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{variable} must be a URL such as http://127.0.0.1:8080, starting with http:// or https://")
    return parts.hostname + (f":{port}" if port else "")


def token_for(url: str, variable: str) -> str | None:
    """The bearer token for a URL: the one in ``variable``, else ``HF_TOKEN``, which goes to huggingface.co alone."""
    parts = urlsplit(url)
    name = parts.hostname or ""
    hugging_face = parts.scheme == "https" and (name == "huggingface.co" or name.endswith(".huggingface.co"))
    hub_token = os.environ.get("HF_TOKEN", "").strip() if hugging_face else ""
    return os.environ.get(variable, "").strip() or hub_token or None


_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


def without_thoughts(reply: str) -> str:
    """A reply without what its model thought aloud, closed or cut short."""
    return _THINKING.sub("", reply)


def data_url(picture: bytes) -> str:
    """A PNG, JPEG or WebP as a ``data:`` URL, which is how chat completions take pictures."""
    kind = "webp" if picture[8:12] == b"WEBP" else "jpeg" if picture[:2] == b"\xff\xd8" else "png"
    return f"data:image/{kind};base64," + base64.b64encode(picture).decode()


class PerLoop(Generic[T]):
    """One object an asyncio loop: HTTP connections belong to the loop they were opened in.

    A notebook, a server and ``asyncio.run`` each bring their own loop, and may share one judge.
    """

    def __init__(self, make: Callable[[], T]):
        self._make = make
        self._made: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, T] = weakref.WeakKeyDictionary()

    def get(self) -> T:
        """This loop's object, made on first use."""
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            for ended in [other for other in self._made if other.is_closed()]:
                del self._made[ended]
            self._made[loop] = self._make()
        return self._made[loop]
