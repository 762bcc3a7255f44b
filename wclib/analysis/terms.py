"""What each term of the reward carries, and what happens to rollouts that could not be scored.

GRPO without reward scaling learns from ``advantage = reward - mean of the group``. A term that hardly varies inside a
group teaches nothing, whatever its weight: its share of the advantage's variance says how much it teaches.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from wclib.analysis.paintings import BAD, one_run

TERMS = {"length": "length_score", "judge": "judge_score", "quality": "quality_score"}
GROUP = ["step", "group"]


def groups_of(rollouts: pd.DataFrame) -> list[str]:
    """The columns that tell groups apart: the step, and the group within it where a step has several."""
    return [name for name in GROUP if name in rollouts]


def component_report(rollouts: pd.DataFrame, weights: dict[str, float]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean, spread and teaching of each term over the scored rollouts of one run, and the terms' correlations.

    Args:
        rollouts: one run, with a column for each term of :data:`TERMS` (published tables hold only group means: not
            enough).
        weights: what each term is worth.

    Returns:
        A row a term and one ``rest`` (the gate: what a rejected sketch lost): ``mean``, ``sd_within`` (inside groups,
        n - 1), ``weight``, ``share`` of the advantage's variance: the covariance of the weighted term with the
        advantage over its variance, which sums to 1. And the correlation matrix of the terms inside groups.
    """
    scored = one_run(rollouts)
    by = [scored[name] for name in groups_of(scored)]
    # A rejected sketch has no judge or quality score; what it lost shows in `rest`.
    terms = pd.DataFrame({name: scored[column].fillna(0.0) for name, column in TERMS.items()})
    inside = terms - terms.groupby(by).transform("mean")
    advantage = scored["reward"] - scored["reward"].groupby(by).transform("mean")
    power = float(advantage @ advantage)
    freedom = max(1, len(scored) - scored.groupby(groups_of(scored)).ngroups)
    rows = {}
    for name in TERMS:
        worth = weights.get(name, 0.0)
        rows[name] = {
            "mean": terms[name].mean(),
            "sd_within": math.sqrt(float(inside[name] @ inside[name]) / freedom),
            "weight": worth,
            "share": worth * float(inside[name] @ advantage) / power if power > 0 else math.nan,
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.loc["rest"] = {"mean": math.nan, "sd_within": math.nan, "weight": weights.get("gate", 0.0),
                         "share": 1 - table["share"].sum() if power > 0 else math.nan}  # fmt: skip
    varies = [name for name in TERMS if inside[name].std() > 0]
    return table, inside[varies].corr().reindex(index=list(TERMS), columns=list(TERMS))


def unscored(rollouts: pd.DataFrame, size: int = 8) -> dict[str, Any]:
    """How many rollouts have no reward, why, where, and what calling them 0 would have done.

    A row that is not there at all counts as unscored too (published tables leave them out): a group should hold
    ``size``.

    Returns:
        ``rate``, ``unscored``, ``of``; ``reasons`` (count by reason, ``"no row"`` for absent ones); ``by_step``
        (count, steps with any); ``groups_short`` (scored rollouts under ``size``), ``groups_dead`` (fewer than two
        scored, or all alike: no gradient); and ``if_zero``, the mistake of reading a fault as a bad painting:
        ``false_bad`` of ``bad`` paintings would be faults; ``reward_bias`` of the mean; ``advantage_shift``, the mean
        absolute change of scored rollouts' advantages; ``sign_flips``, the share of them that would be pushed the
        other way; ``noise_share`` of the advantage's sum of squares due to the false zeros.
    """
    frame = rollouts.assign(scored=rollouts["reward"].notna())
    keys = groups_of(frame)
    per = frame.groupby(keys).agg(rows=("scored", "size"), scored=("scored", "sum"))
    rewards = frame.groupby(keys)["reward"]
    per["spread"] = rewards.max() - rewards.min()
    per["lost"] = np.maximum(size, per["rows"]) - per["scored"]
    total = int(per["lost"].sum() + per["scored"].sum())
    reasons = pd.Series(dtype=int)
    missing = frame[~frame["scored"]]
    if len(missing):
        named = missing["unscored_reason"] if "unscored_reason" in missing else pd.Series("", index=missing.index)
        reasons = named.replace("", np.nan).fillna("no reason given").astype(str).str.split(":").str[0].value_counts()
    absent = int(per["lost"].sum()) - len(missing)
    by_step = per.groupby("step")["lost"].sum()
    return {
        "rate": float(per["lost"].sum() / total),
        "unscored": int(per["lost"].sum()),
        "of": total,
        "reasons": {
            **{str(name): int(count) for name, count in reasons.items()},
            **({"no row": absent} if absent else {}),
        },
        "by_step": {int(step): int(count) for step, count in by_step[by_step > 0].items()},
        "groups": len(per),
        "groups_short": int((per["scored"] < size).sum()),
        "groups_dead": int(((per["scored"] < 2) | ~(per["spread"] > 0)).sum()),
        "if_zero": _if_zero(frame, keys, per),
    }


def _if_zero(frame: pd.DataFrame, keys: list[str], per: pd.DataFrame) -> dict[str, float]:
    scored = frame[frame["scored"]].join(per[["scored", "lost"]].add_suffix("_n"), on=keys)
    mean = scored.groupby(keys)["reward"].transform("mean")
    # Zeros drag the group's mean down to this; every true painting's advantage rises by the difference.
    dragged = mean * scored["scored_n"] / (scored["scored_n"] + scored["lost_n"])
    true, false = scored["reward"] - mean, scored["reward"] - dragged
    means = frame.groupby(keys)["reward"].mean()
    zeros = means * per["scored"] / (per["scored"] + per["lost"])
    fakes = float((per["lost"] * zeros**2).sum())
    everything = fakes + float((false**2).sum())
    bad = int((scored["reward"] < BAD).sum())
    lost = int(per["lost"].sum())
    return {
        "false_bad": lost,
        "bad": bad + lost,
        "reward_bias": float(zeros.fillna(0.0).mean() - means.mean()),
        "advantage_shift": float((false - true).abs().mean()),
        "sign_flips": float((np.sign(true) * np.sign(false) < 0).mean()),
        "noise_share": fakes / everything if everything > 0 else 0.0,
    }
