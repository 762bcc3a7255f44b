"""What a curve, a rollouts table and a comparisons table must hold.

Kinds of column, their ranges and keys are checked by :mod:`wclib.analysis.tables`; what only a whole table can show is
checked here: weights that change within a run or contradict the run's name, a reference in two tiers, a verdict that
contradicts its score. Each check takes a frame as :func:`wclib.analysis.tables.read_table` reads it and its file's
name, and returns the frame sorted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from wclib.analysis.tables import LINE, MISSING, in_order, named, numbers, refuse, require, unique, whole
from wclib.errors import UsageError
from wclib.weights import MIXES

TIERS = ("love", "okay")
SHARES = (
    "frac_reward_zero_std", "clipped_ratio", "judge_mean", "length_mean", "paint_fraction_mean", "quality_mean",
    "scored_share", "gate_share", "distinct_share", "reward_std",
)  # fmt: skip
SIGNED = ("entropy", "loss", "kl", "evaluation")
AMOUNTS = (
    "grad_norm", "learning_rate", "step_time", "completions/mean_length", "n_shapes_mean", "generate_s", "render_s",
    "judge_s", "update_s",
)  # fmt: skip
SCORES = (
    "paint_fraction", "length_score", "judge_score", "quality_score", "judge_weight", "hpsv3_weight",
    "step_group_reward", "group_judge_mean", "group_length_mean", "group_paint_mean", "group_quality_mean",
)  # fmt: skip
COUNTS = ("code_chars", "n_shapes", "n_vertices", "n_circles", "n_fill_calls", "shapes_painted", "render_s")
VERDICTS = ("verdict_submission_first", "verdict_reference_first")
ROLLOUT_KEYS = ("run", "step", "group", "position_in_group")
#: The published figures are rounded: to three decimals in the rollouts, to four digits in the curves.
ROUNDED = 6e-4


def mix_of(name: str) -> str | None:
    """Which of the three published mixes a run's name says it used, if any."""
    return next((mix for mix in MIXES if mix in name), None)


def check_curve(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """A curve, sorted by step; its file's name may say its mix.

    Raises:
        UsageError: something is wrong with it, or it contradicts its mix; names file, column and line.
    """
    require(frame, path, ("step", "reward"), "a curve")
    whole(frame, path, ("step",))
    numbers(frame, path, ("reward", *SHARES), low=0, high=1)
    numbers(frame, path, SIGNED)
    numbers(frame, path, AMOUNTS, low=0)
    unique(frame, path, ("step",))
    _check_mix(frame, path, mix_of(path.stem))
    return in_order(frame, path, ("step",))


def term_sum(curve: pd.DataFrame, mix: str) -> pd.Series:
    """The reward the terms' means add up to under one of :data:`wclib.weights.MIXES`, gate passed by all."""
    weights = MIXES[mix]
    total = weights.gate + weights.length * curve["length_mean"] + weights.quality * curve["quality_mean"]
    return total + weights.judge * curve["judge_mean"] if weights.judge else total


def _check_mix(curve: pd.DataFrame, path: Path, mix: str | None) -> None:
    if mix is None or not {"length_mean", "judge_mean", "quality_mean"} <= set(curve):
        return
    # A rejected sketch can only lower the reward below what the terms add up to, never raise it above.
    above = curve["reward"] - term_sum(curve, mix)
    text = (
        "{cell:g} is {above:.3f} more than its terms add up to with the weights of {mix}, which the name says; "
        "name the run after its own weights"
    )
    refuse(curve, above > 0.01, path, "reward", text, above=above, mix=mix)


def check_rollouts(frame: pd.DataFrame, path: Path | str) -> pd.DataFrame:
    """A rollouts table, sorted by run, step, group and position.

    Raises:
        UsageError: something is wrong with it; names file, column and line.
    """
    frame = frame.rename(columns={"file_name": "image"}) if "image" not in frame else frame
    require(frame, path, ("run", "step", "position_in_group", "reward"), "a rollouts table")
    whole(frame, path, ("step", "group", "position_in_group"))
    numbers(frame, path, ("reward", *SCORES), low=0, high=1)
    numbers(frame, path, COUNTS, low=0, high=1e9)
    named(frame, path, ("run",))
    unique(frame, path, ROLLOUT_KEYS)
    for run, part in frame.groupby("run"):
        _check_weights(part, path, str(run))
    return in_order(frame, path, ROLLOUT_KEYS)


def _check_weights(part: pd.DataFrame, path: Path | str, run: str) -> None:
    names = [name for name in ("judge_weight", "hpsv3_weight") if name in part]
    for name in names:
        text = "{cell:g}, but the run {run} began with {first:g}; a run has one set of weights: split it, and name both"
        changed = part[name].notna() & (part[name] != part[name].iloc[0])
        refuse(part, changed, path, name, text, run=run, first=part[name].iloc[0])
    if len(names) < 2:
        return
    if mix := mix_of(run):
        said, wanted = tuple(part[names].iloc[0]), (MIXES[mix].judge, MIXES[mix].quality)
        if not np.allclose(said, wanted):
            raise UsageError(
                f"{path} line {part[LINE].iloc[0]}: the run {run} has judge weight {said[0]:g} and HPSv3 weight "
                f"{said[1]:g}, but {mix} means {wanted[0]:g} and {wanted[1]:g}; rename the run or mend the weights"
            )
    over = part["reward"] > 0.1 + part["judge_weight"] + part["hpsv3_weight"] + ROUNDED
    refuse(part, over, path, "reward", "{cell:g} is more than its weights can pay")


def check_comparisons(frame: pd.DataFrame, path: Path | str) -> pd.DataFrame:
    """A comparisons table, sorted likewise; a verdict is ``submission``, ``reference`` or None.

    Raises:
        UsageError: something is wrong with it; names file, column and line.
    """
    require(frame, path, ("step", "position_in_group", "reference_id", "tier", *VERDICTS), "a comparisons table")
    whole(frame, path, ("step", "group", "position_in_group"))
    named(frame, path, ("run", "reference_id"))
    for name in VERDICTS:
        words = frame[name].astype(object).where(frame[name].notna(), "").map(lambda cell: str(cell).strip().lower())
        wrong = ~words.isin(("submission", "reference", *MISSING))
        refuse(frame, wrong, path, name, "{cell!r} is no verdict: submission, reference or blank")
        frame[name] = words.where(words.isin(("submission", "reference")), None).astype(object)
    wrong = ~frame["tier"].isin(TIERS)
    refuse(frame, wrong, path, "tier", "{cell!r} is no tier that draws are made from: love or okay")
    first = frame.groupby("reference_id")["tier"].transform("first")
    text = "{name} is {cell} here and {first} before; a picture has one tier: re-rating makes it another reference"
    refuse(frame, first != frame["tier"], path, "tier", text, name=frame["reference_id"], first=first)
    if "score" in frame:
        numbers(frame, path, ("score",), low=0, high=1)
        made = score_of(frame)
        wrong = (made.isna() != frame["score"].isna()) | ((made - frame["score"]).abs() > 1e-9)
        text = (
            "{cell} contradicts its verdicts, which make {made}; a pair scores the share of its two orders won, "
            "and nothing when a call was lost"
        )
        refuse(frame, wrong, path, "score", text, made=made)
    unique(frame, path, (*ROLLOUT_KEYS, "reference_id"))
    return in_order(frame, path, ROLLOUT_KEYS)


def single_run(frame: pd.DataFrame) -> pd.DataFrame:
    """The table, which holds one run.

    Raises:
        UsageError: it mixes several; names them.
    """
    if "run" in frame and frame["run"].nunique() > 1:
        names = ", ".join(map(str, frame["run"].unique()[:4]))
        raise UsageError(f"the table mixes several runs ({names}): look at one at a time, table[table.run == NAME]")
    return frame


def score_of(comparisons: pd.DataFrame) -> pd.Series:
    """1, 0.5 or 0 for the submission by its two verdicts; NaN unless both orders answered."""
    won = [(comparisons[name] == "submission").where(comparisons[name].notna()).astype(float) for name in VERDICTS]
    return (won[0] + won[1]) / 2
