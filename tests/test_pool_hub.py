"""A pool from the Hub: fetched at its pinned commit from a local server that answers as the Hub does."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import paintings
import pytest

from wclib.errors import UsageError
from wclib.pool import PUBLISHED_DATASET, PUBLISHED_REVISION, RENAMED_DATASET, load_hub_pool, load_pool

COMMIT = "50da8bb183aa472bdf6538852b652778f539a2af"
DATASET = "someone/flowers"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    root = paintings.write_pool(tmp_path / "there", {"love": [paintings.disc(radius=9)], "okay": [paintings.disc()]})
    files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            if PUBLISHED_DATASET in self.path:  # what the Hub does for an organisation that changed its name
                self.send_response(307)
                self.send_header("Location", self.path.replace(PUBLISHED_DATASET, RENAMED_DATASET))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path = self.path.partition("?")[0].replace(RENAMED_DATASET, DATASET)
            headers = {"X-Repo-Commit": COMMIT}
            name = path.removeprefix(f"/datasets/{DATASET}/resolve/{COMMIT}/")
            if path.startswith(f"/api/datasets/{DATASET}/revision/{COMMIT}"):
                siblings = [{"rfilename": file} for file in files]
                data = json.dumps({"id": DATASET, "sha": COMMIT, "siblings": siblings}).encode()
            elif path.startswith(f"/api/datasets/{DATASET}/tree/{COMMIT}"):
                tree = [
                    {"type": "file", "path": file, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                    for file, data in files.items()
                ]
                data = json.dumps(tree).encode()
            elif name in files:
                data = files[name]
                headers["ETag"] = f'"{hashlib.sha1(data).hexdigest()}"'
            else:
                data = b'{"error": "Revision not found"}'
                headers["X-Error-Code"] = "RevisionNotFound"
            self.send_response(404 if "X-Error-Code" in headers else 200)
            for key, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WATERCOLOUR_POOL_DATASET", DATASET)
    yield server
    server.shutdown()
    server.server_close()


def test_a_dataset_is_loaded_at_its_pinned_commit(hub, monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_POOL_REVISION", COMMIT)
    pool = load_pool()
    assert [painting.tier for painting in pool.paintings] == ["love", "okay"]
    assert pool.revision == COMMIT
    assert pool.paintings[0].source_path.name == "l0_v0.js"


def test_a_dataset_without_a_pinned_revision_is_refused(hub):
    with pytest.raises(UsageError, match="WATERCOLOUR_POOL_REVISION"):
        load_pool()


def test_a_revision_that_is_not_there_is_named(hub, monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_POOL_REVISION", "0" * 40)
    with pytest.raises(UsageError, match=f"{DATASET} at revision 0000"):
        load_pool()


@pytest.mark.parametrize("dataset", [PUBLISHED_DATASET, RENAMED_DATASET])
def test_the_published_pool_needs_no_revision_under_its_old_name_and_its_new(hub, dataset):
    pool = load_hub_pool(dataset)
    assert pool.revision == PUBLISHED_REVISION and len(pool.paintings) == 2
