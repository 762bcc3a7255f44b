"""One question to one model: what it said, how long it took, what it cost.

Through huggingface_hub's inference client, so Inference Providers or any server that speaks the same chat completions
API. Attempts, ``Retry-After`` and the deadline are those of :mod:`wclib.judges.remote`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import defaultdict
from dataclasses import dataclass

import httpx
from huggingface_hub import AsyncInferenceClient
from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError

from wclib.errors import UsageError
from wclib.judges.remote import Lost, ask, host, lost_status, lost_transport, token_for
from wclib.judges.vision import PROVIDERS_URL

URL, TOKEN = "WATERCOLOUR_GENERATE_URL", "WATERCOLOUR_GENERATE_TOKEN"
#: What a model that reads no pictures answers to one.
_REFUSES_PICTURES = (400, 415, 422)


class NoPictures(Exception):
    """The model takes no pictures; the question may be asked again without."""


@dataclass(frozen=True)
class Reply:
    """An answer.

    Attributes:
        text: what the model wrote. cut: it ran into ``max_tokens``.
        prompt_tokens, completion_tokens: as the provider counts them, 0 where it does not say.
        latency_s: seconds of the attempt that was answered.
    """

    text: str
    cut: bool
    prompt_tokens: int
    completion_tokens: int
    latency_s: float


class Chat:
    """Models behind one URL. Use it inside one event loop and ``close`` it there.

    Args:
        url: base URL of a chat completions API.
        token: bearer token for it, or None; never shown.
        concurrent: requests to one model in flight at once.
        attempt_s, deadline_s: seconds one request, and one question with its retries and waits, may take.

    Raises:
        UsageError: ``url`` is not an http(s) URL.
    """

    def __init__(
        self,
        url: str = PROVIDERS_URL,
        token: str | None = None,
        concurrent: int = 8,
        attempt_s: float = 240.0,
        deadline_s: float = 600.0,
    ):
        self._host, self._deadline_s = host(url, URL), deadline_s
        # An empty key would make the library look for a saved Hugging Face token and send that.
        self._client = AsyncInferenceClient(base_url=url, api_key=token or "none", timeout=attempt_s)
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(concurrent))

    @classmethod
    def from_env(cls) -> Chat:
        """Inference Providers with ``HF_TOKEN``, or ``WATERCOLOUR_GENERATE_URL`` with ``WATERCOLOUR_GENERATE_TOKEN``.

        Raises:
            UsageError: neither is set.
        """
        url = os.environ.get(URL, "").strip()
        if not url and not os.environ.get("HF_TOKEN", "").strip():
            raise UsageError(
                f"models are asked through Inference Providers: set HF_TOKEN, or {URL} for your own server"
            )
        return cls(url or PROVIDERS_URL, token_for(url or PROVIDERS_URL, TOKEN))

    async def ask(self, model: str, messages: list[dict], max_tokens: int, temperature: float) -> Reply:
        """Ask ``model``.

        Raises:
            NoPictures: it was shown one and takes none.
            InfrastructureFault: part ``"models"``; three attempts or the deadline brought no answer.
        """
        pictured = any(isinstance(message["content"], list) for message in messages)

        async def attempt() -> Reply:
            async with self._turns[model]:
                return await self._once(model, messages, max_tokens, temperature, pictured)

        return await ask("models", f"{model} at {self._host}", attempt, self._deadline_s)

    async def _once(
        self, model: str, messages: list[dict], max_tokens: int, temperature: float, pictured: bool
    ) -> Reply:
        started = time.monotonic()
        try:
            answer = await self._client.chat_completion(
                messages, model=model, max_tokens=max_tokens, temperature=temperature
            )
            choice, usage = answer.choices[0], answer.usage
            text = choice.message.content or ""
        except HfHubHTTPError as error:
            if pictured and error.response.status_code in _REFUSES_PICTURES:
                raise NoPictures from None
            raise lost_status(error.response.status_code, error.response.headers) from None
        except (httpx.HTTPError, InferenceTimeoutError, OSError) as error:
            raise lost_transport(error) from None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise Lost("the answer was not a chat completion") from None
        return Reply(
            text=text,
            cut=choice.finish_reason == "length",
            prompt_tokens=getattr(usage, "prompt_tokens", None) or 0,
            completion_tokens=getattr(usage, "completion_tokens", None) or 0,
            latency_s=time.monotonic() - started,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
