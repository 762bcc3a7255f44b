"""An environment server of one's own: a child process on a free loopback port.

    with local_server() as url:
        async with WatercolourEnv(url) as env: ...

It is the real server over real sockets, started as ``python -m wclib serve``. It ends with the
block, and also when the process that started it is killed. A token alone makes it call nobody: a judge that
costs money is used when ``WATERCOLOUR_JUDGE_MODEL`` or ``WATERCOLOUR_JUDGE_URL`` asks for it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from wclib import say
from wclib.env.app import PARENT_PID
from wclib.errors import InfrastructureFault

#: Longest wait for a server to become healthy.
READY_S = 90.0
_ADDRESS = re.compile(r"wclib environment: (http://\S+)")


@contextlib.contextmanager
def local_server(
    max_sessions: int | None = None,
    env: dict[str, str] | None = None,
    log: Path | None = None,
    quiet: bool = False,
) -> Iterator[str]:
    """Start a server, wait until it is healthy, yield its base URL, end it.

    Args:
        max_sessions: sessions at once; the server's default when None.
        env: environment variables to set for it (weights, pool, ...), on top of our own.
        log: where its output goes; a temporary file, removed when all went well, when None.
        quiet: no progress on stderr.

    Raises:
        InfrastructureFault: it did not start, or is not healthy; the message ends with its log.
    """
    if log is None:
        handle, name = tempfile.mkstemp(prefix="wclib-env-", suffix=".log")
        os.close(handle)
        path = Path(name)
    else:
        path = log
    command = [sys.executable, "-m", "wclib", "serve", "--port", "0"]
    if max_sessions is not None:
        command += ["--max-sessions", str(max_sessions)]
    environment = {**os.environ, **(env or {}), PARENT_PID: str(os.getpid())}
    if "WATERCOLOUR_JUDGE_URL" not in environment:
        environment.setdefault("WATERCOLOUR_JUDGE_MODEL", "local")
    with path.open("ab") as output:
        begins = output.tell()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, start_new_session=True
        )
    healthy = False
    try:
        url = _wait(process, path, begins, quiet)
        healthy = True
        yield url
    finally:
        _end(process)
        if log is None and healthy:
            path.unlink(missing_ok=True)


def _wait(process: subprocess.Popen[bytes], log: Path, begins: int, quiet: bool) -> str:
    started = time.monotonic()
    said = 0.0
    while True:
        waited = time.monotonic() - started
        # A log that is appended to may hold the address of a server that is gone.
        found = _ADDRESS.search(log.read_bytes()[begins:].decode(errors="replace"))
        if found and (report := _health(found[1])) is not None:
            if report.get("status") != "healthy":
                raise InfrastructureFault("environment", "; ".join(report.get("problems", {}).values()))
            if not quiet:
                part = f"{report['renderer']}, {report['pool']['paintings']} references, {report['judge']}"
                say(f"environment ready after {waited:.1f} s: {part}")
            return found[1]
        if process.poll() is not None:
            raise InfrastructureFault("environment", f"the server ended with status {process.returncode}{_tail(log)}")
        if waited > READY_S:
            raise InfrastructureFault("environment", f"the server was not ready within {READY_S:g} s{_tail(log)}")
        if not quiet and waited - said >= 5:
            said = waited
            say(f"starting the environment: {waited:.0f} s")
        time.sleep(0.1)


def _health(url: str) -> dict | None:
    try:
        return httpx.get(f"{url}/health", timeout=2, trust_env=False).json()
    except (httpx.HTTPError, ValueError):
        return None


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-15:]
    return f"; its log {log} ends:\n" + "\n".join(lines)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
    # The server is the head of its own process group: whatever of it is left goes too.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
