"""How hard was a step's draw of references, when only per-step means are known.

The order of questions matters:

1. :func:`overdispersion`: is there anything to explain? If eight independent rollouts account for the curve's noise,
   adjust nothing.
2. :func:`draw_residual`: the judge's mean less a smooth trend in the step *and in HPSv3's mean*, which sees the
   paintings but not the draw. Shrunk by a reliability taken from 1 (:func:`draw_effects`): the full residual would make
   any curve smooth.
3. :func:`shared_draws`: did two runs face the same draws? If so :func:`common_effects` predicts what they share. For a
   claim about one step of one run, use the column ``from_other``: it knows nothing of that run's own luck.

Rejected sketches count 0 for judge and HPSv3 alike, so their estimated number is taken out of both means first.

*How hard* a draw was is a logit, comparable between steps (``scale="logit"``: rank with it). *What it cost* is on the
scale of the mean score and depends on how strong the policy was (``scale="score"``: adjust with it).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wclib.analysis.curves import rejected, residual, trend
from wclib.weights import MIXES

ROLLOUTS, SIMULATIONS = 8, 2000
#: Verdicts behind a step's judge mean: 8 rollouts, 4 references, both orders.
VERDICTS = 64
DRAW_FREE = ("quality_mean", "length_mean", "paint_fraction_mean", "entropy")


@dataclass(frozen=True)
class Overdispersion:
    """Whether a curve is noisier than its rollouts make it.

    Attributes:
        ratio: sum of squares about the trend over ``sum((1 - h) sd^2 / 8)``; about 1 when rollouts explain it.
        low, high: 95% of what the ratio would be if they did, by simulation.
        p: chance of a ratio this high if they did.
        reliability: ``max(0, 1 - 1 / ratio)``: the share of the noise that is something else.
        excess: standard deviation of that something else, on the scale of the reward.
    """

    ratio: float
    low: float
    high: float
    p: float
    reliability: float
    excess: float


def overdispersion(curve: pd.DataFrame) -> Overdispersion:
    """Ask a curve (``step``, ``reward``, ``reward_std``) whether there is anything to explain.

    A run whose reward does not hear the judge is the placebo: its ratio should be about 1.
    """
    known = curve[["step", "reward", "reward_std"]].dropna()
    if len(known) < 6 or not (known["reward_std"] > 0).any():
        return Overdispersion(*(math.nan,) * 4, 0.0, math.nan)
    design = trend(known["step"])
    left, leverage = residual(known["reward"].to_numpy(), design)
    variance = known["reward_std"].to_numpy() ** 2 / ROLLOUTS
    expected = float(((1 - leverage) * variance).sum())
    ratio = float(left @ left) / expected
    luck = np.random.default_rng(0).normal(size=(len(known), SIMULATIONS)) * np.sqrt(variance)[:, None]
    q, _ = np.linalg.qr(design)
    null = ((luck - q @ (q.T @ luck)) ** 2).sum(axis=0) / expected
    low, high = np.percentile(null, (2.5, 97.5))
    excess = math.sqrt(max(0.0, (ratio - 1) * expected / (len(known) - leverage.sum())))
    p = (1 + float((null >= ratio).sum())) / (1 + SIMULATIONS)
    return Overdispersion(ratio, float(low), float(high), p, 1 - 1 / max(1.0, ratio), excess)


def draw_residual(curve: pd.DataFrame, mix: str, scale: str = "score") -> pd.Series:
    """The judge's mean less a smooth trend in step and in HPSv3's mean, by step.

    Args:
        curve: with ``judge_mean``, ``quality_mean``, ``length_mean``.
        mix: which weights the run had, to count rejected sketches.
        scale: ``"score"`` or ``"logit"``.
    """
    known = curve.dropna(subset=["judge_mean", "quality_mean"])
    passed = 1 - rejected(known, mix).clip(upper=ROLLOUTS - 1) / ROLLOUTS
    judge, quality = ((known[name] / passed).clip(upper=1) for name in ("judge_mean", "quality_mean"))
    if scale == "logit":
        share = (judge * VERDICTS + 0.5) / (VERDICTS + 1)
        judge = np.log(share / (1 - share))
    left, _ = residual(judge.to_numpy(), np.column_stack([trend(known["step"]), quality]))
    return pd.Series(left, index=pd.Index(known["step"], name="step"), name="residual")


def draw_effects(curve: pd.DataFrame, mix: str) -> pd.DataFrame:
    """What each step's draw is estimated to have done, from this run alone.

    Returns:
        Columns ``step``, ``residual`` (judge scale), ``effect`` (the residual times the reliability), ``difficulty``
        (less the residual on the logit scale: higher is harder), ``reward``, ``adjusted`` (reward less judge weight
        times effect). ``attrs`` holds ``overdispersion``. Where there is nothing to explain the effects are 0 and the
        curve stays as it is.
    """
    asked = overdispersion(curve)
    left = draw_residual(curve, mix)
    table = pd.DataFrame({"residual": left, "effect": asked.reliability * left})
    table["difficulty"] = -draw_residual(curve, mix, "logit")
    table = table.join(curve.set_index("step")["reward"])
    table["adjusted"] = table["reward"] - MIXES[mix].judge * table["effect"]
    table.attrs["overdispersion"] = asked
    return table.reset_index()


def lagged(a: pd.Series, b: pd.Series, lag: int) -> float:
    """Correlation of ``a`` at each step with ``b`` that many steps later."""
    moved = b.set_axis(b.index - lag)
    both = pd.concat([a, moved], axis=1, join="inner").dropna()
    return float(both.iloc[:, 0].corr(both.iloc[:, 1])) if len(both) > 3 else math.nan


def shared_draws(
    curves: Mapping[str, pd.DataFrame], permutations: int = SIMULATIONS
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Evidence that two runs faced the same references at the same step.

    Args:
        curves: two curves by the name of their mix.
        permutations: of the steps, for ``p``.

    Returns:
        Correlation of the draw residuals by ``lag`` (only lag 0 should stand out), and, at lag 0, of each column:
        ``judge`` and the columns that a draw cannot move, about their trends, with ``p`` (two-sided, by permuting
        steps).
    """
    (one, a), (two, b) = curves.items()
    series = {"judge": (draw_residual(a, one), draw_residual(b, two))}
    for column in DRAW_FREE:
        series[column] = tuple(
            pd.Series(residual(c[column].to_numpy(), trend(c["step"]))[0], index=c["step"]) for c in (a, b)
        )
    by_lag = pd.DataFrame([{"lag": lag, "r": lagged(*series["judge"], lag)} for lag in range(-8, 9)])
    rng = np.random.default_rng(0)
    rows = {}
    for name, pair in series.items():
        x, y = pd.concat(pair, axis=1, join="inner").dropna().to_numpy().T
        r = float(np.corrcoef(x, y)[0, 1])
        null = np.array([np.corrcoef(x, rng.permutation(y))[0, 1] for _ in range(permutations)])
        rows[name] = {"r": r, "p": (1 + float((np.abs(null) >= abs(r)).sum())) / (1 + permutations), "n": len(x)}
    return by_lag, pd.DataFrame.from_dict(rows, orient="index")


def common_effects(curves: Mapping[str, pd.DataFrame], scale: str = "score") -> pd.DataFrame:
    """The best linear predictor of what two runs' draw residuals have in common, by step.

    With both residuals the sum of a common part and of each run's own luck, the common variance is their covariance
    ``v``, and the predictor is ``v 1' S^-1 r`` with ``S`` their covariance matrix.

    Args:
        curves: two curves by the name of their mix.
        scale: ``"score"`` to adjust, ``"logit"`` to rank.

    Returns:
        A row a step that both have: each run's residual under its name; ``common`` (from both); ``from_other_<name>``
        (for claims about that run: from the other one alone). ``attrs``: ``variance`` ``v``, ``sd_common`` and
        ``sd_other_<name>``, the predictors' own standard errors.
    """
    one, two = curves
    table = pd.concat({name: draw_residual(curve, name, scale) for name, curve in curves.items()}, axis=1, join="inner")
    covariance = np.cov(table.to_numpy().T)
    shared = max(0.0, float(covariance[0, 1]))
    weights = np.linalg.solve(covariance, np.full(2, shared))
    table["common"] = table[[one, two]].to_numpy() @ weights
    attrs = {"variance": shared, "sd_common": math.sqrt(max(0.0, shared - shared * weights.sum()))}
    for name, other, own in ((one, two, covariance[1, 1]), (two, one, covariance[0, 0])):
        table[f"from_other_{name}"] = shared / own * table[other]
        attrs[f"sd_other_{name}"] = math.sqrt(max(0.0, shared - shared**2 / own))
    table = table.reset_index()
    table.attrs.update(attrs)
    return table


@dataclass(frozen=True)
class StepPair:
    """Two steps of one run, taken apart.

    Attributes:
        change: reward of the later step less the earlier one.
        luck: standard error of that change from eight rollouts a step.
        terms: what each term paid of the change.
        draw: what the draws did of it, from the *other* run alone; ``draw_low``, ``draw_high`` its 95% interval.
        draw_both: the same from both runs (it also hears this run's own luck).
        left: what the draw does not explain, with the interval ``left_low``, ``left_high``.
        difficulty_rank: place of the later step among all by difficulty (1 is hardest): from both runs, and from the
        other alone.
    """

    change: float
    luck: float
    terms: dict[str, float]
    draw: float
    draw_low: float
    draw_high: float
    draw_both: float
    left: float
    left_low: float
    left_high: float
    difficulty_rank: tuple[int, int]


def compare_steps(curves: Mapping[str, pd.DataFrame], run: str, earlier: int, later: int) -> StepPair:
    """How much of the change between two steps of ``run`` was the draw.

    Judged by the other run of ``curves``, which faced the same draws.
    """
    curve = curves[run].set_index("step")
    weights = MIXES[run]
    change = curve.loc[later] - curve.loc[earlier]
    terms = {
        "length": weights.length * change["length_mean"],
        "judge": weights.judge * change["judge_mean"],
        "quality": weights.quality * change["quality_mean"],
    }
    terms["rest"] = change["reward"] - sum(terms.values())
    effects = common_effects(curves).set_index("step")
    other = f"from_other_{run}"
    draw = weights.judge * float(effects.loc[later, other] - effects.loc[earlier, other])
    error = 1.96 * weights.judge * math.sqrt(2) * effects.attrs[f"sd_{other.removeprefix('from_')}"]
    both = weights.judge * float(effects.loc[later, "common"] - effects.loc[earlier, "common"])
    hard = common_effects(curves, "logit").set_index("step")
    first, second = (int(hard[name].rank()[later]) for name in ("common", other))
    luck = math.sqrt(sum(curve.loc[step, "reward_std"] ** 2 / ROLLOUTS for step in (earlier, later)))
    left = float(change["reward"]) - draw
    return StepPair(
        float(change["reward"]), luck, {name: float(value) for name, value in terms.items()},
        draw, draw - error, draw + error, both, left, left - error, left + error,
        (first, second),
    )  # fmt: skip
