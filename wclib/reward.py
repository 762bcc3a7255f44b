"""One reward: a number, or None with a reason. Never a number that stands for a failure.

    reward = 0.05 gate + 0.05 length + 0.60 pairwise judge + 0.30 quality        (the judge-led mix)

Three rules decide everything else:

* the sketch's own fault (it does not compile, paints nothing, cheats, hangs) closes the gate and the
  whole reward is 0, with the gate's codes as the reason;
* the machinery's fault (renderer, judge, scorer, pool) on a term that is wanted, that is, whose
  weight is above 0, makes the whole reward None: all terms or none, because a reward that lost a
  term would be compared, within its group, with rewards that did not;
* a term of weight 0 is recorded when it can be had, and costs nothing when it cannot.

:mod:`wclib.scorer` makes them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from wclib.gate import Verdict
from wclib.judges.pairwise import Comparison
from wclib.render import Render
from wclib.weights import Weights


@dataclass(frozen=True)
class Reward:
    """What one rollout earned, and everything that went into it.

    Attributes:
        value: the reward in [0, 1]; None when it could not be scored.
        reason: why it is 0 or None; empty for a scored painting.
        terms: a score in [0, 1] for each of :data:`wclib.weights.TERMS`, None where there is none.
        verdict: the gate's verdict.
        seed: of the render and of the draw of references.
        weights: what each term was worth.
        judge, quality: names of who judged; ``"local judge"`` is never called anything else.
        pool: the pool's fingerprint.
        render: the painting, or None.
        comparisons: one a reference, with what was answered in each order.
        faults: what failed, by term, wanted or not.
    """

    value: float | None
    reason: str
    terms: dict[str, float | None]
    verdict: Verdict
    seed: int
    weights: Weights
    judge: str
    quality: str
    pool: str
    render: Render | None = None
    comparisons: tuple[Comparison, ...] = ()
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def references(self) -> list[str]:
        """File names of the references it was compared with."""
        return [comparison.reference_id for comparison in self.comparisons]

    def breakdown(self) -> dict[str, Any]:
        """Score and weight of each term; the judge's with its comparisons. JSON-able."""
        parts: dict[str, Any] = {
            name: {"score": self.terms[name], "weight": weight} for name, weight in asdict(self.weights).items()
        }
        for name in ("judge", "quality"):
            parts[name]["by"] = getattr(self, name)
            parts[name]["fault"] = self.faults.get(name, "")
        parts["judge"]["comparisons"] = [
            {"reference": comparison.reference_id, **comparison.as_dict()} for comparison in self.comparisons
        ]
        return parts

    def as_dict(self) -> dict[str, Any]:
        """Everything but the pixels, JSON-able and free of NaN."""
        render = self.render
        return {
            "reward": self.value,
            "reason": self.reason,
            "terms": dict(self.terms),
            "breakdown": self.breakdown(),
            "gate": self.verdict.as_dict(),
            "judge": self.judge,
            "quality": self.quality,
            "references": self.references,
            "seed": self.seed,
            "pool": self.pool,
            "paint_fraction": render.paint_fraction if render else None,
            "backend": render.backend if render else None,
            "sha256": render.sha256 if render else None,
        }
