"""Install what pip and npm cannot bring: a Chromium and Mesa's software GL.

Try it: ``python -m wclib.machine``

Nothing is installed that is there already. In order: the Chromium named by ``WATERCOLOUR_CHROMIUM``, the system's,
Playwright's own, Playwright's download, and the system's package manager as a last resort.
"""

from __future__ import annotations

import ctypes.util
import os
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from wclib.errors import UsageError
from wclib.render.backends import find_chromium

_APT = Path(__file__).resolve().parent.parent / ".ci" / "apt"


def main() -> int:
    """Find or install both; 1 when there is still no browser. Without Mesa, SwiftShader paints: slower, and said."""
    if sys.platform == "linux" and not mesa_installed() and not _apt("libegl1", "libegl-mesa0", "libgl1-mesa-dri"):
        print("[setup] no Mesa: rendering falls back to SwiftShader, about 1.2 times slower", file=sys.stderr)
    found = chromium()
    if found is None and (asked := os.environ.get("WATERCOLOUR_CHROMIUM")):
        print(f"[setup] WATERCOLOUR_CHROMIUM names {asked}, which is not a program: mend or unset it", file=sys.stderr)
        return 1
    if found is None or not _quietly(found, "--version"):
        print("[setup] installing a Chromium", file=sys.stderr)
        _quietly(sys.executable, "-m", "playwright", "install", "chromium-headless-shell")
        found = chromium()
        if found is None or not _quietly(found, "--version"):
            _apt("chromium-headless-shell")
            found = chromium()
    if found is None:
        print("[setup] no Chromium could be installed: give the path of one in WATERCOLOUR_CHROMIUM", file=sys.stderr)
        return 1
    print(f"[setup] browser: {found}", file=sys.stderr)
    return 0


def chromium() -> str | None:
    """Path of the Chromium the renderer would start, or None."""
    with sync_playwright() as playwright:
        try:
            return find_chromium(playwright.chromium.executable_path)
        except UsageError:
            return None


def mesa_installed() -> bool:
    """Whether Mesa's EGL and its llvmpipe driver are there."""
    return bool(ctypes.util.find_library("EGL")) and bool(ctypes.util.find_library("EGL_mesa"))


def _apt(*packages: str) -> bool:
    return _APT.is_file() and subprocess.run(["sh", str(_APT), *packages]).returncode == 0


def _quietly(*command: str) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
