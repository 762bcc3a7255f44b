"""Read a table and refuse what is wrong with it, by file, column and physical line.

Handled, with a :class:`DataNote` warning: rows out of order (sorted), steps that are missing (left missing), columns a
function does not know (kept). Blank, NaN, None and null are missing values. Everything else that is wrong is refused.

A line is the line of the file as an editor counts it: a CSV's header is line 1, a JSON-lines file's first row is line
1.
"""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterable, Sequence
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wclib.errors import UsageError

MISSING = {"", "nan", "none", "null", "na", "n/a"}
LINE = "_line"
#: Sketches and pictures stay where they are.
LEFT_OUT = ("code", "image")


class DataNote(UserWarning):
    """Something about the data that a reader should know and that was handled as documented."""


def note(text: str) -> None:
    """Say something about the data; it is a Python warning, so that nothing can swallow it unseen."""
    warnings.warn(text, DataNote, stacklevel=3)


def read_table(path: Path, sketches: bool = False) -> pd.DataFrame:
    """A CSV, JSON-lines or Parquet file as a frame with the column ``_line``; pictures stay on the disk.

    Args:
        path: of the file; its ending says what it is.
        sketches: keep the column ``code`` of a JSON-lines file.

    Raises:
        UsageError: it cannot be read, is empty, or a line is malformed; names the line.
    """
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet as parquet

            names = [name for name in parquet.read_schema(path).names if name not in LEFT_OUT]
            frame = parquet.read_table(path, columns=names).to_pandas()
            return frame.assign(**{LINE: np.arange(1, len(frame) + 1)})
        with path.open(encoding="utf-8-sig", newline="") as handle:
            return _read_json(path, handle, sketches) if path.suffix == ".jsonl" else _read_csv(path, handle)
    except UnicodeDecodeError as error:
        said = f"{path} is not UTF-8 text (byte {error.object[error.start]:#04x}): save it as UTF-8"
        raise UsageError(said) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def dataset_table(folder: Path) -> pd.DataFrame | None:
    """The rows of a dataset's local copy (``metadata.jsonl`` or Parquet files); None when the folder is none."""
    files = sorted(folder.rglob("metadata.jsonl")) or sorted(folder.rglob("*.parquet"))
    return pd.concat([read_table(path) for path in files], ignore_index=True) if files else None


def _read_csv(path: Path, handle: Iterable[str]) -> pd.DataFrame:
    # Without ``strict`` a quote that is never closed would swallow the rest of the file.
    reader = csv.reader(handle, strict=True)
    read, start = [], 1
    try:
        for row in reader:
            read.append((start, row))
            start = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{path} line {start} is not CSV ({error}): close its quotes, or mend the line") from None
    header = [name.strip() for name in read[0][1]] if read else []
    if not any(header):
        raise UsageError(f"{path} is empty: the first line names the columns")
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise UsageError(f"{path} line 1 names the column {twice[0]!r} twice: keep one")
    rows = {line: row for line, row in read[1:] if any(cell.strip() for cell in row)}
    for line, row in rows.items():
        if len(row) != len(header):
            raise UsageError(f"{path} line {line} has {len(row)} cells, the header has {len(header)}: mend the line")
    return pd.DataFrame(list(rows.values()), columns=header, dtype=object).assign(**{LINE: list(rows)})


def _read_json(path: Path, handle: Iterable[str], sketches: bool = False) -> pd.DataFrame:
    rows, lines = [], []
    for number, text in enumerate(handle, start=1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
            if not isinstance(row, dict):
                raise ValueError("not an object")
        except (ValueError, RecursionError) as error:
            if not text.endswith("\n"):
                note(f"{path} line {number}: a last line that was cut short is left out")
                break
            raise UsageError(f"{path} line {number} is not a JSON object ({error}): repair or remove it") from None
        if not sketches:
            row.pop("code", None)
        rows.append(row)
        lines.append(number)
    # A sketch may hold a lone surrogate, which a column of text cannot.
    return pd.DataFrame(rows, dtype=object if sketches else None).assign(**{LINE: lines})


def refuse(frame: pd.DataFrame, wrong: pd.Series, path: Path | str, column: str, text: str, **more: Any) -> None:
    """Refuse the first row of a table that is wrong in a column, if any is.

    Args:
        frame: with the column ``_line``.
        wrong: which rows are, as a mask.
        path: of the table, for the message.
        column: where.
        text: what is wrong and the remedy; ``{cell}`` is the row's cell in that column.
        more: further names in the text: a series stands for its value in that row.

    Raises:
        UsageError: there is one; names file, line and column.
    """
    if wrong.any():
        at = wrong.idxmax()
        values = {name: value[at] if isinstance(value, pd.Series) else value for name, value in more.items()}
        said = text.format(**{"cell": frame[column].astype(object)[at], **values})
        raise UsageError(f"{path} line {frame.at[at, LINE]}, column {column!r}: {said}")


def require(frame: pd.DataFrame, path: Path | str, columns: Sequence[str], what: str) -> None:
    """Refuse a table that has no rows or lacks a column.

    Raises:
        UsageError: names the file and the column.
    """
    if frame.empty:
        raise UsageError(f"{path} has no rows")
    if missing := [name for name in columns if name not in frame]:
        raise UsageError(f"{path} has no column {missing[0]!r}: {what} needs {', '.join(columns)}")


def numbers(
    frame: pd.DataFrame, path: Path | str, columns: Iterable[str], low: float = -np.inf, high: float = np.inf
) -> None:
    """Turn columns into float64 in place; what is missing becomes NaN.

    Raises:
        UsageError: a cell is no finite number or outside ``low..high``; names file, column, line and the remedy.
    """
    for name in (name for name in columns if name in frame):
        cells = frame[name]
        if cells.dtype == object or isinstance(cells.dtype, pd.StringDtype):
            cells = cells.map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
            blank = cells.isna() | cells.map(lambda cell: isinstance(cell, str) and cell.lower() in MISSING)
            # An integer of JSON may have more digits than a float can hold.
            cells = cells.map(lambda cell: str(cell) if isinstance(cell, int) else cell)
            values = pd.to_numeric(cells.where(~blank, None), errors="coerce").astype(float)
        else:
            values = cells.astype(float)
            blank = values.isna()
        refuse(frame, ~blank & ~np.isfinite(values), path, name, "{cell!r} is not a number; {remedy}",
               remedy=cells.map(_remedy))  # fmt: skip
        outside = "{cell:g} is outside the possible range {low:g} to {high:g}"
        refuse(frame, (values < low) | (values > high), path, name, outside, cell=values, low=low, high=high)
        frame[name] = values


def _remedy(cell: Any) -> str:
    plain = str(cell).replace(",", "")
    if "," in str(cell) and plain.replace(".", "", 1).lstrip("+-").isdigit():
        return f"leave the thousands separator out ({plain}), or write a decimal point"
    return "write a finite number, or leave the cell blank when it is unknown"


def named(frame: pd.DataFrame, path: Path | str, columns: Iterable[str]) -> None:
    """Refuse a cell that names nothing in columns that are there.

    Raises:
        UsageError: a cell is missing, or neither text nor a number; names file, column and line.
    """
    for name in (name for name in columns if name in frame):
        names = frame[name].map(
            lambda cell: isinstance(cell, str | Number) and str(cell).strip().lower() not in MISSING
        )
        refuse(frame, ~names, path, name, "{cell!r} names nothing: a name is needed here")


def whole(frame: pd.DataFrame, path: Path | str, columns: Iterable[str]) -> None:
    """Turn columns into integers in place.

    Raises:
        UsageError: a cell is missing, negative, not whole or past 2**53; names file, column and line.
    """
    columns = [name for name in columns if name in frame]
    numbers(frame, path, columns)
    for name in columns:
        wrong = frame[name].isna() | (frame[name] < 0) | (frame[name] % 1 != 0) | (frame[name] > 2**53)
        refuse(frame, wrong, path, name, "a whole number from 0 is needed here")
        frame[name] = frame[name].astype(np.int64)


def unique(frame: pd.DataFrame, path: Path | str, keys: Sequence[str]) -> None:
    """Refuse rows that say the same thing twice.

    Raises:
        UsageError: names file, both lines and the key.
    """
    keys = [name for name in keys if name in frame]
    again = frame.duplicated(keys)
    if again.any():
        second = frame[again].head(1)
        first = frame.merge(second[keys], on=keys)[LINE].iloc[0]
        said = ", ".join(f"{name} {second[name].iloc[0]}" for name in keys)
        raise UsageError(f"{path} line {second[LINE].iloc[0]} repeats line {first} ({said}): keep one of them")


def in_order(frame: pd.DataFrame, path: Path | str, keys: Sequence[str]) -> pd.DataFrame:
    """The frame sorted by its keys, with notes about rows out of order and steps that are missing; ``_line`` goes."""
    keys = [name for name in keys if name in frame]
    ordered = frame.sort_values(keys, kind="stable")
    # Groups of one step may be written in any order; only a step that goes back is worth a word.
    outer = [name for name in keys if name in ("run", "step")]
    if not ordered[outer].reset_index(drop=True).equals(frame[outer].reset_index(drop=True)):
        note(f"{path}: rows were not in the order of {', '.join(outer)} and were sorted")
    for name, part in ordered.groupby("run") if "run" in ordered else [("", ordered)]:
        if gaps := missing_steps(part["step"]):
            note(f"{path}{f', run {name}' if name else ''}: no rows for steps {gaps}; they stay missing")
    return ordered.drop(columns=LINE).reset_index(drop=True)


def missing_steps(steps: pd.Series) -> str:
    """The steps between the first and the last that do not occur, as text: ``"4, 7-9"``."""
    present = np.unique(steps)
    before = np.flatnonzero(np.diff(present) > 1)
    gaps = zip(present[before] + 1, present[before + 1] - 1, strict=True)
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in gaps)
