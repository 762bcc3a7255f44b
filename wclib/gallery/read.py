"""Runs as the gallery and the film show them: rollouts with their pictures, from either kind of folder.

A folder of ours has ``rollouts.jsonl``, ``paintings/`` and, where a judge compared, ``comparisons.jsonl`` and
``run.json``. A published rollouts data set in imagefolder layout has ``metadata.jsonl`` or ``metadata.csv`` beside
its pictures, or in ``train/``, with the same columns and ``file_name`` for the picture; it may hold several runs.
A picture may lie there as ``.webp`` where the table says ``.png``: runs that are kept are kept small.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from wclib.analysis.load import run_record
from wclib.analysis.tables import LINE, numbers, read_table, refuse, require, whole
from wclib.errors import UsageError
from wclib.jsonl import read_rows

TABLES = ("rollouts.jsonl", "metadata.jsonl", "metadata.csv", "train/metadata.jsonl", "train/metadata.csv")
#: Columns the gallery counts with, where a row has them.
NUMBERS = (
    "reward", "judge_weight", "hpsv3_weight", "length_score", "judge_score", "quality_score", "paint_fraction",
    "n_shapes", "shapes_painted", "n_vertices", "code_chars", "render_s", "seed", "group_judge_mean",
    "group_length_mean", "group_paint_mean", "group_quality_mean", "step_group_reward",
)  # fmt: skip


@dataclass(frozen=True)
class Rollout:
    """One painting of a run, or the place of one that could not be painted.

    Attributes:
        step, group, position: where in the run; ``position`` counts within the group.
        reward: None when unscored; ``reason`` then says why.
        picture: the file, or None when there is none.
        row: all columns, numbers as numbers, what is missing as None.
        comparisons: its rows of ``comparisons.jsonl``.
    """

    step: int
    group: int
    position: int
    reward: float | None
    reason: str
    picture: Path | None
    row: Mapping[str, Any] = field(repr=False)
    comparisons: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Run:
    """One run: its name, its rollouts in the order they were made, and what ``run.json`` says of it."""

    name: str
    rollouts: tuple[Rollout, ...]
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)


def read_runs(folders: Sequence[Path | str]) -> list[Run]:
    """Read runs from folders; see the top of this module for what a folder may be.

    Raises:
        UsageError: a folder holds no run, a table lacks a column or has text where a number belongs (file, line and
            column are named), or two of the runs have one name.
    """
    runs = [run for folder in folders for run in _read_folder(Path(folder))]
    for name, times in Counter(run.name for run in runs).items():
        if times > 1:
            raise UsageError(f"{times} runs are called {name!r}; give each once")
    return runs


def frame(runs: Sequence[Run]) -> pd.DataFrame:
    """The rollouts of runs as a table: ``run``, ``step``, ``group``, ``position``, ``reward``, ``picture`` (a path)."""
    columns = ("step", "group", "position", "reward", "picture")
    rows = [(run.name, *(getattr(rollout, name) for name in columns)) for run in runs for rollout in run.rollouts]
    return pd.DataFrame(rows, columns=["run", *columns]).astype({"reward": float})


def newest_run(folder: Path | str) -> Path | None:
    """The run in ``folder`` that was painted last and has pictures, or None."""
    tables = sorted(Path(folder).glob("*/rollouts.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)
    return next((path.parent for path in tables if any((path.parent / "paintings").glob("*.png"))), None)


def _read_folder(folder: Path) -> list[Run]:
    table = next((folder / name for name in TABLES if (folder / name).is_file()), None)
    if table is None:
        raise UsageError(f"{folder} holds no run: none of {', '.join(TABLES)} is there; name a folder under runs/")
    judged = defaultdict(list)
    comparisons = table.parent / "comparisons.jsonl"
    for number, row in enumerate(read_rows(comparisons)[0], 1):
        try:
            judged[_place(row)].append(row)
        except TypeError:
            raise UsageError(f"{comparisons} line {number}: run, step, group or position is a list; mend it") from None
    rollouts = defaultdict(list)
    for row in _rows(table):
        row["run"] = str(row.get("run") or folder.resolve().name)
        rollouts[row["run"]].append(_rollout(row, table.parent, tuple(judged[_place(row)])))
    return [Run(name, tuple(rows), run_record(folder)) for name, rows in rollouts.items()]


def _rows(table: Path) -> Iterator[dict[str, Any]]:
    """The rows of a table, checked; what is missing is None."""
    rows = read_table(table, sketches=True)
    require(rows, table, ("step", "position_in_group", "reward", "code"), "a rollout")
    whole(rows, table, ("step", "group", "position_in_group"))
    numbers(rows, table, NUMBERS)
    wrong = rows["code"].notna() & ~rows["code"].map(lambda cell: isinstance(cell, str))
    refuse(rows, wrong, table, "code", "{cell!r} is not a sketch's text")
    for row in rows.drop(columns=LINE).to_dict("records"):
        yield {str(name): None if value == "" or value != value else value for name, value in row.items()}


def _rollout(row: dict[str, Any], folder: Path, compared: tuple[Mapping[str, Any], ...]) -> Rollout:
    reason = row.get("unscored_reason") or row.get("reason") or ""
    if row["reward"] is None:
        reason = reason or "no reason was recorded"
    name = row.get("image") or row.get("file_name")
    picture = _picture(folder, name) if isinstance(name, str) else None
    _, step, group, position = _place(row)
    return Rollout(step, group, position, row["reward"], str(reason), picture, row, compared)


def _picture(folder: Path, name: str) -> Path | None:
    for path in (folder / name, (folder / name).with_suffix(".webp")):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            return path
    return None


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row.get("run"), row.get("step"), row.get("group", 0), row.get("position_in_group"))
