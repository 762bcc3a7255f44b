"""What makes a render cheap changes the picture by less than the eye sees, and only on the file it was written for."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from playwright.async_api import async_playwright
from test_render_pictures import DOT, sketch

from wclib.bench.load import soak
from wclib.bench.render import bench_sketch
from wclib.errors import UsageError
from wclib.jsruntime import library_path
from wclib.render import Renderer, patches
from wclib.render.backends import BACKENDS, CHANGES, candidates, find_chromium
from wclib.render.browser import Chromium
from wclib.render.golden import GOLDEN_SEED, GOLDEN_SKETCH
from wclib.render.pixels import decode, difference, finish

BRUSH = library_path("p5.brush").read_text(encoding="utf-8")


def paint(changes, source):
    """The picture of ``source`` with some of our changes."""

    async def work():
        async with async_playwright() as playwright:
            backend = replace(candidates("llvmpipe")[0], changes=changes)
            chromium = await Chromium.launch(playwright, find_chromium(), backend)
            outcome, _ = await chromium.paint(source, 3, 60)
            await chromium.close()
            assert outcome.errors == ()
            return finish(outcome.raw)

    return asyncio.run(work())


def test_each_change_to_the_library_paints_the_same_or_nearly():
    source = bench_sketch(7)
    original = paint(("masks",), source)
    shader = difference(paint(("masks", "shader"), source), original)
    assert shader["max"] <= 3 and shader["mean"] < 0.01
    shorter = paint(("masks", "shader", "outlines"), source)
    assert (paint(CHANGES, source) == shorter).all()
    whole = difference(shorter, original)
    assert whole["mean"] < 0.1 and whole["ssim"] > 0.998, whole


def test_another_seed_is_much_farther_away_than_any_of_that(renderer):
    first, second = (decode(renderer.render(bench_sketch(7), seed).png) for seed in (3, 4))
    assert difference(first, second)["mean"] > 2 and difference(first, second)["ssim"] < 0.95
    assert difference(first, first) == {"max": 0, "mean": 0, "ssim": pytest.approx(1)}


def test_merged_bands_mix_paint_as_all_thirty_eight_do():
    def mixed(reflectance, to_xyz, under, over, f):
        """Kubelka-Munk mix of two pure base reflectance blends, as the shader does it."""
        a, b = (np.maximum(1e-4, weights @ reflectance.T) for weights in (under, over))
        k1, k2 = ((1 - f) ** 2 * (a @ to_xyz[:, 1]), f**2 * (b @ to_xyz[:, 1]))
        share = (k1 / (k1 + k2))[:, None]
        k = share * (1 - a) ** 2 / (2 * a) + (1 - share) * (1 - b) ** 2 / (2 * b)
        return (1 + k - np.sqrt(k * k + 2 * k)) @ to_xyz

    full = patches.bands(BRUSH)
    assert full[0].shape == (38, 7) and full[1].shape == (38, 3)
    rng = np.random.default_rng(0)
    under, over = (rng.dirichlet(np.ones(7), 4000) for _ in range(2))
    f = rng.random(4000)
    gap = np.abs(mixed(*full, under, over, f) - mixed(*patches.merged(*full), under, over, f))
    assert len(patches.GROUPS) % 4 == 0 and gap.max() < 0.5 / 255


def test_another_brush_file_is_refused():
    with pytest.raises(UsageError, match="checksum .*npm ci"):
        patches.faster_brush(BRUSH + " ")


def test_swiftshader_paints_the_same_bytes_on_every_page_and_browser():
    pictures = set()
    for _ in range(2):
        with Renderer(browsers=1, backend="swiftshader") as other:
            assert "SwiftShader" in other.backend
            pictures |= {other.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256 for _ in range(2)}
    assert len(pictures) == 1


def test_backends_differ_by_less_than_seeds(renderer):
    with Renderer(browsers=1, backend="swiftshader") as other:
        gap = difference(*(decode(r.render(sketch(DOT), 3).png) for r in (renderer, other)))
    assert BACKENDS["swiftshader"].accepts("SwiftShader Device") and gap["mean"] < 0.5 and gap["ssim"] > 0.99, gap


def test_memory_and_open_files_stay_flat():
    found = soak(renders=15, browsers=1, every=3)
    assert found["same_bytes"] and all(ratio < 1.3 for ratio in found["growth"].values()), found["growth"]
