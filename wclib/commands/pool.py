"""``pool``: build, check and fit the reference pool."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from wclib.commands import add, family, print_json


def register(commands: Any) -> None:
    """Add the commands."""
    pool = family(commands, "pool", "the reference pool")
    fit = add(pool, "fit", _fit, "fit the local judge on a pool and say how far to trust it", "pool fit data/pool")
    fit.add_argument("pool", nargs="?", metavar="DIR", help="default: the starter pool")
    starter = add(pool, "build-starter", _starter, "paint a pool again from its sketches: every picture that differs")
    starter.add_argument("folders", nargs="*", metavar="DIR", help="default: the starter pool and its rejected ones")
    check = add(pool, "check", _check, "say whether a pool is fit to judge with", "pool check data/pool")
    check.add_argument("pool", metavar="DIR")
    photos = add(pool, "photos", _photos, "fetch free photographs of the subject from iNaturalist")
    photos.add_argument("--out", required=True, metavar="DIR")
    photos.add_argument("--taxon", default="Hibiscus rosa-sinensis", metavar="NAME")
    photos.add_argument("--count", type=int, default=40, metavar="N")
    audit = add(pool, "audit", _audit, "question the judge: tiers, ladder, flips, cost", "pool audit data/pool")
    audit.add_argument("pool", nargs="?", metavar="DIR", help="default: the starter pool")
    audit.add_argument("--pairs", type=int, default=30, help="pairs from every two tiers (default: 30)")
    audit.add_argument("--sketches", type=int, default=5, help="loved sketches to break, 0 for none (default: 5)")
    audit.add_argument("--out", metavar="FILE", help="write the table there too")
    taste = add(pool, "taste", _taste, "make two pools of opposite taste from the same paintings", "pool taste")
    taste.add_argument("--out", default="build/taste", metavar="DIR")
    taste.add_argument("--count", type=int, default=60, help="paintings rated by both (default: 60)")


def _fit(args: argparse.Namespace) -> int:
    from wclib.judges.local import fit_command

    print_json(fit_command(args.pool))
    return 0


def _starter(args: argparse.Namespace) -> int:
    from wclib.starter import STARTER_FOLDERS, build

    print_json(build([Path(folder) for folder in args.folders] or STARTER_FOLDERS))
    return 0


def _photos(args: argparse.Namespace) -> int:
    from wclib.building.photos import fetch_photos

    print_json(fetch_photos(Path(args.out), args.taxon, args.count, say=lambda text: print(text, file=sys.stderr)))
    return 0


def _check(args: argparse.Namespace) -> int:
    from wclib.building.check import check_command

    report = check_command(args.pool)
    print_json(report)
    return 0 if report["ok"] else 1


def _taste(args: argparse.Namespace) -> int:
    from wclib.taste import taste_command

    print_json(taste_command(args.out, args.count))
    return 0


def _audit(args: argparse.Namespace) -> int:
    from wclib.judges.audit import audit_command

    print_json(audit_command(args.pool, args.pairs, args.sketches, args.out))
    return 0
