"""``bench``: measure, do not guess."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from wclib.commands import add, family, print_json


def register(commands: Any) -> None:
    """Add the commands."""
    bench = family(commands, "bench", "measure, do not guess")
    for name, run, text in (
        ("render", _bench_render, "our renderer against the published flags"),
        ("gate", _bench_gate, "source checks a second"),
    ):
        add(bench, name, run, text).add_argument("--json", action="store_true", help="one JSON object on stdout")


def _bench_render(args: argparse.Namespace) -> int:
    from wclib.bench.render import bench_render

    return bench_render(as_json=args.json)


def _bench_gate(args: argparse.Namespace) -> int:
    from wclib.bench.gate import bench_gate

    result = bench_gate()
    print_json(result) if args.json else print(f"{result['checks_per_s']:.0f} source checks a second", file=sys.stdout)
    return 0
