"""Swap the folder, swap the taste: what the judges of two opposite pools make of the same paintings.

:func:`swap` scores paintings that neither pool holds against both. :func:`sees` asks how far a pool's local judge
follows each attribute of the taste it was fitted on: what a judge does not see, no run on its pool will learn.

Try it: ``python -m wclib pool taste --out build/taste --figure swap``
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr

from wclib.errors import InfrastructureFault
from wclib.jsonl import read_rows
from wclib.judges.local import LocalJudge
from wclib.pool import load_pool
from wclib.render import Renderer
from wclib.reward import Reward
from wclib.scorer import Scorer, scorer_from_env
from wclib.taste import ATTRIBUTES, TASTES, build_taste_pools, candidates


def swap(
    pools: Mapping[str, Path], renderer: Renderer, count: int = 8, first: int = 96
) -> tuple[list[bytes], dict[str, list[float]], float]:
    """Score the same paintings against several pools, with nothing changed but the folder.

    Each painting is scored by :func:`wclib.scorer.scorer_from_env`, whole pool as references, weights and judges as the
    environment says.

    Args:
        pools: name -> folder.
        renderer: paints.
        count: how many sketches, from the same stream as the candidates.
        first: number of the first one; at least the number of candidates, so that no pool holds them.

    Returns:
        The paintings (PNG), the rewards by pool, and Spearman's rank correlation of the first two pools.

    Raises:
        InfrastructureFault: a painting could not be scored, or the two renders of a sketch differ.
    """
    sketches = list(itertools.islice(candidates(), first, first + count))
    pictures: list[bytes] = []
    rewards: dict[str, list[float]] = {}
    for name, folder in pools.items():
        pool = load_pool(folder)
        scorer = scorer_from_env(renderer, pool, references=len(pool.paintings))
        with ThreadPoolExecutor(1) as worker:  # a notebook's own loop is running
            scored = worker.submit(asyncio.run, _score_all(scorer, sketches)).result()
        known = [(each.render.png, each.value) for each in scored if each.render and each.value is not None]
        if len(known) < len(scored):
            lost = next(each.reason for each in scored if each.render is None or each.value is None)
            raise InfrastructureFault("environment", f"a painting was not scored against {folder}: {lost}")
        painted, rewards[name] = [png for png, _ in known], [value for _, value in known]
        if pictures and painted != pictures:
            raise InfrastructureFault("renderer", "the same sketch and seed gave two pictures")
        pictures = painted
    one, other = list(rewards.values())[:2]
    return pictures, rewards, float(spearmanr(one, other).statistic)


def sees(pool: str | Path, painted: Path) -> dict[str, float]:
    """Spearman's rank correlation of a pool's local judge with each attribute of the taste.

    Args:
        pool: its folder.
        painted: the candidates' folder, with their table.

    Returns:
        a correlation for each of :data:`wclib.taste.ATTRIBUTES`, over all candidates.

    Raises:
        UsageError: there is no pool in the folder.
        InfrastructureFault: a picture cannot be read.
    """
    judge, rows = LocalJudge.for_pool(load_pool(pool)), read_rows(painted / "candidates.jsonl")[0]
    scores = [judge.taste((painted / row["file_name"]).read_bytes()) for row in rows]
    return {name: round(float(spearmanr(scores, [row[name] for row in rows]).statistic), 2) for name in ATTRIBUTES}


async def _score_all(scorer: Scorer, sketches: list[tuple[str, str, str, int]]) -> list[Reward]:
    return list(await asyncio.gather(*(scorer.score(source, seed) for _, _, source, seed in sketches)))


def taste_command(out: str | Path, count: int, figure: str | None = None) -> dict[str, Any]:
    """What ``python -m wclib pool taste`` prints: where the two pools and ratings are, and what their judges see.

    With ``figure``, a file stem, eight more flowers are painted, scored against both (:func:`swap`) and drawn.
    """
    with Renderer() as renderer:
        folders = dict(zip(TASTES, build_taste_pools(out, renderer, count), strict=True))
        ratings = {taste: Path(out) / f"ratings_{taste}.jsonl" for taste in TASTES}
        report: dict[str, Any] = {
            **{taste: str(folder) for taste, folder in folders.items()},
            "ratings": {taste: str(path) for taste, path in ratings.items()},
            "candidates": count,
            "sees": {taste: sees(folder, Path(out) / "candidates") for taste, folder in folders.items()},
            "tiers": {taste: dict(Counter(row["tier"] for row in read_rows(p)[0])) for taste, p in ratings.items()},
        }
        if figure:
            from wclib import plots, plots_judges

            pools = {"warm, large": folders["warm"], "cool, small": folders["cool"]}
            pictures, rewards, agreement = swap(pools, renderer, first=count)
            path = plots.save(plots_judges.swap(pictures, rewards, agreement), figure)
            report["swap"] = {"rewards": rewards, "rank_correlation": agreement, "figure": str(path)}
    return report
