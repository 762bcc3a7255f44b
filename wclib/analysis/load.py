"""Load a curve, a rollouts table, a comparisons table or a whole run, checked.

    curve = load_curve("curve.csv")                    a row a step; a stranger's CSV needs step and reward
    rollouts = load_rollouts("rollouts.jsonl")         a row a rollout; also CSV and Parquet
    run = load("runs/first")                           whatever is there: a folder, a file, or a Hub dataset's id

Kinds of column, their ranges and keys are checked (:mod:`wclib.analysis.tables`); what only a whole table can show is
checked here: weights that change within a run or contradict the run's name, a reference in two tiers, a verdict that
contradicts its score.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wclib.analysis.tables import (
    LINE,
    MISSING,
    dataset_table,
    in_order,
    named,
    numbers,
    read_table,
    refuse,
    require,
    unique,
    whole,
)
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


@dataclass(frozen=True)
class Run:
    """What there is of one run; a table that is not there is None.

    Attributes:
        name: the run's name.
        curve: a row a step.
        rollouts: a row a rollout.
        comparisons: a row a judged pair.
        info: ``run.json``.
    """

    name: str
    curve: pd.DataFrame | None = None
    rollouts: pd.DataFrame | None = None
    comparisons: pd.DataFrame | None = None
    info: dict[str, Any] = field(default_factory=dict)


def mix_of(name: str) -> str | None:
    """Which of the three published mixes a run's name says it used, if any."""
    return next((mix for mix in MIXES if mix in name), None)


def load_curve(path: Path | str, name: str = "") -> pd.DataFrame:
    """A curve CSV as a frame, a row a step, sorted; unknown figures are NaN.

    Args:
        path: the CSV; ``step`` and ``reward`` are needed, the other published columns are used where they are.
        name: the run's name; by default the file's, without ``curve-``.

    Raises:
        UsageError: something is wrong with it, or it contradicts the mix its name says; names file, column and line.
    """
    path = Path(path)
    return _check_curve(read_table(path), path, name or path.stem)


def _check_curve(frame: pd.DataFrame, path: Path, name: str) -> pd.DataFrame:
    require(frame, path, ("step", "reward"), "a curve")
    whole(frame, path, ("step",))
    numbers(frame, path, ("reward", *SHARES), low=0, high=1)
    numbers(frame, path, SIGNED)
    numbers(frame, path, AMOUNTS, low=0)
    unique(frame, path, ("step",))
    _check_mix(frame, path, mix_of(name))
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


def load_rollouts(path: Path | str) -> pd.DataFrame:
    """A rollouts table as a frame, a row a rollout, sorted by run, step, group and position.

    A rollout whose reward is missing is unscored and stays so. Sketches (``code``) and pictures are left on the disk.

    Raises:
        UsageError: something is wrong with it; names file, column and line.
    """
    return _check_rollouts(read_table(Path(path)), path)


def hub_rollouts(dataset: str) -> pd.DataFrame:
    """The same from the Hub: a rollouts dataset as ``owner/name`` or ``owner/name@revision`` (needs the network).

    Raises:
        UsageError: it cannot be fetched, or is not a rollouts table.
    """
    from wclib.hub.load import dataset_rows

    return _check_rollouts(dataset_rows(dataset), dataset)


def _check_rollouts(frame: pd.DataFrame, path: Path | str) -> pd.DataFrame:
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
    if (mix := mix_of(run)) and len(names) == 2:
        said, wanted = tuple(part[names].iloc[0]), (MIXES[mix].judge, MIXES[mix].quality)
        if not np.allclose(said, wanted):
            raise UsageError(
                f"{path} line {part[LINE].iloc[0]}: the run {run} has judge weight {said[0]:g} and HPSv3 weight "
                f"{said[1]:g}, but {mix} means {wanted[0]:g} and {wanted[1]:g}; rename the run or mend the weights"
            )
    if len(names) == 2:
        over = part["reward"] > 0.1 + part["judge_weight"] + part["hpsv3_weight"] + ROUNDED
        refuse(part, over, path, "reward", "{cell:g} is more than its weights can pay")


def load_comparisons(path: Path | str) -> pd.DataFrame:
    """A comparisons table as a frame, a row a judged pair; a lost call is None, never a loss.

    Raises:
        UsageError: a word that is no verdict, an unknown tier, a reference in two tiers, a score that contradicts its
            verdicts, a pair written twice; names file, column and line.
    """
    return _check_comparisons(read_table(Path(path)), path)


def _check_comparisons(frame: pd.DataFrame, path: Path | str) -> pd.DataFrame:
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


def score_of(comparisons: pd.DataFrame) -> pd.Series:
    """1, 0.5 or 0 for the submission by its two verdicts; NaN unless both orders answered."""
    won = [(comparisons[name] == "submission").where(comparisons[name].notna()).astype(float) for name in VERDICTS]
    return (won[0] + won[1]) / 2


def load_run(folder: Path | str) -> Run:
    """A run's folder: whichever of ``curve.csv``, ``rollouts.jsonl``, ``comparisons.jsonl``, ``run.json`` it holds.

    A local copy of a published rollouts dataset (``metadata.jsonl`` or Parquet files) counts as a folder of rollouts.

    Raises:
        UsageError: it holds none of them, or one is wrong.
    """
    folder = Path(folder)
    tables: dict[str, pd.DataFrame] = {}
    for name, load_table in (
        ("curve.csv", load_curve),
        ("rollouts.jsonl", load_rollouts),
        ("comparisons.jsonl", load_comparisons),
    ):
        path = folder / name
        if path.is_file() and path.stat().st_size:
            tables[path.stem] = load_table(path)
    if "rollouts" not in tables and (table := dataset_table(folder)) is not None:
        tables["rollouts"] = _check_rollouts(table, folder)
    if not tables:
        raise UsageError(
            f"{folder} holds neither curve.csv nor rollouts.jsonl nor comparisons.jsonl: name a run's folder or a table"
        )
    said = run_record(folder)
    runs = {name: set(table["run"]) for name, table in tables.items() if "run" in table}
    if len(runs) == 2 and (others := runs["comparisons"] - runs["rollouts"]):
        raise UsageError(
            f"{folder / 'comparisons.jsonl'}, column 'run': {min(others, key=str)} is no run of the rollouts "
            "beside it: move its rows to that run's folder"
        )
    name = tables["rollouts"]["run"].iloc[0] if "rollouts" in tables else folder.resolve().name
    return Run(str(said.get("tag") or name), info=said, **tables)


def run_record(folder: Path) -> dict[str, Any]:
    """``run.json`` of a run's folder; empty when there is none.

    Raises:
        UsageError: it is no JSON object.
    """
    path = folder / "run.json"
    try:
        said = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise UsageError(f"{path} is not JSON ({error}): restore it, or move it away") from None
    if not isinstance(said, dict):
        raise UsageError(f"{path} is not a JSON object: restore it, or move it away")
    return said


def load(source: Path | str) -> list[Run]:
    """Whatever ``source`` is, as runs: a run's folder, a dataset's local copy, a table, or a Hub dataset's id.

    A table that mixes several runs is split by its column ``run``.

    Raises:
        UsageError: there is no such thing, or it is wrong.
    """
    path = Path(source)
    if path.is_dir():
        found = load_run(path)
    elif path.is_file():
        table = read_table(path)
        if "reference_id" in table:
            found = Run(path.stem, comparisons=_check_comparisons(table, path))
        elif "position_in_group" in table:
            found = Run(path.stem, rollouts=_check_rollouts(table, path))
        else:
            return [Run(path.stem.removeprefix("curve-"), curve=_check_curve(table, path, path.stem))]
    elif path.suffix or str(source).count("/") != 1:
        raise UsageError(f"there is no {source}: name a run's folder, a table, or a Hub dataset as owner/name")
    else:
        found = Run(str(source), rollouts=hub_rollouts(str(source)))
    return split(found)


def split(run: Run) -> list[Run]:
    """One run for each name in the column ``run`` of its tables."""
    table = run.rollouts if run.rollouts is not None else run.comparisons
    if table is None or "run" not in table:
        return [run]
    names = list(dict.fromkeys(table["run"]))
    if len(names) == 1:
        return [replace(run, name=str(names[0]))]

    def part(frame: pd.DataFrame | None, name: str) -> pd.DataFrame | None:
        return None if frame is None else frame[frame["run"] == name].reset_index(drop=True)

    return [Run(str(name), None, part(run.rollouts, name), part(run.comparisons, name)) for name in names]
