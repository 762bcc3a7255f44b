"""``analyse``: read a run's curve, paintings and draws right."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

from wclib import say
from wclib.commands import add, path, print_json
from wclib.errors import UsageError


def register(commands: Any) -> None:
    """Add the command."""
    text = "what a run learned, and what was luck of the draw: a run's folder, a table, a curve CSV, a Hub dataset's id"
    command = add(commands, "analyse", _analyse, text, "analyse data/runs/laptop-demo/seed0")
    command.add_argument("paths", nargs="*", metavar="PATH", type=path, help="one or several of these")
    command.add_argument("--json", action="store_true", help="one JSON object on stdout, numbers unrounded")
    command.add_argument("--resamples", type=int, default=0, help="bootstrap resamples for intervals (default: none)")
    command.add_argument("--claims", action="store_true", help="the article's sentences against the published curves")
    command.add_argument(
        "--anchors", metavar="FOLDER", help="judge these frozen paintings against the whole pool, once"
    )
    command.add_argument("--pool", metavar="DIR", help="the pool that anchors meet (default: the configured one)")
    command.add_argument(
        "--out", default="anchors", metavar="STEM", help="anchors' verdicts and table (default: anchors)"
    )


def _analyse(args: argparse.Namespace) -> int:
    if not (args.paths or args.claims or args.anchors):
        raise UsageError(
            "name what to analyse: a run's folder, a rollouts or comparisons table, a curve CSV, or owner/name"
        )
    if args.resamples < 0:
        raise UsageError(f"--resamples {args.resamples}: a number of resamples is 0 or more")
    result: dict[str, Any] = {}
    said: list[str] = []
    if args.anchors:
        result["anchors"] = _anchors(args)
        said.append("anchors: {references} references judged by {judge}; {table}".format(**result["anchors"]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if args.claims:
            result["claims"], text = _claims()
            said.append(text)
        if args.paths:
            result["runs"], texts = _runs(args.paths, args.resamples)
            said.extend(texts)
    result["notes"] = list(dict.fromkeys(str(each.message) for each in caught))
    for line in result["notes"]:
        say(f"note: {line}")
    print_json(result) if args.json else print("\n".join(said))
    return 0


def _runs(paths: list[str], resamples: int) -> tuple[list[dict[str, Any]], list[str]]:
    from wclib.analysis.load import load
    from wclib.analysis.report import analyse, told

    reports = [analyse(run, resamples) | {"path": path} for path in paths for run in load(path)]
    return reports, [told(report) for report in reports]


def _claims() -> tuple[list[dict[str, Any]], str]:
    from wclib.analysis.audit import audit
    from wclib.analysis.published import published_curves

    table = audit(published_curves())
    lines = [f"{row.verdict:20} {row.claim}: said {row.article}, ours {row.ours}" for row in table.itertuples()]
    return table.reset_index(names="name").to_dict("records"), "\n".join(lines)


def _anchors(args: argparse.Namespace) -> dict[str, Any]:
    from wclib.anchors import anchor_paintings, judge_anchors
    from wclib.judges.verdicts import judge_from_env
    from wclib.pool import load_pool

    pool = load_pool(args.pool)
    return judge_anchors(anchor_paintings(Path(args.anchors)), pool, judge_from_env(pool), Path(args.out), say)
