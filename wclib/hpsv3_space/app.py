"""HPSv3 by HTTP: the scorer as a Space of its own, because the model pins an old transformers and wants a GPU.

    GET  /health        what is served and whether it is loaded; never loads the model
    POST /score         {"png_base64", "prompt"} -> {"mu", "sigma", "score", "available"}
    POST /score_batch   {"items": [{"png_base64", "prompt"}, ...]} -> {"scores": [...]}, in the same order

``score`` is ``1 / (1 + exp(-mu / 4))``. The model (MizzenAI/HPSv3, 16.6 GB, about 18-27 GB of GPU memory) is loaded by
the first score that is asked for; whoever asks while it loads is told to come back (503 with Retry-After). A picture
that got no finite number has ``available`` false and ``mu`` null: a failure is never a number.

This file stands alone: the Space holds it without the rest of wclib.

Environment: ``WATERCOLOUR_HPSV3_TOKEN``, a bearer token that /score then demands; ``HPSV3_REVISION``, a commit of the
weights to pin.

Covered: bodies over 16 MB, batches over 16, pictures over 4096 px a side and prompts over 1000 characters are refused
before they reach the model; the token is compared in constant time; answers hold no stack trace, path or input.
Not covered: encryption, which the Space's proxy does, and any limit on how often one client may ask.

    uvicorn app:app --host 0.0.0.0 --port 7860
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import io
import logging
import math
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from PIL import Image
from pydantic import BaseModel, Field

MODEL = "MizzenAI/HPSv3"
SCALE = 4.0
MAX_BODY = 16 * 2**20
MAX_BATCH = 16
MAX_SIDE = 4096
#: Requests that may wait for the model at once; one more is told to come back.
MAX_WAITING = 64
#: Seconds a request waits for the model to load before it is told to come back, and how long it should stay away.
LOAD_WAIT_S = 30.0
RETRY_S = 10

log = logging.getLogger("hpsv3")


class Item(BaseModel):
    """One picture and the text it is scored against."""

    png_base64: str
    prompt: str = Field(min_length=1, max_length=1000)


class Batch(BaseModel):
    """Pictures scored in one go."""

    items: list[Item] = Field(min_length=1, max_length=MAX_BATCH)


class Score(BaseModel):
    """``mu`` and ``sigma`` are the model's; ``score`` is the squashed ``mu``. All null when not available."""

    mu: float | None
    sigma: float | None
    score: float | None
    available: bool


class HPSv3:
    """The real model, on the GPU. Its weights are downloaded the first time."""

    def __init__(self) -> None:
        import torch
        from hpsv3 import HPSv3RewardInferencer
        from huggingface_hub import hf_hub_download

        revision = os.environ.get("HPSV3_REVISION", "").strip()
        weights = hf_hub_download(MODEL, "HPSv3.safetensors", revision=revision) if revision else None
        self._inferencer = HPSv3RewardInferencer(checkpoint_path=weights, device="cuda")
        self._no_grad = torch.no_grad

    def reward(self, *, image_paths: Sequence[Image.Image], prompts: Sequence[str]) -> Any:
        """A row (mu, sigma) a picture. hpsv3 keeps gradients unless told not to."""
        with self._no_grad():
            # By keyword: the order of these two changed between versions of hpsv3.
            return self._inferencer.reward(image_paths=list(image_paths), prompts=list(prompts))


class Model:
    """Loads once, on first use, and scores one batch at a time.

    Args:
        load: makes the inferencer; takes minutes.
    """

    def __init__(self, load: Callable[[], HPSv3]):
        self._load = load
        self._inferencer: HPSv3 | None = None
        self._one_at_a_time = threading.Lock()
        self._loading: asyncio.Task[HPSv3] | None = None
        self.problem = ""
        self.waiting = 0

    @property
    def loaded(self) -> bool:
        """Whether it is in memory."""
        return self._inferencer is not None

    async def score(self, images: list[Image.Image], prompts: list[str]) -> list[Score]:
        """Scores in the order of the pictures.

        Raises:
            HTTPException: 503, when the model is not there or not yet there, or too many wait.
        """
        if self.waiting >= MAX_WAITING:
            raise _later("too many requests are waiting")
        self.waiting += 1
        try:
            inferencer = await self._ready()
            return await asyncio.to_thread(self._score, inferencer, images, prompts)
        finally:
            self.waiting -= 1

    async def _ready(self) -> HPSv3:
        if self._inferencer is not None:
            return self._inferencer
        if self._loading is None or (self._loading.done() and self.problem):
            self.problem = ""
            self._loading = asyncio.create_task(asyncio.to_thread(self._load))
        try:
            self._inferencer = await asyncio.wait_for(asyncio.shield(self._loading), LOAD_WAIT_S)
        except TimeoutError:
            raise _later("the model is loading") from None
        except Exception as error:
            log.exception("HPSv3 does not load")
            self.problem = f"the model does not load ({type(error).__name__})"
            raise _later(self.problem) from None
        return self._inferencer

    def _score(self, inferencer: HPSv3, images: list[Image.Image], prompts: list[str]) -> list[Score]:
        try:
            with self._one_at_a_time:
                rows = inferencer.reward(image_paths=images, prompts=prompts)
            pairs = [(float(row[0]), float(row[1])) for row in rows]
            if len(pairs) != len(images):
                raise ValueError(f"{len(pairs)} scores for {len(images)} pictures")
        except Exception:
            log.exception("HPSv3 failed on %d pictures", len(images))
            pairs = [(math.nan, math.nan)] * len(images)
        return [_answer(mu, sigma) for mu, sigma in pairs]


def _answer(mu: float, sigma: float) -> Score:
    if not math.isfinite(mu):
        return Score(mu=None, sigma=None, score=None, available=False)
    squashed = (1.0 + math.tanh(mu / (2.0 * SCALE))) / 2.0
    return Score(mu=mu, sigma=sigma if math.isfinite(sigma) else None, score=squashed, available=True)


def _later(why: str) -> HTTPException:
    return HTTPException(503, why, headers={"Retry-After": str(RETRY_S)})


def _picture(item: Item) -> Image.Image:
    try:
        # One decoder, not Pillow's dozens: whoever asks chooses the bytes.
        image = Image.open(io.BytesIO(base64.b64decode(item.png_base64, validate=True)), formats=["PNG"])
        if max(image.size) > MAX_SIDE:
            raise HTTPException(413, f"a picture has at most {MAX_SIDE} pixels a side, this one is {image.size}")
        return image.convert("RGB")
    except (binascii.Error, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise HTTPException(422, f"png_base64 is not a picture ({type(error).__name__})") from None


class _Door:
    """ASGI middleware: who may not score is refused before a byte of the body is read.

    A body over ``MAX_BODY`` is refused by its header, or as soon as it has grown too long.
    """

    def __init__(self, app: Any, token: str):
        self._app, self._expected = app, f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = dict(scope["headers"])
        given, declared = headers.get(b"authorization", b""), headers.get(b"content-length", b"0")
        if "/score" in scope["path"] and self._expected and not hmac.compare_digest(given, self._expected):
            told = {"WWW-Authenticate": "Bearer", "Connection": "close"}
            refusal = JSONResponse({"detail": "this server wants a bearer token"}, 401, told)
            return await refusal(scope, receive, send)
        refusal = JSONResponse({"detail": f"a body has at most {MAX_BODY} bytes"}, 413, {"Connection": "close"})
        if declared.isdigit() and int(declared) > MAX_BODY:
            return await refusal(scope, receive, send)
        chunks, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return None
            chunks.append(message.get("body", b""))
            size, more = size + len(chunks[-1]), message.get("more_body", False)
            if size > MAX_BODY:
                return await refusal(scope, receive, send)
        whole = [{"type": "http.request", "body": b"".join(chunks), "more_body": False}]

        async def replay() -> Any:
            return whole.pop() if whole else await receive()

        await self._app(scope, replay, send)


def create_app(load: Callable[[], HPSv3] = HPSv3) -> FastAPI:
    """The app; nothing is loaded until the first score.

    Args:
        load: makes the inferencer. Tests hand in another one; the Space uses the real model.
    """
    app = FastAPI(title="HPSv3", description="How well a picture fits a text, as people would rate it.")
    model = Model(load)
    token = os.environ.get("WATERCOLOUR_HPSV3_TOKEN", "").strip()
    app.add_middleware(_Door, token=token)

    @app.exception_handler(RequestValidationError)
    async def refuse(request: Request, error: RequestValidationError) -> JSONResponse:
        # Without the input: FastAPI sends it back whole, and fails on what JSON cannot hold.
        shown = [{name: part[name] for name in ("type", "loc", "msg")} for part in error.errors()]
        return JSONResponse({"detail": shown}, 422)

    @app.get("/health")
    async def health() -> dict[str, Any]:
        return {
            "status": "ok",
            "model": MODEL,
            "revision": os.environ.get("HPSV3_REVISION", "").strip() or "main",
            "loaded": model.loaded,
            "problem": model.problem,
            "token_required": bool(token),
            "waiting": model.waiting,
        }

    @app.post("/score")
    async def score(item: Item) -> Score:
        picture = await asyncio.to_thread(_picture, item)
        return (await model.score([picture], [item.prompt]))[0]

    @app.post("/score_batch")
    async def score_batch(batch: Batch) -> dict[str, list[Score]]:
        pictures = await asyncio.to_thread(lambda: [_picture(item) for item in batch.items])
        return {"scores": await model.score(pictures, [item.prompt for item in batch.items])}

    return app


app = create_app()
