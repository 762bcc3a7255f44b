"""``pool``: build, check and fit the reference pool."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wclib import say
from wclib.commands import GOES_ON, add, family, path, print_json


def register(commands: Any) -> None:
    """Add the commands."""
    pool = family(commands, "pool", "build, check and question the reference pool", "pool check data/pool")
    fit = add(pool, "fit", _fit, "fit the local judge on a pool and say how far to trust it", "pool fit data/pool")
    fit.add_argument("pool", nargs="?", metavar="DIR", help="default: the starter pool")
    fit.add_argument("--embeddings", action="store_true", help="also say what EfficientNet-Lite0 embeddings would add")
    text = "paint a pool again from its sketches: every picture that differs"
    starter = add(pool, "build-starter", _starter, text, "pool build-starter")
    starter.add_argument("folders", nargs="*", metavar="DIR", help="default: the starter pool and its rejected ones")
    check = add(pool, "check", _check, "say whether a pool is fit to judge with", "pool check data/pool")
    check.add_argument("pool", metavar="DIR", type=path, help="the pool's folder")
    text = "fetch free photographs of the subject from iNaturalist"
    photos = add(pool, "photos", _photos, text, "pool photos --out build/photos", GOES_ON)
    photos.add_argument("--out", required=True, metavar="DIR", type=path, help="goes on where an earlier run stopped")
    photos.add_argument("--taxon", default="Hibiscus rosa-sinensis", metavar="NAME", help="default: %(default)s")
    photos.add_argument("--count", type=int, default=40, metavar="N", help="photographs in all (default: 40)")
    text = "have models paint candidates, with a critic between the rounds"
    example = "pool generate --out build/mine --models zai-org/GLM-5.2 Qwen/Qwen3-Coder-Next --dry-run"
    make = add(pool, "generate", _generate, text, example, GOES_ON)
    make.add_argument("--out", required=True, metavar="DIR", type=path, help="goes on where an earlier run stopped")
    make.add_argument(
        "--models", required=True, nargs="+", metavar="MODEL", help="ids as Inference Providers name them"
    )
    make.add_argument(
        "--critic", default="Qwen/Qwen3-VL-30B-A3B-Instruct", metavar="MODEL", help="a vision model, or none"
    )
    make.add_argument("--domain", default="hibiscus", metavar="NAME", help="or a domain.json, or a folder with one")
    make.add_argument("--photos", metavar="DIR", help="what `pool photos` fetched")
    make.add_argument("--each", type=int, default=2, metavar="N", help="candidates a model and subject (default: 2)")
    make.add_argument("--rounds", type=int, default=3, metavar="N", help="paintings a candidate (default: 3)")
    make.add_argument("--price", nargs="*", default=[], metavar="MODEL=IN/OUT", help="dollars a million tokens")
    make.add_argument("--renderer", choices=("local", "ray"), default="local", help="ray paints on a Ray cluster")
    make.add_argument("--dry-run", action="store_true", help="count the calls and make none")
    example = "pool pack data/ratings/steady.jsonl --out build/mine"
    pack = add(pool, "pack", _pack, "make a pool of the ratings that a Rater wrote", example)
    pack.add_argument("ratings", nargs="+", metavar="RATINGS", help="one or several .jsonl logs")
    pack.add_argument("--out", required=True, metavar="DIR", type=path, help="the pool; nopes go to DIR_nope")
    pack.add_argument("--rater", action="append", metavar="NAME", help="only this one's ratings; may be repeated")
    pack.add_argument("--allow-wall", action="store_true", help="write a pool without an okay tier all the same")
    audit = add(pool, "audit", _audit, "question the judge: tiers, ladder, flips, cost", "pool audit data/pool")
    audit.add_argument("pool", nargs="?", metavar="DIR", help="default: the starter pool")
    audit.add_argument("--pairs", type=int, default=30, help="pairs from every two tiers (default: 30)")
    audit.add_argument("--sketches", type=int, default=5, help="loved sketches to break, 0 for none (default: 5)")
    audit.add_argument("--out", metavar="FILE", help="write the table there too")
    calibrate = add(
        pool,
        "calibrate",
        _calibrate,
        "which references teach this policy",
        "pool calibrate data/runs/laptop-demo/seed0 --steps 0 3",
    )
    calibrate.add_argument("paintings", metavar="DIR", help="a run's folder, or a folder of pictures")
    calibrate.add_argument("--pool", metavar="DIR", help="default: the starter pool")
    calibrate.add_argument("--limit", type=int, default=32, help="paintings drawn from there (default: 32)")
    calibrate.add_argument("--steps", type=int, nargs=2, metavar=("FIRST", "LAST"), help="only these steps of a run")
    calibrate.add_argument("--figure", metavar="STEM", help="draw STEM.png and STEM.svg")
    text = "make two pools of opposite taste from the same paintings"
    taste = add(pool, "taste", _taste, text, "pool taste", GOES_ON)
    taste.add_argument("--out", default="build/taste", metavar="DIR", help="default: build/taste")
    taste.add_argument("--count", type=int, default=96, help="paintings rated by both (default: 96)")
    taste.add_argument("--figure", metavar="STEM", help="also score new paintings against both and draw STEM.png, .svg")


def _fit(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.judges.local import LocalJudge
    from wclib.pool import load_pool

    pool = load_pool(args.pool)
    judge = LocalJudge.for_pool(pool)
    report: dict[str, Any] = {
        "judge": judge.describe(),
        "pool": pool.describe(),
        "accuracy": asdict(judge.accuracy),
        "trusted": judge.accuracy.trusted,
        "weights": {name: {"pairs": pair, "quality": quality} for name, (pair, quality) in judge.weights().items()},
    }
    if args.embeddings:
        from wclib.judges.embeddings import compare

        report["with_embeddings"] = compare(pool)
    return report


def _starter(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.starter import STARTER_FOLDERS, build

    return build([Path(folder) for folder in args.folders] or STARTER_FOLDERS)


def _photos(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.building.photos import fetch_photos

    return fetch_photos(Path(args.out), args.taxon, args.count, say=say)


def _generate(args: argparse.Namespace) -> int:
    from wclib.building.generate import build, dry_run
    from wclib.building.photos import read_photos
    from wclib.building.plan import Plan, read_prices
    from wclib.domains import get_domain

    photos = tuple(read_photos(Path(args.photos))) if args.photos else ()
    critic = None if args.critic == "none" else args.critic
    plan = Plan(get_domain(args.domain), tuple(args.models), photos, args.each, args.rounds, critic)
    prices, out = read_prices(args.price), Path(args.out)
    print_json(dry_run(plan, out) if args.dry_run else build(plan, out, prices, args.renderer))
    return 0


def _pack(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.rating.pack import pack

    report = pack(args.ratings, args.out, raters=args.rater, allow_wall=args.allow_wall)
    for note in report["notes"]:
        say(note)
    return report


def _check(args: argparse.Namespace) -> int:
    from wclib.building.check import check_command

    report = check_command(args.pool)
    print_json(report)
    return 0 if report["ok"] else 1


def _taste(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.swap import taste_command

    return taste_command(args.out, args.count, args.figure)


def _audit(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.judges.audit import audit_command

    return audit_command(args.pool, args.pairs, args.sketches, args.out)


def _calibrate(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.judges.calibrate import calibrate_command

    steps = tuple(args.steps) if args.steps else None
    return calibrate_command(args.paintings, args.pool, args.limit, steps, args.figure)
