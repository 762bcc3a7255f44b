"""A run's folder: what is written when, how it survives a kill, and how a run is continued.

    runs/<tag>/run.json           the run's record, see :mod:`wclib.train.record`
               rollouts.jsonl     a row a rollout, appended and fsynced before the step goes on
               comparisons.jsonl  a row a judged pair
               paintings/         0012_03.png and .js: step 12, fourth rollout of the step
               curve.csv          a row a step: the published 15 columns, then ours
               eval/              the fixed-seed evaluation: rows, and a folder of paintings a checkpoint
               checkpoints/       what resuming needs

Covered: rows are on the disk before the step goes on (:mod:`wclib.jsonl`); two trainers cannot hold one run; a
folder that cannot be written is refused before any work; rows of steps that a resumed run will do again are moved to
``*.superseded.*``, never deleted or counted twice.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import filelock

from wclib.errors import InfrastructureFault, UsageError
from wclib.jsonl import JsonLines, atomic_write, cut_torn_line, disk_fault
from wclib.train.record import differences, identity, read_run
from wclib.train.superseded import TABLES, supersede

PUBLISHED_CURVE = (
    "step", "reward", "reward_std", "frac_reward_zero_std", "entropy", "loss", "grad_norm", "learning_rate",
    "step_time", "completions/mean_length", "clipped_ratio", "judge_mean", "length_mean", "paint_fraction_mean",
    "quality_mean",
)  # fmt: skip
OUR_CURVE = (
    "kl", "scored_share", "gate_share", "distinct_share", "n_shapes_mean", "generate_s", "render_s", "judge_s",
    "update_s", "evaluation",
)  # fmt: skip
#: The published columns of a group's means, and what each is the mean of.
GROUP_MEANS = {
    "step_group_reward": "reward",
    "group_judge_mean": "judge_score",
    "group_length_mean": "length_score",
    "group_paint_mean": "paint_fraction",
    "group_quality_mean": "quality_score",
}


class RunFolder:
    """One run on the disk, held by one process at a time. Made by :func:`open_run`."""

    def __init__(self, path: Path, lock: filelock.BaseFileLock, run: dict[str, Any], say: Callable[[str], None]):
        self.path, self.run, self._lock, self._say = path, run, lock, say
        for name in ("paintings", "checkpoints", "eval"):
            (path / name).mkdir(exist_ok=True)
        self._open()
        cut_torn_line(path / "curve.csv")

    def _open(self) -> None:
        self._tables = [JsonLines(self.path / name, self._say) for name in TABLES]
        self.rollouts, self.comparisons, self.evaluations = self._tables

    @property
    def tag(self) -> str:
        """The run's name."""
        return self.path.name

    def update(self, **facts: Any) -> None:
        """Add facts to ``run.json``."""
        self.run.update(facts)
        atomic_write(self.path / "run.json", json.dumps(self.run, indent=1, ensure_ascii=False))

    def painting(self, name: str, source: str, png: bytes | None) -> str | None:
        """Keep a sketch and its picture as ``<name>.js`` and ``.png``; return the picture's path within the folder.

        ``name`` is relative to the run's folder, e.g. ``"paintings/0012_03"``. A sketch that painted nothing leaves
        no picture.
        """
        stem = self.path / name
        try:
            stem.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise disk_fault(stem.parent, error) from error
        # A sampled reply may hold a lone surrogate, which UTF-8 cannot.
        atomic_write(stem.with_suffix(".js"), source.encode("utf-8", "replace"))
        if png is None:
            return None
        atomic_write(stem.with_suffix(".png"), png)
        return f"{name}.png"

    def curve_row(self, row: Mapping[str, Any]) -> None:
        """Append one step to ``curve.csv``; a figure that is not there stays blank."""
        path = self.path / "curve.csv"
        text = io.StringIO()
        writer = csv.DictWriter(text, (*PUBLISHED_CURVE, *OUR_CURVE), lineterminator="\n", restval="")
        if not path.exists():
            writer.writeheader()
        writer.writerow({name: "" if value is None else value for name, value in row.items()})
        try:
            with path.open("ab") as handle:
                handle.write(text.getvalue().encode())
                handle.flush()
                os.fsync(handle.fileno())
        except OSError as error:
            raise disk_fault(path, error) from error

    def supersede(self, steps: int) -> dict[str, int]:
        """Move what a run going on after ``steps`` steps does again aside; see :mod:`wclib.train.superseded`."""
        moved = supersede(self.path, steps)
        for table in self._tables:
            table.close()
        self._open()
        return moved

    def close(self) -> None:
        """Let go of the run, so that another process may resume it."""
        for table in self._tables:
            table.close()
        self._lock.release()


def open_run(
    out: Path | str,
    tag: str,
    config: Mapping[str, Any] | None,
    resume: bool,
    say: Callable[[str], None] = print,
    longer: str = "",
) -> RunFolder:
    """Create a run's folder, or take hold of one to continue it. An existing run is never overwritten.

    Args:
        out: the folder of all runs.
        tag: the run's name: letters, digits, dot, dash, underscore.
        config: the run's settings, JSON-able; None when resuming means "those it was started with".
        resume: continue the run of this tag.
        say: where what was found is told.
        longer: a setting that may be larger than the run was started with: its number of steps.

    Raises:
        UsageError: the tag is bad or taken, there is nothing to resume, the settings differ from those the run was
            started with (the message has the difference), another process holds the run, or the folder cannot be
            written.
    """
    path = Path(out) / checked_tag(tag)
    started = (path / "run.json").exists()
    if resume and not started:
        raise UsageError(f"there is no run to resume at {path}; leave --resume out to start one")
    if started and not resume:
        raise UsageError(f"{path} already holds a run; continue it with --resume, or choose another --tag")
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file, not a run's folder; choose another --tag, or move it")
    if not started and path.exists() and any(item.name != ".lock" for item in path.iterdir()):
        raise UsageError(f"{path} is not empty and holds no run; choose another --tag, or move what is there")
    try:
        _make_writable(path)
        lock = filelock.FileLock(path / ".lock", timeout=0)
        lock.acquire()
    except filelock.Timeout:
        raise UsageError(f"another process is training {path}; wait for it to end, or choose another --tag") from None
    except (OSError, InfrastructureFault) as error:
        said = getattr(error, "strerror", None) or getattr(error, "detail", None) or error
        raise UsageError(f"cannot write into {path}: {said}; choose a folder you may write with --out") from None
    try:
        if started:
            run = _continued(path, config, longer, say)
        else:
            run = {"tag": tag, "config": dict(config or {}), "starts": []}
        run["starts"].append({"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "resumed": started, **identity()})
        folder = RunFolder(path, lock, run, say)
        folder.update()
    except BaseException:
        lock.release()
        raise
    return folder


def _continued(path: Path, config: Mapping[str, Any] | None, longer: str, say: Callable[[str], None]) -> dict[str, Any]:
    """The record of a run that goes on with ``config``, made longer where that asks for more steps."""
    run = read_run(path)
    if config is None:
        return run
    if changed := differences(run["config"], config, longer):
        raise UsageError(
            f"{path} was started with other settings ({changed}); resume with those, or choose another --tag"
        )
    if grown := differences(run["config"], config):
        say(f"the run is made longer: {grown}")
        curve = path / "curve.csv"
        steps = curve.read_bytes().count(b"\n") - 1 if curve.exists() else 0
        grew = {"from": run["config"][longer], "to": config[longer], "after_steps": steps}
        run["lengthened"] = [*run.get("lengthened", []), grew]
        run["config"] = dict(config)
    return run


def _make_writable(path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
    if not os.access(path, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied")
    atomic_write(path / ".writable", b"")
    (path / ".writable").unlink()


def checked_tag(tag: str) -> str:
    """The tag, when it can be a folder's name.

    Raises:
        UsageError: it cannot.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", tag):
        raise UsageError(
            f"the tag {tag!r} cannot be a folder's name; use letters, digits, dots, dashes and underscores"
        )
    return tag


def group_means(rows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """:data:`GROUP_MEANS` of one group's rows; unscored rows are left out."""
    known = {name: [row[column] for row in rows if row[column] is not None] for name, column in GROUP_MEANS.items()}
    return {name: sum(values) / len(values) if values else None for name, values in known.items()}
