"""What a resumed run does again: its rows, its lines of the curve and its paintings are moved aside, never lost.

Safe to be killed at any point and to be run again: rows are first added to the superseded file (a row is there at most
once), and only then left out of the table, each file being replaced whole.
"""

from __future__ import annotations

import re
from pathlib import Path

from wclib.jsonl import atomic_write, lines_of, read_rows

TABLES = ("rollouts.jsonl", "comparisons.jsonl", "eval/rollouts.jsonl")


def supersede(folder: Path, steps: int) -> dict[str, int]:
    """Move everything about steps from ``steps`` on out of the way; return how many rows left each table.

    An evaluation after ``steps`` steps belongs to what is kept, unless nothing is (``steps`` 0).
    """
    moved = {}
    for name in TABLES:
        column, limit = ("after_steps", steps + (steps > 0)) if name.startswith("eval") else ("step", steps)
        rows, _ = read_rows(folder / name)
        late = [row for row in rows if row[column] >= limit]
        if late:
            graveyard = (folder / name).with_suffix(".superseded.jsonl")
            before, _ = read_rows(graveyard)
            atomic_write(graveyard, lines_of([*before, *(row for row in late if row not in before)]))
            atomic_write(folder / name, lines_of([row for row in rows if row[column] < limit]))
            moved[name] = len(late)
    curve, graveyard = folder / "curve.csv", folder / "curve.superseded.csv"
    header, *lines = curve.read_text().splitlines(keepends=True) if curve.exists() else [""]
    late_lines = [line for line in lines if int(line.split(",", 1)[0]) >= steps]
    if late_lines:
        there = graveyard.read_text().splitlines(keepends=True)[1:] if graveyard.exists() else []
        atomic_write(graveyard, "".join([header, *there, *(line for line in late_lines if line not in there)]))
        atomic_write(curve, "".join([header, *(line for line in lines if line not in late_lines)]))
        moved["curve.csv"] = len(late_lines)
    for path in sorted((folder / "paintings").iterdir()):
        number = re.match(r"(\d+)_", path.name)
        if number and int(number[1]) >= steps:
            aside = folder / "paintings.superseded"
            aside.mkdir(exist_ok=True)
            times = 1
            while (target := aside / f"{path.stem}.{times}{path.suffix}").exists():
                times += 1
            path.replace(target)
    return moved
