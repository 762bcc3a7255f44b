"""HPSv3 by HTTP: how well a picture fits the domain's caption, as people would rate it.

The model (7B, pinned to an old transformers) runs in a process of its own; this is its client.
``POST /score {"png_base64", "prompt"}`` answers ``{"mu", "sigma", "score", "available"}``; the reward uses
``1 / (1 + exp(-mu / 4))``, the published squash, computed here from ``mu``.

Environment: ``WATERCOLOUR_HPSV3_URL``, and ``WATERCOLOUR_HPSV3_TOKEN`` when that server wants one.
"""

from __future__ import annotations

import base64
import math
import os

import httpx

from wclib.domains import HIBISCUS, Domain
from wclib.judges.remote import Lost, PerLoop, ask, host, lost_status, lost_transport

#: The logistic's scale: mu is about +3.5 for a loved painting, -7.5 for a rejected one.
SCALE = 4.0


def squash(mu: float) -> float:
    """HPSv3's ``mu`` as a score in [0, 1]: ``1 / (1 + exp(-mu / 4))``, without overflow."""
    return (1.0 + math.tanh(mu / (2.0 * SCALE))) / 2.0


class HPSv3Client:
    """Scores a picture on an HPSv3 server.

    Args:
        url: the server's base URL.
        caption: what the picture is compared with.
        token: bearer token for that server, or None; never shown.
        attempt_s: seconds one request may take (the first may load the model).
        deadline_s: seconds one score may take, with its retries and waits.

    Raises:
        UsageError: ``url`` is not an http(s) URL.
    """

    name = "HPSv3"

    def __init__(
        self,
        url: str,
        caption: str = HIBISCUS.caption,
        token: str | None = None,
        attempt_s: float = 60.0,
        deadline_s: float = 180.0,
    ):
        self.caption, self.deadline_s = caption, deadline_s
        self._whom = f"HPSv3 at {host(url, 'WATERCOLOUR_HPSV3_URL')}"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = PerLoop(lambda: httpx.AsyncClient(base_url=url, headers=headers, timeout=attempt_s))

    def __repr__(self) -> str:
        return f"<{self._whom}>"

    async def quality(self, png: bytes) -> float:
        """The squashed score of one picture, in [0, 1].

        Raises:
            InfrastructureFault: part ``"quality"``: no answer, not available, or a score that is not a number.
        """
        body = {"png_base64": base64.b64encode(png).decode(), "prompt": self.caption}
        return await ask("quality", self._whom, lambda: self._ask_once(body), self.deadline_s)

    async def _ask_once(self, body: dict[str, str]) -> float:
        try:
            response = await self._client.get().post("/score", json=body)
        except (httpx.HTTPError, OSError) as error:
            raise lost_transport(error) from None
        if response.status_code != 200:
            raise lost_status(response.status_code, response.headers)
        try:
            answer = response.json()
            available, mu = answer.get("available", True), answer.get("mu")
        except (ValueError, AttributeError):
            raise Lost("the answer was not a JSON object") from None
        if available is not True:
            raise Lost("the server says its model is not available")
        # Compared without converting: an integer too long for a float is no score either.
        if isinstance(mu, bool) or not isinstance(mu, (int, float)) or not abs(mu) < 1e6:
            raise Lost("the answer's mu was not a finite number")
        return squash(mu)


def hpsv3_from_env(domain: Domain = HIBISCUS) -> HPSv3Client | None:
    """The HPSv3 client the environment asks for, or None when ``WATERCOLOUR_HPSV3_URL`` is not set.

    Raises:
        UsageError: it is set to something that is not a URL.
    """
    url = os.environ.get("WATERCOLOUR_HPSV3_URL", "").strip()
    token = os.environ.get("WATERCOLOUR_HPSV3_TOKEN", "").strip() or None
    return HPSv3Client(url, domain.caption, token) if url else None
