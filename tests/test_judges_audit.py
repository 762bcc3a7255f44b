"""The audit finds what is wrong with a judge: a side, a reversed taste, circles, silence."""

from __future__ import annotations

import asyncio
import json

import paintings
import pytest
from PIL import Image
from provider_server import ProviderServer

from wclib.domains import HIBISCUS
from wclib.errors import InfrastructureFault, UsageError
from wclib.intervals import wilson
from wclib.judges.audit import audit
from wclib.judges.features import FEATURES, measure_image
from wclib.judges.heldout import HeldOutJudge
from wclib.judges.ladder import RUNGS, Rung, break_sketch, choose, climb_down
from wclib.judges.local import LocalJudge
from wclib.judges.vision import VisionJudge
from wclib.pool import load_pool
from wclib.render.pixels import decode, paint_fraction


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """Love has more paint than okay, okay more than nope: what the provider's stand-in server likes."""
    sizes = {"love": 120, "okay": 80, "nope": 40}
    tiers = {tier: [paintings.disc(radius=radius + i) for i in range(8)] for tier, radius in sizes.items()}
    return load_pool(paintings.write_pool(tmp_path_factory.mktemp("audit") / "pool", tiers))


@pytest.fixture(scope="module")
def rungs(pool):
    small = paintings.disc(radius=20)
    return [Rung(painting, "shrunk", painting.png(), small) for painting in pool.by_tier("love")[:3]]


def question(server, pool, rungs=(), **settings):
    judge = VisionJudge("some/model", url=server.chat_url, attempt_s=2, deadline_s=5)
    return asyncio.run(audit(judge, pool, rungs, **{"pairs": 6, "ring": 6, **settings}))


def test_a_judge_that_agrees_with_the_tiers_passes_and_its_tokens_are_counted(pool, rungs):
    with ProviderServer() as server:
        table = question(server, pool, rungs)
        asked = len(server.requests)
    assert [(row["what"], row["right"], row["answered"]) for row in table["tiers"]] == [
        ("love > okay", 6, 6), ("love > nope", 6, 6), ("okay > nope", 6, 6)
    ]  # fmt: skip
    assert {row["what"]: row["right"] for row in table["ladder"] if row["pairs"]} == {"shrunk": 3}
    assert table["flips"]["share"] == 0 and table["transitivity"]["circular"] == 0
    assert table["transitivity"]["triples"] == 20
    cost = table["cost"]
    assert asked == cost["answered"] == cost["spent"]["requests"] == 2 * (18 + 3 + 15) + 10
    assert cost["spent"]["completion_tokens"] == asked and cost["lost"] == 0
    json.dumps(table, allow_nan=False)


def test_a_judge_with_a_side_flips_every_pair_and_always_names_the_first_of_two_equals(pool, rungs):
    with ProviderServer(always="biased") as server:
        table = question(server, pool, rungs)
    assert table["flips"]["share"] == 1 and table["flips"]["to_the_first"] == table["flips"]["flipped"] > 20
    assert table["same_picture"]["first"] == table["same_picture"]["answered"] == 10
    assert all(row["split"] == row["answered"] and row["right"] == 0 for row in table["tiers"])
    assert table["transitivity"] == {"triples": 0, "circular": 0, "share": None, "low": None, "high": None}


def test_a_judge_with_the_opposite_taste_is_wrong_throughout_and_not_split(pool):
    with ProviderServer(always="wrong") as server:
        table = question(server, pool)
    assert all(row["wrong"] == row["answered"] == 6 for row in table["tiers"]) and table["flips"]["share"] == 0
    assert table["ladder"] == []


def test_lost_calls_are_counted_and_are_neither_right_nor_wrong(pool):
    with ProviderServer(always="401") as server:
        table = question(server, pool, pairs=2, ring=3)
    assert all(row["answered"] == 0 and row["share"] is None and row["low"] is None for row in table["tiers"])
    assert table["cost"]["answered"] == 0 and table["cost"]["lost"] > 10 and "401" in table["cost"]["last_fault"]
    json.dumps(table, allow_nan=False)


def test_a_judge_that_goes_round_in_circles_is_found(pool):
    order = {painting.read(): i for i, painting in enumerate(pool.paintings + pool.rejected)}

    class Circle:
        name = "a circle"

        async def verdict(self, first, second):
            return "first" if (order[second] - order[first]) % len(order) < len(order) / 2 else "second"

    table = asyncio.run(audit(Circle(), pool, pairs=2, ring=9))
    assert table["transitivity"]["circular"] > 5 and table["transitivity"]["low"] > 0


def test_the_local_judge_is_told_it_cannot_flip_instead_of_being_praised_for_it(pool, rungs):
    table = asyncio.run(audit(LocalJudge.fit(pool), pool, rungs, pairs=6))
    for part in ("flips", "same_picture", "transitivity"):
        assert table[part].startswith("not scored: ")
    assert table["judge"].startswith("local judge") and sum(row["right"] for row in table["tiers"]) >= 15
    assert table["cost"]["seconds_median"] > 0 and table["cost"]["spent"] == {}


def test_held_out_means_that_neither_family_was_fitted(tmp_path):
    # One sketch a tier and its variations: held out, nothing is left that tells the two apart.
    tiers = {"love": [paintings.flower(i) for i in range(4)], "okay": [paintings.flower(i, reach=60) for i in range(4)]}
    pool = load_pool(paintings.write_pool(tmp_path / "pool", {**tiers, "nope": [paintings.clumsy(9)]}, families=1))
    held = HeldOutJudge(pool)
    one, other = pool.by_tier("love")[0], pool.by_tier("okay")[0]
    with pytest.raises(InfrastructureFault, match="no kept painting is left"):
        asyncio.run(held.verdict(one.read(), other.read()))
    assert asyncio.run(held.verdict(paintings.flower(50), paintings.blank())) == "first"


def test_wilson_against_published_values():
    # Newcombe 1998, table I: 81 of 263 and 0 of 20.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-4) and wilson(0, 0) == (0.0, 1.0)


def test_each_rung_breaks_what_it_says(renderer, tmp_path):
    pool = load_pool(HIBISCUS.pool)
    (painting,) = [p for p in pool.by_tier("love") if p.reference_id == "love_dry-edged_s2.webp"]
    broken = {rung.name: decode(rung.broken) for rung in climb_down([painting], renderer, tmp_path)}
    whole = decode(painting.png())
    share = {name: paint_fraction(rgb) for name, rgb in broken.items()}
    assert set(broken) == set(RUNGS)
    assert share["shrunk"] < 0.25 * paint_fraction(whole)
    assert 0.30 < share["flat disc"] < 0.38  # pi 200^2 of 600^2 is 0.349
    dull = {name: measure_image(Image.fromarray(rgb))[FEATURES.index("dull")] for name, rgb in broken.items()}
    assert dull["mud"] > 0.9 and dull["mud"] > dull["hard edges"] + 0.2
    ink = {name: (abs(rgb.astype(int) - rgb[0, 0]).sum(axis=2) > 60).nonzero() for name, rgb in broken.items()}
    assert min(axis.mean() for axis in ink["off-centre"]) > 380 > 320 > max(axis.mean() for axis in ink["shrunk"])
    assert len({rgb.tobytes() for rgb in broken.values()} | {whole.tobytes()}) == 7
    again = climb_down([painting], renderer, tmp_path)
    assert len(list(tmp_path.iterdir())) == 6 and {r.name: decode(r.broken).tobytes() for r in again} == {
        name: rgb.tobytes() for name, rgb in broken.items()
    }


def test_the_sketches_to_break_are_loved_of_different_families_and_always_the_same():
    pool = load_pool(HIBISCUS.pool)
    chosen = choose(pool, 5)
    assert len({painting.family for painting in chosen}) == 5 and {p.tier for p in chosen} == {"love"}
    assert chosen == choose(load_pool(HIBISCUS.pool), 5)
    with pytest.raises(UsageError, match="no rung"):
        break_sketch("", "upside down")
