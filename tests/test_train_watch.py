"""What is watched beside the reward: copies, diversity, coverage, drift, and two tastes beside each other."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from paintings import COOL, WARM, flower, taste_pool

from wclib.errors import UsageError
from wclib.likeness import COPY, TWIN, distances, thumbnails
from wclib.pool import load_pool
from wclib.train.drift import drift, kind
from wclib.train.policy import load
from wclib.train.sft import SFTConfig, sft
from wclib.train.steering import collect, compare, sheet
from wclib.train.watch import paintings, watch, within_groups


def run_folder(path, pictures: list[bytes], rewards: list[float], table: str = "rollouts.jsonl"):
    """A run's folder with one step, or with evaluations before and after it."""
    rows = []
    for i, (png, reward) in enumerate(zip(pictures, rewards, strict=True)):
        image = f"paintings/{i}.png"
        (path / image).parent.mkdir(parents=True, exist_ok=True)
        (path / image).write_bytes(png)
        rows.append(
            {
                "step": 0,
                "group": i % 2,
                "image": image,
                "reward": reward,
                "code": f"{i}  wash(",
                "shapes_painted": 10 + i,
            }
            | {"paint_fraction": 0.1 * i, "after_steps": 5 * (i >= len(pictures) // 2), "sample": i % 2}
        )
    (path / table).parent.mkdir(exist_ok=True)
    (path / table).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_copy_is_near_and_another_flower_is_not():
    first, grainy, again, cool = flower(1, **WARM), flower(1, **WARM, grain=9), flower(2, **WARM), flower(1, **COOL)
    apart = distances(thumbnails([first]), thumbnails([first, grainy, again, cool]))[0]
    assert apart[0] == 0 < apart[1] < TWIN < apart[2] < apart[3]
    assert apart[3] > COPY


def test_a_run_that_repaints_the_pool_is_caught(tmp_path):
    pool = load_pool(taste_pool(tmp_path / "pool", WARM, COOL, each=4))
    copied = [painting.png() for painting in pool.paintings[:4]]
    honest = [flower(seed, **COOL) for seed in range(50, 54)]
    for name, pictures, share in (("copies", copied, 1.0), ("honest", honest, 0.0)):
        row = watch(paintings(run_folder(tmp_path / name, pictures, [0.1, 0.2, 0.3, 0.4])), pool).iloc[0]
        assert row["copies"] == share and row["distinct"] == 1.0 and row["diversity"] > 0, name


def test_a_hard_draw_is_no_cause():
    frame = pd.DataFrame({"step": 0, "group": [0, 0, 1, 1], "coverage": [0.1, 0.2, 0.6, 0.7]})
    frame["reward"] = [0.2, 0.1, 0.9, 0.8]  # the group with more paint is paid more, within a group less paint is
    assert np.corrcoef(frame["coverage"], frame["reward"])[0, 1] > 0.9
    assert within_groups(frame) == pytest.approx(-1)


def test_two_tastes_are_compared_seed_by_seed(tmp_path):
    runs = []
    for seed in (0, 1):
        for name, look in (("warm", WARM), ("cool", COOL)):
            pictures = [flower(seed, **WARM), flower(seed + 9, **WARM), flower(seed, **look), flower(seed + 9, **look)]
            folder = tmp_path / f"{name}-s{seed}"
            folder.mkdir()
            runs.append(run_folder(folder, pictures, [0.1, 0.1, 0.5, 0.6], "eval/rollouts.jsonl"))
    table = collect(runs)
    assert len(table) == 16 and table["best"].sum() == 8 and set(table.loc[table["best"], "after_steps"]) == {5}
    apart = compare(table)
    assert (apart.loc["warmth", ["s0", "s1"]] > 1).all() and (apart.loc["size", ["s0", "s1"]] > 0).all()
    assert apart.loc["shapes", "s0"] == 0
    (runs[1] / table.loc[(table["taste"] == "cool") & table["best"], "image"].iloc[0]).unlink()
    drawn = sheet(runs, table, columns=2)
    assert [len(axis.images) for axis in drawn.axes] == [1] * 4 + [0] + [1] * 5
    assert [axis.get_title() for axis in drawn.axes][::2] == ["before", "warm-s0", "cool-s0", "warm-s1", "cool-s1"]
    with pytest.raises(UsageError, match="warm-s0"):
        collect([tmp_path / "pool"])


def test_drift_is_nothing_from_itself_and_is_told_by_what_was_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert [kind(token) for token in ("'#f2a07a', ", "190, ", "  wash(")] == ["colour", "number", "structure"]
    base = sft(SFTConfig(steps=1, batch=2, hidden=32, layers=1), progress=False, say=lambda text: None)
    assert drift(base, base, samples=4) == pytest.approx(dict.fromkeys(("colour", "number", "structure"), 0), abs=1e-6)
    model, tokenizer = load(base)
    colours = [i for i in range(len(tokenizer)) if kind(tokenizer.decode([i])) == "colour"]
    assert len(colours) > 30
    model.model.embed_tokens.weight.data[colours] *= 3
    model.save_pretrained(tmp_path / "moved")
    tokenizer.save_pretrained(tmp_path / "moved")
    assert max(drift(base, tmp_path / "moved", samples=4).values()) > 1e-3
