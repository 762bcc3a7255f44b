"""What the environment's tests share: sketches, settings of a small pool, waiting."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from paintings import COOL, WARM, taste_pool

FLOWER = """```js
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}
function petal(angle, reach) {
  brush.beginShape(0.5);
  for (const [turn, share] of [[0, 0.1], [-24, 0.7], [0, 1], [24, 0.7]]) {
    brush.vertex(300 + reach * share * cos(angle + turn), 300 + reach * share * sin(angle + turn));
  }
  brush.endShape(true);
}
function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f1e3');
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fillTexture(0.4, 0.3);
  brush.fill('HUE', 190);
  for (let i = 0; i < 5; i++) petal(i * 72 - 90, REACH);
}
```"""
ENDLESS = FLOWER.replace("for (let i = 0; i < 5; i++)", "while (true)").replace("i * 72", "0")
DEADLINE_S = 6


def flower(hue: str = "#d5567f", reach: int = 210) -> str:
    return FLOWER.replace("HUE", hue).replace("REACH", str(reach))


@pytest.fixture(name="settings", scope="module", autouse=True)
def environment_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Every server of this module judges by a small pool, and knows no token of the caller's shell."""
    pool = taste_pool(tmp_path_factory.mktemp("env") / "pool", WARM, COOL)
    chosen = {"WATERCOLOUR_POOL_DIR": str(pool), "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
    with pytest.MonkeyPatch.context() as shell:
        for name in list(os.environ):
            if name.startswith("WATERCOLOUR_") and name != "WATERCOLOUR_CHROMIUM" or name == "HF_TOKEN":
                shell.delenv(name)
        yield chosen


def eventually(true: Callable[[], bool], within_s: float) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return False


def open_sessions(url: str) -> int:
    return httpx.get(f"{url}/health").json()["sessions"]["open"]


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=1).status_code == 200
    except httpx.HTTPError:
        return False


def wait_for(path: Path, process: subprocess.Popen[str], seconds: float = 120) -> None:
    """Wait until a trainer has written a file; one that does not is ended."""
    eventually(lambda: path.exists() or process.poll() is not None, seconds)
    if not path.exists():
        process.kill()
        pytest.fail(f"{path} did not appear: {process.communicate()[1]}")


def without(rows: list[dict], names: set[str]) -> list[dict]:
    """Rows without the columns in which two equal runs may differ."""
    return [{name: value for name, value in row.items() if name not in names} for row in rows]
