"""The control task: its reward says what it should, and the trainer moves at the high rate and not at the low one."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace

import pandas as pd
import pytest

from wclib.domains import DATA
from wclib.errors import UsageError
from wclib.gate import check_source
from wclib.sketch import inventory
from wclib.train.control import LESSONS, TARGET, ControlConfig, run_control, score, sketch
from wclib.train.sft import SFTConfig, build_tokenizer
from wclib.train.studies import VARIANTS, study

#: Small enough for a test: one layer, 150 short SFT steps, 12 steps of two groups.
SMALL = ControlConfig(
    seed=2,
    steps=12,
    groups=2,
    sft=SFTConfig(steps=150, batch=8, learning_rate=6e-3, hidden=96, layers=1, vocabulary=512),
)


def fills(count: int) -> str:
    _, source = sketch(0)
    head, tail = source.split("  brush.fill(", 1)[0], "}\n"
    return head + "  brush.fill('#f2a07a', 190);\n  brush.circle(300, 300, 60, 0.3);\n" * count + tail


def test_the_reward_peaks_at_the_target_and_is_nothing_for_what_the_gate_refuses():
    rewards = [score(fills(count)) for count in (4, 14, TARGET, 34)]
    assert rewards[2] == 1.0 and rewards[0] < rewards[1] < 1 and rewards[1] == pytest.approx(rewards[3])
    assert rewards[1] == pytest.approx(0.3679, abs=1e-4)
    broken = fills(TARGET).removesuffix("}\n")
    assert not check_source(broken).passed
    assert score(broken) == 0.0 and score(broken, well_formed=False) == 1.0


def test_the_lessons_are_honest_and_stay_below_the_target():
    tokenizer = build_tokenizer(512, corpus=300, lessons=LESSONS)
    for seed in range(40):
        _, source = sketch(seed)
        assert check_source(source).passed
        assert 2 <= inventory(source).n_fill_calls == source.count("brush.fill(") <= 14
        assert len(tokenizer(source)["input_ids"]) <= 8 * 14 + 4
        assert tokenizer.decode(tokenizer(source)["input_ids"]) == source


def test_it_learns_at_the_high_rate_and_not_at_the_low_one():
    high = run_control(SMALL, progress=False)
    low = run_control(replace(SMALL, learning_rate=2e-5, steps=8), progress=False)
    assert list(high["step"]) == list(range(12)) and high["reward"].between(0, 1).all()
    assert high["reward"][0] == low["reward"][0], "before the first update the two are the same"

    def moved(curve: pd.DataFrame) -> float:
        return curve["n_fill"].tail(3).mean() - curve["n_fill"].head(3).mean()

    assert moved(high) > 3, high
    assert abs(moved(low)) < moved(high) / 2, low


def test_a_study_keeps_its_runs_and_does_not_repeat_them(tmp_path, monkeypatch):
    monkeypatch.setitem(VARIANTS, "small", replace(SMALL, steps=2))
    first = study(["small"], [0], tmp_path)
    began = time.monotonic()
    assert study(["small"], [0], tmp_path)[0] == pytest.approx(first[0], abs=1e-5)
    assert time.monotonic() - began < 0.5, "a run that is kept is not done again"
    study(["small"], [0, 1], tmp_path)
    assert pd.read_csv(tmp_path / "small.csv").groupby("seed").size().to_dict() == {0: 2, 1: 2}
    with pytest.raises(UsageError, match="lower"):
        study(["lower"], [0])


def test_runs_of_other_settings_are_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(VARIANTS, "small", replace(SMALL, steps=2))
    study(["small"], [0], tmp_path)
    before = (tmp_path / "small.csv").read_bytes()
    with pytest.raises(UsageError, match=r"small\.csv holds runs of other settings \(steps: 2 then, 3 now\).*--out"):
        study(["small"], [0], tmp_path, steps=3)
    monkeypatch.setitem(VARIANTS, "small", replace(SMALL, steps=2, sft=replace(SMALL.sft, hidden=64)))
    with pytest.raises(UsageError, match="sft.hidden: 96 then, 64 now"):
        study(["high", "small"], [0, 1], tmp_path)
    (tmp_path / "small.json").unlink()
    with pytest.raises(UsageError, match=r"small\.json does not say with which"):
        study(["small"], [0], tmp_path)
    assert (tmp_path / "small.csv").read_bytes() == before and not (tmp_path / "high.csv").exists()


def test_the_runs_in_data_are_those_of_the_variants_and_are_not_run_again(tmp_path):
    out = shutil.copytree(DATA / "runs" / "control", tmp_path / "control")
    found = study([*VARIANTS], [0, 1, 2], out)
    assert len(found) == 3 * len(VARIANTS) and round(found[0]["factor"], 2) == 4.94
