"""Promise 9: a disk that fills up, a run's folder that is deleted, and two trainers on one run, on real runs.

Each is told in a line, keeps what was there, and goes on from it once the cause is mended. Beside these,
``tests/test_train_runlog.py`` holds every file of a run to the same, write by write.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from env_fixtures import environment_settings, eventually  # noqa: F401

from wclib.env.local import local_server
from wclib.jsonl import read_rows

pytestmark = pytest.mark.slow
#: No file of this process and its children may grow beyond the bytes named first: what a full disk is to a writer. It
#: ends with the process that started it, also when that one is killed (Linux's PR_SET_PDEATHSIG, 1).
LIMITED = """
import ctypes, resource, runpy, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
runpy.run_module("wclib", run_name="__main__")
"""
GENERATIONS = 4


@pytest.fixture(scope="module")
def url(settings):
    with local_server(env=settings, quiet=True) as address:
        yield address


@pytest.fixture
def start(url, tmp_path):
    """Starts a laptop run in ``tmp_path`` whose policy is hardly taught: what it writes is refused by the gate, and a
    step takes a second. Whatever the test comes to, the runs it started are ended with all their processes.
    """
    running: list[subprocess.Popen[str]] = []

    def begin(*more: str, limit: int = -1) -> subprocess.Popen[str]:
        flags = f"--preset demo --generations {GENERATIONS} --sft-steps 1 --eval-samples 1 --tag run".split()
        command = [sys.executable, "-c", LIMITED, str(limit), "train", "laptop", *flags, "--out", str(tmp_path)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        running.append(subprocess.Popen([*command, "--env-url", url, *more], start_new_session=True, **pipes))
        return running[-1]

    yield begin
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def rows(out: Path) -> list[tuple[int, int, int]]:
    return [(one["step"], one["group"], one["position_in_group"]) for one in read_rows(out / "run/rollouts.jsonl")[0]]


def goes_on(start: Callable[..., subprocess.Popen[str]], out: Path) -> None:
    process = start("--resume")
    _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    kept = rows(out)
    assert len(set(kept)) == len(kept) and {step for step, *_ in kept} == set(range(GENERATIONS))


@pytest.mark.parametrize("limit", [1_000, 300_000, 4_000_000], ids=["1 kB", "300 kB", "4 MB"])
def test_a_disk_that_fills_up_is_told_and_the_run_goes_on_afterwards(limit, start, tmp_path, promised):
    goes_on_from = start(limit=limit)
    _, told = goes_on_from.communicate(timeout=200)
    assert goes_on_from.returncode == 1 and "Traceback" not in told, told
    assert "The run is kept" in told and "--resume" in told, told
    assert "[(" not in told, "a library's list of errors"
    goes_on(start, tmp_path)
    where = {1_000: "run.json", 300_000: "the policy", 4_000_000: "the optimizer's state"}[limit]
    promised(9, f"no file can grow beyond {limit:,} bytes: {where} is cut", "told in a line; resumed to the end")


def test_a_deleted_run_folder_stops_the_run(start, tmp_path, promised):
    process = start()
    assert eventually(lambda: (tmp_path / "run/rollouts.jsonl").exists() and len(rows(tmp_path)) > 0, 120)
    gone = (tmp_path / "run").rename(tmp_path / "gone")
    shutil.rmtree(gone, ignore_errors=True)  # the trainer may be making files in it right now
    _, told = process.communicate(timeout=120)
    assert process.returncode == 1 and "Traceback" not in told and "is gone" in told, told
    promised(9, "the run's folder is deleted while it trains", "stopped, and said that it is gone")


def test_a_second_trainer_is_refused_and_the_first_goes_on(start, tmp_path, promised):
    first = start()
    assert eventually(lambda: (tmp_path / "run/rollouts.jsonl").exists(), 120)
    others = [start(), start("--resume")]
    for other, why in zip(others, ("already holds a run", "another process"), strict=True):
        _, told = other.communicate(timeout=120)
        assert other.returncode == 2 and why in told and "Traceback" not in told, told
    first.communicate(timeout=200)
    assert first.returncode == 0 and {step for step, *_ in rows(tmp_path)} == set(range(GENERATIONS))
    promised(9, "a second trainer on a run in progress, with and without --resume", "refused; the first ends well")
