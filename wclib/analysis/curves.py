"""What per-step figures can tell: thirds, slope, rise by term, spread, time.

Every function takes a curve (:func:`wclib.analysis.load.load_curve`), or one column of it with its steps. Missing
values are left out, never read as 0. The definitions are the project's own: thirds take ``k = n // 3`` distinct
steps, the first ``k``, the next ``k`` and the *last* ``k``; HAC is Newey-West with Bartlett weights and ``floor(4 (n
/ 100) ** (2 / 9))`` lags.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wclib.analysis.schema import mix_of, term_sum
from wclib.weights import MIXES

PARTS = ("generate_s", "render_s", "judge_s", "update_s")
TERM_COLUMNS = {"length": "length_mean", "judge": "judge_mean", "quality": "quality_mean"}


def third_steps(steps: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The steps of the three thirds; all three are empty when there are fewer than three steps."""
    distinct = np.unique(np.asarray(steps))
    k = len(distinct) // 3
    return distinct[:k], distinct[k : 2 * k], distinct[len(distinct) - k :]


def thirds(curve: pd.DataFrame, column: str = "reward") -> tuple[float, float, float]:
    """Mean of a column over the three thirds; NaN where a third has no value (or there is no third)."""
    first, middle, last = (curve.loc[curve["step"].isin(part), column] for part in third_steps(curve["step"]))
    return _mean(first), _mean(middle), _mean(last)


def rise(curve: pd.DataFrame, column: str = "reward") -> float:
    """Last third minus first third."""
    first, _, last = thirds(curve, column)
    return last - first


@dataclass(frozen=True)
class Slope:
    """A straight line through a curve.

    Attributes:
        per_step: change of the column a step, by ordinary least squares.
        t: its t by ordinary least squares, which takes the steps for independent.
        t_hac: its t by HAC, which does not.
        n: steps with a value.
    """

    per_step: float
    t: float
    t_hac: float
    n: int

    def __str__(self) -> str:
        return f"{self.per_step:+.4f} a step (HAC t {self.t_hac:+.1f})"


def hac_lags(n: int) -> int:
    """``floor(4 (n / 100) ** (2 / 9))``."""
    return math.floor(4 * (n / 100) ** (2 / 9))


def slope(curve: pd.DataFrame, column: str = "reward") -> Slope:
    """The line through a column on the step's number.

    Undefined figures (fewer than three steps, a flat line) are NaN; the t of a slope without any scatter is infinite.
    """
    known = curve[["step", column]].dropna()
    n = len(known)
    if n < 3:
        return Slope(math.nan, math.nan, math.nan, n)
    import statsmodels.api as sm  # slow to import, and only this needs it

    x, y = known["step"].to_numpy(float), known[column].to_numpy(float)
    model = sm.OLS(y, sm.add_constant(x))
    plain = model.fit()
    if plain.ssr <= 1e-20 * max(1.0, float(y @ y)):
        steep = float(plain.params[1])
        t = math.copysign(math.inf, steep) if abs(steep) * np.ptp(x) > 1e-9 else math.nan
        return Slope(steep, t, t, n)
    robust = model.fit(cov_type="HAC", cov_kwds={"maxlags": hac_lags(n)})
    return Slope(float(plain.params[1]), float(plain.tvalues[1]), float(robust.tvalues[1]), n)


def rise_by_term(curve: pd.DataFrame, mix: str) -> pd.Series:
    """How much of the reward's rise each term paid: its weight times the rise of its mean.

    Returns:
        ``length``, ``judge``, ``quality``, ``rest`` (what the terms do not explain: rejected sketches, rounding) and
        ``reward``, their sum.
    """
    weights = MIXES[mix]
    paid = {
        term: getattr(weights, term) * rise(curve, column) if getattr(weights, term) else 0.0
        for term, column in TERM_COLUMNS.items()
    }
    whole = rise(curve)
    return pd.Series({**paid, "rest": whole - sum(paid.values()), "reward": whole})


def trend(steps: Sequence[float]) -> np.ndarray:
    """Design matrix of a smooth trend: a natural cubic spline of five columns that span the constant and the line.

    Shorter series take fewer columns, a third of their steps at most. Of shape ``(n, columns)``.
    """
    x = np.asarray(steps, dtype=float)
    df = min(5, len(np.unique(x)) // 3)
    if df < 3:
        return np.column_stack([np.ones_like(x), x])[:, : max(1, min(2, len(np.unique(x)) - 1))]
    from patsy import dmatrix

    return np.asarray(dmatrix(f"cr(x, df={df}) - 1", {"x": x}))


def residual(y: np.ndarray, design: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of least squares and the leverages ``h`` (diagonal of the hat matrix)."""
    q, r = np.linalg.qr(design)
    q = q[:, np.abs(np.diag(r)) > 1e-9 * np.abs(r).max()]
    return y - q @ (q.T @ y), (q**2).sum(axis=1)


def noise(curve: pd.DataFrame) -> float:
    """Standard deviation of the reward about its own smooth trend (degrees of freedom of the trend taken off)."""
    known = curve[["step", "reward"]].dropna()
    if len(known) < 6:
        return math.nan
    left, leverage = residual(known["reward"].to_numpy(), trend(known["step"]))
    return float(np.sqrt(left @ left / (len(known) - leverage.sum())))


def rejected(curve: pd.DataFrame, mix: str) -> pd.Series:
    """How many rollouts of each step the gate seems to have rejected, estimated from means alone.

    A rejected sketch counts 0 in every mean but its length: the reward then lies under what the terms add up to by
    ``(gate + length * length_score) / 8`` each. Rounding of published figures is about 0.1 rollouts.
    """
    weights = MIXES[mix]
    short = (term_sum(curve, mix) - curve["reward"]).clip(lower=0)
    return (8 * short / (weights.gate + weights.length * curve["length_mean"])).round().rename("rejected")


def share_of_rendering(curve: pd.DataFrame) -> float:
    """Seconds in rendering over seconds in all parts; NaN where the curve lacks them, as the published ones do."""
    if not set(PARTS) <= set(curve) or curve["render_s"].isna().all():
        return math.nan
    return float(curve["render_s"].sum() / curve[list(PARTS)].sum().sum())


def curve_report(curve: pd.DataFrame, name: str = "") -> dict[str, Any]:
    """Everything above for one run, as plain numbers; figures that are not in the curve are None."""

    def of(column: str, figure: Any) -> Any:
        return figure(column) if column in curve and curve[column].notna().any() else None

    mix = mix_of(name)
    line = slope(curve)
    has_terms = set(TERM_COLUMNS.values()) <= set(curve)
    return {
        "steps": int(curve["step"].nunique()),
        "reward_thirds": list(thirds(curve)),
        "rise": rise(curve),
        "slope_per_step": line.per_step,
        "t_ols": line.t,
        "t_hac": line.t_hac,
        "rise_by_term": rise_by_term(curve, mix).to_dict() if mix and has_terms else None,
        "rejected_rollouts": int(rejected(curve, mix).sum()) if mix and has_terms else None,
        "noise_about_trend": noise(curve),
        **{
            f"{name}_thirds": of(column, lambda column: list(thirds(curve, column)))
            for name, column in (
                ("spread", "reward_std"),
                ("entropy", "entropy"),
                ("judge", "judge_mean"),
                ("quality", "quality_mean"),
                ("coverage", "paint_fraction_mean"),
            )
        },
        "clipped_share": of("clipped_ratio", lambda column: float(curve[column].mean())),
        "hours": of("step_time", lambda column: float(curve[column].sum() / 3600)),
        "minutes_a_step": of("step_time", lambda column: float(curve[column].mean() / 60)),
        "share_of_rendering": share_of_rendering(curve),
    }


def _mean(values: pd.Series) -> float:
    return float(values.mean()) if values.notna().any() else math.nan
