"""The whole loop for real, in little: policy, TRL, websocket, server, Chromium, gate, judges, run folder. A minute.

It learns nothing in three steps; what is held here is that a run which is killed, made longer and interrupted goes on
exactly where it was, and ends equal to a run that nobody touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from env_fixtures import wait_for, without

from wclib.env.local import local_server
from wclib.errors import UsageError
from wclib.jsonl import read_rows
from wclib.train.config import LaptopConfig
from wclib.train.laptop import run_laptop
from wclib.train.record import read_run
from wclib.train.sft import SFTConfig

TINY = LaptopConfig(
    preset="demo", generations=3, groups=1, rollouts=4, eval_samples=2, eval_every=3, sft=SFTConfig(steps=150, batch=8)
)
TRAINER = """
import json, sys
from wclib.train.config import LaptopConfig
from wclib.train.laptop import run_laptop
out, url, settings = sys.argv[1:]
run_laptop(LaptopConfig.from_dict(json.loads(settings)), out, "broken", env_url=url, progress=False)
"""
#: What two equal runs may differ in: the clock, and the names of their folders.
CLOCKS = ["step_time", "generate_s", "render_s", "judge_s", "update_s"]
UNEQUAL = {"run", "render_s", "score_s"}


@pytest.fixture(scope="module")
def url():
    with local_server(quiet=True) as address:
        yield address


def trainer(out: Path, url: str, config: LaptopConfig) -> subprocess.Popen:
    root = Path(__file__).resolve().parent.parent
    command = [sys.executable, "-c", TRAINER, str(out), url, json.dumps(config.as_dict())]
    return subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True)


@contextlib.contextmanager
def interrupted_at(path: Path):
    """A Ctrl-C for this process as soon as the file is there."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            if path.exists():
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_run_that_was_killed_and_interrupted_equals_one_that_nobody_touched(url, tmp_path):
    said: list[str] = []
    whole = run_laptop(TINY, tmp_path, "whole", env_url=url, progress=False, say=said.append)
    assert any("local judge" in line for line in said)
    assert whole["steps"] == 3 and whole["rollouts"] == 12 and whole["unscored"] == 0
    assert sum(whole["shares"].values()) == pytest.approx(1)

    broken, short = tmp_path / "broken", replace(TINY, generations=2)
    process = trainer(tmp_path, url, short)
    wait_for(broken / "checkpoints" / "checkpoint-2" / "complete.json", process)
    pause = random.uniform(0, 0.8)
    print(f"killed {pause:.3f} s into the second step")
    time.sleep(pause)
    process.kill()
    process.communicate()
    with pytest.raises(UsageError, match="--resume"):
        run_laptop(TINY, tmp_path, "broken", env_url=url, progress=False, say=said.append)
    with (
        interrupted_at(broken / "checkpoints" / "checkpoint-4" / "complete.json"),
        pytest.raises(KeyboardInterrupt, match="--resume"),
    ):
        run_laptop(TINY, tmp_path, "broken", resume=True, env_url=url, progress=False, say=said.append)
    assert "made longer: generations: 2 then, 3 now" in "".join(said)
    assert [(grown["from"], grown["to"]) for grown in read_run(broken)["lengthened"]] == [(2, 3)]
    resumed = run_laptop(None, tmp_path, "broken", resume=True, env_url=url, progress=False, say=said.append)

    first, second = (read_rows(tmp_path / name / "rollouts.jsonl")[0] for name in ("whole", "broken"))
    assert without(first, UNEQUAL) == without(second, UNEQUAL)
    curves = [pd.read_csv(tmp_path / name / "curve.csv").drop(columns=CLOCKS) for name in ("whole", "broken")]
    pd.testing.assert_frame_equal(*curves, check_exact=True)
    for figure in ("evaluation_before", "evaluation_last", "reward_last_third"):
        assert resumed[figure] == whole[figure]

    rows = [(row["step"], row["position_in_group"]) for row in second]
    assert rows == [(step, position) for step in range(3) for position in range(4)]
    assert len({row["seed"] for row in second if row["step"] == 1}) == 1
    painted = [row for row in second if row["image"]]
    assert painted
    assert all((broken / row[name]).exists() for row in painted for name in ("image", "source_file"))
    for step in range(3):
        draws = {tuple(row["references"]) for row in painted if row["step"] == step and row["references"]}
        assert len(draws) <= 1, "a group faces one draw of references"
    pairs, _ = read_rows(broken / "comparisons.jsonl")
    assert len(pairs) == sum(len(row["references"]) for row in second)
    run = json.loads((broken / "run.json").read_text())
    assert [start["resumed"] for start in run["starts"]] == [False, True, True]
    assert run["environment"]["pool"]["fingerprint"] == resumed["pool_fingerprint"]
