"""The local judge: it learns the pool's taste, knows its own accuracy, and is not paid by statistics alone."""

from __future__ import annotations

import asyncio
import io

import numpy as np
import paintings
import pytest
from PIL import Image

from wclib.domains import HIBISCUS
from wclib.errors import InfrastructureFault
from wclib.judges.features import FEATURES, measure
from wclib.judges.local import LocalJudge
from wclib.judges.pairwise import compare_all, judge_score
from wclib.pool import load_pool


@pytest.fixture(scope="module")
def pools(tmp_path_factory):
    root = tmp_path_factory.mktemp("tastes")
    return {
        "warm": paintings.taste_pool(root / "warm", paintings.WARM, paintings.COOL),
        "cool": paintings.taste_pool(root / "cool", paintings.COOL, paintings.WARM),
    }


@pytest.fixture(scope="module")
def judges(pools):
    return {name: LocalJudge.fit(load_pool(folder)) for name, folder in pools.items()}


def quality(judge, picture):
    return asyncio.run(judge.quality(picture))


def score(judge, pool, picture):
    return judge_score(asyncio.run(compare_all(picture, load_pool(pool).paintings, judge)))


def drained(picture):
    return paintings.png(Image.open(io.BytesIO(picture)).convert("L").convert("RGB"))


def test_swapping_the_folder_swaps_the_taste(pools, judges):
    warm, cool = paintings.flower(900, **paintings.WARM), paintings.flower(901, **paintings.COOL)
    assert score(judges["warm"], pools["warm"], warm) > 0.4 > 0.1 > score(judges["warm"], pools["warm"], cool)
    assert score(judges["cool"], pools["cool"], cool) > 0.4 > 0.1 > score(judges["cool"], pools["cool"], warm)
    assert quality(judges["warm"], warm) > 0.5 > quality(judges["warm"], cool)
    assert quality(judges["cool"], cool) > 0.5 > quality(judges["cool"], warm)


HOLLOW = {
    "an empty page": paintings.blank(),
    "a speck": paintings.disc(radius=9),
    "a flat disc": paintings.disc(),
    "a large flat disc": paintings.disc(radius=130),
    "a flat pink sheet": paintings.sheet((216, 87, 122)),
    "a flat green sheet": paintings.sheet((94, 138, 74)),
    "a flat blue sheet, edge to edge": paintings.sheet((90, 120, 200), margin=0),
    "a sheet with wide margins": paintings.sheet((216, 87, 122), margin=28),
    "a grey sheet": paintings.sheet((128, 124, 120)),
    "a warm flower drained of colour": drained(paintings.flower(905, **paintings.WARM)),
}


@pytest.mark.parametrize("taste", ["warm", "cool"])
@pytest.mark.parametrize("name", HOLLOW)
def test_hollow_pictures_score_low_in_quality_and_beat_no_reference(pools, judges, taste, name):
    assert quality(judges[taste], HOLLOW[name]) < 0.3
    assert score(judges[taste], pools[taste], HOLLOW[name]) == 0


def test_verdicts_do_not_depend_on_order_and_the_same_picture_twice_is_a_tie(judges):
    one, other = paintings.flower(910, **paintings.WARM), paintings.clumsy(911)
    judge = judges["warm"]
    assert asyncio.run(judge.verdict(one, other)) == "first" and asyncio.run(judge.verdict(other, one)) == "second"
    assert asyncio.run(judge.verdict(one, one)) == asyncio.run(judge.verdict(one, bytes(one)))
    assert judge.taste(one) == LocalJudge(judge.heads, judge.accuracy, "").taste(one)


def test_accuracy_is_held_out_and_travels_with_the_weights(judges, tmp_path):
    judge = judges["warm"]
    accuracy = judge.accuracy
    assert accuracy.ratings == 24 and accuracy.pairs > 50
    assert 0.65 <= accuracy.low <= accuracy.share <= accuracy.high <= 1 and accuracy.trusted
    judge.save(tmp_path / "deep" / "judge.json")
    again = LocalJudge.load(tmp_path / "deep" / "judge.json")
    picture = paintings.flower(920, **paintings.WARM)
    assert again.accuracy == accuracy and again.describe() == judge.describe()
    assert again.taste(picture) == judge.taste(picture) and quality(again, picture) == quality(judge, picture)
    assert judge.describe().startswith("local judge") and "HPS" not in judge.describe()


def test_ratings_without_any_taste_in_them_are_called_untrustworthy(tmp_path):
    flowers = [paintings.flower(seed, **paintings.WARM) for seed in range(40)]
    flowers = [flowers[index] for index in np.random.default_rng(0).permutation(40)]
    pool = load_pool(paintings.write_pool(tmp_path / "pool", {"love": flowers[:20], "okay": flowers[20:]}, families=20))
    judge = LocalJudge.fit(pool)
    assert judge.accuracy.low < 0.5 < judge.accuracy.high and not judge.accuracy.trusted
    assert "below 0.65, do not trust it" in judge.describe()
    assert judge.name == "local judge (pair accuracy below 0.65, do not trust it)"


def test_few_ratings_are_said_and_one_sketch_alone_cannot_be_checked(tmp_path):
    tiers = {"love": [paintings.flower(1)], "okay": [paintings.flower(2, reach=60)]}
    judge = LocalJudge.fit(load_pool(paintings.write_pool(tmp_path / "pool", tiers)))
    assert judge.accuracy.share is None and not judge.accuracy.trusted
    assert "accuracy unknown" in judge.describe() and "fewer than 20 ratings" in judge.describe()
    assert quality(judge, paintings.blank()) < 0.2
    assert judge.name == "local judge (fewer than 20 ratings, do not trust it)"


def test_variations_of_a_sketch_are_never_on_both_sides(tmp_path):
    # Six sketches of chance looks and chance tiers, four variations each: there is no taste to learn, but whoever
    # sees a variation of a held-out painting can tell its tier.
    rng = np.random.default_rng(3)
    looks = [{"hue": rng.uniform(), "reach": rng.uniform(60, 120), "soft": rng.uniform(1, 6)} for _ in range(6)]
    folder = tmp_path / "pool"
    pictures = {"love": looks[:3], "okay": looks[3:]}
    paintings.write_pool(
        folder, {tier: [paintings.flower(i, **kind[i % 3]) for i in range(12)] for tier, kind in pictures.items()}, 3
    )
    by_family = LocalJudge.fit(load_pool(folder)).accuracy
    rows = (folder / "metadata.jsonl").read_text()
    (folder / "metadata.jsonl").write_text(rows.replace("_v", "v"))
    by_painting = LocalJudge.fit(load_pool(folder)).accuracy
    assert by_family.families == 6 and by_painting.families == 24
    assert by_painting.share > by_family.share + 0.15


def test_the_fitted_judge_is_cached_by_the_pool_s_fingerprint(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = paintings.taste_pool(tmp_path / "pool", paintings.WARM, paintings.COOL, each=2)
    before = (folder / "love_flower-00_s0.png").read_bytes()
    first = LocalJudge.for_pool(load_pool(folder))
    (kept,) = (tmp_path / "wclib").glob("*.json")
    assert LocalJudge.for_pool(load_pool(folder)).describe() == first.describe()
    (folder / "love_flower-00_s0.png").write_bytes(paintings.flower(77))
    changed = LocalJudge.for_pool(load_pool(folder))
    assert changed.fingerprint != first.fingerprint and len(list((tmp_path / "wclib").glob("*.json"))) == 2
    kept.write_text("{}")
    (folder / "love_flower-00_s0.png").write_bytes(before)
    assert LocalJudge.for_pool(load_pool(folder)).describe() == first.describe()


def test_a_picture_that_is_no_picture_is_the_machinery_s_fault(judges):
    for call in (judges["warm"].quality(b"nonsense"), judges["warm"].verdict(b"", paintings.blank())):
        with pytest.raises(InfrastructureFault) as raised:
            asyncio.run(call)
        assert raised.value.part == "judge"


def test_statistics_mean_what_their_names_say():
    def of(picture):
        return dict(zip(FEATURES, measure(picture), strict=True))

    flower, pale = of(paintings.flower(1)), of(paintings.flower(1, layers=1))
    disc, blank = of(paintings.disc()), of(paintings.blank())
    assert flower["coverage"] > pale["coverage"] * 0.9 and flower["depth"] > pale["depth"]
    assert flower["soft"] > 1 > disc["soft"] and disc["flat"] > 0.95 > flower["flat"]
    assert of(paintings.flower(1, hue=0.6))["warmth"] < 0 < flower["warmth"]
    assert flower["leaf"] > 0.01 and disc["leaf"] == 0
    assert of(paintings.sheet((216, 87, 122), margin=14))["border"] > 0.3 > 0.1 > flower["border"]
    assert of(drained(paintings.flower(1)))["dull"] > 0.99 > 0.5 > flower["dull"]
    assert blank["coverage"] == 0 and all(np.isfinite(measure(paintings.blank())))
    assert disc["offset"] < 0.02 < of(paintings.clumsy(3))["offset"]


SHEET = """\
brush.beginShape(0.3);
brush.vertex(10, 10); brush.vertex(590, 10); brush.vertex(590, 590); brush.vertex(10, 590);
brush.endShape(true);"""
HOLLOW_SKETCHES = {
    "sheet": SHEET,
    "disc": "brush.circle(300, 300, 200, 0.3);",
    "speck": "brush.circle(300, 300, 30, 0.3);",
}


def test_on_the_starter_pool_it_is_trusted_and_real_hollow_sketches_win_nothing(renderer):
    pool = load_pool(HIBISCUS.pool)
    judge = LocalJudge.for_pool(pool)
    assert judge.accuracy.trusted and judge.accuracy.low > 0.65 and judge.name == "local judge"
    kept, rejected = ([quality(judge, one.read()) for one in some] for some in (pool.paintings, pool.rejected))
    assert np.mean(kept) > 0.75 and np.mean(rejected) < 0.35
    for name, shapes in HOLLOW_SKETCHES.items():
        picture = renderer.render(
            "function setup() { createCanvas(600, 600, WEBGL); angleMode(DEGREES); noLoop(); }"
            "function draw() { translate(-300, -300); background('#f7f1e3'); brush.noStroke(); "
            f"brush.fillBleed(0.25); brush.fillTexture(0.4, 0.4); brush.fill('#d8577a', 180); {shapes} }}"
        ).png
        assert score(judge, HIBISCUS.pool, picture) < 0.05, name
        assert quality(judge, picture) < np.min(kept), name
