"""Anchors: a few frozen paintings judged once against the whole pool, so that references' difficulty is a look-up.

    python -m wclib analyse --anchors FOLDER [--pool DIR] [--out anchors]

``FOLDER`` holds a handful of paintings of different strength that will never change. Each meets every reference in
both orders; the verdicts are appended to ``OUT.jsonl`` as they come (a killed run goes on where it stopped), and
``OUT.csv`` gets a row a reference: ``reference_id``, ``tier``, ``difficulty``, ``se``, ``beaten``. An anchor stands
where a step stands in a run's comparisons, so the same model fits both (:mod:`wclib.analysis.drawfit`), and draws can
be balanced on the result (:mod:`wclib.analysis.balance`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wclib.analysis.drawfit import fit_verdicts
from wclib.analysis.load import load_comparisons
from wclib.analysis.verdicts import connectivity, flips
from wclib.errors import UsageError
from wclib.jsonl import JsonLines, read_rows
from wclib.judges.pairwise import PairJudge, compare_all
from wclib.pool import Pool
from wclib.pool_files import PICTURES, read_picture
from wclib.progress import Bar


def anchor_paintings(folder: Path) -> list[Path]:
    """The pictures of a folder, by name.

    Raises:
        UsageError: there are fewer than two, or one cannot be read.
    """
    found = sorted(path for path in folder.glob("*") if path.suffix.lower() in PICTURES) if folder.is_dir() else []
    if len(found) < 2:
        raise UsageError(f"{folder} needs at least two pictures (.png or .webp) to be anchors, of different strength")
    for path in found:
        read_picture(path)
    return found


def judge_anchors(
    anchors: Sequence[Path], pool: Pool, judge: PairJudge, out: Path, say: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Judge each anchor against every reference in both orders, and fit the references' difficulty.

    Args:
        anchors: pictures; the same order every time (an anchor's number is its place).
        pool: whose love and okay pictures are judged.
        judge: who compares.
        out: path without suffix of the verdicts (``.jsonl``) and of the table (``.csv``).
        say: where progress in words goes.

    Returns:
        ``references``, ``anchors``, ``sd`` (spread within a tier, logits), ``tier_love``, ``order``, ``flips``,
        ``connectivity``, ``table``.

    Raises:
        UsageError: ``out.jsonl`` holds other anchors or another pool.
        InfrastructureFault: the disk.
    """
    path = out.with_suffix(".jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, _ = read_rows(path)
    names = [each.name for each in anchors]
    if any(row["fingerprint"] != pool.fingerprint or row["anchor"] not in names for row in rows):
        raise UsageError(f"{path} holds verdicts of other anchors or another pool: name another --out")
    done = {(row["anchor"], row["reference_id"]) for row in rows if row["score"] is not None}
    if done:
        say(f"{path}: going on after {len(done)} pairs")
    log = JsonLines(path, say)
    try:
        for number, anchor in enumerate(Bar(anchors, desc="judging anchors")):
            wanted = [each for each in pool.paintings if (anchor.name, each.reference_id) not in done]
            for start in range(0, len(wanted), 8):
                met = asyncio.run(compare_all(anchor.read_bytes(), wanted[start : start + 8], judge))
                log.append(
                    {"run": "anchors", "anchor": anchor.name, "step": number, "group": 0, "position_in_group": 0,
                     "fingerprint": pool.fingerprint, "judge": judge.name, **each.as_dict()}
                    for each in met if each.score is not None
                )  # fmt: skip
    finally:
        log.close()
    comparisons = load_comparisons(path)
    fit = fit_verdicts(comparisons)
    table = out.with_suffix(".csv")
    fit.references[["reference_id", "tier", "difficulty", "se", "beaten", "verdicts"]].to_csv(table, index=False)
    return {
        "references": len(fit.references),
        "anchors": len(anchors),
        "judge": judge.name,
        "pool_fingerprint": pool.fingerprint,
        "sd": fit.sd,
        "tier_love": fit.tier_love,
        "order": fit.order,
        "flips": flips(comparisons),
        "connectivity": connectivity(comparisons),
        "table": str(table),
    }
