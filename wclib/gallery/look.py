"""A page as a reader sees it, for notebooks and for checking by eye: opened from the disk in a real browser."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from wclib.render.backends import find_chromium


async def look(page: Path | str, script: str = "null", width: int = 1280, height: int = 800) -> tuple[bytes, Any]:
    """Open an HTML file, run ``script`` in it, and return a screenshot (PNG bytes) and what the script evaluates to.

    Raises:
        UsageError: there is no Chromium.
    """
    async with async_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=path, chromium_sandbox=os.geteuid() != 0)
        opened = await browser.new_page(viewport={"width": width, "height": height})
        await opened.goto(Path(page).resolve().as_uri())
        value = await opened.evaluate(script)
        await opened.wait_for_function("[...document.images].every((image) => image.complete)")
        await asyncio.sleep(0.1)  # one more frame, so that what was decoded is on the screen
        shot = await opened.screenshot()
        await browser.close()
    return shot, value
