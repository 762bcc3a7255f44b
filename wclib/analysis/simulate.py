"""Runs made from a stated model, to see whether an analysis finds what was put in.

Anything made here is called simulated. Verdicts follow the model of :mod:`wclib.analysis.drawfit`, plus what that model
leaves out: rollouts of a step differ in strength.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from wclib.analysis.schema import score_of


@dataclass(frozen=True)
class Stated:
    """What a simulation is made from; logits unless said otherwise.

    Attributes:
        steps, rollouts, references: sizes of a run (references a draw, half of each tier).
        love, okay: pictures in the pool.
        first, last: strength at the first and the last step, a straight line between.
        rollout_sd: spread of strength inside a step.
        tier_love: how much harder love is.
        reference_sd: spread of difficulty within a tier.
        order: what being shown first is worth.
        lost: chance that a call is lost.
    """

    steps: int = 110
    rollouts: int = 8
    references: int = 4
    love: int = 89
    okay: int = 89
    first: float = -1.0
    last: float = 1.5
    rollout_sd: float = 0.8
    tier_love: float = 0.6
    reference_sd: float = 1.0
    order: float = 0.3
    lost: float = 0.01


def simulated_pool(stated: Stated, seed: int = 0) -> pd.DataFrame:
    """``reference_id``, ``tier`` and the true ``difficulty`` of every picture."""
    rng = np.random.default_rng((seed, 1))
    tier = np.repeat(["love", "okay"], [stated.love, stated.okay])
    name = [f"{each}_{i:03d}" for i, each in enumerate(tier)]
    hard = stated.tier_love * (tier == "love") + stated.reference_sd * rng.normal(size=len(tier))
    return pd.DataFrame({"reference_id": name, "tier": tier, "difficulty": hard})


def simulate_comparisons(
    stated: Stated = Stated(),
    seed: int = 0,
    draws_seed: int | None = None,  # noqa: B008
) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """A run's comparisons, the pool's true difficulties, and the true strength a step.

    Args:
        stated: the model.
        seed: of everything.
        draws_seed: of the draws alone: two runs given the same one face the same references.

    Returns:
        ``(comparisons, pool, strength)``: frames as the loaders return them, and an array of shape ``(steps,)``.
    """
    pool = simulated_pool(stated, 0 if draws_seed is None else draws_seed)
    rng, draws = (
        np.random.default_rng((seed, 2)),
        np.random.default_rng((seed if draws_seed is None else draws_seed, 3)),
    )
    strength = np.linspace(stated.first, stated.last, stated.steps)
    half = stated.references // 2
    met = np.array(
        [
            np.r_[
                draws.choice(stated.love, half, False),
                stated.love + draws.choice(stated.okay, stated.references - half, False),
            ]
            for _ in range(stated.steps)
        ]
    )
    shape = (stated.steps, stated.rollouts, stated.references)
    own = strength[:, None] + stated.rollout_sd * rng.normal(size=shape[:2])
    eta = own[..., None] - pool["difficulty"].to_numpy()[met][:, None, :]
    step, position, place = (each.ravel() for each in np.indices(shape))
    reference = met[step, place]
    frame = pd.DataFrame({"run": "simulated", "step": step, "group": 0, "position_in_group": position})
    frame["reference_id"], frame["tier"] = (pool[name].to_numpy()[reference] for name in ("reference_id", "tier"))
    for name, way in (("verdict_submission_first", 1), ("verdict_reference_first", -1)):
        won = rng.random(len(frame)) < expit(eta.ravel() + way * stated.order)
        words = np.where(won, "submission", "reference").astype(object)
        words[rng.random(len(frame)) < stated.lost] = None
        frame[name] = words
    frame["score"] = score_of(frame)
    return frame, pool, strength


def simulate_rollouts(steps: int = 110, seed: int = 0, bad: tuple[float, float] = (0.4, 0.05),
                      good: tuple[float, float] = (0.6, 0.75), run: str = "simulated") -> pd.DataFrame:  # fmt: skip
    """A rollouts table whose share of bad paintings and whose good ones' mean move along straight lines.

    Counts of shapes are drawn without looking at the reward: any correlation found with them is chance.
    """
    rng, rollouts = np.random.default_rng((seed, 4)), 8
    along = np.repeat(np.linspace(0, 1, steps), rollouts)
    is_bad = rng.random(len(along)) < bad[0] + along * (bad[1] - bad[0])
    mean_good = good[0] + along * (good[1] - good[0])
    reward = np.where(
        is_bad, rng.uniform(0.05, 0.25, len(along)), np.clip(mean_good + rng.normal(0, 0.06, len(along)), 0.31, 1)
    )
    shapes = rng.integers(3, 14, len(along))
    return pd.DataFrame(
        {
            "run": run,
            "step": np.repeat(np.arange(steps), rollouts),
            "position_in_group": np.tile(np.arange(rollouts), steps),
            "reward": reward,
            "n_shapes": shapes.astype(float),
            "n_vertices": (shapes * rng.integers(4, 12, len(along))).astype(float),
            "code_chars": rng.integers(2000, 9000, len(along)).astype(float),
            "paint_fraction": np.clip(0.1 + 0.15 * reward + rng.normal(0, 0.03, len(along)), 0, 1),
        }
    )
