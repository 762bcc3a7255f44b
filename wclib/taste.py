"""Two opposite tastes on the same paintings: warm, large and layered; cool, small and sparse.

The pool is the reward function, so two pools of opposite taste must pull in opposite directions with no code changed.
These are made by rule, to show it: seeded flowers of :mod:`wclib.train.procedural`, half of them warm and half cool,
half large and half small, painted once. Three things are measured on every painting:

========  ====================================================================================
warmth    how far the paint's mean colour leans from blue-green to pink and yellow: (a* + b*) / chroma, CIE Lab
size      root mean square distance of the paint from its own centre, in half pages
shapes    filled shapes painted
========  ====================================================================================

Their sum, each standardised over the paintings and cut at 1.5, puts them in order. Shapes count one and a half times,
because layers are what the local judge sees least (data/runs/README.md). The warm taste loves the first third, finds
the middle okay and rejects the last; the cool taste is the exact reverse. A rule stands in for a person here, and its
ratings say so.

Try it: ``python -m wclib pool taste --out build/taste``
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from wclib.domains import HIBISCUS
from wclib.errors import UsageError
from wclib.jsonl import JsonLines, atomic_write, lines_of, read_rows
from wclib.judges.features import FEATURES, measure
from wclib.painting import TIERS
from wclib.pool_files import COLUMNS
from wclib.progress import Bar
from wclib.render import Renderer
from wclib.train.flower import write
from wclib.train.procedural import SHADES, draw

TASTES = ("warm", "cool")
ATTRIBUTES = ("warmth", "size", "shapes")
_WEIGHTS = np.array([1.0, 1.0, 1.5])
DEFAULT_OUT = Path(__file__).resolve().parent.parent / "build" / "taste"
_COOL = tuple(shade for family in ("violet", "blue", "teal") for shade in SHADES[family])
_WARM = tuple(shade for family in ("peach", "magenta", "yellow", "coral", "rose") for shade in SHADES[family])
#: Reach of the first wash in pixels: small flowers stay under the first, large ones begin at the second.
_REACH = (120, 190)


def build_taste_pools(
    out: str | Path = DEFAULT_OUT, renderer: Renderer | None = None, count: int = 96
) -> tuple[Path, Path]:
    """Paint the candidates, rate them by both rules and write both pools; ``(warm, cool)`` folders.

    What ``out`` already holds is kept: paintings are appended one by one, so a killed build goes on where it stopped.

    Args:
        out: folder for ``candidates/``, ``ratings_warm.jsonl``, ``ratings_cool.jsonl``, ``warm/`` and ``cool/`` (with
            ``warm_nope/`` and ``cool_nope/`` beside them).
        renderer: paints; one is started when there is something to paint and none is given.
        count: how many candidates, at least 12.

    Raises:
        UsageError: fewer than 12 candidates, or no Chromium.
        InfrastructureFault: the renderer failed, or the disk.
    """
    if count < 12:
        raise UsageError(f"--count {count}: two tastes need at least 12 paintings, four of each tier")
    out = Path(out)
    rows = paint_candidates(out / "candidates", renderer, count)
    for taste in TASTES:
        tiers = rate(rows, taste)
        ratings = [
            {"file_name": row["file_name"], "tier": tier, "rater": f"rule: {taste}"}
            | {key: row[key] for key in ("sha256", "backend")}
            for row, tier in zip(rows, tiers, strict=True)
        ]
        atomic_write(out / f"ratings_{taste}.jsonl", lines_of(ratings))
        _write_pool(out, taste, rows, tiers)
    return out / "warm", out / "cool"


def paint_candidates(folder: Path, renderer: Renderer | None = None, count: int = 96) -> list[dict[str, Any]]:
    """Paint the first ``count`` candidates that ``folder`` lacks; the rows of all of them, in order."""
    (folder / "sources").mkdir(parents=True, exist_ok=True)
    log = JsonLines(folder / "candidates.jsonl")
    known = {row["file_name"]: row for row in read_rows(log.path)[0] if (folder / row["file_name"]).is_file()}
    wanted = [item for item, _ in zip(candidates(), range(count), strict=False)]
    missing = [item for item in wanted if f"{item[0]}.png" not in known]
    try:
        if missing:
            painter = renderer or Renderer()
            with ThreadPoolExecutor(painter.browsers) as workers:
                painted = workers.map(lambda item: _paint(folder, painter, *item), missing)
                for row in Bar(painted, "candidates", len(missing), unit="painting"):
                    log.append([row])
                    known[row["file_name"]] = row
            if renderer is None:
                painter.close()
    finally:
        log.close()
    return [known[f"{name}.png"] for name, *_ in wanted]


def candidates() -> Iterator[tuple[str, str, str, int]]:
    """``(name, subject, source, seed)`` of one flower after another: warm large, warm small, cool large, cool small."""
    rng = random.Random("taste candidates")
    number = 0
    while True:
        colours, large = (_WARM, _COOL)[number // 2 % 2], number % 2 == 0
        flower = draw(rng, "any flower")
        first = flower.washes[0]
        if first.colour in colours and (first.reach >= _REACH[1] if large else first.reach <= _REACH[0]):
            subject = HIBISCUS.subjects[number % len(HIBISCUS.subjects)]
            yield f"flower-{number:03d}", subject, write(flower), number
            number += 1


def rate(rows: list[dict[str, Any]], taste: str) -> list[str]:
    """The tier of each candidate by the rule of ``taste``, ``"warm"`` or its exact reverse ``"cool"``."""
    table = np.array([[row[name] for name in ATTRIBUTES] for row in rows], dtype=float)
    standard = np.clip((table - table.mean(axis=0)) / table.std(axis=0), -1.5, 1.5)
    order = np.argsort(standard @ _WEIGHTS, kind="stable")
    place = np.empty(len(rows), dtype=int)
    place[order[::-1] if taste == "warm" else order] = np.arange(len(rows))
    return [TIERS[3 * position // len(rows)] for position in place]


def _paint(folder: Path, renderer: Renderer, name: str, subject: str, source: str, seed: int) -> dict[str, Any]:
    render = renderer.render(source, seed)
    atomic_write(folder / "sources" / f"{name}.js", source)
    atomic_write(folder / f"{name}.png", render.png)
    statistics = dict(zip(FEATURES, measure(render.png).tolist(), strict=True))
    return {
        "file_name": f"{name}.png",
        "source_file": f"sources/{name}.js",
        "subject": subject,
        "seed": seed,
        "backend": render.backend,
        "sha256": hashlib.sha256(render.png).hexdigest(),
        "paint_coverage": round(render.paint_fraction, 4),
        "warmth": (statistics["warmth"] + statistics["yellow"]) / max(1.0, statistics["chroma"]),
        "size": statistics["spread"],
        "shapes": render.shapes,
    }


def _write_pool(out: Path, taste: str, rows: list[dict[str, Any]], tiers: list[str]) -> None:
    tables: dict[Path, list[dict[str, Any]]] = {out / taste: [], out / f"{taste}_nope": []}
    for folder in tables:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "sources").mkdir(parents=True)
    for row, tier in zip(rows, tiers, strict=True):
        folder = out / (f"{taste}_nope" if tier == "nope" else taste)
        name = f"{tier}_{row['file_name']}"
        shutil.copy(out / "candidates" / row["file_name"], folder / name)
        shutil.copy(out / "candidates" / row["source_file"], folder / row["source_file"])
        made = {"file_name": name, "tier": tier, "generator_model": "procedural (wclib.train.procedural)"}
        tables[folder].append({key: (row | made).get(key, default) for key, default in COLUMNS.items()})
    for folder, table in tables.items():
        atomic_write(folder / "metadata.jsonl", lines_of(table))
