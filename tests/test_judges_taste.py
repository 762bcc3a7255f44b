"""Two opposite tastes on the same real paintings: the folder alone turns the order round."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from wclib.errors import UsageError
from wclib.jsonl import read_rows
from wclib.pool import load_pool
from wclib.swap import sees, swap
from wclib.taste import ATTRIBUTES, TASTES, build_taste_pools, rate


@pytest.fixture(scope="module")
def built(tmp_path_factory, renderer):
    out = tmp_path_factory.mktemp("taste")
    build_taste_pools(out, renderer, 12)
    return out


def test_the_same_candidates_are_rated_in_exactly_opposite_ways(built):
    ratings = {taste: read_rows(built / f"ratings_{taste}.jsonl")[0] for taste in TASTES}
    opposite = {"love": "nope", "okay": "okay", "nope": "love"}
    assert [row["file_name"] for row in ratings["warm"]] == [row["file_name"] for row in ratings["cool"]]
    assert [opposite[row["tier"]] for row in ratings["warm"]] == [row["tier"] for row in ratings["cool"]]
    assert {row["rater"] for row in ratings["warm"]} == {"rule: warm"}
    warm, cool = (load_pool(built / taste) for taste in TASTES)
    for pool in (warm, cool):
        assert [len(pool.by_tier(tier)) for tier in ("love", "okay", "nope")] == [4, 4, 4]
    assert {p.read() for p in warm.by_tier("love")} == {p.read() for p in cool.by_tier("nope")}


def test_the_warm_taste_loves_the_warmer_larger_and_richer(built):
    rows = read_rows(built / "candidates" / "candidates.jsonl")[0]
    tiers = np.array(rate(rows, "warm"))
    for name in ATTRIBUTES:
        values = np.array([row[name] for row in rows])
        assert values[tiers == "love"].mean() > values[tiers == "nope"].mean(), name


def test_a_build_goes_on_where_it_was_killed_and_paints_nothing_twice(built):
    log = built / "candidates" / "candidates.jsonl"
    whole = log.read_text()
    log.write_text(whole + '{"file_name": "flower-0')  # torn by a kill

    class Painter:
        browsers = 1

        def render(self, *_):
            pytest.fail("painted again")

    build_taste_pools(built, Painter(), 12)
    assert log.read_text() == whole
    with pytest.raises(UsageError, match="at least 12"):
        build_taste_pools(built, Painter(), 3)


@pytest.mark.slow
def test_swapping_the_folder_turns_the_order_of_the_same_paintings_round(built, renderer):
    pools = {"warm and large": built / "warm", "cool and small": built / "cool"}
    pictures, rewards, agreement = swap(pools, renderer, count=4, first=60)
    warm, cool = rewards.values()
    assert agreement < -0.5 and agreement == pytest.approx(spearmanr(warm, cool).statistic)
    # Candidates come as warm large, warm small, cool large, cool small.
    assert warm[0] > warm[3] + 0.2 and cool[3] > cool[0] + 0.2
    assert len(pictures) == 4


def test_what_a_judge_sees_of_its_taste_has_the_sign_of_the_taste(built):
    warm, cool = (sees(built / taste, built / "candidates") for taste in TASTES)
    assert set(warm) == set(ATTRIBUTES)
    for name in ("size", "shapes"):  # twelve paintings are too few for the third
        assert warm[name] > 0.2 > -0.2 > cool[name], (name, warm, cool)
    with pytest.raises(UsageError, match="nowhere"):
        sees(built / "nowhere", built / "candidates")
