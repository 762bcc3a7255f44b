"""A real HTTP server on loopback that answers as the judges' far ends do, faults included.

``POST /v1/chat/completions``  the provider's chat completions API, with two pictures in the message
``POST /score``, ``GET /health``  the HPSv3 server

It prefers the picture with more paint. ``script`` holds what the next requests meet, in order, each a
name of :data:`CHAT` or :data:`SCORE`; when it is empty, ``always`` is used.
"""

from __future__ import annotations

import base64
import io
import json
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from PIL import Image

#: What the chat side can do. A number, optionally with a Retry-After ("429:1"), is an HTTP status.
CHAT = ("good", "wrong", "biased", "cut", "prose", "fenced", "babble", "both", "not_json", "no_choices", "slow", "drop")
#: What the scoring side can do.
SCORE = ("good", "nan", "infinite", "unavailable", "words", "not_json", "list", "slow", "drop")


def paint(picture: bytes) -> float:
    """Share of pixels darker or more colourful than paper: what this server likes."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB").resize((60, 60))).astype(int)
    return float((np.abs(pixels - pixels[0, 0]).sum(axis=-1) > 60).mean())


class ProviderServer:
    """Context manager; ``url`` is the base URL, ``requests`` what arrived as (path, headers, body)."""

    def __init__(self, *script: str, always: str = "good", slow_s: float = 1.0):
        self.script, self.always, self.slow_s = deque(script), always, slow_s
        self.requests: list[tuple[str, dict[str, str], dict]] = []
        self.at: list[float] = []
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"far_end": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.chat_url = f"{self.url}/v1"

    def __enter__(self) -> ProviderServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def note(self, path: str, headers: dict[str, str], body: dict) -> str:
        """Record a request and say what it meets."""
        with self._lock:
            self.requests.append((path, headers, body))
            self.at.append(time.monotonic())
            return self.script.popleft() if self.script else self.always


class _Handler(BaseHTTPRequestHandler):
    far_end: ProviderServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send(200 if self.path == "/health" else 404, b'{"status": "ok"}')

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        act = self.far_end.note(self.path, dict(self.headers), body)
        if act == "drop":
            self.close_connection = True
            return
        if act == "slow":
            time.sleep(self.far_end.slow_s)
            act = "good"
        status, _, wait = act.partition(":")
        if status.isdigit():
            self._send(int(status), b'{"error": "scripted"}', {"Retry-After": wait} if wait else {})
        elif self.path == "/v1/chat/completions":
            self._chat(act, body)
        elif self.path == "/score":
            self._score(act, body)
        else:
            self._send(404, b"{}")

    def _chat(self, act: str, body: dict) -> None:
        content = body["messages"][0]["content"]
        urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        first, second = (paint(base64.b64decode(url.partition("base64,")[2])) for url in urls)
        right, wrong = ("A", "B") if first >= second else ("B", "A")
        verdict = '{"winner": "%s", "reason": "softer washes"}'
        replies = {
            "good": verdict % right,
            "wrong": verdict % wrong,
            "biased": verdict % "A",
            "cut": f'{{"winner": "{right}", "reason": "the washes are lay',
            "prose": f"Painting A is warm, B is not. {verdict % right} I hope this helps.",
            "fenced": f"```json\n{verdict % right}\n```",
            "babble": "Both are lovely in their own way.",
            "both": f"{verdict % 'A'} or perhaps {verdict % 'B'}",
        }
        whole = {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "length" if act == "cut" else "stop",
                    "message": {"role": "assistant", "content": replies.get(act, "")},
                }
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        if act == "no_choices":
            whole["choices"] = []
        data = json.dumps(whole).encode()
        self._send(200, data[: len(data) // 2] if act == "not_json" else data)

    def _score(self, act: str, body: dict) -> None:
        mu = 12 * paint(base64.b64decode(body["png_base64"])) - 4
        answers = {
            "good": {"mu": mu, "sigma": 1.0, "score": 0.5, "available": True},
            "nan": {"mu": float("nan"), "sigma": 1.0, "score": None, "available": True},
            "infinite": {"mu": float("inf"), "sigma": 1.0, "score": 1.0, "available": True},
            "unavailable": {"mu": 3.0, "sigma": None, "score": 0.7, "available": False},
            "words": {"mu": "high", "available": True},
            "list": [3.5],
        }
        self._send(200, b'{"mu": 3.' if act == "not_json" else json.dumps(answers[act]).encode())

    def _send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
