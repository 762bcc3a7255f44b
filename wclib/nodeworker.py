"""One long-lived Node process that reads sketches, spoken to in JSON lines over pipes.

Starting Node costs 40 ms, reading a sketch 2 ms, so the process is kept. It never runs any of a sketch: it parses
(acorn), resolves scopes (eslint-scope) and answers. A request that takes too long or kills the process costs that one
request; the next one finds a fresh process. Safe from several threads, and after a fork (the child starts its own).
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import subprocess
import threading
import time
from typing import Any

from wclib.errors import InfrastructureFault, UsageError
from wclib.jsruntime import JS_DIR, node_executable

#: Seconds one request may take. Reading the longest sketch that is accepted takes well under one.
DEADLINE_S = 5.0
#: A sketch whose reading needs more memory than this is at fault itself.
HEAP_MB = 256


class RequestFailed(Exception):
    """This request was not answered: it ran past the deadline or the process died of it."""


class NodeWorker:
    """A Node process running ``script``, started on first use and restarted whenever it is gone."""

    def __init__(self, script: str = "inventory.js"):
        self._script = JS_DIR / script
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.close)

    def ask(self, deadline_s: float = DEADLINE_S, **request: Any) -> dict[str, Any]:
        """Send one request and wait for its answer.

        Raises:
            RequestFailed: no answer within ``deadline_s`` seconds, or the process died; it has been stopped.
            UsageError: Node or the libraries are not installed.
        """
        with self._lock:
            process = self._running()
            line = json.dumps(request).encode() + b"\n"
            try:
                return json.loads(self._exchange(process, line, time.monotonic() + deadline_s))
            except (OSError, ValueError, RequestFailed) as error:
                self._stop()
                raise RequestFailed(str(error) or type(error).__name__) from None
            except BaseException:  # Ctrl-C: the answer is still on its way, and the next request must not read it
                self._stop()
                raise

    @property
    def pid(self) -> int | None:
        """The process's id, None while there is none."""
        return None if self._process is None else self._process.pid

    def healthy(self) -> bool:
        """Whether a tiny sketch is read at once, on a fresh process if need be."""
        try:
            return bool(self.ask(op="survey", sources=["function setup() {}"])["surveys"][0]["setup"])
        except RequestFailed:
            return False

    def close(self) -> None:
        """End the process. The next request starts another."""
        with self._lock:
            self._stop()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and (self._owner != os.getpid() or self._process.poll() is not None):
            self._stop()
        if self._process is None:
            missing = [name for name in ("acorn", "eslint-scope") if not (JS_DIR / "node_modules" / name).is_dir()]
            if missing:
                raise UsageError(f"{' and '.join(missing)} is not installed; run `npm ci` in {JS_DIR}")
            command = [node_executable(), f"--max-old-space-size={HEAP_MB}", str(self._script)]
            try:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
                )
            except OSError as error:
                raise InfrastructureFault(
                    "gate", f"{command[0]} does not start ({error}); run `python -m wclib doctor`"
                ) from None
            self._owner = os.getpid()
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], line: bytes, until: float) -> bytes:
        assert process.stdin is not None and process.stdout is not None
        stdin, stdout = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(stdin, False)
        received = bytearray()
        sent = 0
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stdin, selectors.EVENT_WRITE)
            while not received.endswith(b"\n"):
                ready = selector.select(until - time.monotonic())
                if time.monotonic() >= until:
                    raise RequestFailed("reading took too long")
                for key, _ in ready:
                    if key.fd == stdin:
                        sent += os.write(stdin, line[sent : sent + 65536])
                        if sent == len(line):
                            selector.unregister(stdin)
                    else:
                        chunk = os.read(stdout, 1 << 20)
                        if not chunk:
                            raise RequestFailed("the parser's process ended")
                        received += chunk
        return bytes(received)

    def _let_go(self) -> subprocess.Popen[bytes] | None:
        process, self._process = self._process, None
        for pipe in (process.stdin, process.stdout) if process else ():
            if pipe is not None:
                pipe.close()
        return process

    def _stop(self) -> None:
        process = self._let_go()
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()

    def _forget(self) -> None:
        # In a forked child the pipes belong to the parent's conversation: leave the process alone and start anew.
        self._lock = threading.Lock()
        process = self._let_go()
        if process is not None:
            process.returncode = 0


#: The process every check shares.
shared = NodeWorker()


def ask(**request: Any) -> dict[str, Any]:
    """Ask the shared process; a death or timeout is the request's own fault only if a tiny sketch is read next.

    Raises:
        RequestFailed: what is to be read cannot be read.
        UsageError: Node or the parser is not installed.
        InfrastructureFault: the parser does not work at all.
    """
    try:
        return shared.ask(**request)
    except RequestFailed:
        if not shared.healthy():
            detail = "the parser's Node process does not answer; run `python -m wclib doctor`"
            raise InfrastructureFault("gate", detail) from None
        return shared.ask(**request)
