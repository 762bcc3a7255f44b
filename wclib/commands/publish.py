"""``publish``: what goes to the Hub."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from wclib.commands import add, family, print_json


def register(commands: Any) -> None:
    """Add the commands."""
    publish = family(commands, "publish", "put things on the Hub")
    env = add(publish, "env", _publish_env, "assemble the environment's Space", "publish env --dry-run")
    env.add_argument("--out", default="build/space-env", metavar="DIR")
    env.add_argument("--dry-run", action="store_true", help="write the folder that would be uploaded, upload nothing")
    hpsv3 = add(publish, "hpsv3", _publish_hpsv3, "assemble the HPSv3 scorer's Space", "publish hpsv3 --dry-run")
    hpsv3.add_argument("--out", default="build/space-hpsv3", metavar="DIR")
    hpsv3.add_argument("--dry-run", action="store_true", help="write the folder that would be uploaded, upload nothing")


def _publish_env(args: argparse.Namespace) -> int:
    from wclib.hub import publish_env

    print_json(publish_env(Path(args.out), dry_run=args.dry_run))
    return 0


def _publish_hpsv3(args: argparse.Namespace) -> int:
    from wclib.hpsv3_space import publish_hpsv3

    print_json(publish_hpsv3(Path(args.out), dry_run=args.dry_run))
    return 0
