"""The whole launch for real on a Qwen3.5-MoE of random weights: environment, Chromium, TRL, LoRA, checkpoint, kill -9,
resume, adapter, guard, pushes. It learns nothing in three steps; what is held here is that every part works with the
others, and that a killed run ends equal to one that nobody touched.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from env_fixtures import wait_for, without
from hub_server import TOKEN, hub_server
from launch_line import parse
from paintings import COOL, WARM, taste_pool

from wclib.env.local import local_server
from wclib.errors import InfrastructureFault, UsageError
from wclib.hub.model import publish_model
from wclib.jsonl import read_rows
from wclib.train.cuda_check import check
from wclib.train.grpo import main
from wclib.train.launch import preflight
from wclib.train.launch.environments import Check, environment_checks
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.jobs import arguments_of, effective_job
from wclib.train.launch.run import run_launch
from wclib.train.launch.tiny import build

#: What two equal runs may differ in: the clock, and the names of their folders.
CLOCKS = ["step_time", "generate_s", "render_s", "judge_s", "update_s"]
UNEQUAL = {"run", "render_s", "score_s"}
TRAINER = """
import sys
from wclib import cli
from wclib.train.launch.flags import config_of
from wclib.train.launch.run import run_launch
run_launch(config_of(cli._parser().parse_args(["train", "grpo", *sys.argv[1:]])))
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """A tiny model and one environment under two addresses, on the pool of two tastes."""
    base = tmp_path_factory.mktemp("launch")
    pool = taste_pool(base / "pool", WARM, COOL)
    chosen = {"WATERCOLOUR_POOL_DIR": str(pool), "XDG_CACHE_HOME": str(base / "cache")}
    with local_server(env=chosen, quiet=True) as url:
        yield LaunchConfig(
            env_url=(url, url.replace("127.0.0.1", "localhost")),
            model=str(build(base / "tiny")), lora=True, all_linear=True, lora_r=4,
            gradient_checkpointing=True, lr=1e-3, warmup_steps=1, steps=3, n_episodes=3, num_generations=4,
            gradient_accumulation_steps=4, max_completion_length=3, probe_samples=2, save_steps=1, references=2,
            run_tag="whole", out=str(base / "runs"),
        )  # fmt: skip


def test_the_launch_runs_is_killed_goes_on_and_keeps_everything(settings: LaunchConfig, tmp_path, monkeypatch, capsys):
    said: list[str] = []
    with hub_server() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        whole = run_launch(replace(settings, push_to_hub="", film="guild/film"), said.append)
        monkeypatch.delenv("HF_TOKEN")
    folder = Path(whole["folder"])
    assert (whole["steps"], whole["rollouts"], whole["unscored"], whole["not_pushed"]) == (3, 12, 0, [])
    assert whole["adapter"]["modules"] == 35 and whole["adapter"]["logit_change"] > 0
    rows, _ = read_rows(folder / "rollouts.jsonl")
    assert [(row["step"], row["position_in_group"]) for row in rows] == [(s, p) for s in range(3) for p in range(4)]
    for step in range(3):
        group = [row for row in rows if row["step"] == step]
        assert len({row["seed"] for row in group}) == 1
        assert len({tuple(row["references"]) for row in group if row["references"]}) <= 1
    assert any(row["reward"] > 0 for row in rows) and len({row["seed"] for row in rows}) == 3
    pushed, film = hub.files["model", "painter/whole"], hub.files["dataset", "guild/film"]
    assert {f"checkpoints/checkpoint-3/{name}" for name in ("optimizer.pt", "complete.json", "rng_state.pth")} <= set(
        pushed
    )
    assert (
        pushed["rollouts.jsonl"] == (folder / "rollouts.jsonl").read_bytes() and "adapter/adapter_config.json" in pushed
    )
    painted = [row["image"] for row in rows if row["image"]]
    assert painted and all(film[name] == (folder / name).read_bytes() for name in painted)

    again = replace(settings, run_tag="broken")
    short = arguments_of(replace(again, steps=2))
    process = subprocess.Popen([sys.executable, "-c", TRAINER, *short], stderr=subprocess.PIPE, text=True)
    broken = folder.with_name("broken")
    wait_for(broken / "checkpoints" / "checkpoint-2" / "complete.json", process)
    process.kill()
    process.communicate()
    with pytest.raises(UsageError, match="lr: 0.001 then, 0.01 now"):
        run_launch(replace(again, lr=0.01), said.append)
    resumed = run_launch(again, said.append)
    assert any("all 70 adapter tensors loaded as saved" in line for line in said)
    assert "the run is made longer: steps: 2 then, 3 now" in said
    second, _ = read_rows(broken / "rollouts.jsonl")
    assert without(rows, UNEQUAL) == without(second, UNEQUAL)
    curves = [pd.read_csv(path / "curve.csv").drop(columns=CLOCKS) for path in (folder, broken)]
    pd.testing.assert_frame_equal(*curves, check_exact=True)
    assert resumed["probe_after"] == whole["probe_after"] and resumed["probe_before"]["samples"] == 2
    run = json.loads((broken / "run.json").read_text())
    assert [start["resumed"] for start in run["starts"]] == [False, True]
    assert [(grown["from"], grown["to"]) for grown in run["lengthened"]] == [(2, 3)]

    table = broken / "eval" / "rollouts.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in read_rows(table)[0] if row["after_steps"] == 0))
    capsys.readouterr()
    monkeypatch.setattr(preflight, "unscored_rollouts", lambda: Check("unscored rollouts", True, "see the dry run"))
    assert main(arguments_of(again)) == 0, "the script's own way, on a run that was killed before its last probe"
    out, err = capsys.readouterr()
    assert json.loads(out)["probe_after"] == whole["probe_after"]
    assert err.count("[OK]          golden reply") == 2 and "goes on after step 3" in err

    report = publish_model(broken, tmp_path / "model", dry_run=True)
    card = (tmp_path / "model" / "README.md").read_text()
    assert "70 keys matched" in report["guard"] and "Qwen3_5MoeForConditionalGeneration.from_pretrained" in card
    assert "learned nothing" in card and "fingerprint" in card


def test_the_preflight_scores_a_golden_reply_on_every_environment(settings: LaunchConfig, monkeypatch):
    job = effective_job(settings, parse([])[1])
    checks = environment_checks(settings, job, dry_run=False)
    assert [check.name for check in checks] == ["environment", "weights", "golden reply"] * 2
    assert all(check.ok for check in checks), checks
    assert "2 references, its id came back" in checks[2].detail
    monkeypatch.setenv("WATERCOLOUR_JUDGE_WEIGHT", "0.3")
    monkeypatch.setenv("WATERCOLOUR_QUALITY_WEIGHT", "0.6")
    wanted = [check for check in environment_checks(settings, job, dry_run=True) if check.ok is False]
    assert [check.name for check in wanted] == ["weights"] * 2 and "WATERCOLOUR_" in wanted[0].remedy
    away = environment_checks(replace(settings, env_url=("http://127.0.0.1:9",)), job, dry_run=False)
    assert away[0].ok is False and "wclib serve" in away[0].remedy


def test_an_environment_that_goes_away_stops_the_run_and_says_how_to_go_on(settings: LaunchConfig):
    with pytest.raises(InfrastructureFault, match="no health report"):
        run_launch(replace(settings, run_tag="away", env_url=("http://127.0.0.1:9",)), lambda text: None)


@pytest.mark.slow
def test_the_check_for_a_gpu_runs_here_as_a_rehearsal_and_says_so(tmp_path):
    found = check(tmp_path / "check")
    assert found["resumed_equal"] and found["tokens_per_second"] > 0 and found["launch"]["adapter"]["modules"] == 35
    assert "STUB" in found["rewards"] and json.loads((tmp_path / "check" / "cuda_check.json").read_text()) == found
    rows, _ = read_rows(tmp_path / "check" / "run" / "rollouts.jsonl")
    assert len(rows) == 16 and all("STUB" in row["reason"] for row in rows)
