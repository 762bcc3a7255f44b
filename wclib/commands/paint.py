"""``doctor``, ``gate``, ``render``, ``score`` and ``serve``: one machine, one reply, one server."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wclib.commands import add, print_json, read_file, standard_input
from wclib.env.studio import DEFAULT_SESSIONS
from wclib.errors import SketchFault, UsageError


def register(commands: Any) -> None:
    """Add the commands."""
    add(commands, "doctor", _doctor, "check this machine: [OK] and [FAIL] lines with the remedy", "doctor")

    gate = add(
        commands,
        "gate",
        _gate,
        "decide whether a reply is an honest, working sketch",
        "gate < data/pool/sources/trumpet-coral.js",
    )
    gate.add_argument("--static", action="store_true", help="read the source only, start no browser")

    example = "render data/pool/sources/trumpet-coral.js --out painting.png --seed 7"
    render = add(commands, "render", _render, "paint one sketch", example)
    render.add_argument("sketch", metavar="SKETCH", help="a sketch or a reply; - for standard input")
    render.add_argument("--out", required=True, metavar="PNG", help="the picture, 600 x 600")
    render.add_argument("--seed", type=int, default=0, help="the seed of Math.random and p5's random (default 0)")

    example = "score data/pool/sources/trumpet-coral.js --seed 7"
    score = add(commands, "score", _score, "paint one reply and score it", example)
    score.add_argument("reply", metavar="REPLY", help="a file with a model's reply; - for standard input")
    score.add_argument("--seed", type=int, default=0, help="the seed of the painting and of the reference draw")
    score.add_argument("--pool", metavar="DIR", help="a folder of rated paintings (default: the starter pool)")

    serve = add(commands, "serve", _serve, "serve the environment over HTTP and websockets", "serve --port 8000")
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to serve on (default 127.0.0.1: this machine alone)"
    )
    serve.add_argument("--port", type=int, default=8000, help="0 for any free one (default 8000)")
    serve.add_argument(
        "--max-sessions", type=int, default=DEFAULT_SESSIONS, metavar="N", help="at once (default %(default)s)"
    )
    serve.add_argument("--renderer", choices=("local", "ray"), default="local", help="ray paints on a Ray cluster")


def _doctor(args: argparse.Namespace) -> int:
    from wclib.doctor import report

    return 0 if report() else 1


def _gate(args: argparse.Namespace) -> int:
    from wclib.gate import gate_command

    if sys.stdin is not None and sys.stdin.isatty():
        raise UsageError("the reply is read from standard input: python -m wclib gate < REPLY")
    verdict = gate_command(standard_input(), static=args.static)
    print_json(verdict)
    return 0 if verdict["passed"] else 1


def _render(args: argparse.Namespace) -> int:
    from wclib.render import Renderer
    from wclib.sketch import extract

    out = Path(args.out)
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent} to write {out.name} into")
    if out.is_dir():
        raise UsageError(f"--out {out} is a folder; name a file in it, such as {out / 'painting.png'}")
    extraction = extract(read_file(args.sketch))
    if extraction.source is None:
        raise UsageError(f"{args.sketch} holds no sketch: {extraction.reason}")
    with Renderer(browsers=1) as renderer:
        try:
            picture = renderer.render(extraction.source, seed=args.seed)
        except SketchFault as fault:
            print_json({"finished": False, "code": fault.code, "errors": [fault.detail], "backend": renderer.backend})
            return 1
    out.write_bytes(picture.png)
    print_json({**{name: value for name, value in asdict(picture).items() if name != "png"}, "out": str(out)})
    return 0 if picture.finished else 1


def _score(args: argparse.Namespace) -> int:
    from wclib.scorer import score_command

    result = score_command(read_file(args.reply), seed=args.seed, pool_dir=args.pool)
    print_json(result)
    if result["reward"]:
        terms = ", ".join(f"{name} {score:.2f}" for name, score in result["terms"].items() if score is not None)
        said = f"{terms}; judge: {result['judge']}, quality: {result['quality']}"
        print(f"reward {result['reward']:.3f}: {said}", file=sys.stderr)
    else:
        print("not scored" if result["reward"] is None else "reward 0", result["reason"], sep=": ", file=sys.stderr)
    return 0 if result["reward"] else 1


def _serve(args: argparse.Namespace) -> int:
    from wclib.env.app import serve

    serve(host=args.host, port=args.port, max_sessions=args.max_sessions, renderer=args.renderer)
    return 0
