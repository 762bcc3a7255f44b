"""Load a curve, a rollouts table, a comparisons table or a whole run, checked.

    curve = load_curve("curve.csv")                    a row a step; a stranger's CSV needs step and reward
    rollouts = load_rollouts("rollouts.jsonl")         a row a rollout; also CSV and Parquet
    run = load("runs/first")                           whatever is there: a folder, a file, or a Hub dataset's id

What each must hold is :mod:`wclib.analysis.schema`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from wclib.analysis.schema import check_comparisons, check_curve, check_rollouts
from wclib.analysis.tables import dataset_table, read_table
from wclib.errors import UsageError


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


def load_curve(path: Path | str) -> pd.DataFrame:
    """A curve CSV as a frame, a row a step, sorted; unknown figures are NaN.

    Args:
        path: the CSV; ``step`` and ``reward`` are needed, the other published columns are used where they are.

    Raises:
        UsageError: something is wrong with it, or it contradicts the mix its name says; names file, column and line.
    """
    path = Path(path)
    return check_curve(read_table(path), path)


def load_rollouts(path: Path | str) -> pd.DataFrame:
    """A rollouts table as a frame, a row a rollout, sorted by run, step, group and position.

    A rollout whose reward is missing is unscored and stays so. Sketches (``code``) and pictures are left on the disk.

    Raises:
        UsageError: something is wrong with it; names file, column and line.
    """
    return check_rollouts(read_table(Path(path)), path)


def load_comparisons(path: Path | str) -> pd.DataFrame:
    """A comparisons table as a frame, a row a judged pair; a lost call is None, never a loss.

    Raises:
        UsageError: a word that is no verdict, an unknown tier, a reference in two tiers, a score that contradicts its
            verdicts, a pair written twice; names file, column and line.
    """
    return check_comparisons(read_table(Path(path)), path)


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
        tables["rollouts"] = check_rollouts(table, folder)
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

    The last is ``owner/name`` or ``owner/name@revision`` and needs the network. A table that mixes several runs is
    split by its column ``run``.

    Raises:
        UsageError: there is no such thing, or it is wrong.
    """
    path = Path(source)
    if path.is_dir():
        found = load_run(path)
    elif path.is_file():
        table = read_table(path)
        if "reference_id" in table:
            found = Run(path.stem, comparisons=check_comparisons(table, path))
        elif "position_in_group" in table:
            found = Run(path.stem, rollouts=check_rollouts(table, path))
        else:
            return [Run(path.stem.removeprefix("curve-"), curve=check_curve(table, path))]
    elif path.suffix or str(source).count("/") != 1:
        raise UsageError(f"there is no {source}: name a run's folder, a table, or a Hub dataset as owner/name")
    else:
        from wclib.hub.load import dataset_rows

        found = Run(str(source), rollouts=check_rollouts(dataset_rows(str(source)), str(source)))
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
