"""How quick a gallery of 2,203 paintings is, as many as the three published runs painted together.

The paintings are those of ``data/runs/laptop-demo/seed0``, repeated: real pictures and sketches. One page holds them
all; a real browser opens it from the disk and scrolls from top to bottom.

Run it: ``python -m wclib bench gallery``
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from wclib.gallery import gallery
from wclib.jsonl import lines_of, read_rows
from wclib.render.backends import find_chromium

RUN = Path(__file__).resolve().parents[2] / "data" / "runs" / "laptop-demo" / "seed0"
PAINTINGS = 2203
#: Scrolls 90 pixels a frame to the end and returns the milliseconds between frames and the most cards on the page.
SCROLL_JS = """async () => {
  const frames = [], end = () => scrollY + innerHeight >= document.body.scrollHeight - 2;
  let last = await new Promise(requestAnimationFrame), cards = 0;
  while (!end()) {
    scrollBy(0, 90);
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
    cards = Math.max(cards, document.querySelectorAll("#wall li").length);
  }
  return { frames, cards };
}"""
FIRST_JS = """() => new Promise((resolve) => {
  const look = () => [...document.querySelectorAll("#wall img")].some((image) => image.complete && image.naturalWidth)
    ? resolve(performance.now()) : requestAnimationFrame(look);
  look();
})"""
#: Milliseconds until the wall is laid out again.
TIMED_JS = """() => {
  const from = performance.now();
  %s;
  arrange();
  return document.body.offsetHeight && performance.now() - from;
}"""


def bench_gallery(paintings: int = PAINTINGS) -> dict[str, Any]:
    """Build the page and scroll through it.

    Returns:
        ``paintings``, ``build_s``, ``page_mb``, ``first_paint_ms`` (something is on the screen), ``first_picture_ms``
        and ``loaded_ms`` after opening, ``frame_ms`` (median, 95th and 99th percentile, longest), ``frames``,
        ``most_cards`` (list items on the page at once), ``sort_ms`` and ``search_ms`` (until laid out again).
    """
    folder = Path(tempfile.mkdtemp(prefix="wclib-gallery-"))
    try:
        _repeat(folder / "run", paintings)
        started = time.monotonic()
        written = gallery([folder / "run"], folder / "page.html")
        build_s = time.monotonic() - started
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(playwright.chromium.executable_path))
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.goto((folder / "page.html").as_uri(), wait_until="commit")
            first_picture = page.evaluate(FIRST_JS)
            page.wait_for_load_state("load")
            times = page.evaluate(
                "() => [performance.getEntriesByName('first-paint')[0].startTime,"
                " performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd]"
            )
            scrolled = page.evaluate(SCROLL_JS)
            sort_ms = page.evaluate(TIMED_JS % "sort.value = 'reward'")
            search_ms = page.evaluate(TIMED_JS % "search.value = 'stamen'")
            browser.close()
    finally:
        shutil.rmtree(folder)
    frames = np.array(scrolled["frames"])
    return {
        "paintings": paintings,
        "build_s": build_s,
        "page_mb": written["bytes"] / 1e6,
        "first_paint_ms": times[0],
        "first_picture_ms": first_picture,
        "loaded_ms": times[1],
        "frames": len(frames),
        "frame_ms": {f"p{q}": float(np.percentile(frames, q)) for q in (50, 95, 99, 100)},
        "most_cards": scrolled["cards"],
        "sort_ms": sort_ms,
        "search_ms": search_ms,
    }


def told(result: dict[str, Any]) -> str:
    """The result in three lines."""
    frame = result["frame_ms"]
    return (
        f"{result['paintings']} paintings: built in {result['build_s']:.0f} s, {result['page_mb']:.1f} MB\n"
        f"opened: first paint {result['first_paint_ms']:.0f} ms, first picture {result['first_picture_ms']:.0f} ms, "
        f"all read {result['loaded_ms']:.0f} ms; sort {result['sort_ms']:.0f} ms, search {result['search_ms']:.0f} ms\n"
        f"scrolled: {result['frames']} frames, {frame['p50']:.1f} ms each (95%: {frame['p95']:.1f}, "
        f"99%: {frame['p99']:.1f}, longest {frame['p100']:.1f}); at most {result['most_cards']} cards on the page"
    )


def _repeat(folder: Path, paintings: int) -> None:
    """A run of that many rollouts in ``folder``: those of :data:`RUN` again and again, each round some steps later."""
    (folder / "paintings").mkdir(parents=True)
    for path in (RUN / "paintings").iterdir():
        shutil.copy(path, folder / "paintings")
    rows = read_rows(RUN / "rollouts.jsonl")[0]
    steps = 1 + max(row["step"] for row in rows)
    again = ((i // len(rows), rows[i % len(rows)]) for i in range(paintings))
    (folder / "rollouts.jsonl").write_text(lines_of(row | {"step": row["step"] + steps * n} for n, row in again))
