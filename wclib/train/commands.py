"""``python -m wclib train laptop``, ``control`` and ``sft``: arguments in, exit status out.

The summary goes to stdout as one JSON object (a list with ``--seeds``); everything for people goes to stderr.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from wclib import say
from wclib.errors import UsageError
from wclib.train import studies
from wclib.train.config import PRESETS, LaptopConfig, changed, preset
from wclib.train.laptop import run_laptop, run_seeds
from wclib.train.libraries import quiet_libraries
from wclib.train.record import read_run
from wclib.train.sft import SFTConfig, sft
from wclib.train.summary import figures, told


def laptop_command(args: argparse.Namespace) -> int:
    """Run, resume, or run several seeds; ``args`` are those of ``train laptop``, None where not given.

    Raises:
        UsageError: several seeds are to be resumed at once.
    """
    if args.seeds and args.resume:
        raise UsageError("--seeds starts new runs: go on with one by its own tag, such as --tag NAME-s1 --resume")
    config, where, pool = settings(args), (args.out, args.tag), args.pool
    if args.seeds:
        results = run_seeds(config, args.seeds, *where, args.env_url, pool=pool)
    else:
        change = args.allow_backend_change
        results = [run_laptop(config, *where, args.resume, args.env_url, pool=pool, allow_backend_change=change)]
    for result in results:
        result |= figures(result)
        say(told(result))
        say(f"pictures: {result['paintings_figure']} and {result['curve_figure']}; the run: {result['folder']}")
    print(json.dumps(results if args.seeds else results[0]), flush=True)
    return 0


def control_command(args: argparse.Namespace) -> int:
    """Run a study of the control task. ``args``: study, seeds, steps (None for 40), out (None to keep nothing)."""
    results = studies.study(studies.STUDIES[args.study], args.seeds, args.out and Path(args.out), args.steps, say=say)
    print(json.dumps(results), flush=True)
    return 0


def sft_command(args: argparse.Namespace) -> int:
    """Build and teach the policy. ``args``: steps, seed; None where not given.

    Raises:
        UsageError: no steps, or no seed that torch takes.
    """
    changes = {name: value for name, value in (("steps", args.steps), ("seed", args.seed)) if value is not None}
    if changes.get("steps", 1) < 1 or not 0 <= changes.get("seed", 0) < 2**32:
        raise UsageError(f"--steps must be at least 1 and --seed from 0 to {2**32 - 1}")
    with quiet_libraries():
        folder = sft(replace(SFTConfig(), **changes), say=say)
    record = json.loads((folder / "sft.json").read_text())
    print(json.dumps({"folder": str(folder), "seconds": record["seconds"], "loss": record["loss"][-1]}), flush=True)
    return 0


def settings(args: argparse.Namespace) -> LaptopConfig:
    """The settings that arguments ask for; when resuming, those the run was started with unless others are given."""
    names = ("seed", "generations", "sft_steps", "eval_samples", "adapter", "learning_rate")
    given = {name: getattr(args, name) for name in names}
    stored = Path(args.out) / str(args.tag) / "run.json"
    if not args.resume or not stored.exists():
        return preset(args.preset or "laptop", **given)
    before = LaptopConfig.from_dict(read_run(stored.parent)["config"])
    return changed(replace(PRESETS[args.preset], seed=before.seed) if args.preset else before, **given)
