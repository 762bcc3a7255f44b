"""Runs as the gallery and the film show them: rollouts with their pictures, from either kind of folder.

A folder of ours has ``rollouts.jsonl``, ``paintings/`` and, where a judge compared, ``comparisons.jsonl`` and
``run.json``. A published rollouts data set in imagefolder layout has ``metadata.jsonl`` or ``metadata.csv`` beside
its pictures, or in ``train/``, with the same columns and ``file_name`` for the picture; it may hold several runs.
A picture may lie there as ``.webp`` where the table says ``.png``: runs that are kept are kept small.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

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
        row: all columns, numbers as numbers.
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
            judged[_key(row)].append(row)
        except TypeError:
            raise UsageError(f"{comparisons} line {number}: run, step, group or position is a list; mend it") from None
    rollouts = defaultdict(list)
    for where, row in _rows(table):
        rollout = _rollout(where, row, table.parent)
        name = str(row.get("run") or folder.resolve().name)
        compared = judged.get((name, rollout.step, rollout.group, rollout.position), ())
        rollouts[name].append(Rollout(**{**vars(rollout), "comparisons": tuple(compared)}))
    if not rollouts:
        raise UsageError(f"{table} has no rows yet; nothing was painted")
    try:
        facts = json.loads((folder / "run.json").read_text())
    except FileNotFoundError:
        facts = {}
    except ValueError as error:
        raise UsageError(f"{folder / 'run.json'} is not JSON ({error}); repair it or move it away") from None
    if not isinstance(facts, dict):
        raise UsageError(f"{folder / 'run.json'} is not a JSON object; repair it or move it away")
    return [Run(name, tuple(rows), facts) for name, rows in rollouts.items()]


def _rows(table: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """``(where, row)`` for each row; ``where`` names the file and the physical line."""
    if table.suffix == ".jsonl":
        for number, row in enumerate(read_rows(table)[0], 1):
            yield f"{table} line {number}", row
        return
    with table.open(newline="", encoding="utf-8-sig") as handle:
        reader = csv.DictReader(handle)
        for row in reader:
            yield f"{table} line {reader.line_num}", {k: (None if v == "" else v) for k, v in row.items()}


def _rollout(where: str, row: Mapping[str, Any], folder: Path) -> Rollout:
    for column in ("step", "position_in_group", "reward", "code"):
        if column not in row:
            raise UsageError(f"{where} has no column {column!r}; a rollout needs step, position_in_group, reward, code")
    if not isinstance(row["code"], str | None):
        raise UsageError(f"{where}: code is {row['code']!r}, which is not a sketch's text")
    numbers = {name: _number(where, name, row[name]) for name in NUMBERS if name in row}
    step, position = (_number(where, name, row[name]) for name in ("step", "position_in_group"))
    if step is None or position is None:
        raise UsageError(f"{where}: step and position_in_group must be numbers, not empty")
    reason = row.get("unscored_reason") or row.get("reason") or ""
    if numbers["reward"] is None:
        reason = reason or "no reason was recorded"
    group = _number(where, "group", row.get("group")) or 0
    name = row.get("image") or row.get("file_name")
    picture = _picture(folder, name) if isinstance(name, str) else None
    return Rollout(int(step), int(group), int(position), numbers["reward"], str(reason), picture, {**row, **numbers})


def _number(where: str, column: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{where}: {column} is {value!r}, which is not a number") from None
    return number if math.isfinite(number) else None


def _picture(folder: Path, name: str) -> Path | None:
    for path in (folder / name, (folder / name).with_suffix(".webp")):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            return path
    return None


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row.get("run"), row.get("step"), row.get("group", 0), row.get("position_in_group"))
