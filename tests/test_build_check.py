"""`pool check` finds what is planted, all of it at once, and finds nothing in the pools that are shipped."""

from __future__ import annotations

import io
import json
import math
import shutil
from collections import Counter

import paintings
import pytest
from PIL import Image

from wclib.building.check import check_pool
from wclib.cli import main
from wclib.domains import HIBISCUS

LEMON = HIBISCUS.pool.with_name("pool_lemon")


def big(picture: bytes) -> bytes:
    return paintings.png(Image.open(io.BytesIO(picture)).resize((600, 600), Image.Resampling.BICUBIC))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    flowers = [big(paintings.flower(i, hue=0.09 * (i % 11), reach=60 + 9 * (i % 7))) for i in range(12)]
    return paintings.write_pool(
        tmp_path_factory.mktemp("made") / "pool", {"love": flowers[:5], "okay": flowers[5:10], "nope": flowers[10:]}
    )


@pytest.fixture
def folder(made, tmp_path):
    for name in ("pool", "pool_nope"):
        shutil.copytree(made.with_name(name), tmp_path / name)
    return tmp_path / "pool"


def rewrite(folder, change):
    path = folder / "metadata.jsonl"
    rows = [change(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows if row))


def codes(report, kind="faults"):
    return Counter(finding["code"] for finding in report[kind])


def test_a_sound_pool_has_no_fault_and_says_what_it_holds(folder):
    report = check_pool(folder)
    assert report["ok"] and report["faults"] == []
    assert report["counts"] == {"love": 5, "okay": 5, "nope": 2}
    assert report["generators"] == {"unknown": {"love": 5, "okay": 5, "nope": 2}}
    assert len(report["fingerprint"]) == 64 and report["domain"] == "hibiscus"


@pytest.mark.parametrize("pool", [HIBISCUS.pool, LEMON], ids=lambda pool: pool.name)
def test_the_shipped_pools_are_fit(pool):
    report = check_pool(pool)
    assert report["ok"] and not codes(report, "remarks").keys() & {"gate", "no_source", "near_copy"}


def test_every_planted_fault_is_found_in_one_go(folder):
    (folder / "love_flower-00_s0.png").unlink()
    shutil.copy(folder / "okay_flower-00_s0.png", folder / "okay_flower-01_s1.png")
    shutil.copy(folder / "okay_flower-00_s0.png", folder / "love_flower-01_s1.png")
    (folder / "okay_flower-02_s2.png").write_bytes(paintings.flower(77))
    (folder / "okay_flower-03_s3.png").write_bytes(b"not a picture")
    (folder / "love_stray.png").write_bytes(big(paintings.flower(78)))
    (folder / "sources" / "l2_v2.js").unlink()
    rewrite(folder, lambda row: {**row, "tier": "lovely"} if row["file_name"] == "love_flower-03_s3.png" else row)
    rewrite(folder, lambda row: {**row, "seed": math.nan} if row["file_name"] == "love_flower-02_s2.png" else row)
    with (folder / "metadata.jsonl").open("a") as rows:
        rows.write('{"file_name": "../out.png"}\n{"torn": \n')
    report = check_pool(folder)
    assert not report["ok"] and report["fingerprint"] is None
    assert codes(report) == {
        "rating_without_picture": 1,
        "duplicate": 3,
        "wrong_size": 1,
        "unreadable_picture": 1,
        "picture_without_rating": 1,
        "missing_source": 1,
        "bad_row": 4,
    }
    said = {finding["code"]: finding for finding in report["faults"]}
    assert said["rating_without_picture"]["where"] == "love_flower-00_s0.png"
    assert "300 x 300" in said["wrong_size"]["message"]
    assert any("rated love and okay" in finding["message"] for finding in report["faults"])


def test_a_pool_of_favourites_alone_is_called_a_wall(folder):
    for path in folder.glob("okay*.png"):
        path.unlink()
    rewrite(folder, lambda row: row if row["tier"] == "love" else None)
    assert codes(check_pool(folder)) == {"love_only": 1}


def test_a_line_separator_inside_a_subject_ends_no_row(folder):
    path = folder / "metadata.jsonl"
    rows = [json.loads(line) | {"subject": "one\u2028flower"} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    assert check_pool(folder)["ok"]


@pytest.mark.parametrize("where", ["nowhere", "empty"])
def test_what_is_no_pool_is_one_fault_and_no_traceback(tmp_path, where):
    (tmp_path / "empty").mkdir()
    report = check_pool(tmp_path / where)
    assert set(codes(report)) == {"no_pool"} and not report["ok"]


def test_near_copies_and_sketches_the_gate_refuses_are_remarks(folder):
    picture = folder / "love_flower-00_s0.png"
    Image.open(picture).point(lambda value: max(0, value - 2)).save(folder / "okay_flower-00_s0.png")
    (folder / "sources" / "l0_v0.js").write_text("function setup() { fetch('x'); }")
    report = check_pool(folder)
    near = [finding for finding in report["remarks"] if finding["code"] == "near_copy"]
    assert report["ok"] and [finding["where"] for finding in near] == [picture.name]
    assert "rated love and okay" in near[0]["message"]
    assert any("external_access" in finding["message"] for finding in report["remarks"])


def test_tiers_rated_by_a_coin_are_called_alike(tmp_path):
    twice = [[big(paintings.flower(i, reach=reach)) for i in range(10)] for reach in (100, 101)]
    pool = paintings.write_pool(tmp_path / "pool", {"love": twice[0], "okay": twice[1]}, families=10)
    alike = [finding for finding in check_pool(pool)["remarks"] if finding["code"] == "tiers_alike"]
    assert [finding["where"] for finding in alike] == ["love and okay"]


def test_the_command_prints_json_and_a_table_and_exits_1_on_a_fault(folder, capsys):
    assert main(["pool", "check", str(folder)]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["ok"] is True and "fit to judge with" in out.err and "okay" in out.err
    (folder / "love_flower-00_s0.png").unlink()
    assert main(["pool", "check", str(folder)]) == 1
    assert "NOT fit" in capsys.readouterr().err


def test_no_name_and_too_long_a_name_are_wrong_usage(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["pool", "check", ""])
    assert "a path is needed" in capsys.readouterr().err
    assert main(["pool", "check", "x" * 300]) == 2
    assert "characters, a file's name at most 255" in capsys.readouterr().err
