"""A server on loopback that answers as a provider of chat completions does, from replies that were written down before.

``data/pool_build`` holds a small build recorded that way: the sketches and the critiques in it were written by the
authors of this repository, not by a model. It shows what the rounds are, offline and for nothing; it says nothing about
how well any model paints.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from wclib.domains import DATA
from wclib.jsonl import read_rows

RECORDED = DATA / "pool_build"


@dataclass(frozen=True)
class Status:
    """An answer that is an HTTP status and no reply."""

    code: int
    retry_after: str = ""


Answer = Callable[[str, list[dict[str, Any]]], str | Status | None]


class Provider:
    """Context manager; ``url`` is the base URL of a chat completions API, ``requests`` what it was asked.

    Args:
        answer: gets the model and the messages; returns what the model says, a :class:`Status`, or None to hang up.
            Called from the thread of the request. Tokens are counted as characters / 4.
    """

    def __init__(self, answer: Answer):
        self.requests: list[dict[str, Any]] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                provider.requests.append(body)
                said = answer(body["model"], body["messages"])
                if said is None:
                    self.close_connection = True
                    return
                status = said if isinstance(said, Status) else Status(200)
                data = json.dumps(_completion(body, said) if isinstance(said, str) else {"error": "recorded"}).encode()
                try:
                    self.send_response(status.code)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    if status.retry_after:
                        self.send_header("Retry-After", status.retry_after)
                    self.end_headers()
                    self.wfile.write(data)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Provider:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def recorded() -> Answer:
    """The answers of the recording: ``turns.jsonl`` with a row a painter's turn.

    A row's ``reply`` is what painter ``model`` says in ``round`` (the number of its earlier messages); ``critique`` is
    what the critic says of the sketch in the file ``sketch``, which stands in for the reply where there is one.
    """
    turns = read_rows(RECORDED / "turns.jsonl")[0]
    painters = {turn["model"] for turn in turns}
    for turn in turns:
        if turn["sketch"]:
            turn["source"] = (RECORDED / turn["sketch"]).read_text(encoding="utf-8").strip()
            turn["reply"] = f"{turn['reply']}\n\n```js\n{turn['source']}\n```"

    def answer(model: str, messages: list[dict[str, Any]]) -> str | Status:
        if model in painters:
            number = sum(message["role"] == "assistant" for message in messages)
            found = [turn["reply"] for turn in turns if turn["model"] == model and turn["round"] == number]
        else:
            asked = " ".join(part.get("text", "") for part in messages[-1]["content"])
            found = [turn["critique"] for turn in turns if turn["sketch"] and turn["source"] in asked]
        return found[0] if found else Status(404)

    return answer


def spoken(messages: list[dict[str, Any]]) -> str:
    """All text of some messages, pictures left out."""
    contents = [message["content"] for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return "\n".join([text for text in contents if isinstance(text, str)] + [part.get("text", "") for part in parts])


def _completion(body: dict[str, Any], said: str) -> dict[str, Any]:
    asked = len(spoken(body["messages"])) // 4
    return {
        "id": "recorded",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
        "usage": {"prompt_tokens": asked, "completion_tokens": len(said) // 4, "total_tokens": asked + len(said) // 4},
    }
