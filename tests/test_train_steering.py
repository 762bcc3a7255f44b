"""Your taste steers it: two opposite pools, the same seed, and the paintings part. About ten quiet minutes."""

from __future__ import annotations

import pytest

from wclib.taste import TASTES, build_taste_pools
from wclib.train.config import preset
from wclib.train.laptop import run_laptop
from wclib.train.steering import collect, compare


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_opposite_tastes_pull_hue_size_and_layers_apart(tmp_path):
    pools = dict(zip(TASTES, build_taste_pools(tmp_path / "taste"), strict=True))
    runs = [run_laptop(preset("demo"), tmp_path, f"{taste}-s0", pool=pool)["folder"] for taste, pool in pools.items()]
    table = collect(runs)
    apart = compare(table)["s0"]
    print(compare(table).round(2).to_string())
    assert apart["warmth"] > 0.3 and apart["size"] > 0 and apart["shapes"] > 0 and apart["coverage"] > 0, apart
    before = table[table["after_steps"] == 0].groupby("taste")["warmth"].mean()
    assert before["warm"] == pytest.approx(before["cool"]), "both start from the same policy"
