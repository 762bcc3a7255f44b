"""From runs to a page: what of a rollout is shown, and how it gets into the file without being able to act there."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from wclib.errors import UsageError
from wclib.gallery.read import Rollout, Run, read_runs
from wclib.gallery.shown import about_run, on_the_wall, opened, references_of
from wclib.jsonl import atomic_write, disk_fault
from wclib.pictures import smalls, write_smalls
from wclib.render.backends import find_chromium

HERE = Path(__file__).parent
#: Pictures that are parsed together when the first of them comes into view.
CHUNK = 48


def gallery(
    folders: Sequence[Path | str], out: Path | str, pool: Path | str | None = None, side: int = 480
) -> dict[str, Any]:
    """Write the gallery of one or several runs.

    Args:
        folders: runs, as in :func:`wclib.gallery.read.read_runs`.
        out: a name ending in ``.html`` for one self-contained file, any other for a folder of ``index.html`` and
            pictures; pictures that an earlier try left there are kept.
        pool: the folder of rated paintings the references come from (default: the configured pool).
        side: pixels of a picture's longer side; 2,203 paintings at 480 are about 10 MB.

    Returns:
        ``out``, ``runs``, ``paintings``, ``unscored``, ``without_picture`` and ``bytes`` of the page.

    Raises:
        UsageError: there is no run, its tables are broken, or ``out`` cannot be what it should be.
        InfrastructureFault: the disk is full.
    """
    if side < 1:
        raise UsageError(f"a side of {side} pixels shows nothing: --side is 1 or more, such as 480")
    page, runs = Path(out), read_runs(folders)
    alone = page.suffix.lower() in (".html", ".htm")
    home = page.parent if alone else page
    if (alone and page.is_dir()) or (not alone and page.is_file()):
        raise UsageError(f"{page} is already there and is {'a folder' if alone else 'a file'}; choose another name")
    rollouts = [(run, rollout) for run in runs for rollout in run.rollouts]
    paths = [rollout.picture for _, rollout in rollouts]
    try:
        home.mkdir(parents=True, exist_ok=True)
        if alone:
            small = smalls(paths, side)
            pictures = [None if data is None else base64.b64encode(data).decode() for data in small]
        else:
            (page / "pictures").mkdir(exist_ok=True)
            names = [f"pictures/{number:05}-{side}.webp" for number in range(len(paths))]
            written = write_smalls(paths, [page / name for name in names], side)
            pictures = [name if there else None for name, there in zip(names, written, strict=True)]
    except OSError as error:
        raise disk_fault(home, error) from error
    references = references_of(rollouts, pool)
    text = _page(runs, rollouts, pictures, references, alone)
    target = page if alone else page / "index.html"
    atomic_write(target, text)
    return {
        "out": str(target),
        "runs": [run.name for run in runs],
        "paintings": len(rollouts),
        "unscored": sum(rollout.reward is None for _, rollout in rollouts),
        "without_picture": sum(picture is None for picture in pictures),
        "bytes": len(text.encode()),
    }


def _page(
    runs: Sequence[Run],
    rollouts: Sequence[tuple[Run, Rollout]],
    pictures: Sequence[str | None],
    references: Mapping[str, dict[str, Any]],
    alone: bool,
) -> str:
    order = {name: number for number, name in enumerate(references)}
    index = {run.name: number for number, run in enumerate(runs)}
    shown = {
        "alone": alone,
        "chunk": CHUNK,
        "runs": [about_run(run) for run in runs],
        "paintings": [
            {"run": index[run.name], **on_the_wall(rollout), "picture": picture is not None}
            for (run, rollout), picture in zip(rollouts, pictures, strict=True)
        ],
    }
    details = [opened(run, rollout, order) for run, rollout in rollouts]
    chunks = [pictures[start : start + CHUNK] for start in range(0, len(pictures), CHUNK)]
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        f"img-src {'data:' if alone else 'data: file: ' + chr(39) + 'self' + chr(39)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    parts = {
        "policy": policy,
        "style": style,
        "script": script,
        "title": html.escape(_clean(f"Gallery: {', '.join(run.name for run in runs)}")),
        "data": _data("gallery", shown),
        "rest": "\n".join(
            [
                *(_data(f"pictures-{number}", chunk) for number, chunk in enumerate(chunks)),
                _data("references", list(references.values())),
                _data("details", details),
            ]
        ),
    }
    # In one pass: a sketch that holds "{{script}}" stays a sketch.
    template = (HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _data(name: str, value: Any) -> str:
    # In a script element only "<" can end or nest anything; JSON may spell it \u003c.
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _clean(text: str) -> str:
    """A lone surrogate cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode()


async def look(page: Path | str, script: str = "null", width: int = 1280, height: int = 800) -> tuple[bytes, Any]:
    """A page as a reader sees it: open an HTML file in a real browser and run ``script`` in it.

    Returns:
        A screenshot (PNG bytes), and what the script evaluates to.

    Raises:
        UsageError: there is no Chromium.
    """
    async with async_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=path)
        opened = await browser.new_page(viewport={"width": width, "height": height})
        await opened.goto(Path(page).resolve().as_uri())
        value = await opened.evaluate(script)
        await opened.wait_for_function("[...document.images].every((image) => image.complete)")
        await asyncio.sleep(0.1)  # one more frame, so that what was decoded is on the screen
        shot = await opened.screenshot()
        await browser.close()
    return shot, value
