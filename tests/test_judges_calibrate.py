"""Calibration sorts references by whether they can teach a policy."""

from __future__ import annotations

import asyncio
import json

import paintings
import pytest
from provider_server import paint

from wclib.errors import InfrastructureFault, UsageError
from wclib.judges.calibrate import calibrate, calibrate_command, find_paintings, place, summarise
from wclib.plots_judges import calibration
from wclib.pool import load_pool


class LikesPaint:
    name = "likes paint"

    def __init__(self, deaf_to=None):
        self.deaf_to = deaf_to

    async def verdict(self, first, second):
        if self.deaf_to in (first, second):
            raise InfrastructureFault("judge", "no answer")
        return "first" if paint(first) >= paint(second) else "second"


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    tiers = {
        "love": [paintings.disc(radius=r) for r in (140, 75)],
        "okay": [paintings.disc(radius=r) for r in (66, 10)],
    }
    return load_pool(paintings.write_pool(tmp_path_factory.mktemp("calibrate") / "pool", tiers))


#: Their radii: half beat a disc of 75, three in four one of 66, all one of 10, none one of 140.
POLICY = [paintings.disc(radius=r) for r in (60, 70, 80, 90)]


def test_ceiling_rung_and_free_win_are_told_apart_hardest_first(pool):
    rows = asyncio.run(calibrate(POLICY, pool.paintings, LikesPaint()))
    assert [row["share"] for row in rows] == [0, 0.5, 0.75, 1]
    assert [row["place"] for row in rows] == ["ceiling", "rung", "rung", "free win"]
    assert [row["teaches"] for row in rows] == [0, 0.25, 0.1875, 0]
    assert all(row["answered"] == 4 and 0 <= row["low"] <= row["share"] <= row["high"] <= 1 for row in rows)
    report = summarise(rows)
    assert report["by_tier"] == {"love": {"ceiling": 1, "rung": 1}, "okay": {"rung": 1, "free win": 1}}
    assert report["rungs"] == 2 and report["advice"] == ""
    assert "2 of 4 references" in calibration(rows, "likes paint", 4).axes[0].get_title(loc="left")
    assert [place(share) for share in (0.24, 0.25, 0.75, 0.76)] == ["ceiling", "rung", "rung", "free win"]


def test_a_lost_pair_is_not_a_loss_and_a_reference_nobody_answered_for_is_unknown(pool):
    rows = asyncio.run(calibrate(POLICY, pool.paintings, LikesPaint(deaf_to=pool.paintings[0].read())))
    assert rows[-1]["share"] is None and rows[-1]["place"] == "unknown" and rows[-1]["answered"] == 0
    rows = asyncio.run(calibrate(POLICY, pool.paintings, LikesPaint(deaf_to=POLICY[0])))
    assert {row["answered"] for row in rows} == {3}
    json.dumps([rows, summarise(rows)], allow_nan=False)


def test_a_pool_that_is_a_wall_or_a_gift_is_said(pool):
    def advice(radius):
        return summarise(asyncio.run(calibrate([paintings.disc(radius=radius)], pool.paintings, LikesPaint())))[
            "advice"
        ]

    assert "out of reach" in advice(5) and "add harder references" in advice(149)


def test_the_command_reads_a_run_s_steps_or_a_folder(pool, tmp_path):
    folder = tmp_path / "run" / "paintings"
    folder.mkdir(parents=True)
    for step in range(3):
        (folder / f"{step:04}_00.png").write_bytes(POLICY[step])
    assert [path.name for path in find_paintings(tmp_path / "run", (1, 2))] == ["0001_00.png", "0002_00.png"]
    report = calibrate_command(str(tmp_path / "run"), str(pool.folder), steps=(0, 1), figure=str(tmp_path / "figure"))
    assert report["paintings"] == 2 and report["judge"].startswith("local judge") and len(report["rows"]) == 4
    assert (tmp_path / "figure.png").stat().st_size > 5000
    json.dumps(report, allow_nan=False)
    for wrong, message in ((tmp_path / "none", "no paintings"), (pool.folder, "leave --steps out")):
        with pytest.raises(UsageError, match=message):
            find_paintings(wrong, (0, 1))
    (folder / "0003_00.png").write_bytes(b"torn")
    with pytest.raises(UsageError, match="0003_00.png is unreadable"):
        calibrate_command(str(tmp_path / "run"), str(pool.folder))
