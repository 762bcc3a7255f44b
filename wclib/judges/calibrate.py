"""Which references teach: the share of a policy's paintings that beat each of them.

A reward needs opponents of the right strength. One that everything beats pays everybody alike (a free win), one that
nothing beats pays nobody (a ceiling), and neither separates the paintings of a group, so neither teaches. What is
beaten between a quarter and three quarters of the time is a rung: there the group's rewards differ.

``teaches`` is the variance of a win, share x (1 - share): at most 0.25, at even odds. Verdicts are those of the reward:
both orders, a pair counted when both answered. Run it with paintings of the policy that is about to be trained.

Try it: ``python -m wclib pool calibrate runs/TAG --steps 0 3``
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wclib import say
from wclib.errors import UsageError
from wclib.intervals import wilson
from wclib.judges.pairwise import PairJudge, compare_all
from wclib.judges.verdicts import judge_from_env
from wclib.painting import Painting
from wclib.pool import Pool, load_pool
from wclib.pool_files import PICTURES, read_picture
from wclib.progress import Bar

#: Below the first share a reference is a ceiling, above the second a free win, between them a rung.
BAND = (0.25, 0.75)


def place(share: float) -> str:
    """``"ceiling"``, ``"rung"`` or ``"free win"``: what a reference beaten this often is to the policy."""
    return "ceiling" if share < BAND[0] else "rung" if share <= BAND[1] else "free win"


def find_paintings(source: Path, steps: tuple[int, int] | None = None) -> list[Path]:
    """The pictures of a run's folder or of any folder, sorted by name.

    Args:
        source: a run (its ``paintings/`` are taken) or a folder of pictures.
        steps: first and last step, both included; only a run's pictures (``step_position.png``) have steps.

    Raises:
        UsageError: no such folder, or no picture in it; a name without a step where steps are asked for.
    """
    folder = source / "paintings" if (source / "paintings").is_dir() else source
    found = sorted(path for path in folder.glob("*") if path.suffix.lower() in PICTURES) if folder.is_dir() else []
    if steps is not None:
        try:
            found = [path for path in found if steps[0] <= int(path.stem.split("_")[0]) <= steps[1]]
        except ValueError:
            raise UsageError(f"{folder} holds pictures that are not named step_position: leave --steps out") from None
    if not found:
        raise UsageError(f"{source} holds no paintings: name a run's folder, or a folder of .png or .webp pictures")
    return found


async def calibrate(
    pictures: Sequence[bytes], references: Sequence[Painting], judge: PairJudge
) -> list[dict[str, Any]]:
    """Win rate of ``pictures`` against every reference, easiest last.

    Returns:
        A row a reference: ``reference``, ``tier``, ``asked``, ``answered``, ``share`` (of pairs won, a split counts
        half; None when nothing was answered), ``low`` and ``high`` (95%, Wilson, on the nearest whole number of wins),
        ``place`` (see :func:`place`) and ``teaches``.
    """
    scores: dict[str, list[float]] = {reference.reference_id: [] for reference in references}
    for picture in Bar(pictures, "calibrate", unit="painting"):
        for comparison in await compare_all(picture, references, judge):
            if comparison.score is not None:
                scores[comparison.reference_id].append(comparison.score)
    rows = []
    for reference in references:
        won = scores[reference.reference_id]
        share = sum(won) / len(won) if won else None
        low, high = wilson(round(sum(won)), len(won)) if won else (None, None)
        rows.append(
            {
                "reference": reference.reference_id,
                "tier": reference.tier,
                "asked": len(pictures),
                "answered": len(won),
                "share": share,
                "low": low,
                "high": high,
                "place": place(share) if share is not None else "unknown",
                "teaches": share * (1 - share) if share is not None else None,
            }
        )
    return sorted(rows, key=lambda row: (row["share"] is None, row["share"] or 0.0, row["reference"]))


def summarise(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many references of each tier are ceiling, rung or free win, and what is wrong with the pool if anything."""
    tiers = sorted({row["tier"] for row in rows})
    counts = {tier: dict(Counter(row["place"] for row in rows if row["tier"] == tier)) for tier in tiers}
    rungs = sum(row["place"] == "rung" for row in rows)
    answered = [row for row in rows if row["teaches"] is not None]
    advice = ""
    if answered and rungs < len(answered) / 4:
        easy = sum(row["place"] == "free win" for row in answered) > len(answered) / 2
        advice = (
            "few rungs: the policy beats most of the pool; add harder references or draw more from love"
            if easy
            else "few rungs: most of the pool is out of reach; add references it beats now and then, or draw more okay"
        )
    return {
        "references": len(rows),
        "rungs": rungs,
        "by_tier": counts,
        "teaches_mean": sum(row["teaches"] for row in answered) / len(answered) if answered else None,
        "advice": advice,
    }


def calibrate_command(
    source: str,
    pool_dir: str | None = None,
    limit: int = 32,
    steps: tuple[int, int] | None = None,
    figure: str | None = None,
) -> dict[str, Any]:
    """What ``python -m wclib pool calibrate`` prints; draws the figure when ``figure`` names a file stem. JSON-able.

    Raises:
        UsageError: no paintings, or a bad pool or judge.
    """
    if limit < 1:
        raise UsageError(f"--limit {limit}: at least one painting is needed")
    found = find_paintings(Path(source), steps)
    chosen = sorted(random.Random(0).sample(found, min(limit, len(found))))
    pictures = [read_picture(path) for path in chosen]
    pool: Pool = load_pool(pool_dir)
    judge = judge_from_env(pool)
    say(f"{judge.name}: {2 * len(chosen) * len(pool.paintings)} verdicts")
    rows = asyncio.run(calibrate(pictures, pool.paintings, judge))
    whole = {
        "judge": judge.describe() if hasattr(judge, "describe") else judge.name,
        "pool": pool.fingerprint,
        "paintings": len(chosen),
        **summarise(rows),
        "rows": rows,
    }
    if figure:
        from wclib.plots import save
        from wclib.plots_judges import calibration

        whole["figure"] = str(save(calibration(rows, judge.name, len(chosen)), figure))
    return whole
