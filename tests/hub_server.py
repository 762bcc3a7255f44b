"""A server on the loopback that answers the Hub's API as its real client speaks it: repositories, commits, jobs, logs.

What was uploaded is kept in memory (``files``), jobs in ``jobs``. ``faults`` holds statuses that the next commits are
answered with, first come first served; ``away`` makes every request fail; names in ``renamed`` are sent on to their
new one. ``asked`` holds the paths of all requests.
Files of any size are taken within the commit; the Hub's own store for large ones (Xet) is not imitated.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hf_test_token"
COMMIT = "1234567890abcdef1234567890abcdef12345678"
_KINDS = {"models": "model", "datasets": "dataset", "spaces": "space"}


class Hub:
    """The state of the server, and its address."""

    def __init__(self) -> None:
        self.files: dict[tuple[str, str], dict[str, bytes]] = {}
        self.private: dict[tuple[str, str], bool] = {}
        self.commits: list[dict[str, Any]] = []
        self.jobs: list[dict[str, Any]] = []
        self.stage = "COMPLETED"
        self.faults: list[int] = []
        self.away = False
        self.commit = COMMIT
        self.renamed: dict[str, str] = {}
        self.asked: list[str] = []
        self.role: dict[str, Any] = {"role": "write"}
        self.url = ""

    def repo(self, kind: str, name: str) -> dict[str, bytes]:
        return self.files.setdefault((kind, name), {})


@contextmanager
def hub_server() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(self._body())

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            data = b""
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data

        def _send(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for key, text in {"Content-Length": str(len(data)), **(headers or {})}.items():
                self.send_header(key, text)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _answer(self, body: bytes | None) -> None:
            path = self.path.partition("?")[0]
            hub.asked.append(path)
            if hub.away:
                return self._send({"error": "away"}, 503)
            for old, new in hub.renamed.items():
                if old in path:
                    return self._send({}, 307, {"Location": self.path.replace(old, new)})
            if path == "/api/whoami-v2":
                if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                    return self._send({"error": "Invalid token"}, 401)
                return self._send({"type": "user", "name": "painter", "orgs": [], "auth": {"accessToken": hub.role}})
            if path == "/api/repos/create":
                asked = json.loads(body)
                name = f"{asked.get('organization') or 'painter'}/{asked['name']}"
                kind = asked.get("type") or "model"
                hub.repo(kind, name)
                hub.private[kind, name] = asked.get("private") or asked.get("visibility") == "private"
                return self._send({"url": f"{hub.url}/{name}", "name": name, "id": name})
            if path == "/api/validate-yaml":
                return self._send({"errors": [], "warnings": []})
            if found := re.fullmatch(r"/api/jobs/([\w-]+)(?:/(\w+))?(/logs)?", path):
                return self._job(found[1], found[2], bool(found[3]), body)
            if found := re.match(r"/api/(models|datasets|spaces)/([\w.-]+/[\w.-]+)(?:/(\w+)/([^/]*).*)?$", path):
                return self._repo(_KINDS[found[1]], found[2], found[3], found[4], body)
            if found := re.match(r"/(datasets/|spaces/)?([\w.-]+/[\w.-]+)/resolve/[^/]+/(.+)$", path):
                kind = (found[1] or "models/").strip("/")
                return self._file(hub.files.get((_KINDS[kind], found[2]), {}).get(found[3]))
            return self._send({"error": f"no such address: {path}"}, 404)

        def _repo(self, kind: str, name: str, what: str | None, revision: str | None, body: bytes | None) -> None:
            if what == "preupload":
                asked = json.loads(body)["files"]
                plain = {"uploadMode": "regular", "shouldIgnore": False, "oid": None}
                return self._send({"files": [plain | {"path": item["path"]} for item in asked]})
            if what == "commit":
                if hub.faults:
                    return self._send({"error": "not now"}, hub.faults.pop(0))
                lines = [json.loads(line) for line in body.decode().splitlines() if line]
                stored = hub.repo(kind, name)
                for line in lines:
                    value = line["value"]
                    if line["key"] == "file":
                        stored[value["path"]] = base64.b64decode(value["content"])
                hub.commits.append({"kind": kind, "repo": name, "lines": lines})
                return self._send(
                    {
                        "success": True,
                        "commitOid": hub.commit,
                        "commitUrl": f"{hub.url}/{name}/commit/{hub.commit}",
                        "hookOutput": "",
                    }
                )
            stored = hub.files.get((kind, name))
            if stored is None:
                return self._send({"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})
            if revision not in (None, "main", hub.commit):
                return self._send({"error": "Revision not found"}, 404, {"X-Error-Code": "RevisionNotFound"})
            if what == "tree":
                tree = [
                    {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                    for path, data in stored.items()
                ]
                return self._send(tree)
            return self._send({"id": name, "sha": hub.commit, "siblings": [{"rfilename": path} for path in stored]})

        def _file(self, data: bytes | None) -> None:
            if data is None:
                return self._send({"error": "Entry not found"}, 404, {"X-Error-Code": "EntryNotFound"})
            headers = {"X-Repo-Commit": hub.commit, "ETag": f'"{hashlib.sha1(data).hexdigest()}"'}
            return self._send(data, headers=headers)

        def _job(self, owner: str, name: str | None, logs: bool, body: bytes | None) -> None:
            if self.command == "POST":
                if hub.faults:
                    return self._send({"error": "no such flavor"}, hub.faults.pop(0))
                hub.jobs.append(json.loads(body))
            elif logs:
                lines = ["installing", "step 1/60: reward 0.500"]
                events = "".join(
                    f"data: {json.dumps({'data': line, 'timestamp': '2026-01-01T00:00:00Z'})}\n\n" for line in lines
                )
                return self._send(events.encode(), headers={"Content-Type": "text/event-stream"})
            return self._send(
                {
                    "id": "job0001",
                    "createdAt": "2026-01-01T00:00:00.000Z",
                    "owner": {"id": "1", "name": owner, "type": "user"},
                    "status": {"stage": "RUNNING" if self.command == "POST" else hub.stage, "message": None},
                    **(hub.jobs[-1] if hub.jobs else {}),
                }
            )

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
