"""``gallery`` and ``film``: what a run painted, as a page and as pictures."""

from __future__ import annotations

import argparse
from typing import Any

from wclib.commands import add, print_json


def register(commands: Any) -> None:
    """Add the commands."""
    gallery = add(
        commands, "gallery", _gallery, "every painting of a run on one page", "gallery runs/first --out gallery.html"
    )
    gallery.add_argument("runs", nargs="+", metavar="RUN", help="a run's folder, or rollouts in imagefolder layout")
    gallery.add_argument("--out", required=True, help="a .html file, or a folder for runs of many thousands")
    gallery.add_argument("--pool", metavar="DIR", help="the references' folder (default: the configured pool)")
    gallery.add_argument("--side", type=int, default=480, help="pixels of a picture's side (default 480)")


def _gallery(args: argparse.Namespace) -> int:
    from wclib.gallery import gallery

    print_json(gallery(args.runs, args.out, pool=args.pool, side=args.side))
    return 0
