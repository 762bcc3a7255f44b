"""``publish``: what goes to the Hub."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from wclib.commands import add, family, print_json


def register(commands: Any) -> None:
    """Add the commands."""
    publish = family(commands, "publish", "put things on the Hub")
    env = _add(publish, "env", _env, "assemble the environment's Space", "publish env --dry-run")
    env.set_defaults(out="build/space-env")
    pool = _add(publish, "pool", _pool, "a reference pool as a dataset", "publish pool --dry-run")
    pool.add_argument("--pool", metavar="DIR", help="rated paintings (default: the configured pool)")
    run = _add(publish, "run", _run, "a run: what it trained and its rollouts", "publish run runs/first --dry-run")
    run.add_argument("folder", metavar="RUN")
    run.add_argument("--only", choices=["model", "rollouts"], help="one of the two")
    _add(publish, "hpsv3", _hpsv3, "the HPSv3 scorer's Space", "publish hpsv3 --dry-run")
    gallery = _add(publish, "gallery", _gallery, "every painting as a static Space", "publish gallery runs/first")
    gallery.add_argument("folders", metavar="RUN", nargs="+")


def _add(publish: Any, name: str, run: Any, text: str, example: str) -> argparse.ArgumentParser:
    command = add(publish, name, run, text, example)
    command.add_argument("--out", default=f"build/publish-{name}", metavar="DIR")
    command.add_argument("--repo", metavar="OWNER/NAME", help="where to (default: a name of the token's owner)")
    command.add_argument("--dry-run", action="store_true", help="write what would be uploaded, upload nothing")
    return command


def _env(args: argparse.Namespace) -> int:
    from wclib.hub import publish_env

    print_json(publish_env(Path(args.out), args.dry_run, args.repo))
    return 0


def _pool(args: argparse.Namespace) -> int:
    from wclib.hub.tables import publish_pool

    print_json(publish_pool(Path(args.out), args.pool and Path(args.pool), args.dry_run, args.repo))
    return 0


def _run(args: argparse.Namespace) -> int:
    from wclib.hub.model import publish_model
    from wclib.hub.tables import publish_rollouts

    run, out = Path(args.folder), Path(args.out)
    done = {}
    if args.only != "model":
        name = args.repo and f"{args.repo}-rollouts"
        done["rollouts"] = publish_rollouts(run, out / "rollouts", args.dry_run, name)
    if args.only != "rollouts":
        done["model"] = publish_model(run, out / "model", args.dry_run, args.repo)
    print_json(done)
    return 0


def _hpsv3(args: argparse.Namespace) -> int:
    from wclib.hub.space import publish_hpsv3

    print_json(publish_hpsv3(Path(args.out), args.dry_run, args.repo))
    return 0


def _gallery(args: argparse.Namespace) -> int:
    from wclib.hub.space import publish_gallery

    print_json(publish_gallery([Path(folder) for folder in args.folders], Path(args.out), args.dry_run, args.repo))
    return 0
