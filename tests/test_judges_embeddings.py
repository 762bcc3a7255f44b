"""Embeddings are optional: they are compared with the statistics on a pool, by family."""

from __future__ import annotations

import io
import sys

import numpy as np
import paintings
import pytest
from PIL import Image

from wclib.errors import UsageError
from wclib.judges.embeddings import Lite0, compare, turn
from wclib.pool import load_pool


def test_an_embedding_is_1280_numbers_that_follow_the_picture():
    net = Lite0()
    flower, disc = (net.embed(Image.open(io.BytesIO(png))) for png in (paintings.flower(1), paintings.disc()))
    assert flower.shape == (1280,) and np.isfinite(flower).all() and np.abs(flower - disc).mean() > 0.05
    assert np.array_equal(flower, net.embed(Image.open(io.BytesIO(paintings.flower(1)))))


@pytest.mark.slow
def test_the_comparison_is_held_out_by_family_and_of_the_same_pairs(tmp_path):
    pool = load_pool(paintings.taste_pool(tmp_path / "pool", paintings.WARM, paintings.COOL, each=6))
    found = compare(pool)
    assert set(found) == {"statistics", "embeddings", "both"}
    accuracies = [one["accuracy"] for one in found.values()]
    assert len({(one["pairs"], one["families"], one["ratings"]) for one in accuracies}) == 1
    assert all(one["low"] <= one["share"] <= one["high"] and one["share"] > 0.65 for one in accuracies)
    assert found["statistics"]["above_turned"]["220"] == 1  # a taste for warm flowers puts blue ones below


def test_turning_hues_makes_pink_flowers_blue_and_leaves_grey_alone():
    pink = Image.new("RGB", (2, 2), (230, 90, 140))
    red, green, blue = turn(pink, 240).getpixel((0, 0))
    assert blue > 200 > 130 > red and turn(pink, 360).getpixel((0, 0)) == pytest.approx((230, 90, 140), abs=3)
    assert turn(Image.new("RGB", (2, 2), (80, 80, 80)), 100).getpixel((0, 0)) == (80, 80, 80)


def test_without_the_extra_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "efficientnet_lite_pytorch", None)
    with pytest.raises(UsageError, match=r"embeddings need efficientnet_lite_pytorch: pip install .*embeddings"):
        Lite0()
