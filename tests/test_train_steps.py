"""Draws, rewards and clocks of a step: what a group shares, and what a failure may never become."""

from __future__ import annotations

import argparse
import math
import socket
from dataclasses import replace

import pytest

from wclib.domains import HIBISCUS
from wclib.env.models import WatercolourObservation
from wclib.errors import InfrastructureFault, UsageError
from wclib.train.commands import laptop_command, settings, sft_command
from wclib.train.config import PRESETS, LaptopConfig, preset
from wclib.train.laptop import generation_dataset
from wclib.train.libraries import grpo_arguments, grpo_trainer, quiet_libraries
from wclib.train.procedural import sketch
from wclib.train.runlog import open_run
from wclib.train.scoring import Job, Scored, Sessions, comparison_rows, rollout_row
from wclib.train.steps import StepClock, UnscoredWatch, curve_row, generation_jobs, group_seed

SOURCE = sketch(1)[1]


def job(position: int = 0, group: int = 0) -> Job:
    return Job(SOURCE, HIBISCUS.subjects[0], seed=7, step=3, group=group, position=position)


def answered(reward: float | None = 0.5, render_s: float = 1.0, seconds: float = 1.5, position: int = 0) -> Scored:
    pair = {
        "reference": "love_a.png",
        "tier": "love",
        "verdict_submission_first": "submission",
        "verdict_reference_first": "reference",
        "score": 0.5,
    }
    seen = WatercolourObservation(
        gate_passed=True,
        paint_fraction=0.3,
        length_score=0.1,
        judge_score=0.5,
        quality_score=0.6,
        breakdown={
            "render": {
                "backend": "llvmpipe",
                "elapsed_s": render_s,
                "sha256": "ab",
                "calls": {"endShape": 9, "circle": 2},
            },
            "judge": {"comparisons": [pair]},
        },
    )
    return Scored(job(position), reward, "" if reward else "because", seen, seconds)


def test_a_group_shares_one_seed_and_no_two_groups_do():
    rows = generation_dataset(LaptopConfig(seed=3, generations=40))
    seeds = rows["seed"]
    assert len(rows) == 80 and len(set(seeds)) == 80 and all(0 <= seed < 2**31 for seed in seeds)
    # TRL repeats a row for each rollout of its group.
    columns = {name: [value for value in rows[name][:2] for _ in range(8)] for name in rows.column_names}
    jobs = generation_jobs([SOURCE] * 16, columns, step=0, rollouts=8)
    for group in (0, 1):
        members = [item for item in jobs if item.group == group]
        assert {item.seed for item in members} == {group_seed(3, 0, group)}
        assert [item.position for item in members] == list(range(8))
    with pytest.raises(InfrastructureFault, match="two prompts in one group"):
        generation_jobs([SOURCE] * 16, columns, step=0, rollouts=16)
    assert list(generation_dataset(LaptopConfig(seed=3, generations=40))["seed"]) == list(seeds)
    assert not set(generation_dataset(LaptopConfig(seed=4, generations=40))["seed"]) & set(seeds)
    assert set(rows["subject"]) == set(HIBISCUS.subjects)


def test_an_environment_that_is_not_there_gives_no_number():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with Sessions(url, 4, references=4) as sessions:
            scored = sessions.score([job(position) for position in range(6)])
            with pytest.raises(InfrastructureFault, match="health"):
                sessions.health()
    assert [item.reward for item in scored] == [None] * 6
    assert [item.job.position for item in scored] == list(range(6))
    row = rollout_row("run", scored[0], {"judge": 0.6, "quality": 0.3}, None)
    assert row["reward"] is None and row["gate_passed"] is None and row["paint_fraction"] is None
    assert url.removeprefix("http") in row["unscored_reason"].removeprefix("environment: ")


def test_a_row_has_the_published_columns_first():
    row = rollout_row("run", answered(), {"judge": 0.6, "quality": 0.3}, "paintings/0003_00.png")
    assert list(row)[:21] == [
        "image", "source_file", "run", "judge_weight", "hpsv3_weight", "step", "position_in_group", "reward", "code",
        "code_chars", "n_shapes", "n_vertices", "n_circles", "n_fill_calls", "brush_methods_used", "step_group_reward",
        "group_judge_mean", "group_length_mean", "group_paint_mean", "group_quality_mean", "paint_fraction",
    ]  # fmt: skip
    assert row["source_file"] == "paintings/0003_00.js" and row["references"] == ["love_a.png"]
    assert row["shapes_painted"] == 11 and row["code"] == SOURCE
    assert comparison_rows("run", answered())[0] == {
        "run": "run",
        "step": 3,
        "group": 0,
        "position_in_group": 0,
        "reference_id": "love_a.png",
        "tier": "love",
        "verdict_submission_first": "submission",
        "verdict_reference_first": "reference",
        "score": 0.5,
    }


def test_the_watch_pauses_a_run_above_its_limit_over_a_full_window():
    watch = UnscoredWatch(limit=0.25, window=3)
    watch.add(16, 16)
    watch.add(0, 16)
    with pytest.raises(InfrastructureFault, match=r"16 of the last 48 .*33%.*socket closed.*resume"):
        watch.add(0, 16, "socket closed")
    quiet = UnscoredWatch(limit=0.25, window=3)
    for _ in range(10):
        quiet.add(4, 16)


def test_the_curve_leaves_unscored_rollouts_out_and_blanks_what_nobody_scored():
    rows = [
        rollout_row("run", answered(reward, position=i), {}, None) for i, reward in enumerate((0.2, 0.6, None, 0.4))
    ]
    row = curve_row(3, rows, {"loss": 0.1, "entropy": 1.0}, 9.0)
    assert row["reward"] == pytest.approx(0.4) and row["reward_std"] == pytest.approx(0.2)
    assert row["scored_share"] == 0.75 and row["distinct_share"] == 0.25
    nothing = curve_row(3, [rollout_row("run", answered(None), {}, None)] * 4, {}, 9.0)
    assert nothing["reward"] is None and nothing["reward_std"] is None and nothing["scored_share"] == 0


def test_the_clock_splits_scoring_between_browsers_and_judges():
    clock = StepClock(generate_s=2).with_scores([answered(seconds=1.25), answered(seconds=9.0)], score_s=10)
    parts = {"generate_s": 2, "render_s": 8, "judge_s": 2, "update_s": 3}
    assert clock.parts(15) == pytest.approx(parts)
    lost = StepClock().with_scores([Scored(job(), None, "lost", None, 3.0)], score_s=3)
    assert lost.parts(3)["render_s"] == 0 and lost.parts(3)["judge_s"] == 3


def test_presets_are_sound_and_overrides_leave_the_rest():
    assert set(PRESETS) == {"demo", "laptop", "overnight"}
    config = preset("demo", generations=2, sft_steps=10, seed=None)
    assert (config.generations, config.sft.steps, config.seed) == (2, 10, 0)
    assert config == replace(PRESETS["demo"], generations=2, sft=replace(PRESETS["demo"].sft, steps=10))
    assert LaptopConfig.from_dict(config.as_dict()) == config
    with pytest.raises(UsageError, match="choose one of: demo, laptop, overnight"):
        preset("weekend")


@pytest.mark.parametrize(
    "bad",
    [
        *({"generations": 0}, {"rollouts": 1}, {"learning_rate": 0}, {"top_p": 1.5}, {"eval_samples": 0}),
        *({"seed": -1}, {"seed": 2**32}),
    ],
)
def test_settings_that_cannot_work_are_refused(bad):
    with pytest.raises(UsageError, match=next(iter(bad))):
        preset("demo", **bad)


def test_a_missing_reward_leaves_its_group_without_moving_the_rest(tmp_path, monkeypatch):
    """TRL's own reading of None, which the whole design rests on: no advantage, and no part in the group's mean."""
    from trl import GRPOTrainer

    from wclib.train.policy import load
    from wclib.train.sft import SFTConfig, sft

    with quiet_libraries():
        base = sft(SFTConfig(steps=1, batch=2, hidden=32, layers=1), progress=False, say=lambda text: None)
        model, tokenizer = load(base)
        arguments = grpo_arguments(
            tmp_path, per_device_train_batch_size=4, num_generations=4, max_completion_length=8, scale_rewards="none",
            max_steps=1, use_cpu=True, save_strategy="no",
        )  # fmt: skip
        seen = []
        score = GRPOTrainer._generate_and_score_completions

        def watched(self, inputs):
            batch = score(self, inputs)
            seen.append(batch["advantages"])
            return batch

        monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", watched)
        rows = generation_dataset(LaptopConfig(generations=1))
        grpo_trainer(model, tokenizer, lambda completions, **_: [0.2, None, 0.4, 0.9], rows, arguments).train()
    assert seen[0].tolist() == pytest.approx([-0.3, 0.0, -0.1, 0.4], abs=1e-6)
    assert all(math.isfinite(value) for value in seen[0].tolist())


def arguments(tmp_path, **given):
    names = "preset seed generations sft_steps eval_samples env_url seeds adapter learning_rate pool".split()
    names += ["allow_backend_change"]
    return argparse.Namespace(**{**dict.fromkeys(names), "out": str(tmp_path), "tag": "run", "resume": False, **given})


def test_resuming_takes_the_stored_settings_unless_others_are_given(tmp_path):
    stored = preset("demo", seed=4, generations=5)
    open_run(tmp_path, "run", stored.as_dict(), resume=False).close()
    assert settings(arguments(tmp_path, resume=True)) == stored
    assert settings(arguments(tmp_path, resume=True, seed=9)) == replace(stored, seed=9)
    assert settings(arguments(tmp_path, resume=True, preset="laptop")).preset == "laptop"
    assert settings(arguments(tmp_path)) == PRESETS["laptop"]
    with pytest.raises(UsageError, match="generations: 5 then, 4 now"):
        laptop_command(arguments(tmp_path, resume=True, generations=4))
    with pytest.raises(UsageError, match="seed: 4 then, 9 now"):
        laptop_command(arguments(tmp_path, resume=True, seed=9))


@pytest.mark.parametrize("stored", [{}, {"preset": "demo"}, 5, {**PRESETS["demo"].as_dict(), "sft": {"stops": 3}}])
def test_a_stored_configuration_that_is_not_whole_is_refused_with_the_remedy(stored):
    with pytest.raises(UsageError, match="run.json"):
        LaptopConfig.from_dict(stored)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seeds": [1, 2], "resume": True}, "by its own tag"),
        ({"seeds": [3, 4, 3]}, "3 4 3 names a seed twice"),
        ({"seeds": [1, 2], "tag": "old"}, "old-s2 is there already"),
    ],
)
def test_seeds_that_cannot_all_be_run_are_refused_before_any_work(tmp_path, given, said):
    (tmp_path / "old-s2").mkdir()
    with pytest.raises(UsageError, match=said):
        laptop_command(arguments(tmp_path, **given))
    assert [path.name for path in tmp_path.iterdir()] == ["old-s2"]


@pytest.mark.parametrize(("steps", "seed"), [(0, None), (-1, None), (None, -1)])
def test_sft_refuses_what_it_cannot_do(steps, seed):
    with pytest.raises(UsageError, match="--steps must be at least 1"):
        sft_command(argparse.Namespace(steps=steps, seed=seed))
