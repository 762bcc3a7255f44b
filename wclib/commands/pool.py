"""``pool``: build, check and fit the reference pool."""

from __future__ import annotations

import argparse
from typing import Any

from wclib.commands import add, family, print_json


def register(commands: Any) -> None:
    """Add the commands."""
    pool = family(commands, "pool", "the reference pool")
    fit = add(pool, "fit", _fit, "fit the local judge on a pool and say how far to trust it", "pool fit data/pool")
    fit.add_argument("pool", nargs="?", metavar="DIR", help="default: the starter pool")
    add(pool, "build-starter", _starter, "paint the starter pool again from its sketches")
    taste = add(pool, "taste", _taste, "make two pools of opposite taste from the same paintings", "pool taste")
    taste.add_argument("--out", default="build/taste", metavar="DIR")
    taste.add_argument("--count", type=int, default=60, help="paintings rated by both (default: 60)")


def _fit(args: argparse.Namespace) -> int:
    from wclib.judges.local import fit_command

    print_json(fit_command(args.pool))
    return 0


def _starter(args: argparse.Namespace) -> int:
    from wclib.starter import build

    print_json(build())
    return 0


def _taste(args: argparse.Namespace) -> int:
    from wclib.taste import taste_command

    print_json(taste_command(args.out, args.count))
    return 0
