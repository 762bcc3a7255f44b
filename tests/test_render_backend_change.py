"""A run goes on with the WebGL backend it began with; another is refused by name, unless it is asked for."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from wclib.errors import UsageError
from wclib.train.keeping import same_environment
from wclib.train.runlog import open_run
from wclib.train.scoring import Sessions


@contextmanager
def environment(renderer, fingerprint="f" * 64):
    """The address of a server whose /health names ``renderer``."""
    report = {
        "status": "healthy",
        "judge": "local judge",
        "quality": "local judge",
        "weights": {"judge": 0.6, "quality": 0.3},
        "pool": {"fingerprint": fingerprint, "paintings": 61},
        "renderer": renderer,
        "sessions": {"open": 0},
    }

    class Health(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(report).encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Health) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def start(folder, url, **options):
    said = []
    with Sessions(url, 1, 4) as sessions:
        same_environment(folder, sessions, said.append, **options)
    return said


def test_a_run_refuses_another_backend_unless_told(tmp_path):
    folder = open_run(tmp_path, "run", {}, resume=False, say=lambda text: None)
    with environment("llvmpipe (LLVM 15.0.6 256 bits)") as url:
        start(folder, url)
    with environment("SwiftShader Device") as url:
        with pytest.raises(UsageError) as refused:
            start(folder, url)
        said = start(folder, url, allow_backend_change=True)
    for word in (
        "llvmpipe (LLVM 15.0.6 256 bits)",
        "SwiftShader Device",
        "--allow-backend-change",
        "WATERCOLOUR_BACKEND",
    ):
        assert word in str(refused.value)
    assert said[0] == "painted by llvmpipe (LLVM 15.0.6 256 bits) until here, by SwiftShader Device from now on"
    with environment("SwiftShader Device", fingerprint="e" * 64) as url, pytest.raises(UsageError, match="fingerprint"):
        start(folder, url, allow_backend_change=True)
    folder.close()
