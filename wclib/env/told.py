"""What a client is told of a painting: why it was paid what it was, and never where things lie on the server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wclib.gate import Verdict
    from wclib.render import Render
    from wclib.reward import Reward

_RENDER_FIELDS = ("backend", "elapsed_s", "cpu_s", "sha256", "calls", "checks")


def without_paths(text: str) -> str:
    """``text`` with every absolute path cut down to its last part: where things lie is nobody's business outside."""
    return re.sub(r"(?<![\w:/.])/(?:[^\s/:'\"]+/)*([^\s/:'\"]+)", r"\1", text)


def not_scored(reason: str) -> str:
    """The feedback of a reply that some part of the machinery could not score."""
    return f"Not scored, through no fault of the sketch: {without_paths(reason)}"


def feedback(reward: Reward) -> str:
    """Why a reply was paid, refused or not scored, in a sentence."""
    if reward.value is None:
        return not_scored(reward.reason)
    if not reward.verdict.passed:
        return f"The gate turned this sketch away. {reward.verdict.remarks()}".strip()
    terms = ", ".join(f"{name} {value:.2f}" for name, value in reward.terms.items() if value is not None)
    return f"Reward {reward.value:.3f} ({terms})."


def seen(verdict: Verdict, render: Render | None) -> dict[str, Any]:
    """The observation's fields that need no judge: the gate's verdict, what was thrown, how much was painted."""
    return {
        "gate_passed": verdict.passed,
        "violations": list(verdict.codes),
        "js_errors": [str(error)[:500] for error in render.errors][:20] if render else [],
        "paint_fraction": render.paint_fraction if render else 0.0,
        "finished": bool(render and render.finished),
    }


def breakdown(reward: Reward) -> dict[str, Any]:
    """The reward in its parts (:meth:`wclib.reward.Reward.breakdown`), with its reason, pool, verdict and render."""
    painted, parts = reward.render, reward.breakdown()
    for name in ("judge", "quality"):
        parts[name]["fault"] = without_paths(parts[name]["fault"])
    return {
        **parts,
        "reason": without_paths(reward.reason),
        "pool": reward.pool,
        "verdict": reward.verdict.as_dict(),
        "render": painted and {name: getattr(painted, name) for name in _RENDER_FIELDS},
    }
