"""How far a judge can be trusted: the same questions for the vision judge and for the local one.

===============  ==================================================================================================
flips            pairs whose winner changes with the order in which the two pictures are shown
same picture     one picture shown twice: a judge without a side names the first half of the time
tiers            pairs from two tiers: is love preferred to okay, okay to nope, love to nope?
transitivity     triples in which A beats B, B beats C and C beats A
ladder           loved paintings against themselves broken one way at a time (:mod:`wclib.judges.ladder`): no rating
                 is needed to know the right answer
cost             seconds and tokens a verdict, calls that were lost
===============  ==================================================================================================

A pair counts as right only when both orders say so; intervals are Wilson's, 95% (they take pairs as independent, and
pairs share paintings: read them as a lower bound of the doubt). The local judge compares one number a picture, so it
cannot flip or be intransitive, and the audit says that instead of scoring it; on the pool it was fitted on it is asked
held out (:mod:`wclib.judges.heldout`).

Try it: ``python -m wclib pool audit``
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wclib import say
from wclib.errors import InfrastructureFault, UsageError
from wclib.jsonl import atomic_write
from wclib.judges.heldout import HeldOutJudge
from wclib.judges.ladder import RUNGS, Rung, choose, climb_down
from wclib.judges.local import LocalJudge
from wclib.judges.pairwise import PairJudge, Position, both_orders
from wclib.judges.tally import circles, flips, row, share
from wclib.judges.verdicts import judge_from_env
from wclib.painting import TIERS, Painting
from wclib.pool import Pool, load_pool
from wclib.progress import Bar
from wclib.render import Renderer

CONCURRENT = 8
#: Pictures shown against themselves.
SAME = 10
_SCALAR = {
    "flips": "not scored: a judge that compares one number a picture gives the same verdict in both orders",
    "same_picture": "not scored: one number against itself is a tie, so each order names another winner: 0.5",
    "transitivity": "not scored: numbers are ordered, so A over B over C over A cannot happen",
}


class _Meter:
    """A judge that is watched: how long each answered call took, and what was lost."""

    def __init__(self, judge: PairJudge):
        self.judge, self.name = judge, judge.name
        self.seconds: list[float] = []
        self.lost: list[str] = []
        self._turns = asyncio.Semaphore(CONCURRENT)

    async def verdict(self, first: bytes, second: bytes) -> Position:
        async with self._turns:
            start = time.perf_counter()
            try:
                won = await self.judge.verdict(first, second)
            except InfrastructureFault as fault:
                self.lost.append(str(fault))
                raise
            self.seconds.append(time.perf_counter() - start)
            return won


async def audit(
    judge: PairJudge, pool: Pool, rungs: Sequence[Rung] = (), pairs: int = 30, ring: int = 8
) -> dict[str, Any]:
    """Question a judge about a pool.

    Args:
        judge: who is questioned; the local judge is asked held out.
        pool: whose paintings and tiers are asked about.
        rungs: the ablation ladder, may be empty.
        pairs: pairs drawn from every two tiers, from different sketch families.
        ring: pictures all compared with each other, for transitivity.

    Returns:
        The audit's table, JSON-able: ``judge``, ``pool``, ``tiers``, ``ladder``, ``ladder_all`` (rows with ``pairs``,
        ``answered``, ``right``, ``split``, ``wrong``, ``share``, ``low``, ``high``), ``flips``, ``same_picture``,
        ``transitivity`` (rows, or a sentence for a scalar judge) and ``cost``.
    """
    scalar = getattr(judge, "scalar", False)
    asked: PairJudge = judge
    if isinstance(judge, LocalJudge):
        asked = HeldOutJudge(pool)
        for rung in rungs:
            asked.know(rung.intact, rung.painting.family)
            asked.know(rung.broken, rung.painting.family)
    meter = _Meter(asked)
    rng = random.Random(0)
    kinds = {f"{a} > {b}": (a, b) for a, b in itertools.combinations(TIERS, 2)}
    drawn = {name: _draw(rng, pool.by_tier(a), pool.by_tier(b), pairs) for name, (a, b) in kinds.items()}
    members = [] if scalar else _ring(rng, pool, ring)
    plan = [(name, one.read(), other.read()) for name, some in drawn.items() for one, other in some]
    plan += [(rung.name, rung.intact, rung.broken) for rung in rungs]
    plan += [("ring", one.read(), other.read()) for one, other in itertools.combinations(members, 2)]
    doubles = [] if scalar else rng.sample(pool.paintings, min(SAME, len(pool.paintings)))
    say(f"{judge.name}: {2 * len(plan) + len(doubles)} verdicts")
    met = await Bar.gather(*(both_orders(one, other, meter) for _, one, other in plan), desc="audit", unit="pair")
    met = [(name, verdicts) for (name, _, _), (verdicts, _) in zip(plan, met, strict=True)]
    table: dict[str, Any] = {
        "judge": judge.describe() if hasattr(judge, "describe") else judge.name,
        "pool": pool.fingerprint,
        "tiers": [row(name, [v for which, v in met if which == name]) for name in kinds if drawn[name]],
        "ladder": [row(name, [v for which, v in met if which == name]) for name in RUNGS if rungs],
        "ladder_all": row("all rungs", [v for which, v in met if which in RUNGS]),
        "ladder_sketches": sorted({rung.painting.reference_id for rung in rungs}),
    }
    if scalar:
        return {**table, **_SCALAR, "cost": await _cost(judge, _Meter(judge), [picture for _, picture, _ in plan[:40]])}
    twice = await asyncio.gather(*(_lenient(meter.verdict(p.read(), p.read())) for p in doubles))
    firsts = [won for won in twice if won]
    first = firsts.count("first")
    table["flips"] = flips([verdicts for _, verdicts in met])
    table["same_picture"] = {"answered": len(firsts), "first": first, **share(first, len(firsts))}
    table["transitivity"] = circles(len(members), [verdicts for name, verdicts in met if name == "ring"])
    return {**table, "cost": await _cost(judge, meter, [])}


async def _lenient(call: Awaitable[Position]) -> Position | None:
    try:
        return await call
    except InfrastructureFault:
        return None


def _draw(
    rng: random.Random, better: Sequence[Painting], worse: Sequence[Painting], count: int
) -> list[tuple[Painting, Painting]]:
    every = [(a, b) for a in better for b in worse if a.family != b.family]
    return rng.sample(every, min(count, len(every)))


def _ring(rng: random.Random, pool: Pool, size: int) -> list[Painting]:
    """``size`` paintings of different families, the tiers in turn."""
    tiers = [rng.sample(rated, len(rated)) for tier in TIERS if (rated := pool.by_tier(tier))]
    chosen: dict[str, Painting] = {}
    for painting in itertools.chain(*itertools.zip_longest(*tiers)):
        if painting is not None and len(chosen) < size:
            chosen.setdefault(painting.family, painting)
    return list(chosen.values())


async def _cost(judge: PairJudge, meter: _Meter, pictures: Sequence[bytes]) -> dict[str, Any]:
    """What a verdict costs; ``pictures`` are asked about one after another first, each with the next."""
    for one, other in itertools.pairwise(pictures):
        await meter.verdict(one, other)
    median, p95 = map(float, np.quantile(meter.seconds, (0.5, 0.95))) if meter.seconds else (None, None)
    return {
        "answered": len(meter.seconds),
        "lost": len(meter.lost),
        "seconds_median": median,
        "seconds_p95": p95,
        "last_fault": meter.lost[-1] if meter.lost else "",
        "spent": dict(getattr(getattr(judge, "judge", judge), "spent", {})),
        "remembered": getattr(judge, "remembered", 0),
    }


def audit_command(
    pool_dir: str | None = None, pairs: int = 30, sketches: int = 5, out: str | None = None
) -> dict[str, Any]:
    """What ``python -m wclib pool audit`` prints: the audit of the judge the environment configures. JSON-able.

    Raises:
        UsageError: a bad pool, judge or number. SketchFault, InfrastructureFault: see :func:`climb_down`.
    """
    if pairs < 1 or sketches < 0:
        raise UsageError(f"--pairs {pairs} and --sketches {sketches}: at least one pair, and 0 or more sketches")
    if out:
        Path(out).parent.mkdir(parents=True, exist_ok=True)
    pool = load_pool(pool_dir)
    judge = judge_from_env(pool)
    rungs: list[Rung] = []
    if sketches:
        with Renderer() as renderer:
            rungs = climb_down(choose(pool, sketches), renderer, Path("build") / "ladder")
    table = asyncio.run(audit(judge, pool, rungs, pairs))
    if out:
        atomic_write(Path(out), json.dumps(table, indent=1, allow_nan=False) + "\n")
    return table
