"""The scorer: a reply goes in, a :class:`~wclib.reward.Reward` comes out, whatever happens on the way.

Environment (published names): the four weights (:mod:`wclib.weights`); ``WATERCOLOUR_DISABLE_JUDGE`` leaves the
pairwise judge out, which with a judge weight above 0 makes every painted rollout unscored.

Try it: ``python -m wclib score sketch.js``
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from wclib.errors import InfrastructureFault, SketchFault, UsageError
from wclib.gate import Verdict, check_render, check_source, reject
from wclib.judges.hpsv3 import hpsv3_from_env
from wclib.judges.local import LocalJudge
from wclib.judges.pairwise import Comparison, PairJudge, compare_all, judge_score
from wclib.judges.verdicts import RememberedJudge, judge_from_env
from wclib.painting import Painting
from wclib.pool import Pool, load_pool, mix_from_env
from wclib.render import Render, Renderer
from wclib.render.ray_renderer import RayRenderer
from wclib.reward import Reward
from wclib.weights import TERMS, Weights, combine, length_score, weights_from_env

log = logging.getLogger(__name__)

#: Seconds a term of weight 0 may keep a rollout waiting.
UNPAID_S = 30.0


class QualityScorer(Protocol):
    """What can score one picture without a reference."""

    name: str

    async def quality(self, png: bytes) -> float:
        """A score in [0, 1], or an InfrastructureFault."""
        ...


@dataclass
class Scorer:
    """Scores replies: gate, render, then judge and quality at once.

    Args:
        renderer: paints; None starts one when the first sketch passes the source gate.
        pool: what the judge draws references from.
        judge: compares pairs; None when there is none.
        quality: scores one picture; None when there is nothing.
        weights: what each term is worth.
        references: references a rollout.
        mix: shares of love and okay among them.

    Raises:
        UsageError: impossible weights, or fewer than one reference.
    """

    renderer: Renderer | RayRenderer | None
    pool: Pool
    judge: PairJudge | None = None
    quality: QualityScorer | None = None
    weights: Weights = Weights()
    references: int = 4
    mix: tuple[float, float] = (0.5, 0.5)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _owned: Renderer | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.weights.validate()
        if self.references < 1:
            raise UsageError(f"references is {self.references}; a painting is compared with at least 1")

    def __enter__(self) -> Scorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the renderer, if this scorer started it."""
        if self._owned is not None:
            self._owned.close()
            self.renderer = self._owned = None

    def identity(self) -> dict[str, Any]:
        """Who scores and how: for ``/health``, ``run.json`` and notebooks. JSON-able, no secrets."""
        local = next((part for part in (self.judge, self.quality) if isinstance(part, LocalJudge)), None)
        return {
            "weights": asdict(self.weights),
            "judge": _name(self.judge),
            "quality": _name(self.quality),
            "local_judge": local.describe() if local else "",
            "verdict_cache": str(self.judge.folder) if isinstance(self.judge, RememberedJudge) else "",
            "references": self.references,
            "mix": {"love": self.mix[0], "okay": self.mix[1]},
            "pool": self.pool.describe(),
            "pool_fingerprint": self.pool.fingerprint,
            "domain": self.pool.domain.name,
        }

    async def score(self, reply: str | bytes, seed: int = 0, references: int | None = None) -> Reward:
        """Score one reply of the policy.

        Args:
            reply: whatever the model wrote.
            seed: of the render and of the draw of references: one a group.
            references: another number of references than usual.

        Returns:
            A reward; faults of either kind are inside it, never raised.
        """
        verdict = Verdict(True, ())
        try:
            verdict = await asyncio.to_thread(check_source, reply)
            if not verdict.passed or verdict.source is None:
                return self._refused(verdict, seed)
            render = await (await asyncio.to_thread(self._painter)).arender(verdict.source, seed=seed)
        except SketchFault as fault:
            return self._refused(reject(verdict, fault), seed)
        except InfrastructureFault as fault:
            # Nothing can be said, not even whether the gate would have closed.
            return self._reward(None, str(fault), {}, verdict, seed, faults={"gate": str(fault)})
        verdict = check_render(verdict, render)
        if not verdict.passed:
            return self._refused(verdict, seed, render)
        drawn = self.pool.draw(seed, references or self.references, self.mix)
        (judged, comparisons, judge_fault), (quality, quality_fault) = await asyncio.gather(
            self._judge(render.png, drawn), self._quality(render.png)
        )
        terms = {"gate": 1.0, "length": length_score(verdict.source or ""), "judge": judged, "quality": quality}
        faults = {name: text for name, text in (("judge", judge_fault), ("quality", quality_fault)) if text}
        value, reason = combine(terms, self.weights, faults)
        more = {"render": render, "comparisons": comparisons, "faults": faults}
        return self._reward(value, reason, terms, verdict, seed, **more)

    def _painter(self) -> Renderer | RayRenderer:
        with self._lock:
            if self.renderer is None:
                self.renderer = self._owned = Renderer()
            return self.renderer

    async def _judge(self, png: bytes, drawn: list[Painting]) -> tuple[float | None, tuple[Comparison, ...], str]:
        if self.judge is None:
            return None, (), "judge: there is none; give judge weight 0, or unset WATERCOLOUR_DISABLE_JUDGE"
        try:
            async with asyncio.timeout(None if self.weights.judge else UNPAID_S):
                comparisons = tuple(await compare_all(png, drawn, self.judge))
        except InfrastructureFault as fault:
            return None, (), str(fault)
        except TimeoutError:
            return None, (), f"judge: no verdict in {UNPAID_S:g} s"
        score = judge_score(comparisons)
        if score is not None:
            return score, comparisons, ""
        lost = next((text for comparison in comparisons for text in comparison.faults), "")
        return None, comparisons, f"judge: no pair was answered in both orders; {lost or 'there was no reference'}"

    async def _quality(self, png: bytes) -> tuple[float | None, str]:
        if self.quality is None:
            return None, "quality: there is no scorer; set WATERCOLOUR_HPSV3_URL, or give quality weight 0"
        try:
            async with asyncio.timeout(None if self.weights.quality else UNPAID_S):
                score = await self.quality.quality(png)
        except InfrastructureFault as fault:
            return None, str(fault)
        except TimeoutError:
            return None, f"quality: no score in {UNPAID_S:g} s"
        return (score, "") if 0 <= score <= 1 else (None, f"quality: {score} is not a score between 0 and 1")

    def _refused(self, verdict: Verdict, seed: int, render: Render | None = None) -> Reward:
        """The sketch's fault: a true 0."""
        terms = {"gate": 0.0, "length": length_score(verdict.source or "")}
        reason = "gate: " + "; ".join(f"{violation.code}: {violation.message}" for violation in verdict.violations)
        return self._reward(0.0, reason, terms, verdict, seed, render=render)

    def _reward(
        self,
        value: float | None,
        reason: str,
        terms: Mapping[str, float | None],
        verdict: Verdict,
        seed: int,
        **more: Any,
    ) -> Reward:
        """The reward with who judged; a term that is not named has no score."""
        whole = {**dict.fromkeys(TERMS), **terms}
        who = (_name(self.judge), _name(self.quality), self.pool.fingerprint)
        return Reward(value, reason, whole, verdict, seed, self.weights, *who, **more)


def _name(part: PairJudge | QualityScorer | None) -> str:
    return part.name if part else "none"


def scorer_from_env(
    renderer: Renderer | RayRenderer | None = None, pool: Pool | None = None, references: int = 4
) -> Scorer:
    """The scorer the environment asks for, of the pool's own domain.

    Judge: the vision judge when ``HF_TOKEN`` or ``WATERCOLOUR_JUDGE_URL`` configures one, else the local judge;
    none at all with ``WATERCOLOUR_DISABLE_JUDGE``. ``WATERCOLOUR_VERDICT_CACHE`` is where a vision judge's verdicts
    are kept. Quality: HPSv3 when ``WATERCOLOUR_HPSV3_URL`` is set, else the local judge's.

    Raises:
        UsageError: a bad pool, impossible weights or mix, or a bad URL.
        InfrastructureFault: a picture of the pool went away while the local judge was fitted.
    """
    weights, mix = weights_from_env(), mix_from_env()
    disabled = os.environ.get("WATERCOLOUR_DISABLE_JUDGE", "").strip().lower() not in ("", "0", "false", "no", "off")
    pool = pool or load_pool()
    judge = None if disabled else judge_from_env(pool)
    local = judge if isinstance(judge, LocalJudge) else None
    quality = hpsv3_from_env(pool.domain) or local or LocalJudge.for_pool(pool)
    if judge is None and weights.judge:
        log.warning(
            "WATERCOLOUR_DISABLE_JUDGE is set while the judge's weight is %g: no painting can be scored; "
            "set WATERCOLOUR_JUDGE_WEIGHT=0 and WATERCOLOUR_QUALITY_WEIGHT=0.9",
            weights.judge,
        )
    return Scorer(renderer, pool, judge, quality, weights, references, mix)


def score_command(reply: bytes, seed: int = 0, pool_dir: str | Path | None = None) -> dict[str, Any]:
    """What ``python -m wclib score`` prints: :meth:`Reward.as_dict` of one reply, scored as the environment says.

    Raises:
        UsageError: a bad pool, weights, mix or URL.
    """
    with scorer_from_env(pool=load_pool(pool_dir)) as scorer:
        return asyncio.run(scorer.score(reply, seed)).as_dict()
