"""``python -m wclib train laptop``, ``control`` and ``sft``: arguments in, exit status out.

The summary goes to stdout as one JSON object (a list with ``--seeds``); everything for people goes to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from wclib.errors import UsageError
from wclib.train import control
from wclib.train.config import LaptopConfig, preset
from wclib.train.laptop import run_laptop, run_seeds
from wclib.train.libraries import quiet_libraries
from wclib.train.policy import SFTConfig, sft
from wclib.train.runlog import read_run
from wclib.train.summary import figures, told


def laptop_command(args: argparse.Namespace) -> int:
    """Run, resume, or run several seeds. ``args``: preset, tag, out, seed, seeds, generations, sft_steps, eval_samples,
    adapter, learning_rate, env_url, pool, resume, allow_backend_change; None where not given."""
    if args.seeds and args.resume:
        raise UsageError("--seeds starts new runs: go on with one by its own tag, such as --tag NAME-s1 --resume")
    config = settings(args)
    if args.seeds:
        results = run_seeds(config, args.seeds, args.out, args.tag, args.env_url, pool=args.pool)
    else:
        run = run_laptop(
            config,
            args.out,
            args.tag,
            args.resume,
            args.env_url,
            pool=args.pool,
            allow_backend_change=args.allow_backend_change,
        )
        results = [run]
    for result in results:
        result |= figures(result)
        _say(told(result))
        _say(f"pictures: {result['paintings_figure']} and {result['curve_figure']}; the run: {result['folder']}")
    print(json.dumps(results if args.seeds else results[0]), flush=True)
    return 0


def control_command(args: argparse.Namespace) -> int:
    """Run a study of the control task. ``args``: study, seeds, steps (None for 40), out (None to keep nothing)."""
    results = control.study(control.STUDIES[args.study], args.seeds, args.out and Path(args.out), args.steps, say=_say)
    print(json.dumps(results), flush=True)
    return 0


def sft_command(args: argparse.Namespace) -> int:
    """Build and teach the policy. ``args``: steps, seed; None where not given."""
    changes = {name: value for name, value in (("steps", args.steps), ("seed", args.seed)) if value is not None}
    if changes.get("steps", 1) < 1 or not 0 <= changes.get("seed", 0) < 2**32:
        raise UsageError(f"--steps must be at least 1 and --seed from 0 to {2**32 - 1}")
    with quiet_libraries():
        folder = sft(replace(SFTConfig(), **changes), say=_say)
    record = json.loads((folder / "sft.json").read_text())
    print(json.dumps({"folder": str(folder), "seconds": record["seconds"], "loss": record["loss"][-1]}), flush=True)
    return 0


def settings(args: argparse.Namespace) -> LaptopConfig:
    """The settings that arguments ask for; when resuming, those the run was started with unless others are given."""
    names = ("generations", "sft_steps", "eval_samples", "adapter", "learning_rate")
    changes = {name: getattr(args, name) for name in names}
    stored = Path(args.out) / str(args.tag) / "run.json"
    if not args.resume or not stored.exists():
        return preset(args.preset or "laptop", seed=args.seed, **changes)
    before = LaptopConfig.from_dict(read_run(stored.parent)["config"])
    if args.preset:
        return preset(args.preset, seed=before.seed if args.seed is None else args.seed, **changes)
    steps = changes.pop("sft_steps")
    if steps is not None:
        before = replace(before, sft=replace(before.sft, steps=steps))
    changes["seed"] = args.seed
    return replace(before, **{name: value for name, value in changes.items() if value is not None})


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
