"""The command line: ``python -m wclib COMMAND``.

JSON goes to stdout, one object with unrounded numbers; talk and progress go to stderr. Exit status 0: done;
1: the thing checked is bad; 2: wrong usage. Each command imports what it needs when it runs, so that
``gate --static`` does not wait for torch.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wclib.errors import InfrastructureFault, SketchFault, UsageError


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    args = _parser().parse_args(argv)
    try:
        return args.run(args)
    except UsageError as error:
        print(f"wclib: {error}", file=sys.stderr)
        return 2
    except InfrastructureFault as error:
        print(f"wclib: {error.detail}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("wclib: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        print(f"wclib: {error}; make room, or name a place you may read and write", file=sys.stderr)
        return 1


def _print(value: dict[str, Any]) -> None:
    # ASCII escapes: neither a terminal's encoding nor a lone surrogate in what is quoted can stop the answer.
    print(json.dumps(value, allow_nan=False), flush=True)


def _read(path: str) -> bytes:
    if path == "-":
        return _standard_input()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise UsageError("the reply is read from standard input, and that is closed: add < REPLY")
    return sys.stdin.buffer.read()


def _doctor(args: argparse.Namespace) -> int:
    from wclib.doctor import report

    return 0 if report() else 1


def _gate(args: argparse.Namespace) -> int:
    from wclib.gate import gate_command

    if sys.stdin is not None and sys.stdin.isatty():
        raise UsageError("the reply is read from standard input: python -m wclib gate < REPLY")
    verdict = gate_command(_standard_input(), static=args.static)
    _print(verdict)
    return 0 if verdict["passed"] else 1


def _render(args: argparse.Namespace) -> int:
    from wclib.render import Renderer
    from wclib.sketch import extract

    out = Path(args.out)
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent} to write {out.name} into")
    if out.is_dir():
        raise UsageError(f"--out {out} is a folder; name a file in it, such as {out / 'painting.png'}")
    extraction = extract(_read(args.sketch))
    if extraction.source is None:
        raise UsageError(f"{args.sketch} holds no sketch: {extraction.reason}")
    with Renderer(browsers=1) as renderer:
        try:
            picture = renderer.render(extraction.source, seed=args.seed)
        except SketchFault as fault:
            _print({"finished": False, "code": fault.code, "errors": [fault.detail], "backend": renderer.backend})
            return 1
    out.write_bytes(picture.png)
    _print({**{name: value for name, value in asdict(picture).items() if name != "png"}, "out": str(out)})
    return 0 if picture.finished else 1


def _score(args: argparse.Namespace) -> int:
    from wclib.reward import score_command

    result = score_command(_read(args.reply), seed=args.seed, pool_dir=args.pool)
    _print(result)
    return 0 if result["reward"] else 1


def _serve(args: argparse.Namespace) -> int:
    from wclib.env.app import serve

    serve(host=args.host, port=args.port, max_sessions=args.max_sessions)
    return 0


def _laptop(args: argparse.Namespace) -> int:
    from wclib.train.commands import laptop_command

    return laptop_command(args)


def _sft(args: argparse.Namespace) -> int:
    from wclib.train.commands import sft_command

    return sft_command(args)


def _publish_env(args: argparse.Namespace) -> int:
    from wclib.hub import publish_env

    _print(publish_env(Path(args.out), dry_run=args.dry_run))
    return 0


def _fit(args: argparse.Namespace) -> int:
    from wclib.judges.local import fit_command

    _print(fit_command(args.pool))
    return 0


def _starter(args: argparse.Namespace) -> int:
    from wclib.starter import build

    _print(build())
    return 0


def _bench_render(args: argparse.Namespace) -> int:
    from wclib.bench.render import bench_render

    return bench_render(as_json=args.json)


def _bench_gate(args: argparse.Namespace) -> int:
    from wclib.bench.gate import bench_gate

    result = bench_gate()
    _print(result) if args.json else print(f"{result['checks_per_s']:.0f} source checks a second", file=sys.stdout)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wclib",
        description="Teach a code-writing model to paint watercolours.",
        epilog="Start with: python -m wclib doctor",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(group: Any, name: str, run: Any, text: str, example: str = "") -> argparse.ArgumentParser:
        epilog = f"example: python -m wclib {example}" if example else None
        command = group.add_parser(name, help=text, description=text, epilog=epilog)
        command.set_defaults(run=run)
        return command

    def group(name: str, text: str) -> Any:
        return commands.add_parser(name, help=text, description=text).add_subparsers(metavar="WHAT", required=True)

    add(commands, "doctor", _doctor, "check this machine: [OK] and [FAIL] lines with the remedy")

    gate = add(commands, "gate", _gate, "decide whether a reply is an honest, working sketch", "gate < reply.txt")
    gate.add_argument("--static", action="store_true", help="read the source only, start no browser")

    render = add(commands, "render", _render, "paint one sketch", "render sketch.js --out painting.png --seed 7")
    render.add_argument("sketch", metavar="SKETCH", help="a sketch or a reply; - for standard input")
    render.add_argument("--out", required=True, metavar="PNG")
    render.add_argument("--seed", type=int, default=0, help="the seed of Math.random and p5's random (default 0)")

    score = add(commands, "score", _score, "paint one reply and score it", "score reply.txt --seed 7")
    score.add_argument("reply", metavar="REPLY", help="a file with a model's reply; - for standard input")
    score.add_argument("--seed", type=int, default=0, help="the seed of the painting and of the reference draw")
    score.add_argument("--pool", metavar="DIR", help="a folder of rated paintings (default: the starter pool)")

    serve = add(commands, "serve", _serve, "serve the environment over HTTP and websockets", "serve --port 8000")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8000)
    serve.add_argument("--max-sessions", type=int, default=64, metavar="N")

    train = group("train", "train a policy")
    laptop = add(train, "laptop", _laptop, "the whole loop on this machine", "train laptop --preset demo --tag first")
    laptop.add_argument("--preset", choices=["demo", "laptop", "overnight"], help="default: laptop")
    laptop.add_argument("--tag", help="the run's folder under --out (default: preset, seed and time)")
    laptop.add_argument("--out", default="runs", metavar="DIR")
    laptop.add_argument("--seed", type=int, help="default: 0, or the run's own when resuming")
    laptop.add_argument("--seeds", type=int, nargs="+", help="run several seeds one after another and print a table")
    laptop.add_argument("--generations", type=int, help="override the preset's number of generations")
    laptop.add_argument("--sft-steps", type=int, help="override the preset's number of SFT steps")
    laptop.add_argument("--eval-samples", type=int, help="override the preset's evaluation paintings")
    laptop.add_argument("--env-url", help="score on a running environment instead of starting one")
    laptop.add_argument("--resume", action="store_true", help="continue the run with this tag")
    sft = add(train, "sft", _sft, "teach the tiny policy to write sketches", "train sft")
    sft.add_argument("--steps", type=int, help="SFT steps (default: the laptop preset's)")
    sft.add_argument("--seed", type=int)

    pool = group("pool", "the reference pool")
    fit = add(pool, "fit", _fit, "fit the local judge on a pool and say how far to trust it", "pool fit data/pool")
    fit.add_argument("pool", nargs="?", metavar="DIR", help="default: the starter pool")
    add(pool, "build-starter", _starter, "paint the starter pool again from its sketches")

    publish = group("publish", "put things on the Hub")
    env = add(publish, "env", _publish_env, "assemble the environment's Space", "publish env --dry-run")
    env.add_argument("--out", default="build/space-env", metavar="DIR")
    env.add_argument("--dry-run", action="store_true", help="write the folder that would be uploaded, upload nothing")

    bench = group("bench", "measure, do not guess")
    for name, run, text in (
        ("render", _bench_render, "our renderer against the published flags"),
        ("gate", _bench_gate, "source checks a second"),
    ):
        add(bench, name, run, text).add_argument("--json", action="store_true", help="one JSON object on stdout")
    return parser
