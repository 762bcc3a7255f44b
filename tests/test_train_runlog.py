"""A run's folder keeps what it acknowledged, through kills, full disks and second runs."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wclib.errors import InfrastructureFault, UsageError
from wclib.jsonl import JsonLines, atomic_write, read_rows
from wclib.train.runlog import OUR_CURVE, PUBLISHED_CURVE, group_means, open_run

CONFIG = {"preset": "demo", "seed": 1, "learning_rate": 5e-4, "sft": {"steps": 900}}

WRITER = """
import sys
from pathlib import Path
from wclib.jsonl import JsonLines
table, number = JsonLines(Path(sys.argv[1])), 0
while True:
    table.append([{"number": number, "code": "x" * 3000}])
    print(number, flush=True)
    number += 1
"""

HOLDER = """
import sys, time
from wclib.train.runlog import open_run
folder = open_run(sys.argv[1], "held", {}, resume=False, say=lambda text: None)
print("held", flush=True)
time.sleep(60)
"""


def start(program: str, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)


def run_folder(tmp_path: Path, steps: int = 0):
    folder = open_run(tmp_path, "run", CONFIG, resume=False)
    for step in range(steps):
        folder.rollouts.append({"step": step, "position_in_group": i, "reward": step / 10} for i in range(4))
        folder.comparisons.append([{"step": step, "score": 1}])
        folder.painting(f"paintings/{step:04d}_00", f"// {step}", b"png")
        folder.curve_row({"step": step, "reward": step / 10, "kl": None})
    return folder


def test_a_killed_writer_loses_no_row_it_acknowledged(tmp_path, promised):
    for round_ in range(3):
        path = tmp_path / f"{round_}.jsonl"
        writer = start(WRITER, str(path))
        for _ in range(20):
            writer.stdout.readline()
        time.sleep(0.013 * round_)
        writer.send_signal(signal.SIGKILL)
        acknowledged = [int(line) for line in writer.stdout.read().split()]
        writer.wait()
        rows, _ = read_rows(path)
        assert [row["number"] for row in rows] == list(range(len(rows)))
        assert not acknowledged or len(rows) > acknowledged[-1]
    promised(9, "kill -9 of a process that appends rows, 3 times", "no acknowledged row lost, no gap")


def test_a_torn_last_line_is_left_out_and_said_and_the_file_stays_usable(tmp_path):
    path = tmp_path / "rows.jsonl"
    table = JsonLines(path)
    table.append([{"a": 1}, {"a": 2}])
    table.close()
    with path.open("ab") as handle:
        handle.write(b'{"a": 3, "code": "asy')
    assert read_rows(path) == ([{"a": 1}, {"a": 2}], 1)
    said: list[str] = []
    table = JsonLines(path, said.append)
    assert "rows.jsonl" in said[0] and "cut short" in said[0]
    table.append([{"a": 4}])
    assert read_rows(path) == ([{"a": 1}, {"a": 2}, {"a": 4}], 0)


def test_a_damaged_line_in_the_middle_is_named_not_skipped(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a": \n{"a": 3}\n')
    with pytest.raises(UsageError, match="line 2"):
        read_rows(path)


def test_numbers_that_are_none_are_refused(tmp_path):
    table = JsonLines(tmp_path / "rows.jsonl")
    with pytest.raises(ValueError):
        table.append([{"reward": float("nan")}])
    assert read_rows(table.path) == ([], 0)


def test_a_full_disk_is_a_fault_of_the_machinery(tmp_path, monkeypatch, promised):
    table = JsonLines(tmp_path / "rows.jsonl")
    table.append([{"a": 1}])
    real_write = os.write
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(
        os, "write", lambda _, data: (real_write(table._file.fileno(), data[:4]), real_write(full, data))
    )
    with pytest.raises(InfrastructureFault, match="No space left") as fault:
        table.append([{"a": 2}])
    monkeypatch.undo()
    assert fault.value.part == "disk"
    assert table.path.read_text() == '{"a": 1}\n', "the half-written row is taken back"
    promised(9, "no space left after 4 bytes of a row", "typed as the disk's fault; the half row is taken back")


def test_a_deleted_run_is_noticed(tmp_path, promised):
    folder = run_folder(tmp_path)
    for path in (tmp_path / "run").glob("*.jsonl"):
        path.unlink()
    with pytest.raises(InfrastructureFault, match="deleted"):
        folder.rollouts.append([{"a": 1}])
    promised(9, "the tables of a run deleted between two rows", "typed as the disk's fault")


def test_atomic_write_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "run.json"
    atomic_write(path, "old")
    with pytest.raises(InfrastructureFault, match="missing"):
        atomic_write(tmp_path / "missing" / "run.json", "new")
    assert path.read_text() == "old" and [item.name for item in tmp_path.iterdir()] == ["run.json"]


def test_a_second_run_into_the_same_tag_is_refused_and_nothing_is_lost(tmp_path):
    run_folder(tmp_path, steps=2).close()
    before = (tmp_path / "run" / "rollouts.jsonl").read_bytes()
    with pytest.raises(UsageError, match="--resume"):
        open_run(tmp_path, "run", CONFIG, resume=False)
    assert (tmp_path / "run" / "rollouts.jsonl").read_bytes() == before


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("keep me")
    with pytest.raises(UsageError, match="not empty"):
        open_run(tmp_path, "run", CONFIG, resume=False)


def test_a_file_where_the_folder_should_be_is_said(tmp_path):
    (tmp_path / "first").write_text("a note")
    with pytest.raises(UsageError, match="first is a file"):
        open_run(tmp_path, "first", CONFIG, resume=False)


@pytest.mark.parametrize("tag", ["", "..", "a/b", "/etc", ".hidden", "a\nb"])
def test_a_tag_that_is_no_folder_name_is_refused(tmp_path, tag):
    with pytest.raises(UsageError, match="tag"):
        open_run(tmp_path, tag, CONFIG, resume=False)


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path, promised):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UsageError, match="--out"):
        open_run(tmp_path / "file", "run", CONFIG, resume=False)
    with pytest.raises(UsageError, match="--out"):
        open_run("/proc/self", "run", CONFIG, resume=False)
    if os.getuid():
        os.chmod(tmp_path, 0o500)
        with pytest.raises(UsageError, match="--out"):
            open_run(tmp_path, "run", CONFIG, resume=False)
    promised(9, "a folder that cannot be written", "refused before any work")


def test_resuming_without_a_run_says_so(tmp_path):
    with pytest.raises(UsageError, match="no run to resume"):
        open_run(tmp_path, "run", CONFIG, resume=True)


def test_changed_settings_are_refused_with_the_difference(tmp_path):
    run_folder(tmp_path).close()
    changed = {**CONFIG, "learning_rate": 1e-3, "sft": {"steps": 100}}
    with pytest.raises(UsageError, match=r"learning_rate: 0.0005 then, 0.001 now; sft.steps: 900 then, 100 now"):
        open_run(tmp_path, "run", changed, resume=True)
    open_run(tmp_path, "run", None, resume=True).close()
    folder = open_run(tmp_path, "run", CONFIG, resume=True)
    assert [start["resumed"] for start in folder.run["starts"]] == [False, True, True]


def test_a_run_that_was_made_longer_says_from_what_and_when(tmp_path):
    for wanted, done in ((2, 2), (3, 1), (7, 0), (7, 0)):
        config = {**CONFIG, "generations": wanted}
        folder = open_run(tmp_path, "run", config, (tmp_path / "run").exists(), longer="generations")
        for _ in range(done):
            folder.curve_row({"step": 0, "reward": 0.5})
        folder.close()
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["config"]["generations"] == 7 and len(run["starts"]) == 4
    assert run["lengthened"] == [{"from": 2, "to": 3, "after_steps": 2}, {"from": 3, "to": 7, "after_steps": 3}]
    with pytest.raises(UsageError, match="generations: 7 then, 6 now"):
        open_run(tmp_path, "run", {**config, "generations": 6}, resume=True, longer="generations")


def test_two_trainers_cannot_hold_one_run_and_a_killed_one_lets_go(tmp_path, promised):
    holder = start(HOLDER, str(tmp_path))
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(UsageError, match="another process"):
        open_run(tmp_path, "held", {}, resume=True)
    holder.kill()
    holder.wait()
    open_run(tmp_path, "held", {}, resume=True).close()
    promised(9, "two processes on one run, the first killed", "the second refused, then let in")


def test_steps_that_are_done_again_are_moved_not_lost_and_not_doubled(tmp_path):
    folder = run_folder(tmp_path, steps=4)
    folder.evaluations.append({"after_steps": after, "reward": 0.5} for after in (0, 2, 4))
    assert folder.supersede(2) == {
        "rollouts.jsonl": 8,
        "comparisons.jsonl": 2,
        "eval/rollouts.jsonl": 1,
        "curve.csv": 2,
    }
    assert folder.supersede(2) == {}, "a second time there is nothing to move"
    folder.rollouts.append([{"step": 2, "position_in_group": 0, "reward": 0.9}])
    path = folder.path
    assert [row["step"] for row in read_rows(path / "rollouts.jsonl")[0]] == [0] * 4 + [1] * 4 + [2]
    assert [row["step"] for row in read_rows(path / "rollouts.superseded.jsonl")[0]] == [2] * 4 + [3] * 4
    assert [row["after_steps"] for row in read_rows(path / "eval" / "rollouts.jsonl")[0]] == [0, 2]
    with (path / "curve.csv").open() as handle:
        assert [row["step"] for row in csv.DictReader(handle)] == ["0", "1"]
    assert sorted(item.name for item in (path / "paintings").glob("*.png")) == ["0000_00.png", "0001_00.png"]
    assert len(list((path / "paintings.superseded").iterdir())) == 4


def test_a_kill_in_the_middle_of_moving_is_made_good_by_the_next_start(tmp_path):
    folder = run_folder(tmp_path, steps=3)
    rows = (folder.path / "rollouts.jsonl").read_text().splitlines(keepends=True)
    # As if killed after the superseded file was written and before the table was replaced.
    (folder.path / "rollouts.superseded.jsonl").write_text("".join(rows[8:]))
    folder.supersede(2)
    assert len(read_rows(folder.path / "rollouts.superseded.jsonl")[0]) == 4
    assert len(read_rows(folder.path / "rollouts.jsonl")[0]) == 8


def test_the_curve_starts_with_the_published_columns_and_leaves_blanks(tmp_path):
    folder = run_folder(tmp_path, steps=1)
    header, row = (folder.path / "curve.csv").read_text().splitlines()
    assert tuple(header.split(",")) == (*PUBLISHED_CURVE, *OUR_CURVE)
    assert PUBLISHED_CURVE[0] == "step" and len(PUBLISHED_CURVE) == 15
    assert row.startswith("0,0.0,,") and "nan" not in row.lower()


def test_run_json_says_what_ran(tmp_path):
    run_folder(tmp_path)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["config"] == CONFIG
    assert run["starts"][0]["packages"]["trl"] and run["starts"][0]["python"].startswith("3.")


def test_group_means_leave_the_unscored_out():
    row = {"judge_score": 0.5, "length_score": 0.1, "paint_fraction": 0.2, "quality_score": None}
    means = group_means([{**row, "reward": 0.6}, {**row, "reward": None}, {**row, "reward": 0.8}])
    assert means["step_group_reward"] == pytest.approx(0.7)
    assert means["group_quality_mean"] is None
