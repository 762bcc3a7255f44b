"""What ``python -m wclib analyse`` says about a run: the numbers as one nested dict, and in words."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from wclib.analysis.corrected import corrected_curve
from wclib.analysis.curves import TERM_COLUMNS, curve_report, slope, thirds
from wclib.analysis.drawcurves import draw_effects, overdispersion
from wclib.analysis.drawfit import fit_verdicts, least_squares
from wclib.analysis.load import Run
from wclib.analysis.paintings import (
    bad_by_thirds,
    best_and_median,
    ceiling,
    coverage_against_reward,
    coverage_by_thirds,
    coverage_column,
    decompose,
    obeys,
    step_means,
)
from wclib.analysis.schema import VERDICTS, mix_of
from wclib.analysis.shapes import COUNTS, against_reward
from wclib.analysis.tables import note
from wclib.analysis.terms import TERMS, component_report, unscored
from wclib.analysis.verdicts import connectivity, flips


def analyse(run: Run, resamples: int = 0) -> dict[str, Any]:
    """All numbers of one run, as far as its tables go.

    Args:
        run: what :func:`wclib.analysis.load.load` found.
        resamples: bootstrap resamples for the intervals; 0 leaves them out.

    Returns:
        JSON-able: ``run``, and those of ``curve``, ``paintings``, ``draws`` that there are tables for. A figure that
        is not defined is None.
    """
    report: dict[str, Any] = {"run": run.name}
    if run.curve is not None:
        report["curve"] = curve_report(run.curve, run.name) | _curve_draws(run.curve, run.name)
    if run.rollouts is not None:
        report["paintings"] = paintings_report(run.rollouts, resamples, _group_size(run.info))
    if run.comparisons is not None and run.comparisons[list(VERDICTS)].isna().all(axis=None):
        note(f"{run.name}: no call of the judge was answered, so nothing can be said about the draws")
    elif run.comparisons is not None:
        report["draws"] = draws_report(run.comparisons, resamples)
    return _plain(report)


def _curve_draws(curve: pd.DataFrame, name: str) -> dict[str, Any]:
    if "reward_std" not in curve:
        return {}
    found: dict[str, Any] = {"overdispersion": asdict(overdispersion(curve))}
    mix = mix_of(name)
    if (
        mix
        and set(TERM_COLUMNS.values()) <= set(curve)
        and len(curve.dropna(subset=["judge_mean", "quality_mean"])) > 10
    ):
        effects = draw_effects(curve, mix)
        hardest = effects.nlargest(3, "difficulty")
        found["hardest_draws"] = hardest[["step", "difficulty", "effect"]].to_dict("records")
        found["adjusted_thirds"] = list(thirds(effects, "adjusted"))
    return found


def _group_size(record: dict[str, Any]) -> int:
    """Rollouts a group by the run's record; 8, as in the published runs, when it does not say."""
    config = record.get("config")
    said = [config.get(name) for name in ("rollouts", "num_generations")] if isinstance(config, dict) else []
    return next((size for size in said if isinstance(size, int) and size > 0), 8)


def paintings_report(rollouts: pd.DataFrame, resamples: int, group_size: int) -> dict[str, Any]:
    """What a rollouts table of one run says."""
    line = slope(step_means(rollouts))
    weights = {"gate": 0.05, "length": 0.05}
    for term, column in (("judge", "judge_weight"), ("quality", "hpsv3_weight")):
        weights[term] = float(rollouts[column].iloc[0]) if column in rollouts else math.nan
    found = {
        "rollouts": len(rollouts),
        "reward_thirds": list(thirds(step_means(rollouts))),
        "slope_per_step": line.per_step,
        "t_ols": line.t,
        "t_hac": line.t_hac,
        "bad_by_thirds": bad_by_thirds(rollouts).to_dict("index"),
        "rise": decompose(rollouts, resamples).to_dict("index"),
        "best_median_mean_rise": best_and_median(rollouts),
        "ceiling_last_third_and_whole": list(ceiling(rollouts)),
        "coverage_thirds": list(coverage_by_thirds(rollouts)),
        "coverage_measured_as": coverage_column(rollouts),
        "coverage_against_reward": coverage_against_reward(rollouts).to_dict("index"),
        "unscored": unscored(rollouts, group_size),
    }
    table = against_reward(rollouts, (*COUNTS, "shapes_painted"), resamples)
    found["against_reward"] = {"/".join(key): row for key, row in table.to_dict("index").items()}
    for column in ("n_shapes", "shapes_painted"):
        if column in rollouts:
            found[f"asked_15_to_30_{column}"] = obeys(rollouts, column)
    if set(TERMS.values()) <= set(rollouts) and not math.isnan(weights["judge"] + weights["quality"]):
        report, correlations = component_report(rollouts, weights)
        found["terms"] = report.to_dict("index")
        found["terms_correlation_within"] = correlations.to_dict("index")
    return found


def draws_report(comparisons: pd.DataFrame, resamples: int) -> dict[str, Any]:
    """What a comparisons table of one run says."""
    fit = fit_verdicts(comparisons)
    curve = corrected_curve(comparisons, fit, None, resamples)
    hardest = fit.references.nlargest(5, "difficulty")
    check = least_squares(comparisons, fit)
    model = fit.references.set_index("reference_id")["difficulty"]
    return {
        "pairs": len(comparisons),
        "flips": flips(comparisons),
        "connectivity": connectivity(comparisons),
        "spread_within_tier_logits": fit.sd,
        "love_harder_by_logits": fit.tier_love,
        "shown_first_worth_logits": fit.order,
        "bounded_draws": int(fit.bounded.sum()),
        "least_squares_rank_agreement": float(check.rank().corr(model[check.index].rank())) if fit.sd > 1e-2 else None,
        "hardest_references": hardest[["reference_id", "tier", "difficulty", "se", "draws", "beaten"]].to_dict(
            "records"
        ),
        "draw_effect_sd": float(curve["effect"].std()),
        "raw_thirds": list(thirds(curve, "raw")),
        "corrected_thirds": list(thirds(curve, "corrected")),
        "curve": curve.to_dict("records"),
    }


def _plain(value: Any) -> Any:
    """Python numbers only, and None for what is not defined."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def told(report: dict[str, Any]) -> str:
    """A report in words: the figures a person looks at first."""
    parts = (("curve", _told_curve), ("paintings", _told_paintings), ("draws", _told_draws))
    lines = [line for name, tell in parts if name in report for line in tell(report[name])]
    return "\n  ".join([report["run"], *lines])


def _told_curve(curve: dict[str, Any]) -> list[str]:
    lines = [
        f"curve: {curve['steps']} steps; reward by thirds {_said(curve['reward_thirds'])}; slope "
        f"{_figure(curve['slope_per_step'], '+.4f')} a step, t {_figure(curve['t_ols'], '+.2f')} (HAC "
        f"{_figure(curve['t_hac'], '+.2f')})"
    ]
    if paid := curve["rise_by_term"]:
        lines.append("rise by term: " + ", ".join(f"{name} {_figure(value, '+.3f')}" for name, value in paid.items()))
    if over := curve.get("overdispersion"):
        lines.append(
            f"noise against eight rollouts' luck: ratio {_figure(over['ratio'], '.2f')} (luck alone: "
            f"{_figure(over['low'], '.2f')} to {_figure(over['high'], '.2f')}); reliability of draw effects "
            f"{over['reliability']:.2f}"
        )
    if curve["hours"]:
        share = curve["share_of_rendering"]
        shown = "" if share is None else f", {share:.0%} of it rendering"
        lines.append(f"time: {curve['hours']:.2f} hours, {curve['minutes_a_step']:.1f} minutes a step{shown}")
    return lines


def _told_paintings(found: dict[str, Any]) -> list[str]:
    lost, rise = found["unscored"], found["rise"].items()
    bad = ", ".join(str(part["bad"]) for part in found["bad_by_thirds"].values())
    parts = (f"{name.replace('_', ' ')} {_figure(row['value'], '+.3f')}{_range(row)}" for name, row in rise)
    within = {name.split("/")[0]: row for name, row in found["against_reward"].items() if "within/pearson" in name}
    return [
        f"paintings: {found['rollouts']}; reward by thirds {_said(found['reward_thirds'])}; under 0.3 by thirds {bad}",
        "rise: " + ", ".join(parts),
        f"coverage by thirds {_said(found['coverage_thirds'])}; unscored {lost['unscored']} of {lost['of']}",
        *(
            f"{name} against reward, within steps: r {_figure(row['r'], '+.2f')}{_range(row, 'step_')}"
            for name, row in within.items()
        ),
    ]


def _told_draws(draws: dict[str, Any]) -> list[str]:
    graph, flip = draws["connectivity"], draws["flips"]
    return [
        f"draws: {draws['pairs']} pairs, {graph['references']} references in {graph['blocks']} block(s), "
        f"{graph['met_once']} met once; flips {1 - flip['agree']:.0%}; references differ by sd "
        f"{draws['spread_within_tier_logits']:.2f} logits",
        f"judge by thirds: raw {_said(draws['raw_thirds'])}; with an average draw {_said(draws['corrected_thirds'])}; "
        f"a draw moves a step by sd {_figure(draws['draw_effect_sd'], '.3f')}",
    ]


def _figure(value: float | None, form: str) -> str:
    return "not defined" if value is None else format(value, form)


def _said(values: list[float | None]) -> str:
    return " / ".join(_figure(value, ".3f") for value in values)


def _range(row: dict[str, Any], prefix: str = "") -> str:
    low, high = row.get(f"{prefix}low"), row.get(f"{prefix}high")
    return "" if low is None or high is None else f" ({low:+.3f} to {high:+.3f})"
