"""A machine that cannot paint, or paints something else, says so everywhere and never hands out a reward."""

import asyncio
import json

import numpy as np
import pytest
from test_render_pictures import DOT, sketch

from wclib.doctor import _Browser, report
from wclib.env.studio import Studio
from wclib.errors import InfrastructureFault
from wclib.render import Renderer, golden
from wclib.render import pool as browser_pool
from wclib.render.golden import GOLDEN_SKETCH
from wclib.render.pixels import checks, decode, paint_mask
from wclib.scorer import score_command


def browser_checks() -> list:
    browser = _Browser()
    return [("chromium", browser.chromium), ("webgl", browser.webgl), ("golden painting", browser.golden)]


def test_without_webgl_doctor_fails_health_is_red_and_nothing_is_scored(monkeypatch, capsys):
    monkeypatch.setenv("WATERCOLOUR_BACKEND", "llvmpipe")
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere.json")  # Mesa is not found then
    assert not report(browser_checks())
    assert "[FAIL] chromium:" in capsys.readouterr().out
    studio = Studio()
    studio.open()
    health = studio.health()
    assert health["status"] == "unhealthy" and "no usable WebGL" in health["problems"]["renderer"]
    assert "libegl-mesa0" in health["problems"]["renderer"] and health["renderer"] is None
    with pytest.raises(InfrastructureFault, match="no usable WebGL"):
        asyncio.run(studio.score(GOLDEN_SKETCH, 0, None))
    scored = score_command(GOLDEN_SKETCH.encode())
    assert scored["reward"] is None and "no usable WebGL" in scored["reason"]


@pytest.fixture
def another_record(monkeypatch, tmp_path):
    """A golden file in which every backend painted something else."""
    record = {name: "0" * 64 for name in json.loads(golden.GOLDEN_FILE.read_text())}
    monkeypatch.setattr(golden, "GOLDEN_FILE", tmp_path / "golden.json")
    golden.GOLDEN_FILE.write_text(json.dumps(record))
    monkeypatch.setattr(browser_pool, "_golden", {})


def test_another_golden_painting_is_said_once_at_the_start_and_by_doctor(another_record, capsys):
    for _ in range(2):
        with Renderer(browsers=1) as renderer:
            backend, painted = renderer.backend, renderer.render(GOLDEN_SKETCH, golden.GOLDEN_SEED).sha256[:12]
    told = capsys.readouterr().err
    assert told.count("warning:") == 1
    for word in (backend, painted, "0" * 12, "golden.json", "build-starter"):
        assert word in told
    assert not report(browser_checks())
    assert f"[FAIL] golden painting: {backend} paints {painted}" in capsys.readouterr().out


def test_flat_speckled_and_dark_paint_is_measured_and_reported():
    paper = np.full((600, 600, 3), (247, 241, 227), np.uint8)
    noise = np.random.default_rng(0)
    wash, poster, dots, night = (paper.copy() for _ in range(4))
    wash[100:400, 100:400] = noise.integers(120, 160, (300, 300, 3))
    poster[100:400, 100:400] = (200, 60, 90)
    dots[::20, ::20] = (200, 60, 90)
    night[100:400, 100:400] = noise.integers(0, 30, (300, 300, 3))
    found = {
        name: checks(picture, paint_mask(picture))
        for name, picture in {"paper": paper, "wash": wash, "poster": poster, "dots": dots, "night": night}.items()
    }
    assert found["paper"] == {"flat": 0, "speckle": 0, "dark": 0}
    assert found["wash"]["flat"] < 0.01 and found["poster"]["flat"] > 0.95
    assert found["dots"]["speckle"] == 1 and found["wash"]["speckle"] < 0.01
    assert found["night"]["dark"] > 0.95 and found["poster"]["dark"] == 0


def test_a_render_reports_how_flat_its_paint_is(renderer):
    disc = renderer.render(sketch(DOT))
    rgb = decode(disc.png)
    assert disc.checks == checks(rgb, paint_mask(rgb))
    dots = 'brush.fill("#8a1f3d", 230); for (let i = 0; i < 60; i++) brush.circle(i * 10, 40 + (i % 7) * 80, 3, 0.3);'
    assert renderer.render(sketch(dots)).checks["speckle"] > disc.checks["speckle"] + 0.1
