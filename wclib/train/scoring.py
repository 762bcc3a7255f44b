"""From a generation's replies to rewards: every rollout at once, over real sessions with the environment.

The reward is one function (TRL adds up the parts of several, and a row of which one part is missing would be paid
less instead of left out). What it returns for a rollout is the environment's number, or None; a failure is never a
number. Rollouts of a group share one seed, hence one draw of references and one seed of the sketch's own chance.

Try it: ``python -m wclib train laptop --preset demo``
"""

from __future__ import annotations

import asyncio
import base64
import threading
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from wclib.env.client import WatercolourEnv
from wclib.env.models import WatercolourObservation
from wclib.env.token import bearer
from wclib.errors import InfrastructureFault
from wclib.sketch import extract, inventory
from wclib.train.runlog import GROUP_MEANS

T = TypeVar("T")
#: What is counted in a sketch's source, as published.
COUNTED = ("code_chars", "n_shapes", "n_vertices", "n_circles", "n_fill_calls")


@dataclass(frozen=True)
class Job:
    """One reply to score: what was asked for, and the seed its whole group shares."""

    reply: str
    subject: str
    seed: int
    step: int
    group: int
    position: int


@dataclass(frozen=True)
class Scored:
    """What came back for a job.

    Attributes:
        reward: in [0, 1]; None when the rollout could not be scored.
        reason: why it is None or 0; empty otherwise.
        observation: the environment's record; None when there was no answer.
        seconds: from sending the reply to its score, waiting for a browser included.
    """

    job: Job
    reward: float | None
    reason: str
    observation: WatercolourObservation | None
    seconds: float

    @property
    def render_s(self) -> float:
        """Seconds in the browser; 0 for a reply that never got there."""
        return float(((self.observation and self.observation.breakdown.get("render")) or {}).get("elapsed_s") or 0.0)

    @property
    def png(self) -> bytes | None:
        """The painting; None where there is none."""
        data = self.observation and self.observation.image_png_base64
        return base64.b64decode(data) if data else None


def health_report(url: str, timeout_s: float = 20.0) -> dict[str, Any]:
    """What the environment at ``url`` says about itself.

    Raises:
        InfrastructureFault: no answer, or an unhealthy one; says what is wrong.
    """
    try:
        # A proxy of the shell's is for the outside, not for a server of our own.
        local = urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")
        address = f"{url.rstrip('/')}/health"
        report = httpx.get(address, timeout=timeout_s, trust_env=not local, headers=bearer()).json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise InfrastructureFault("environment", f"no health report from {url}: {error}") from error
    if not isinstance(report, dict):
        raise InfrastructureFault("environment", f"no health report from {url}: the answer is not a JSON object")
    if report.get("status") != "healthy":
        problems = "; ".join(str(text) for text in report.get("problems", {}).values())
        raise InfrastructureFault("environment", f"{url} is not healthy: {problems or report}")
    return report


class Sessions:
    """A fixed number of sessions with an environment, kept on an event loop in a thread of their own.

    Used from ordinary code: :meth:`score` blocks until every job of a batch is back. A context manager.

    Args:
        url: base address of the environment, or several of equal ones, which share the sessions.
        count: sessions at once; a batch larger than that queues.
        references: references a rollout is compared with.
    """

    def __init__(self, url: str | Sequence[str], count: int, references: int):
        self.urls = [url] if isinstance(url, str) else list(url)
        self._count, self._references = count, references
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="environment sessions", daemon=True)
        self._thread.start()
        self._free: asyncio.Queue[WatercolourEnv] = asyncio.Queue()
        self._batches: set[asyncio.Task[Any]] = set()
        self._all = [WatercolourEnv(self.urls[i % len(self.urls)]) for i in range(count)]
        for session in self._all:
            self._free.put_nowait(session)

    def __enter__(self) -> Sessions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def health(self) -> dict[str, Any]:
        """The environment's own report: weights, judge, renderer, pool. Of several, the first one's.

        Raises:
            InfrastructureFault: no answer, or an unhealthy one; says what is wrong.
        """
        return [health_report(url) for url in self.urls][0]

    def score(self, jobs: Sequence[Job]) -> list[Scored]:
        """Score a batch at once; the answers are in the order of the jobs."""
        return self._run(self._score_all(jobs))

    async def score_async(self, jobs: Sequence[Job]) -> list[Scored]:
        """As :meth:`score`, from another event loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._score_all(jobs), self._loop))

    def close(self) -> None:
        """Say goodbye to the environment and end the thread."""
        if self._loop.is_closed():
            return
        try:
            self._run(self._goodbye())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _score_all(self, jobs: Sequence[Job]) -> list[Scored]:
        batch = asyncio.current_task()
        assert batch is not None
        self._batches.add(batch)
        try:
            async with asyncio.TaskGroup() as tasks:
                started = [tasks.create_task(self._score(job)) for job in jobs]
            return [task.result() for task in started]
        finally:
            self._batches.discard(batch)

    async def _score(self, job: Job) -> Scored:
        session = await self._free.get()
        began = time.monotonic()
        try:
            result = await session.paint(
                job.reply, seed=job.seed, subject=job.subject, references=self._references, return_image=True
            )
        except InfrastructureFault as fault:
            return Scored(job, None, str(fault), None, time.monotonic() - began)
        finally:
            self._free.put_nowait(session)
        seen = result.observation
        reason = str(seen.breakdown.get("reason") or "") if not result.reward else ""
        if result.reward is None and not reason:
            reason = seen.feedback or "the environment gave no reward and no reason"
        return Scored(job, result.reward, reason, seen, time.monotonic() - began)

    async def _goodbye(self) -> None:
        for batch in self._batches:  # nobody waits for them any more
            batch.cancel()
        await asyncio.gather(*self._batches, return_exceptions=True)
        await asyncio.gather(*(session.disconnect() for session in self._all), return_exceptions=True)


def rollout_row(run: str, scored: Scored, weights: dict[str, float], image: str | None) -> dict[str, Any]:
    """One row of ``rollouts.jsonl``: the published columns, then ours. Group means are added when the group is in."""
    job, seen = scored.job, scored.observation
    source = extract(job.reply).source or job.reply
    counted = inventory(source)
    render = (seen and seen.breakdown.get("render")) or {}
    return {
        "image": image,
        "source_file": image and image.removesuffix(".png") + ".js",
        "run": run,
        "judge_weight": weights.get("judge"),
        "hpsv3_weight": weights.get("quality"),
        "step": job.step,
        "position_in_group": job.position,
        "reward": scored.reward,
        "code": source,
        **{name: getattr(counted, name) for name in COUNTED},
        "brush_methods_used": list(counted.brush_methods_used),
        **dict.fromkeys(GROUP_MEANS),
        "paint_fraction": seen.paint_fraction if seen and render else None,
        **{name: seen and getattr(seen, name) for name in ("length_score", "judge_score", "quality_score")},
        "gate_passed": seen.gate_passed if seen and not seen.render_unavailable else None,
        "violations": list(seen.violations) if seen else [],
        "unscored_reason": scored.reason if scored.reward is None else "",
        "references": [pair["reference"] for pair in comparisons(scored)],
        "seed": job.seed,
        "render_s": scored.render_s or None,
        "backend": render.get("backend"),
        "subject": job.subject,
        "group": job.group,
        "reason": scored.reason,
        "score_s": round(scored.seconds, 4),
        "sha256": render.get("sha256"),
        "shapes_painted": sum(render.get("calls", {}).get(name, 0) for name in ("endShape", "circle")) or None,
    }


def comparisons(scored: Scored) -> list[dict[str, Any]]:
    """The judged pairs of a rollout, as the environment reports them."""
    return list(((scored.observation and scored.observation.breakdown.get("judge")) or {}).get("comparisons") or [])


def comparison_rows(run: str, scored: Scored) -> list[dict[str, Any]]:
    """Rows of ``comparisons.jsonl`` for one rollout."""
    job = scored.job
    who = {"run": run, "step": job.step, "group": job.group, "position_in_group": job.position}
    names = ("tier", "verdict_submission_first", "verdict_reference_first", "score")
    return [
        {**who, "reference_id": pair["reference"], **{name: pair[name] for name in names}}
        for pair in comparisons(scored)
    ]
