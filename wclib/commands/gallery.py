"""``gallery`` and ``film``: what a run painted, as a page and as pictures."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from wclib.commands import add, path
from wclib.errors import UsageError


def register(commands: Any) -> None:
    """Add the commands."""
    example = "gallery data/runs/laptop-demo/seed0 --out gallery.html"
    gallery = add(commands, "gallery", _gallery, "every painting of a run on one page", example)
    gallery.add_argument(
        "runs", nargs="+", metavar="RUN", type=path, help="a run's folder, or rollouts in imagefolder layout"
    )
    gallery.add_argument("--out", required=True, type=path, help="a .html file, or a folder for runs of many thousands")
    gallery.add_argument("--pool", metavar="DIR", help="the references' folder (default: the configured pool)")
    gallery.add_argument("--side", type=int, default=480, help="pixels of a picture's side (default 480)")
    example = "film data/runs/laptop-demo/seed0 --out build/film"
    film = add(commands, "film", _film, "the median painting of each step, and the wall", example)
    film.add_argument("runs", nargs="+", metavar="RUN", type=path, help="as for gallery")
    film.add_argument("--out", required=True, metavar="DIR", type=path, help="gets film.png, film.webp and wall.png")
    film.add_argument("--seed", type=int, default=0, help="of the wall's order (default 0)")
    film.add_argument("--source", default="", help="closes the captions: where the runs come from")


def _gallery(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.gallery import gallery

    written = gallery(args.runs, args.out, pool=args.pool, side=args.side)
    print(f"{written['paintings']} paintings on one page: open {written['out']} in a browser", file=sys.stderr)
    return written


def _film(args: argparse.Namespace) -> dict[str, Any]:
    from pathlib import Path

    from wclib import plots_film
    from wclib.gallery import frame, read_runs
    from wclib.jsonl import atomic_write

    rollouts, out = frame(read_runs(args.runs)), Path(args.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {out} cannot be a folder ({error.strerror}): name one that may be written") from None
    plots_film.save_small(plots_film.film_strip(rollouts, source=args.source), out / "film.png")
    plots_film.save_small(plots_film.wall(rollouts, seed=args.seed, source=args.source), out / "wall.png")
    atomic_write(out / "film.webp", plots_film.film(rollouts))
    return {name: str(out / name) for name in ("film.png", "film.webp", "wall.png")}
