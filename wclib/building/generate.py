"""Candidates for a pool, by any list of models.

    python -m wclib pool generate --out DIR --models A B ...

Every candidate goes through rounds (:mod:`wclib.building.rounds`), and every reply, critique, picture and failure is
written down before anything follows from it (:mod:`wclib.building.record`): a killed build goes on, paying for nothing
twice but what was in flight.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wclib import say
from wclib.building.chat import Chat
from wclib.building.plan import Plan
from wclib.building.record import Record, account, table
from wclib.building.rounds import Rounds
from wclib.jsonl import read_rows
from wclib.progress import Bar
from wclib.render import Renderer
from wclib.render.ray_renderer import RayRenderer, open_renderer


def dry_run(plan: Plan, out: Path) -> dict[str, Any]:
    """Count the calls a build would make, at most, and those that an earlier run in ``out`` has paid for.

    ``minutes`` is None until a run has been timed here: calls left, by each model's median, eight at a time.
    """
    rows, _ = read_rows(out / "build.jsonl")
    calls = plan.calls()
    done = Counter(row["model"] for row in rows if row["event"] in ("sketch", "critique") and "latency_s" in row)
    left = {model: max(0, count - done[model]) for model, count in calls.items()}
    seconds = {row["model"]: row["seconds"] for row in account(rows, {}) if row["seconds"]}
    known = all(model in seconds for model, count in left.items() if count)
    return {
        "candidates": len(plan.candidates()),
        "rounds": plan.rounds,
        "photos": len(plan.photos),
        "calls": calls,
        "calls_in_all": sum(calls.values()),
        "calls_left": sum(left.values()),
        "minutes": max(left[model] * seconds.get(model, 0) / 8 for model in left) / 60 if rows and known else None,
    }


async def generate(
    plan: Plan,
    out: Path,
    chat: Chat,
    renderer: Renderer | RayRenderer,
    prices: Mapping[str, tuple[float, float]] = {},  # noqa: B006 - never written to
    say: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Run a build to its end, or on from where it stopped.

    Args:
        plan: what is to be made.
        out: its folder.
        chat: where the models are; closed at the end.
        renderer: paints; it stays open.
        prices: dollars a million tokens, see :func:`wclib.building.record.account`.
        say: is told what a person should know.

    Returns:
        ``folder``; over all runs in it, ``candidates``, ``paintings``, ``refused`` by gate code and ``failures`` by
        what failed; ``dropped`` models with the reason; ``models``, the cost and latency table; ``seconds`` of this
        run, and ``render_share``, the share of them in which something was being painted.

    Raises:
        UsageError: the folder holds a build of another domain.
        InfrastructureFault: the disk is full.
    """
    record = Record(out, plan.domain.name, say)
    started = time.monotonic()
    bar = Bar(total=len(plan.candidates()) * plan.rounds, desc="paintings", smoothing=0.1)
    rounds = Rounds(plan, chat, renderer, record, say, bar)
    try:
        record.add("plan", domain=plan.domain.name, models=list(plan.models), critic=plan.critic,
                   rounds=plan.rounds, each=plan.each)  # fmt: skip
        async with asyncio.TaskGroup() as tasks:
            for model in plan.models:
                tasks.create_task(rounds.model(model))
        bar.total = bar.n  # what a dropped model does not paint is not outstanding
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        bar.close()
        record.close()
        await chat.close()
    rows = record.rows
    seconds = time.monotonic() - started
    painted = {(*row["key"], row["round"]): row for row in rows if row["event"] == "painting"}
    return {
        "folder": str(out),
        "candidates": len(plan.candidates()),
        "paintings": sum(row["file"] is not None for row in painted.values()),
        "refused": dict(Counter(code for row in painted.values() for code in row["violations"])),
        "failures": dict(Counter(row["what"] for row in rows if row["event"] == "failure")),
        "dropped": dict(rounds.dropped),
        "models": account(rows, prices),
        "seconds": seconds,
        "render_share": rounds.painting_s / seconds,
    }


def build(plan: Plan, out: Path, prices: Mapping[str, tuple[float, float]], renderer: str) -> dict[str, Any]:
    """What ``python -m wclib pool generate`` does: :func:`generate` with the models and the renderer of the settings.

    Args:
        plan, out, prices: see :func:`generate`.
        renderer: ``"local"`` or ``"ray"``.

    Raises:
        UsageError: no token, or a folder of another domain.
        InfrastructureFault: the renderer does not start, or the disk is full.
    """

    async def run() -> dict[str, Any]:
        chat = Chat.from_env()
        with open_renderer(renderer) as painter:
            return await generate(plan, out, chat, painter, prices, say)

    report = asyncio.run(run())
    say(table(report["models"]))
    return report
