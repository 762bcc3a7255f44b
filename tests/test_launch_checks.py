"""The launch before it starts: flags, coverage of the adapter, the loading guard, the preflight, time and cost."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
import torch
from launch_line import parse
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoTokenizer

from wclib.analysis.published import published_curves
from wclib.errors import UsageError
from wclib.train.launch import cost, guard, preflight
from wclib.train.launch.architecture import builtin_config
from wclib.train.launch.coverage import coverage, every_choice, sizes, table
from wclib.train.launch.environments import Check, environment_checks
from wclib.train.launch.flags import ELSEWHERE, LaunchConfig
from wclib.train.launch.inputs import episodes, load_policy, trainer_arguments
from wclib.train.launch.jobs import SCRIPT, arguments_of, effective_job, header, script_with_wheel
from wclib.train.launch.targets import DENSE, MOE, TARGETS, with_adapter
from wclib.train.launch.tiny import build

ROOT = Path(__file__).resolve().parent.parent
ARTICLE = (
    "--env-url http://127.0.0.1:9 --model Qwen/Qwen3.5-35B-A3B --lora --all-linear --bf16 --gradient-checkpointing "
    "--references 4 --top-p 0.95 --top-k 20 --lr 5e-5 --lr-scheduler constant_with_warmup --warmup-steps 5 "
    "--scale-rewards none --steps 60 --n-episodes 240 --num-generations 8 --per-device-batch-size 1 "
    "--gradient-accumulation-steps 8 --max-completion-length 8192 --run-tag first --push-to-hub"
).split()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def adapter(tiny, tmp_path_factory) -> Path:
    """An adapter whose every lora_B has moved."""
    folder = tmp_path_factory.mktemp("adapter") / "lora"
    model = with_adapter(AutoModelForImageTextToText.from_pretrained(tiny), "all-linear")
    torch.manual_seed(0)
    for name, tensor in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(tensor, std=0.02)
    model.save_pretrained(folder)
    return folder


# --- flags: each has an effect ---


@pytest.mark.parametrize(
    ("flag", "name", "value"),
    [
        ("--top-p 0.8", "top_p", 0.8), ("--top-k 7", "top_k", 7), ("--lr 1e-4", "learning_rate", 1e-4),
        ("--lr-scheduler linear", "lr_scheduler_type", "linear"), ("--warmup-steps 2", "warmup_steps", 2),
        ("--scale-rewards group", "scale_rewards", "group"), ("--steps 9", "max_steps", 9),
        ("--num-generations 4", "num_generations", 4), ("--per-device-batch-size 2", "per_device_train_batch_size", 2),
        ("--gradient-accumulation-steps 16", "gradient_accumulation_steps", 16),
        ("--max-completion-length 77", "max_completion_length", 77), ("--temperature 0.7", "temperature", 0.7),
        ("--gradient-checkpointing", "gradient_checkpointing", True), ("--bf16", "bf16", True),
        ("--save-steps 3", "save_steps", 3), ("--seed 5", "seed", 5), ("--entropy-target 0.4", "entropy_target", 0.4),
        ("--entropy-target 0.4", "use_adaptive_entropy", True),
    ],
)  # fmt: skip
def test_a_flag_of_the_trainer_reaches_the_trainer(flag, name, value, tmp_path):
    config, _ = parse(flag.split())
    assert getattr(trainer_arguments(config, tmp_path), name) == value
    if name != "learning_rate":
        assert getattr(trainer_arguments(LaunchConfig(), tmp_path), name) != value


def test_subject_and_episodes_make_the_dataset():
    rows = episodes(parse("--subject hibiscus --n-episodes 5".split())[0])
    assert len(rows) == 5 and set(rows["subject"]) == {"hibiscus"} and len(set(rows["seed"])) == 5
    assert rows[0]["prompt"][-1]["content"] == "Paint hibiscus in loose watercolour."
    assert len(set(episodes(LaunchConfig(n_episodes=10))["subject"])) == 5
    assert episodes(LaunchConfig(n_episodes=3, seed=1))["seed"] != episodes(LaunchConfig(n_episodes=3))["seed"]


def test_the_adapters_flags_make_the_adapter(tiny, adapter):
    model, _ = load_policy(LaunchConfig(model=str(tiny), lora=True, all_linear=True, lora_r=3, bf16=True))
    settings = model.peft_config["default"]
    assert (settings.r, settings.lora_alpha) == (3, 6) and model.dtype == torch.bfloat16
    plain, _ = load_policy(LaunchConfig(model=str(tiny)))
    assert not hasattr(plain, "peft_config") and plain.dtype == torch.float32
    again, _ = load_policy(LaunchConfig(model=str(tiny), lora=True, all_linear=True, resume_adapter=str(adapter)))
    saved = guard.read_adapter(adapter)
    name = next(name for name in saved if "lora_B" in name)
    assert torch.equal(dict(again.named_parameters())[name.replace(".weight", ".default.weight")].detach(), saved[name])
    assert any(tensor.requires_grad for tensor in again.parameters())


def test_what_cannot_work_is_refused_by_its_flag():
    for line, match in (
        ("--all-linear", "--lora"), ("--num-generations 1", "--num-generations"), ("--top-p 1.5", "--top-p"),
        ("--lora --all-linear --lora-targets seven", "contradict"), ("--entropy-target 0", "--entropy-target"),
        ("--entropy-target nan", "--entropy-target"), ("--lr inf", "--lr"), ("--temperature inf", "--temperature"),
        ("--lora-alpha 0", "--lora-alpha"), ("--run-tag ../other", "tag"), ("--subject=", "--subject is empty"),
        ("--push-to-hub a/b/c", "OWNER/NAME"), ("--film ../x", "OWNER/NAME"), ("--env-url nonsense", "--env-url"),
        ("--env-url http://[bad", "--env-url"), ("--env-url ftp://host", "--env-url"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=match):
            parse(line.split())
    with pytest.raises(UsageError, match="WATERCOLOUR_ENV_TOKEN") as refused:
        parse(["--env-url", "https://painter:sesame@host"])
    assert "sesame" not in str(refused.value)


def test_a_job_cannot_have_a_folder_of_this_machine(tmp_path):
    line = f"--flavor h200 --timeout 2h --push-to-hub --lora --model {tmp_path} --resume-adapter {tmp_path}"
    config, args = parse(line.split())
    assert {"--model", "--resume-adapter"} == set(failed(preflight._job(config, effective_job(config, args))))


@pytest.mark.parametrize("torn", ["", '{"tag": "mi', "[]", '{"config": [], "starts": []}'])
def test_a_torn_record_is_found_before_the_start(tmp_path, torn):
    (tmp_path / "mine" / "checkpoints" / "checkpoint-x").mkdir(parents=True)
    (tmp_path / "mine" / "run.json").write_text(torn)
    found = preflight._run_folder(LaunchConfig(out=str(tmp_path), run_tag="mine"))
    assert found.ok is False and "run.json" in found.detail and "--run-tag" in found.remedy


def test_the_command_line_of_a_job_makes_the_same_settings():
    line = [*ARTICLE, "--film", "guild/film", "--probe-samples", "3", "--trackio-space", "curves", "--lora-r", "8"]
    config, _ = parse([*line, "--env-url", "http://b", "http://c"])
    assert config.env_url == ("http://127.0.0.1:9", "http://b", "http://c") and config.push_to_hub == ""
    again, _ = parse(arguments_of(config))
    assert again == config
    assert set(config.shaping()) | set(ELSEWHERE) == {field.name for field in dataclasses.fields(config)}


# --- coverage ---


def test_the_usual_names_reach_ten_token_mixers_and_all_linear_reaches_forty():
    found = every_choice(builtin_config(MOE, tiny=True))
    assert {name: seen.mixers for name, seen in found.items()} == {
        "attention": 10, "seven": 10, "all-linear+vision": 40, "all-linear": 40, "all-linear+experts": 40,
    }  # fmt: skip
    assert [found["all-linear"].kinds.count(kind) for kind in sorted(set(found["all-linear"].kinds))] == [10, 30]
    assert found["seven"].reached["shared expert"] == 40 and "routed experts" not in found["all-linear"].reached
    assert found["all-linear+experts"].reached["routed experts"] == 40
    assert [name for name, seen in found.items() if seen.vision] == ["all-linear+vision"]
    assert list(table(found).index) == list(TARGETS)


def test_the_adapter_at_the_real_widths_and_where_the_weights_are():
    seen = coverage(builtin_config(MOE), "all-linear")
    assert (seen.mixers, seen.layers) == (40, 40) and 22e6 < seen.trainable < 23e6 and 35.0e9 < seen.total < 35.2e9
    assert sizes(seen).share["routed experts"] == pytest.approx(0.917, abs=0.001)


def test_a_dense_model_of_the_4b_class():
    found = every_choice(builtin_config(DENSE, tiny=True))
    assert {name: seen.mixers for name, seen in found.items()} == {
        "attention": 8, "seven": 8, "all-linear+vision": 32, "all-linear": 32,
    }  # fmt: skip
    assert 4e9 < coverage(builtin_config(DENSE), "seven").total < 5e9


# --- the guard ---


def test_an_adapter_on_the_class_its_config_names_passes(tiny, adapter):
    base = AutoModelForImageTextToText.from_pretrained(tiny)
    _, seen = guard.load_adapter(base, adapter, AutoTokenizer.from_pretrained(tiny))
    assert seen.keys == 2 * seen.modules == 70 and seen.logit_change > 0
    assert guard.check_saved(adapter) == 35


def test_the_silent_miss_on_another_class_is_refused(tiny, adapter):
    with pytest.raises(UsageError, match="0 of the 70 keys.*Qwen3_5MoeForCausalLM.*AutoModelForImageTextToText"):
        guard.load_adapter(AutoModelForCausalLM.from_pretrained(tiny), adapter)


def test_a_lora_b_of_zeros_and_a_folder_without_an_adapter_are_refused(tiny, tmp_path):
    model = with_adapter(AutoModelForImageTextToText.from_pretrained(tiny), "all-linear")
    model.save_pretrained(tmp_path / "fresh")
    with pytest.raises(UsageError, match="35 of the 35 lora_B"):
        guard.load_adapter(AutoModelForImageTextToText.from_pretrained(tiny), tmp_path / "fresh")
    with pytest.raises(UsageError, match="adapter_model.safetensors"):
        guard.check_saved(tmp_path)


# --- preflight ---


def failed(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks if check.ok is False}


def test_a_dry_run_of_the_articles_command_needs_no_token_and_no_network(tmp_path):
    """As plain python, from another folder; exit 0, what was not reached is said, the secret only by name."""
    environment = {name: value for name, value in os.environ.items() if name != "HF_TOKEN"}
    line = [sys.executable, str(SCRIPT), *ARTICLE, "--flavor", "h200", "--timeout", "20h", "--dry-run"]
    line[line.index("http://127.0.0.1:9")] = "https://nowhere.invalid"
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    told = done.stderr
    assert "[FAIL]" not in told and "[not checked] environment" in told and "[not checked] token" in told
    assert "token mixers of 40 of 40 layers, 22.5 M of 35.11 G" in told and "advantages [0.5, 0.0, -0.5, 0.0]" in told
    for part in ("h200", "20h (72000 s)", "trl==1.12.0", "uv:python3.12", "--all-linear", "HF_TOKEN (by name)"):
        assert part in told, part
    assert not list(tmp_path.iterdir()), "a dry run leaves nothing behind"


@pytest.mark.parametrize(
    ("line", "name", "remedy"),
    [
        ("--gradient-accumulation-steps 9", "batch", "--gradient-accumulation-steps"),
        ("--gradient-accumulation-steps 16 --n-episodes 1", "dataset", "--n-episodes"),
        ("--scale-rewards std", "scale_rewards", "--scale-rewards none"),
        ("--flavor h200", "timeout", "--timeout"), ("--flavor h2000 --timeout 2h", "flavour", "h200"),
        ("--timeout soon --submit --flavor h200", "timeout", "--timeout"),
        ("--submit --timeout 2h", "flavour", "--flavor"),
        ("--flavor h200 --timeout 2h", "keeping", "--push-to-hub"),
        ("--flavor h200 --timeout 2h", "environment", "--env-url"),
        ("--flavor h200 --timeout 2h --env-url http://127.0.0.1:9", "http://127.0.0.1:9", "publish"),
        ("--lora", "adapter", "--all-linear"), ("--lora --all-linear --bf16", "device and disk", "--flavor"),
        ("--model Qwen/Qwen3.5-4B --lora --lora-targets all-linear+experts", "adapter", "--all-linear"),
    ],
)  # fmt: skip
def test_every_fault_is_found_and_names_its_remedy(line, name, remedy, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    config, args = parse(line.split())
    job = effective_job(config, args)
    checks = [preflight._batch(config), preflight._dataset(config), preflight._scale(config)]
    checks += [*preflight._job(config, job), *environment_checks(config, job, dry_run=True)]
    if name in ("adapter", "device and disk"):
        checks += preflight._adapter_and_device(config, job)
    found = failed(checks)
    assert name in found and remedy in found[name].remedy, checks
    assert f"[FAIL]        {name}" in str(found[name]) and "->" in str(found[name])


def test_two_openenv_distributions_and_other_versions_are_found(monkeypatch):
    there = {"openenv": "0.4.1", "trl": "1.13.0"}
    installed = metadata.version
    assert preflight._openenv().ok and preflight._versions().ok
    monkeypatch.setattr(metadata, "version", lambda name: there.get(name) or installed(name))
    assert not preflight._openenv().ok and "openenv-core 0.3.0 and openenv 0.4.1" in preflight._openenv().detail
    assert preflight._versions().detail == "trl 1.13.0 (pinned: 1.12.0)"


def test_several_processes_are_refused(monkeypatch):
    assert preflight._processes().ok
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert preflight._processes().ok is False and "--num_processes 1" in preflight._processes().remedy


def test_the_scopes_of_a_token():
    def who(**token):
        return {"name": "painter", "auth": {"accessToken": token}}

    fine = {"scoped": [{"permissions": ["repo.write"]}]}
    assert preflight.missing_scopes(who(role="write"), ["push", "job"]) == []
    assert preflight.missing_scopes(who(role="read"), ["push"]) == ["repo.write"]
    assert preflight.missing_scopes(who(role="fineGrained", fineGrained=fine), ["push", "job"]) == ["job.write"]


def test_the_scripts_header_is_pinned_like_the_project_and_takes_our_wheel():
    project = (ROOT / "pyproject.toml").read_text()
    pins = [name for name in header()["dependencies"] if "==" in name]
    assert len(pins) >= 8 and all(f'"{pin}"' in project for pin in pins)
    script = script_with_wheel("https://hub/wclib.whl")
    assert '"wclib[train] @ https://hub/wclib.whl"' in script and "tool.uv" not in script
    compile(script, "grpo.py", "exec")
    assert header()["tool"]["uv"]["sources"]["wclib"]["path"] == "../.."


# --- time and cost ---


def test_the_cost_follows_the_formula_and_the_published_steps():
    assert cost.step_seconds(1000, 0.75, 25) == pytest.approx(280)
    frame = cost.cost_table(hourly=4.0, times=25.0, runs={"mine": (10, 360.0)})
    assert frame.loc["mine", "hours, article"] == 1.0 and frame.loc["mine", "cost, article"] == 4.0
    assert frame.loc["mine", "step, ours (s)"] == "84-118"
    assert cost.measured_times() > 10
    with pytest.raises(UsageError, match="price"):
        cost.cost_table(hourly=0, times=25)


def test_the_published_means_are_those_of_the_published_curves():
    curves = published_curves()
    for name, (steps, seconds) in cost.PUBLISHED.items():
        assert len(curves[name]) == steps and curves[name]["step_time"].mean() == pytest.approx(seconds, abs=0.01)


def test_a_changed_setting_of_a_run_is_found_before_the_start(tmp_path):
    from wclib.train.runlog import open_run

    config = LaunchConfig(out=str(tmp_path), run_tag="mine")
    open_run(tmp_path, "mine", config.shaping(), resume=False).close()
    assert preflight._run_folder(config).ok
    changed = preflight._run_folder(replace(config, lr=1e-3))
    assert changed.ok is False and "lr: 5e-05 then, 0.001 now" in changed.detail
    assert preflight._run_folder(replace(config, env_url=("http://elsewhere",), allow_backend_change=True)).ok
    assert preflight._run_folder(replace(config, steps=200)).ok, "a constant rate does not know how many steps come"
    shorter = preflight._run_folder(replace(config, steps=60))
    assert "steps: 110 then, 60 now" in shorter.detail and "longer, not shorter" in shorter.remedy
    assert json.loads((tmp_path / "mine" / "run.json").read_text())["config"]["top_k"] == 20
    falling = LaunchConfig(out=str(tmp_path), run_tag="falling", lr_scheduler="cosine")
    open_run(tmp_path, "falling", falling.shaping(), resume=False).close()
    planned = preflight._run_folder(replace(falling, steps=200))
    assert planned.ok is False and "planned over all steps" in planned.remedy and "--resume-adapter" in planned.remedy


MIRROR = """
import sys
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.mirror import Mirror
with Mirror(LaunchConfig(trackio_space="painter/curves", run_tag="mine"), print) as mirror:
    mirror.log({"step": 0, "reward": 0.5, "kl": None})
import trackio
print([run.name for run in trackio.Api().runs("watercolour")])
"""


def test_trackio_stays_on_this_machine_without_a_token(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "HF_TOKEN"}
    environment |= {"TRACKIO_DIR": str(tmp_path / "trackio"), "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", MIRROR], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=250
    )
    assert "no HF_TOKEN" in done.stdout and "failed" not in done.stdout, done.stdout + done.stderr
    assert done.stdout.strip().endswith("['mine']") and list((tmp_path / "trackio").glob("*.db"))
