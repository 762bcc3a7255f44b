"""What the article says, in our words, with its figures, and what a check has to go by (:mod:`wclib.analysis.audit`).

Source: "Training a coding model to paint watercolours with TRL and OpenEnv" (3 September 2026). Claims are restated,
figures quoted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from wclib.analysis.published import RUNS

HOLDS, CAVEAT, NOT_SHOWN, CONTRADICTED, NEEDS = VERDICTS = (
    "holds", "holds with a caveat", "not shown", "contradicted", "needs the rollouts",
)  # fmt: skip
JUDGED = RUNS[1:]
Row = tuple[str, str, str]


@dataclass(frozen=True)
class Evidence:
    """What is there to check with: the three curves, and rollouts of whichever runs."""

    curves: Mapping[str, pd.DataFrame]
    rollouts: Mapping[str, pd.DataFrame] = field(default_factory=dict)


class Said(NamedTuple):
    """A claim: what is asserted, with the article's own figures."""

    claim: str
    figures: str


SAID: dict[str, Said] = {
    "thirds hps-only": Said("hps-only: mean reward, first and last third", "0.58, 0.71 (+0.13)"),
    "thirds judge-led": Said("judge-led: mean reward, first and last third", "0.45, 0.72 (+0.27)"),
    "thirds hps-led": Said("hps-led: mean reward, first and last third", "0.57, 0.82 (+0.24)"),
    "all learn": Said("all three runs learn (repository: t of the slope)", "+6.41, +10.5, +15.6"),
    "lower start": Said("the more the judge weighs, the lower a run starts", "0.58 > 0.57 > 0.45"),
    "noisier": Said("the more the judge weighs, the noisier the climb", "-"),
    "flat start": Said("judge-led hardly moved in its first thirty steps", "30 steps"),
    "still climbing": Said("both judge runs were still rising, slowly, when they were stopped at 110", "-"),
    "judge climbs": Said("the judge's term rose in the two runs it paid in", "-"),
    "only with judge": Said("hps-only could not say that it wins more comparisons as it trains", "-"),
    "no collapse": Said("no group of any run had identical rewards", "0"),
    "warm-up": Said("learning rate 5e-5, constant after a warm-up of 5 steps", "5e-5, 5"),
    "bad first": Said("hps-only: share of the rise that is bad paintings becoming rare", "three quarters"),
    "bad judge-led": Said("judge-led: rollouts under 0.3, first and last third", "99, 16"),
    "bad hps-led": Said("hps-led: rollouts under 0.3, first and last third", "37, 4"),
    "best and median": Said("hps-only: rise of the best and of the median of a step", "+0.034, +0.155"),
    "good hps-only": Said("hps-only: what better good paintings added to the mean", "+0.03"),
    "good judge runs": Said("judge-led, hps-led: what better good paintings added to the mean", "+0.12, +0.16"),
    "best rises": Said("the best of a step rose in both judge runs", "-"),
    "coverage doubles": Said("coverage doubled in both judge runs", "0.11 to 0.23, 0.13 to 0.30"),
    "coverage hps-only": Said("hps-only hardly moved coverage", ".107 to .143"),
    "judge makes pigment": Said("with the judge on, the model begins to be paid for more pigment", "-"),
    "shapes count": Said("asked for 15 to 30 shapes, the policy paints", "7 to 9"),
    "shapes reward": Said("the number of shapes hardly correlates with the reward", "+0.000, -0.14, +0.07"),
    "shapes disobey": Said("it disobeys that sentence because obeying does not pay", "-"),
    "ceiling": Said("hps-only: mean if every rollout matched its good ones", "0.771"),
    "alike rewards": Said("rewards inside a group grow closer as training goes on", "-"),
    "alike paintings": Said("within a run the paintings look alike", "-"),
    "hardest converges": Said("hps-only converges the hardest of the three", "-"),
    "step 12 falls": Said("judge-led step 12 scored half a point below step 11", "0.5"),
    "step 12 draw": Said("mostly because step 12 drew the hardest references of the run", "mostly"),
    "advantage safe": Said("a hard draw moves the whole group together, so GRPO is mostly safe from it", "-"),
    "step minutes": Said("a step takes fifteen to eighteen minutes", "15 to 18"),
    "hours": Said("18 hours for 60 steps, about 34 for 110", "18, 34"),
    "rendering share": Said("70 to 80% of a step is rendering", "70 to 80%"),
    "render seconds": Said("a render takes 69 to 96 s, against a deadline of 90 s", "69 to 96"),
    "faults": Said("infrastructure faults were about 1.5% of rollouts, 5.2% in the worst run", "1.5%, 5.2%"),
    "pool adds up": Said("the pool's 178 pictures by generator", "64 + 57 + 35 + 22"),
}
