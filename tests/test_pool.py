"""The pool: what is refused and how, what a draw is, what the fingerprint covers."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter

import paintings
import pytest

from wclib.errors import InfrastructureFault, UsageError
from wclib.pool import load_pool, mix_from_env

WEBP = "love_flower-00_s0.webp"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    pictures = [paintings.disc(radius=radius) for radius in range(10, 90, 10)]
    return paintings.write_pool(
        tmp_path_factory.mktemp("made") / "pool", {"love": pictures[:5], "okay": pictures[:6], "nope": pictures[:2]}
    )


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path / "pool")
    shutil.copytree(made.with_name("pool_nope"), tmp_path / "pool_nope")
    return tmp_path / "pool"


def rewrite(folder, change):
    path = folder / "metadata.jsonl"
    rows = [change(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows if row))


def test_a_pool_knows_its_paintings_their_sources_and_the_rejected_ones_beside_it(folder):
    pool = load_pool(folder)
    assert [len(pool.by_tier(tier)) for tier in ("love", "okay", "nope")] == [5, 6, 2]
    assert {painting.tier for painting in pool.paintings} == {"love", "okay"}
    first = pool.by_tier("love")[0]
    assert first.reference_id == "love_flower-00_s0.png"
    assert first.source_path == folder / "sources/l0_v0.js" and first.family == "l0"
    assert first.png() == (folder / first.reference_id).read_bytes()


def test_a_draw_is_half_and_half_and_the_same_for_the_same_seed(folder):
    pool = load_pool(folder)
    for seed in range(30):
        drawn = pool.draw(seed)
        assert Counter(painting.tier for painting in drawn) == {"love": 2, "okay": 2}
        assert len({painting.reference_id for painting in drawn}) == 4
        assert drawn == load_pool(folder).draw(seed)
    assert len({tuple(painting.reference_id for painting in pool.draw(seed)) for seed in range(30)}) > 20


@pytest.mark.parametrize(
    ("k", "mix", "counts"),
    [
        (4, (0.5, 0.5), (2, 2)),
        (3, (0.5, 0.5), (1, 2)),
        (1, (0.5, 0.5), (0, 1)),
        (4, (0.7, 0.3), (3, 1)),
        (5, (0.7, 0.3), (3, 2)),
        (4, (1.0, 0.0), (4, 0)),
        (10, (0.55, 0.45), (5, 5)),
    ],
)
def test_shares_round_to_the_nearest_and_a_tie_goes_to_okay(folder, k, mix, counts):
    tiers = Counter(painting.tier for painting in load_pool(folder).draw(1, k, mix))
    assert (tiers["love"], tiers["okay"]) == counts


def test_a_tier_too_small_for_its_share_is_topped_up_from_the_other(folder):
    pool = load_pool(folder)
    assert Counter(painting.tier for painting in pool.draw(1, 4, (0.0, 1.0))) == {"okay": 4}
    assert Counter(painting.tier for painting in pool.draw(1, 9, (0.0, 1.0))) == {"love": 3, "okay": 6}
    assert len(pool.draw(1, 40)) == 11


def test_the_mix_comes_from_the_environment_and_must_add_up(monkeypatch):
    assert mix_from_env() == (0.5, 0.5)
    monkeypatch.setenv("WATERCOLOUR_MIX_LOVE", "0.25")
    assert mix_from_env() == (0.25, 0.75)
    monkeypatch.setenv("WATERCOLOUR_MIX_OKAY", "0.5")
    with pytest.raises(UsageError, match="WATERCOLOUR_MIX_LOVE=0.25.*sum to 1"):
        mix_from_env()
    monkeypatch.setenv("WATERCOLOUR_MIX_OKAY", "half")
    with pytest.raises(UsageError, match="'half'"):
        mix_from_env()


def test_the_fingerprint_changes_with_a_picture_a_tier_and_the_rejected_but_not_with_the_place(folder, tmp_path):
    before = load_pool(folder).fingerprint
    moved = tmp_path / "elsewhere" / "flowers"
    shutil.copytree(folder, moved)
    shutil.copytree(folder.with_name("pool_nope"), moved.with_name("flowers_nope"))
    assert load_pool(moved).fingerprint == before
    shutil.rmtree(moved.with_name("flowers_nope"))
    assert load_pool(moved).fingerprint != before
    (folder / "love_flower-00_s0.png").write_bytes(paintings.disc(radius=99))
    changed = load_pool(folder).fingerprint
    assert changed != before
    rewrite(folder, lambda row: {**row, "tier": "okay"} if row["file_name"] == "love_flower-01_s1.png" else row)
    assert load_pool(folder).fingerprint not in (before, changed)


def test_webp_pictures_are_served_as_png(folder):
    from PIL import Image

    with Image.open(folder / "love_flower-00_s0.png") as picture:
        picture.save(folder / WEBP, lossless=True)
    (folder / "love_flower-00_s0.png").unlink()
    rewrite(folder, lambda row: {**row, "file_name": row["file_name"].replace("love_flower-00_s0.png", WEBP)})
    assert load_pool(folder).by_tier("love")[0].png().startswith(b"\x89PNG")


def test_a_table_saved_with_a_byte_order_mark_is_read(folder):
    path = folder / "metadata.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(load_pool(folder).paintings) == 11


def test_a_picture_too_large_to_open_is_refused_by_name(folder, monkeypatch):
    from PIL import Image

    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(UsageError, match="love_flower-00_s0.png is unreadable.*exceeds limit"):
        load_pool(folder)


def bad_pools():
    def empty(folder):
        for picture in folder.glob("*.png"):
            picture.unlink()

    def torn(folder):
        path = folder / "metadata.jsonl"
        path.write_text(path.read_text()[:-20])

    def picture(data):
        return lambda folder: (folder / "okay_flower-02_s2.png").write_bytes(data)

    def rows(change):
        return lambda folder: rewrite(folder, change)

    def lost(folder):
        (folder / "okay_flower-02_s2.png").unlink()

    def stray(folder):
        (folder / "love_new.png").write_bytes(paintings.blank())

    def love_only(folder):
        rewrite(folder, lambda row: row if row["tier"] == "love" else None)
        for path in folder.glob("okay*.png"):
            path.unlink()

    return {
        "no folder": (shutil.rmtree, "there is no pool folder .*WATERCOLOUR_POOL_DIR"),
        "no pictures": (empty, "has no pictures"),
        "no metadata": (lambda folder: (folder / "metadata.jsonl").unlink(), "has no metadata.jsonl"),
        "torn metadata": (torn, "metadata.jsonl line 11 is not a JSON row"),
        "no okay tier": (love_only, "no okay tier.*love-only pool is a wall"),
        "a picture lost": (lost, "okay_flower-02_s2.png, which is not there"),
        "a picture without a row": (stray, "love_new.png has no row"),
        "a picture of nonsense": (picture(b"not a picture"), "unreadable .it is no PNG or WebP.: restore"),
        "a picture cut short": (picture(paintings.disc()[:300]), "okay_flower-02_s2.png is unreadable"),
        "an unknown tier": (rows(lambda row: {**row, "tier": "lovely"}), "the tier 'lovely'"),
        "a way out": (rows(lambda row: {**row, "file_name": "../" + row["file_name"]}), "must be a path inside"),
        "a score that is none": (rows(lambda row: {**row, "hpsv3_mu": math.nan}), "line 1 holds NaN.* 'hpsv3_mu'"),
        "an infinity in a list": (rows(lambda row: {**row, "seed": [1, math.inf]}), "line 1 holds.*infinity.*'seed'"),
        "a row twice": (rows(lambda row: {**row, "file_name": "love_flower-00_s0.png"}), "a second time"),
    }


@pytest.mark.parametrize("name", bad_pools())
def test_a_bad_pool_is_refused_by_naming_the_file_and_the_remedy(folder, name):
    spoil, message = bad_pools()[name]
    spoil(folder)
    with pytest.raises(UsageError, match=message):
        load_pool(folder)


def test_a_picture_that_goes_away_later_is_the_machinery_s_fault(folder):
    painting = load_pool(folder).by_tier("okay")[0]
    painting.path.unlink()
    with pytest.raises(InfrastructureFault) as fault:
        painting.png()
    assert fault.value.part == "pool"


def test_the_folder_comes_from_the_argument_then_the_environment(folder, monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_POOL_DIR", str(folder))
    assert load_pool().folder == folder
    with pytest.raises(UsageError, match="nowhere"):
        load_pool(folder / "nowhere")
