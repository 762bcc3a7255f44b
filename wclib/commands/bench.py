"""``bench``: measure, do not guess."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wclib.commands import GOES_ON, add, family, number, print_json
from wclib.errors import UsageError


def register(commands: Any) -> None:
    """Add the commands."""
    bench = family(commands, "bench", "measure, do not guess", "bench gate")
    parsers = {
        name: add(bench, name, run, text, f"bench {name}")
        for name, run, text in (
            ("render", _render, "our renderer against the published flags"),
            ("cures", _cures, "what each change to the published flags is worth"),
            ("throughput", _throughput, "paintings a minute with one and two browsers"),
            ("backends", _backends, "llvmpipe against SwiftShader: pictures and the local judge's scores"),
            ("hostile", _hostile, "sketches that will not stop, and the painting after each"),
            ("soak", _soak, "do memory and open files stay flat over hundreds of renders?"),
            ("gate", _gate, "source checks a second"),
            ("step", _step, "a step of the laptop run: seconds, and the share of each part"),
            ("gallery", _gallery, "a page of 2,203 paintings: first picture, frames while scrolling"),
        )
    }
    for parser in parsers.values():
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
        parser.add_argument("--out", metavar="FILE", help="keep the JSON in FILE, such as data/bench/NAME.json")
    parsers["render"].add_argument(
        "--shapes", metavar="N,N", type=_sizes, help="sizes to measure (default 7,16,30,79, or what FILE lacks)"
    )
    parsers["render"].set_defaults(again=f"with --out, {GOES_ON}")
    parsers["soak"].add_argument("--renders", type=number(int, 10), default=500, metavar="N", help="default: 500")
    parsers["hostile"].add_argument(
        "--deadline", type=number(float, 1), default=20.0, metavar="S", help="seconds an attempt (default: 20)"
    )


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(number(int, 1)(part)) for part in text.split(","))


def _give(args: argparse.Namespace, result: dict[str, Any], show: Callable[[], str], well: bool = True) -> int:
    from wclib.bench import keep, machine

    result = {"machine": machine(), **result}
    if args.out:
        keep(args.out, result)
    if args.json:
        print_json(result)
    else:
        print(show())
    return 0 if well else 1


def _render(args: argparse.Namespace) -> int:
    from wclib.bench import keep, machine
    from wclib.bench.render import SEED, SHAPES, compare, table

    rows = {}
    if args.out and Path(args.out).is_file():
        try:
            rows = {row["shapes"]: row for row in json.loads(Path(args.out).read_text(encoding="utf-8"))["sketches"]}
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{args.out} holds no rows of this benchmark; name another file, or remove it") from None

    def result() -> dict[str, Any]:
        return {"seed": SEED, "sketches": [rows[shapes] for shapes in sorted(rows)]}

    def done(row: dict[str, Any], _: Any) -> None:
        rows[row["shapes"]] = row | {"load": machine()["load"]}
        if args.out:
            keep(args.out, {"machine": machine(), **result()})

    compare(args.shapes or tuple(shapes for shapes in SHAPES if shapes not in rows), done)
    well = all(row["same_bytes"] and (row["ssim"] is None or row["ssim"] >= 0.99) for row in rows.values())
    return _give(args, result(), lambda: table(result()["sketches"]), well)


def _cures(args: argparse.Namespace) -> int:
    from wclib.bench.parts import parts
    from wclib.bench.render import cures

    rows, left = cures(), parts()
    lines = [f"{row['cpu_s']:>7.2f} CPU s  {row['cure']}" for row in rows]
    lines += [f"{row['shapes']} shapes: " + ", ".join(f"{k} {v:.2f}" for k, v in row["cpu_s"].items()) for row in left]
    return _give(args, {"cures": rows, "parts": left}, lambda: "\n".join(lines))


def _throughput(args: argparse.Namespace) -> int:
    from wclib.bench.load import GROUP, throughput

    rows = throughput()
    lines = (f"{row['paintings_per_minute']:.0f} paintings a minute with {row['browsers']} browser(s)" for row in rows)
    return _give(args, {"group": GROUP, "rows": rows}, lambda: "\n".join(lines))


def _backends(args: argparse.Namespace) -> int:
    from wclib.bench.backends import backends

    result = backends()
    lines = [
        f"{kind}: " + ", ".join(f"{k} {v:.4f}" for k, v in result[kind]["summary"].items())
        for kind in ("backend", "seed")
    ]
    return _give(args, result, lambda: "\n".join(lines))


def _hostile(args: argparse.Namespace) -> int:
    from wclib.bench.hostile import hostile

    rows = []
    for row in hostile(args.deadline):
        rows.append(row)
        mark = "equal" if row["next_equal"] else "DIFFERENT"
        line = f"{row['sketch']:<28} {row['outcome']:<15} {row['seconds']:>6.1f} s  next painting {mark}"
        print(line, file=sys.stderr if args.json else sys.stdout, flush=True)
    well = all(row["next_equal"] and row["outcome"] in row["expected"].split(" or ") for row in rows)
    return _give(args, {"deadline_s": args.deadline, "rows": rows}, lambda: f"{len(rows)} sketches", well)


def _soak(args: argparse.Namespace) -> int:
    from wclib.bench.load import soak

    result = soak(args.renders)
    growth = ", ".join(f"{name} x{ratio:.3f}" for name, ratio in result["growth"].items())
    text = f"{args.renders} renders in {result['seconds']:.0f} s; last fifth against second fifth: {growth}"
    well = result["same_bytes"] and all(ratio < 1.15 for ratio in result["growth"].values())
    return _give(args, result, lambda: text, well)


def _gate(args: argparse.Namespace) -> int:
    from wclib.bench.gate import bench_gate

    result = bench_gate()
    return _give(args, result, lambda: f"{result['checks_per_s']:.0f} source checks a second")


def _step(args: argparse.Namespace) -> int:
    from wclib.bench.step import bench_step

    result = bench_step()
    shares = ", ".join(f"{part} {share:.0%}" for part, share in result["shares"].items())
    return _give(
        args, result, lambda: f"a step of {result['rollouts']} rollouts took {result['step_s']:.1f} s: {shares}"
    )


def _gallery(args: argparse.Namespace) -> int:
    from wclib.bench.gallery import bench_gallery, told

    result = bench_gallery()
    return _give(args, result, lambda: told(result))
