"""The vision judge: a vision-language model is shown two paintings and names the better one.

It is asked through huggingface_hub's inference client (any server that speaks the same chat
completions API will do), at temperature 0, with the domain's criteria and the order to ignore the
subject. The reply is JSON with the winner first, so that a reply cut short still names it. The
client library retries nothing by itself; :mod:`wclib.judges.remote` does.

Environment: ``WATERCOLOUR_JUDGE_MODEL`` (default Qwen/Qwen3-VL-30B-A3B-Instruct), ``WATERCOLOUR_JUDGE_URL``
(default Hugging Face's Inference Providers), ``HF_TOKEN``, which goes to huggingface.co and to nobody
else, and ``WATERCOLOUR_JUDGE_TOKEN`` for a server of your own.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from typing import Any

import httpx
from huggingface_hub import AsyncInferenceClient
from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError

from wclib.domains import HIBISCUS, Domain
from wclib.errors import UsageError
from wclib.judges.pairwise import Position
from wclib.judges.remote import (
    Lost,
    PerLoop,
    ask,
    data_url,
    host,
    lost_status,
    lost_transport,
    token_for,
    without_thoughts,
)

DEFAULT_MODEL = "Qwen/Qwen3-VL-30B-A3B-Instruct"
PROVIDERS_URL = "https://router.huggingface.co/v1"
MAX_TOKENS = 220

_QUESTION = """\
You compare two watercolour paintings, A and B, as paintings. What they show does not matter: never prefer one for its \
subject, or for showing it more completely.
Better: {criteria}.
Worse: {worse}.
Answer with one JSON object and nothing around it, the winner first:
{{"winner": "A" or "B", "reason": "at most 20 words"}}
There are no ties: if they are close, pick the one you would rather hang."""

_WINNER = re.compile(
    r"""\bwinner\b["'*]*\s*[:=]\s*["'*]*\s*(?:(?:painting|picture|image)\s+)?([AB])\b(?!["']?\s+or\b)""",
    re.IGNORECASE,
)
_BARE = re.compile(r"""\W*(?:(?:painting|picture|image)\s+)?([AB])\W*""", re.IGNORECASE)


def parse_winner(reply: str) -> Position | None:
    """Who a reply names: ``"first"`` for A, ``"second"`` for B, None when it names nobody or both.

    Takes JSON whole or cut, in fences or in prose, and a bare letter.
    """
    reply = without_thoughts(reply)
    named = {letter.upper() for letter in _WINNER.findall(reply)}
    if not named and (bare := _BARE.fullmatch(reply)):
        named = {bare[1].upper()}
    if len(named) != 1:
        return None
    return "first" if named.pop() == "A" else "second"


class VisionJudge:
    """Compares two pictures by asking a vision-language model.

    Args:
        model: model id, as the provider names it.
        domain: whose criteria it is given.
        url: base URL of a chat completions API.
        token: bearer token for that URL, or None; never shown.
        attempt_s: seconds one request may take.
        deadline_s: seconds one verdict may take, with its retries and waits.
        concurrent: requests in flight at once.

    Attributes:
        spent: requests answered so far and the tokens the server counted for them.

    Raises:
        UsageError: ``url`` is not an http(s) URL.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        domain: Domain = HIBISCUS,
        url: str = PROVIDERS_URL,
        token: str | None = None,
        attempt_s: float = 40.0,
        deadline_s: float = 120.0,
        concurrent: int = 8,
    ):
        self.model, self.domain, self.deadline_s = model, domain, deadline_s
        self.name = f"vision judge {model}"
        self.spent: Counter[str] = Counter()
        self._whom = f"{self.name} at {host(url, 'WATERCOLOUR_JUDGE_URL')}"
        # An empty key would make the library look for a saved Hugging Face token and send that.
        key = token or "none"
        self._client = PerLoop(lambda: AsyncInferenceClient(base_url=url, api_key=key, timeout=attempt_s))
        self._turns = PerLoop(lambda: asyncio.Semaphore(concurrent))

    def __repr__(self) -> str:
        return f"<{self._whom}>"

    def question(self) -> str:
        """The text shown with the two pictures."""
        return _QUESTION.format(criteria=self.domain.criteria, worse=self.domain.worse)

    async def verdict(self, first: bytes, second: bytes) -> Position:
        """Which picture is the better painting.

        Raises:
            InfrastructureFault: part ``"judge"``, when three attempts or the deadline brought no answer.
        """
        content: list[dict[str, Any]] = [
            {"type": "text", "text": self.question()},
            {"type": "text", "text": "Painting A:"},
            {"type": "image_url", "image_url": {"url": data_url(first)}},
            {"type": "text", "text": "Painting B:"},
            {"type": "image_url", "image_url": {"url": data_url(second)}},
        ]
        return await ask("judge", self._whom, lambda: self._ask_once(content), self.deadline_s)

    async def _ask_once(self, content: list[dict[str, Any]]) -> Position:
        try:
            async with self._turns.get():
                answer = await self._client.get().chat_completion(
                    [{"role": "user", "content": content}], model=self.model, max_tokens=MAX_TOKENS, temperature=0.0
                )
            reply = answer.choices[0].message.content
            self._count(answer.usage)
        except HfHubHTTPError as error:
            raise lost_status(error.response.status_code, error.response.headers) from None
        except (httpx.HTTPError, InferenceTimeoutError, OSError) as error:
            raise lost_transport(error) from None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise Lost("the answer was not a chat completion") from None
        winner = parse_winner(reply) if isinstance(reply, str) else None
        if winner is None:
            raise Lost("the reply named no winner")
        return winner

    def _count(self, usage: object) -> None:
        self.spent["requests"] += 1
        for name in ("prompt_tokens", "completion_tokens"):
            counted = getattr(usage, name, None)
            self.spent[name] += counted if isinstance(counted, int) else 0


def vision_judge_from_env(domain: Domain = HIBISCUS) -> VisionJudge | None:
    """The vision judge the environment asks for, or None when it configures none.

    ``HF_TOKEN`` or ``WATERCOLOUR_JUDGE_URL`` configures one; ``WATERCOLOUR_JUDGE_MODEL=local`` keeps the local
    judge all the same.

    Raises:
        UsageError: a bad URL, or a model asked for without a way to reach one.
    """
    model = os.environ.get("WATERCOLOUR_JUDGE_MODEL", "").strip()
    url = os.environ.get("WATERCOLOUR_JUDGE_URL", "").strip()
    hub_token = os.environ.get("HF_TOKEN", "").strip()
    if model == "local":
        return None
    if not url and not hub_token:
        if model:
            raise UsageError(
                f"WATERCOLOUR_JUDGE_MODEL={model} needs HF_TOKEN, or WATERCOLOUR_JUDGE_URL for a server of your own; "
                "unset it (or set it to local) to use the local judge"
            )
        return None
    url = url or PROVIDERS_URL
    host(url, "WATERCOLOUR_JUDGE_URL")
    return VisionJudge(model or DEFAULT_MODEL, domain, url, token_for(url, "WATERCOLOUR_JUDGE_TOKEN"))
