"""What a build writes down, and what a killed one finds again.

    OUT/build.jsonl       a row an event, appended and fsynced before anything follows from it
        metadata.jsonl    a row a picture in the published pool's columns, its tier left empty: rate it
        <slug>_r<round>_s<seed>.png and sources/<slug>_r<round>.js

=========  ===========================================================================================
event      its columns, next to ``key`` (model, subject, number), ``round`` and ``model``
=========  ===========================================================================================
plan       domain, models, critic, rounds, each: what was asked for, one row a start
sketch     the painter's reply with its tokens, seconds, whether it was cut and saw the photograph
painting   the picture's file, or None and the gate's violations with the reason
critique   the words sent back, who wrote them (a model, ``measured`` or ``gate``), tokens and seconds
failure    what failed that was nobody's sketch (``sketch``, ``critique`` or ``render``) and why
dropped    a model that is asked no more, and why
=========  ===========================================================================================

A reply that is in the log was paid for and is never asked for again; one in flight when the process is killed is lost.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wclib.building.plan import Candidate
from wclib.errors import UsageError
from wclib.jsonl import JsonLines, atomic_write, read_rows
from wclib.pool_files import COLUMNS
from wclib.render import Render

_PAID = ("sketch", "critique")


class Record:
    """A build's folder.

    Args:
        out: made when missing; goes on where it stopped.
        domain: the name of what is painted; a folder keeps to one.
        say: is told what a person should know.

    Raises:
        UsageError: the folder holds a build of another domain.
        InfrastructureFault: it cannot be written.
    """

    def __init__(self, out: Path, domain: str, say: Callable[[str], None]):
        self.out = out
        (out / "sources").mkdir(parents=True, exist_ok=True)
        self.rows, _ = read_rows(out / "build.jsonl")
        if others := sorted({row["domain"] for row in self.rows if row["event"] == "plan"} - {domain}):
            raise UsageError(f"{out} holds a build of {others[0]}: name another folder for {domain} with --out")
        self._log = JsonLines(out / "build.jsonl", say)
        self._table = JsonLines(out / "metadata.jsonl", say)
        self._listed = {row["file_name"] for row in read_rows(out / "metadata.jsonl")[0]}
        self._known = {(row["event"], *row["key"], row["round"]): row for row in self.rows if "key" in row}

    def known(self, event: str, candidate: Candidate, turn: int) -> dict[str, Any] | None:
        """The row of an event that happened, in this run or an earlier one."""
        return self._known.get((event, candidate.model, candidate.subject, candidate.number, turn))

    def add(self, event: str, candidate: Candidate | None = None, turn: int = 0, **columns: Any) -> dict[str, Any]:
        """Write an event down; it is on the disk when this returns."""
        row: dict[str, Any] = {"event": event}
        if candidate is not None:
            row |= {"key": [candidate.model, candidate.subject, candidate.number], "round": turn}
        row |= columns
        self._log.append([row])
        self.rows.append(row)
        if candidate is not None:
            self._known[(event, *row["key"], turn)] = row
        return row

    def keep(self, candidate: Candidate, turn: int, sketch: str, render: Render) -> str:
        """Write a picture, its sketch and its row; returns the picture's file name."""
        stem = f"{candidate.slug}_r{turn}"
        name, source = f"{stem}_s{render.seed}.png", f"sources/{stem}.js"
        atomic_write(self.out / source, sketch)
        atomic_write(self.out / name, render.png)
        if name not in self._listed:
            row = COLUMNS | {
                "file_name": name,
                "source_file": source,
                "subject": candidate.subject,
                "generator_model": candidate.model,
                "refinement_round": turn,
                "paint_coverage": round(render.paint_fraction, 4),
                "seed": render.seed,
                "backend": render.backend,
            }
            self._table.append([row | (candidate.photo.columns() if candidate.photo else {})])
            self._listed.add(name)
        return name

    def close(self) -> None:
        """Close both files."""
        self._log.close()
        self._table.close()


def account(rows: list[dict[str, Any]], prices: Mapping[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """What each model did and cost, one row a model and role, from a build's events.

    Args:
        rows: the rows of ``build.jsonl``.
        prices: dollars a million tokens, (prompt, completion), by model; ``dollars`` is None for the others.

    Returns:
        ``model``, ``role`` (painter or critic), ``calls`` answered, ``failed``, ``painted``, ``prompt_tokens``,
        ``completion_tokens``, ``seconds`` (median of a call), ``dollars``, ``dropped`` (why, or empty).
    """
    table = []
    paid = [row for row in rows if row["event"] in _PAID and row.get("latency_s") is not None]
    failed = Counter((row["model"], row["what"]) for row in rows if row["event"] == "failure")
    # A picture that was lost is painted again from the reply: one painting, whatever the log says twice.
    painted = Counter(key[0] for key in {(*row["key"], row["round"]) for row in rows if row.get("file")})
    dropped = {row["model"]: row["reason"] for row in rows if row["event"] == "dropped"}
    roles = {(row["model"], row["event"]) for row in paid} | {pair for pair in failed if pair[1] in _PAID}
    for model, event in sorted(roles, key=lambda role: (role[1] == "critique", role[0])):
        mine = [row for row in paid if row["model"] == model and row["event"] == event]
        tokens = [sum(row[name] for row in mine) for name in ("prompt_tokens", "completion_tokens")]
        price = prices.get(model)
        painter = event == "sketch"
        table.append(
            {
                "model": model,
                "role": "painter" if painter else "critic",
                "calls": len(mine),
                "failed": failed[model, event],
                "painted": painted[model] if painter else None,
                "prompt_tokens": tokens[0],
                "completion_tokens": tokens[1],
                "seconds": statistics.median(row["latency_s"] for row in mine) if mine else None,
                "dollars": (tokens[0] * price[0] + tokens[1] * price[1]) / 1e6 if price else None,
                "dropped": dropped.get(model, "") if painter else "",
            }
        )
    return table


def table(models: Sequence[Mapping[str, Any]]) -> str:
    """The cost and latency table of a build, for a person."""
    import pandas as pd

    heads = ("model", "role", "calls", "failed", "painted", "prompt_tokens", "completion_tokens", "seconds", "dollars")
    frame = pd.DataFrame(models, columns=[*heads, "dropped"])
    frame = frame.astype(dict.fromkeys(("painted", "seconds", "dollars"), float))
    frame.columns = [*(head.replace("_", " ") for head in heads), "dropped because"]
    return frame.to_string(index=False, na_rep="-", float_format="{:.4g}".format)
