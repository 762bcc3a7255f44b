"""Everything that can be known to be wrong before a GPU is paid for, each with its remedy.

    python -m wclib train grpo ... --dry-run

A check ends in [OK], [FAIL] or [not checked]. In a dry run what cannot be reached is "not checked"; before a real
start it is a failure. Nothing here loads the model's weights.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wclib.doctor import Unwell, one_openenv, wrong_pins
from wclib.errors import InfrastructureFault, UsageError
from wclib.hub.upload import client, hub_answers
from wclib.train.launch.environments import Check, checked, environment_checks
from wclib.train.launch.flags import SCALES, LaunchConfig
from wclib.train.launch.jobs import Job, header
from wclib.train.launch.semantics import unscored_rollouts


def preflight(config: LaunchConfig, job: Job, dry_run: bool) -> list[Check]:
    """Every check, in the order of cost.

    Args:
        config: the launch's settings.
        job: where it would run.
        dry_run: use no token; what cannot be reached is not checked, instead of failed.
    """
    checks = [
        _batch(config),
        _dataset(config),
        _scale(config),
        *_job(config, job),
        _processes(),
        _openenv(),
        _versions(),
        _run_folder(config),
        *_adapter_and_device(config, job),
        unscored_rollouts(),
        _token(config, job, dry_run),
    ]
    return [*checks, *environment_checks(config, job, dry_run)]


def _batch(config: LaunchConfig) -> Check:
    batch, group = config.generation_batch, config.num_generations
    said = f"{config.per_device_batch_size} x {config.gradient_accumulation_steps} = {batch} rollouts a step"
    return checked(
        "batch",
        f"{said}: {batch // group} group(s) of {group}",
        f"{said} do not divide into groups of {group}" if batch % group else "",
        f"choose --gradient-accumulation-steps so that the product is a multiple of --num-generations {group}",
    )


def _dataset(config: LaunchConfig) -> Check:
    needed = max(1, config.generation_batch // config.num_generations)
    few = config.n_episodes < needed
    turns = config.steps * needed / config.n_episodes
    again = f"; every draw comes round {turns:.1f} times" if turns > 1 else ""
    return checked(
        "dataset",
        f"{config.n_episodes} episodes for {config.steps} steps of {needed}{again}",
        f"{config.n_episodes} episodes, and a step takes {needed}: it would train 0 steps" if few else "",
        f"--n-episodes at least {needed}",
    )


def _scale(config: LaunchConfig) -> Check:
    wrong = f"{config.scale_rewards!r} is none of {', '.join(SCALES)}; TRL finds out at the first step"
    remedy = "--scale-rewards none is what the published runs used"
    return checked("scale_rewards", config.scale_rewards, wrong if config.scale_rewards not in SCALES else "", remedy)


def _job(config: LaunchConfig, job: Job) -> list[Check]:
    if not job.remote:
        return [Check("where", True, "this machine; --flavor, --timeout and --submit make it a Hub job")]
    try:
        seconds = job.seconds
    except UsageError as error:
        return [Check("timeout", False, str(error), "--timeout 20h")]
    from huggingface_hub import JobHardware

    a_step = f"{job.timeout}: {(seconds or 0) / config.steps / 60:.1f} minutes a step (published: 15 to 18)"
    none = "" if seconds else "none given; the Hub's own is 30 minutes, two steps"
    known = [item.value for item in JobHardware]
    wrong = "none given" if job.flavor is None else f"{job.flavor} is not known to this huggingface_hub"
    remedy = "--flavor h200" if job.flavor is None else f"one of {', '.join(known)}"
    checks = [
        checked("timeout", a_step, none, "--timeout 20h for 60 steps"),
        checked("flavour", str(job.flavor), "" if job.flavor in known else wrong, remedy),
    ]
    for flag, place in (("--model", config.model), ("--resume-adapter", config.resume_adapter)):
        if place and Path(place).is_dir():
            wrong = f"{place} is a folder here; a job has none of it"
            checks.append(Check(flag, False, wrong, "push it, name OWNER/NAME"))
    if config.push_to_hub is None:
        checks.append(Check("keeping", False, "a job's disk vanishes with it, and nothing is pushed", "--push-to-hub"))
    return checks


def _processes() -> Check:
    world = os.environ.get("WORLD_SIZE", "1")
    wrong = "" if world == "1" else f"{world}; a group must stay whole"
    return checked("processes", world, wrong, "accelerate launch --num_processes 1")


def _openenv() -> Check:
    try:
        return Check("openenv", True, one_openenv())
    except Unwell as fault:
        return Check("openenv", False, str(fault))


def _versions() -> Check:
    pins = [name for name in header()["dependencies"] if "==" in name]
    said = f"the {len(pins)} pins of the script's header are installed"
    return checked("versions", said, "; ".join(wrong_pins(pins)), "make setup, or uv run wclib/train/grpo.py")


def _run_folder(config: LaunchConfig) -> Check:
    from wclib.train.record import differences, read_run

    path = Path(config.out) / config.run_tag
    if not (path / "run.json").exists():
        return Check("run", True, f"{path} is new")
    try:
        changed = differences(read_run(path)["config"], config.shaping(), config.longer)
    except UsageError as error:
        return Check("run", False, str(error), "choose another --run-tag")
    remedy = "use those, or another --run-tag"
    if changed.startswith("steps: "):
        remedy += "; a run can be made longer, not shorter" if config.longer else (
            f"; a {config.lr_scheduler} rate is planned over all steps, so more of them are another run: start it with "
            "--resume-adapter"
        )  # fmt: skip
    steps = [int(p.name.split("-")[1]) for p in (path / "checkpoints").glob("checkpoint-*") if p.name[11:].isdigit()]
    said = f"{path} goes on" + (f" after step {max(steps)}" if steps else " from its beginning")
    return checked("run", said, f"{path} was started with other settings ({changed})" if changed else "", remedy)


def _adapter_and_device(config: LaunchConfig, job: Job) -> list[Check]:
    from wclib.train.launch.architecture import meta_model, model_config
    from wclib.train.launch.coverage import coverage

    try:
        architecture, source = model_config(config.model)
    except UsageError as error:
        return [Check("model", None, str(error)), _device(config, job, None, 0)]
    model = Check("model", True, f"{config.model}: {(architecture.architectures or ['?'])[0]}, config from {source}")
    if not config.lora:
        total = sum(item.numel() for item in meta_model(architecture).parameters())
        adapter = Check("adapter", True, f"none: all {total / 1e9:.2f} G parameters are trained")
        return [model, adapter, _device(config, job, total, total)]
    try:
        seen = coverage(architecture, config.targets, config.lora_r)
    except UsageError as error:
        return [model, Check("adapter", False, str(error), "--all-linear"), _device(config, job, None, 0)]
    said = (
        f"{config.targets}, rank {config.lora_r}: token mixers of {seen.mixers} of {seen.layers} layers, "
        f"{seen.trainable / 1e6:.1f} M of {seen.total / 1e9:.2f} G parameters, "
        f"vision tower {'in' if seen.vision else 'out'}"
    )
    # Asked for by name, a partial adapter is what the person wants; by default it is a mistake.
    partial = config.lora_targets is None and seen.mixers < seen.layers
    remedy = "--all-linear reaches all; --lora-targets seven if you mean it"
    adapter = checked("adapter", said, said if partial else "", remedy)
    return [model, adapter, _device(config, job, seen.total, seen.trainable)]


def _device(config: LaunchConfig, job: Job, total: int | None, trainable: int) -> Check:
    import torch

    name = "device and disk"
    if job.remote:
        return Check(name, None, f"they are the job's ({job.flavor or 'no flavour given'})")
    place = Path(config.out).resolve()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    # A checkpoint holds the trained weights (float32) and two moments of Adam for each.
    checkpoints = 12 * trainable * (config.steps // config.save_steps + 1)
    if free < checkpoints + 2**28:
        wrong = f"{free / 1e9:.1f} GB free in {place}, checkpoints take {checkpoints / 1e9:.1f} GB"
        return Check(name, False, wrong, "--out on a larger disk, or a larger --save-steps")
    said = f"disk {free / 1e9:.0f} GB free, checkpoints {checkpoints / 1e9:.2f} GB"
    if total is None:
        return Check(name, None, f"the model's size is not known; {said}")
    if not torch.cuda.is_available():
        wrong = f"no CUDA here, and the model has {total / 1e9:.1f} G parameters" if total > 1e9 else ""
        said = f"no CUDA: {total / 1e6:.2f} M parameters on the CPU; {said}"
        return checked(name, said, wrong, "run it on a GPU: --flavor h200 --timeout 20h --submit")
    needed = total * (2 if config.bf16 else 4) + 12 * trainable
    memory = torch.cuda.get_device_properties(0).total_memory
    wrong = f"weights and optimizer take {needed / 1e9:.0f} GB, the GPU has {memory / 1e9:.0f}"
    said = f"{torch.cuda.get_device_name(0)}, {memory / 1e9:.0f} GB; {said}"
    return checked(name, said, wrong if needed > memory else "", "--lora --bf16, or --flavor h200")


def _token(config: LaunchConfig, job: Job, dry_run: bool) -> Check:
    pushes = config.push_to_hub is not None or config.film is not None
    wanted = [name for name, on in (("push", pushes), ("job", job.submit)) if on]
    if not wanted:
        return Check("token", True, "none needed: nothing is pushed or submitted")
    if dry_run:
        return Check("token", None, f"needed for: {', '.join(wanted)}; a dry run uses none")
    try:
        with hub_answers("looking your token up"):
            who = client("this launch").whoami()
    except (UsageError, InfrastructureFault) as error:
        return Check(
            "token", False, getattr(error, "detail", str(error)), "export HF_TOKEN=... (hf.co/settings/tokens)"
        )
    missing = missing_scopes(who, wanted)
    wrong = f"{who['name']}'s token may not: {', '.join(missing)}" if missing else ""
    return checked("token", f"{who['name']}, may {' and '.join(wanted)}", wrong, "give it write and job scopes")


def missing_scopes(who: dict[str, Any], wanted: Iterable[str]) -> list[str]:
    """Which of "push" and "job" a token may not do, by the Hub's answer to whoami."""
    token = (who.get("auth") or {}).get("accessToken") or {}
    role = token.get("role")
    if role == "write":
        return []
    scopes = {
        scope for entry in (token.get("fineGrained") or {}).get("scoped", []) for scope in entry.get("permissions", [])
    }
    needed = {"push": "repo.write", "job": "job.write"}
    return [needed[name] for name in wanted if role == "read" or needed[name] not in scopes]
