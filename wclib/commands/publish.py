"""``publish``: what goes to the Hub."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from wclib.commands import add, family


def register(commands: Any) -> None:
    """Add the commands."""
    publish = family(commands, "publish", "put things on the Hub", "publish pool --dry-run")
    env = _add(publish, "env", _env, "assemble the environment's Space", "publish env --dry-run")
    env.set_defaults(out="build/space-env")
    pool = _add(publish, "pool", _pool, "a reference pool as a dataset", "publish pool --dry-run")
    pool.add_argument("--pool", metavar="DIR", help="rated paintings (default: the configured pool)")
    example = "publish run data/runs/laptop-demo/seed0 --only rollouts --dry-run"
    run = _add(publish, "run", _run, "a run: what it trained and its rollouts", example)
    run.add_argument("folder", metavar="RUN", help="a run's folder")
    run.add_argument("--only", choices=["model", "rollouts"], help="one of the two")
    _add(publish, "hpsv3", _hpsv3, "the HPSv3 scorer's Space", "publish hpsv3 --dry-run")
    example = "publish gallery data/runs/laptop-demo/seed0 --dry-run"
    gallery = _add(publish, "gallery", _gallery, "every painting as a static Space", example)
    gallery.add_argument("folders", metavar="RUN", nargs="+", help="runs' folders")


def _add(publish: Any, name: str, run: Any, text: str, example: str) -> argparse.ArgumentParser:
    command = add(publish, name, run, text, example)
    command.add_argument("--out", default=f"build/publish-{name}", metavar="DIR", help="default: %(default)s")
    command.add_argument("--repo", metavar="OWNER/NAME", help="where to (default: a name of the token's owner)")
    command.add_argument("--dry-run", action="store_true", help="write what would be uploaded, upload nothing")
    return command


def _env(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.hub import publish_env

    return publish_env(Path(args.out), args.dry_run, args.repo)


def _pool(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.hub.tables import publish_pool

    return publish_pool(Path(args.out), args.pool and Path(args.pool), args.dry_run, args.repo)


def _run(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.hub.model import publish_model
    from wclib.hub.tables import publish_rollouts

    run, out = Path(args.folder), Path(args.out)
    done = {}
    if args.only != "model":
        name = args.repo and f"{args.repo}-rollouts"
        done["rollouts"] = publish_rollouts(run, out / "rollouts", args.dry_run, name)
    if args.only != "rollouts":
        done["model"] = publish_model(run, out / "model", args.dry_run, args.repo)
    return done


def _hpsv3(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.hub.space import publish_hpsv3

    return publish_hpsv3(Path(args.out), args.dry_run, args.repo)


def _gallery(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.hub.space import publish_gallery

    return publish_gallery([Path(folder) for folder in args.folders], Path(args.out), args.dry_run, args.repo)
