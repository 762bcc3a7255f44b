"""A real JupyterLab on loopback and a real Chromium looking at it, for the tests of the rater."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import nbformat
from playwright.sync_api import Browser, Page, sync_playwright

from wclib.machine import find_chromium

IDLE = "Python 3 (ipykernel) | Idle"
#: JupyterLab that ends, with its kernels, when the process that started it does, also by kill (PR_SET_PDEATHSIG, 1).
MORTAL = """
import ctypes, runpy, signal
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
runpy.run_module("jupyterlab", run_name="__main__")
"""


@contextlib.contextmanager
def jupyterlab(home: Path) -> Iterator[str]:
    """A server of its own settings in ``home``; its address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    names = {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    names |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces")}
    names |= {"IPYTHONDIR": str(home / "ipython"), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    news = home / "settings" / "@jupyterlab" / "apputils-extension"
    news.mkdir(parents=True)
    (news / "notification.jupyterlab-settings").write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    options = [f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={home}", "--no-browser"]
    options += [
        "--IdentityProvider.token=",
        "--ServerApp.disable_check_xsrf=True",
        "--LabApp.expose_app_in_browser=True",
    ]
    options += ["--allow-root", "--ServerApp.log_level=WARN"]
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-c", MORTAL, *options], env=os.environ | names, stdout=log, stderr=log
        )
        try:
            wait(lambda: _answers(f"http://127.0.0.1:{port}/api"), 60, "JupyterLab starts")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _answers(url: str) -> bool:
    try:
        return urlopen(url, timeout=5).status == 200
    except OSError:
        return False


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The browser the renderer uses, with nothing of the renderer's flags."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright.chromium.executable_path))
        yield browser
        browser.close()


def wait(true: Any, seconds: float, what: str) -> Any:
    """What ``true()`` returns once that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := true():
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


class Notebook:
    """A notebook open in JupyterLab, with a rater in its first cell."""

    def __init__(self, page: Page, url: str, home: Path, name: str, cell: str):
        self.page, self.home = page, home
        self.pid_file = home / f"{name}.pid"
        start = f"import os; open({str(self.pid_file)!r}, 'w').write(str(os.getpid()))\n"
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(start + cell)])
        notebook.cells.append(nbformat.v4.new_markdown_cell("A cell below."))
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
        nbformat.write(notebook, home / f"{name}.ipynb")
        page.goto(f"{url}/doc/tree/{name}.ipynb")
        self.idle()
        self.run()

    def idle(self) -> None:
        self.page.get_by_text(re.compile(re.escape(IDLE))).first.wait_for(timeout=60_000)

    def run(self) -> None:
        """Run all cells."""
        self.command("notebook:run-all-cells")

    def command(self, name: str) -> None:
        self.page.evaluate("name => window.jupyterapp.commands.execute(name).then(() => null)", name)

    def model(self) -> dict[str, Any]:
        """The notebook as JupyterLab holds it: what it would save."""
        return self.page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON()")

    def cells(self) -> list[tuple[str, str]]:
        return [(cell["cell_type"], cell["source"]) for cell in self.model()["cells"]]

    def kill(self) -> None:
        """kill -9 of the kernel."""
        pid = int(self.pid_file.read_text())
        self.pid_file.unlink()
        os.kill(pid, signal.SIGKILL)

    def restart(self) -> None:
        """Wait for the server to start the killed kernel again, then run the cell."""
        dismiss = self.page.locator(".jp-Dialog button.jp-mod-accept")
        with contextlib.suppress(Exception):
            dismiss.click(timeout=4_000)
        end = time.monotonic() + 40
        while not self.pid_file.exists() and time.monotonic() < end:
            self.idle()
            self.run()
            with contextlib.suppress(AssertionError):
                wait(self.pid_file.exists, 8, "the cell runs")
        assert self.pid_file.exists(), "the kernel did not come back"
