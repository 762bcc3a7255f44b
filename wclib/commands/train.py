"""``train``: teach a policy."""

from __future__ import annotations

import argparse
from typing import Any

from wclib import say
from wclib.commands import GOES_ON, add, family, print_json
from wclib.train.launch.flags import add_flags, add_job_flags


def register(commands: Any) -> None:
    """Add the commands."""
    train = family(commands, "train", "train a policy", "train laptop --preset demo --tag first")
    laptop = add(train, "laptop", _laptop, "the whole loop on this machine", "train laptop --preset demo --tag first")
    laptop.add_argument("--preset", choices=["demo", "laptop", "overnight"], help="default: laptop")
    laptop.add_argument("--tag", help="the run's folder under --out (default: preset, seed and time)")
    laptop.add_argument("--out", default="runs", metavar="DIR", help="folder of all runs (default: runs)")
    laptop.add_argument("--seed", type=int, help="default: 0, or the run's own when resuming")
    laptop.add_argument("--seeds", type=int, nargs="+", help="run several seeds one after another and print a table")
    laptop.add_argument("--generations", type=int, help="override the preset's number of generations")
    laptop.add_argument("--sft-steps", type=int, help="override the preset's number of SFT steps")
    laptop.add_argument("--eval-samples", type=int, help="override the preset's evaluation paintings")
    laptop.add_argument("--adapter", choices=["full", "lora", "lora+embeddings"], help="default: full")
    laptop.add_argument("--lr", type=float, dest="learning_rate", help="override the preset's learning rate")
    laptop.add_argument("--pool", metavar="DIR", help="rated paintings to be rewarded by, as WATERCOLOUR_POOL_DIR")
    laptop.add_argument("--env-url", help="score on a running environment instead of starting one")
    laptop.add_argument("--resume", action="store_true", help="continue the run with this tag")
    laptop.add_argument(
        "--allow-backend-change", action="store_true", help="continue it although another WebGL backend paints now"
    )
    text = "no browser, no judge: does the trainer learn at all?"
    control = add(train, "control", _control, text, "train control --out build/control", f"with --out, {GOES_ON}")
    control.add_argument("--study", choices=["rates", "hacked", "changes"], default="rates", help="default: rates")
    control.add_argument("--seeds", type=int, nargs="+", default=[0], help="one run each (default: 0)")
    control.add_argument("--steps", type=int, help="default: 40")
    control.add_argument("--out", metavar="DIR", help="keep a CSV a variant there; what is in it is not run again")
    sft = add(train, "sft", _sft, "teach the tiny policy to write sketches", "train sft")
    sft.add_argument("--steps", type=int, help="SFT steps (default: the laptop preset's)")
    sft.add_argument("--seed", type=int, help="default: 0")
    grpo = add(
        train,
        "grpo",
        _grpo,
        "the launch on a GPU, here or as a Hub job",
        "train grpo --env-url URL --lora --all-linear --bf16 --dry-run",
    )
    add_flags(grpo)
    add_job_flags(grpo)


def _laptop(args: argparse.Namespace) -> int:
    from wclib.train.commands import laptop_command

    return laptop_command(args)


def _control(args: argparse.Namespace) -> int:
    from wclib.train.commands import control_command

    return control_command(args)


def _sft(args: argparse.Namespace) -> int:
    from wclib.train.commands import sft_command

    return sft_command(args)


def _grpo(args: argparse.Namespace) -> int:
    """Check, then run here, submit a job, or stop after the checks."""
    from wclib.train.launch.flags import config_of
    from wclib.train.launch.jobs import effective_job, submit
    from wclib.train.launch.preflight import preflight

    config = config_of(args)
    job = effective_job(config, args)
    checks = preflight(config, job, dry_run=args.dry_run)
    say("\n".join(map(str, checks)))
    if args.dry_run or args.submit:
        say(job.text())
    if any(check.ok is False for check in checks):
        say("The preflight found faults: nothing was started.")
        return 1
    if args.dry_run:
        say("Dry run: nothing was started.")
        return 0
    if args.submit:
        return submit(job, follow=not args.detach, say=say)
    from wclib.train.launch.run import run_launch

    print_json(run_launch(config, say=say))
    return 0
