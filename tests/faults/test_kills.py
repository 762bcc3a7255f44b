"""Promises 6 and 8: kill -9 anywhere, fifty times, and a judge that goes away.

Slow: run by `make faults`. Their short forms are in the suite: ``tests/test_train_end_to_end.py`` (a killed and an
interrupted run equal one nobody touched) and ``tests/faults/test_groups.py`` (rollouts that cannot be scored).
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest
from env_fixtures import environment_settings  # noqa: F401
from provider_server import ProviderServer

from wclib.env.local import local_server
from wclib.errors import InfrastructureFault
from wclib.jsonl import read_rows
from wclib.train.config import LaptopConfig
from wclib.train.laptop import run_laptop
from wclib.train.sft import SFTConfig

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
TINY = LaptopConfig(
    preset="demo", generations=6, groups=1, rollouts=4, eval_samples=2, eval_every=6, sft=SFTConfig(steps=150, batch=8)
)
TRAINER = """
import json, sys
from wclib.train.config import LaptopConfig
from wclib.train.laptop import run_laptop
out, tag, resume, settings = sys.argv[1:]
run_laptop(LaptopConfig.from_dict(json.loads(settings)), out, tag, resume == "resume", progress=False)
"""
#: What two equal runs may differ in: the clock, and the names of their folders.
UNEQUAL = ("run", "render_s", "score_s")
CLOCKS = ["step_time", "generate_s", "render_s", "judge_s", "update_s"]


def start(out: Path, tag: str) -> subprocess.Popen[str]:
    how = "resume" if (out / tag / "run.json").exists() else "start"
    command = [sys.executable, "-c", TRAINER, str(out), tag, how, json.dumps(TINY.as_dict())]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def victim(trainer: psutil.Process, kind: str, chance: random.Random) -> psutil.Process | None:
    """The trainer itself, its environment server, or any process of the server's browsers."""
    if kind == "trainer":
        return trainer
    try:
        tree = trainer.children(recursive=True)
        servers = [process for process in tree if "serve" in process.cmdline()]
        browsers = [process for process in tree if "chromium" in process.name() or "chrome" in process.name()]
    except psutil.NoSuchProcess:
        return None
    found = servers if kind == "server" else browsers
    return chance.choice(found) if found else None


def broken_run(out: Path, tag: str, kinds: list[str], kills: int, chance: random.Random) -> int:
    """Run to the end with up to ``kills`` kills on the way; return how many there were.

    One kill in four comes while trainer and server start, the others up to 6 s after a group of rollouts was kept:
    while the policy learns, while a checkpoint is written, or in the next step.
    """
    done = 0
    table = out / tag / "rollouts.jsonl"
    while True:
        process = start(out, tag)
        tree = psutil.Process(process.pid)
        try:
            while done < kills and process.poll() is None:
                before, starting = size(table), chance.random() < 0.25
                while not starting and process.poll() is None and size(table) == before:
                    time.sleep(0.02)
                try:
                    process.wait(chance.uniform(0, 15 if starting else 6))
                except subprocess.TimeoutExpired:
                    prey = victim(tree, chance.choice(kinds), chance)
                    if prey is not None:
                        prey.kill()
                        done += 1
            _, told = process.communicate()
        finally:
            process.kill()
        if process.returncode == 0:
            return done
        assert process.returncode == -signal.SIGKILL or "--resume" in told, told


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("unbroken")
    run_laptop(TINY, out, "whole", progress=False, say=lambda text: None)
    return out / "whole"


@pytest.mark.timeout(3600)
def test_a_trainer_killed_at_random_moments_ends_as_one_nobody_touched(unbroken, tmp_path, promised):
    chance, kills, runs = random.Random(6), 0, 0
    whole, _ = read_rows(unbroken / "rollouts.jsonl")
    while kills < 30:
        tag = f"broken-{runs}"
        kills += broken_run(tmp_path, tag, ["trainer"], 30 - kills, chance)
        runs += 1
        rows, _ = read_rows(tmp_path / tag / "rollouts.jsonl")
        assert [strip(one) for one in rows] == [strip(one) for one in whole]
        curves = [pd.read_csv(folder / "curve.csv").drop(columns=CLOCKS) for folder in (unbroken, tmp_path / tag)]
        pd.testing.assert_frame_equal(*curves, check_exact=True)
    promised(
        6, f"kill -9 of the trainer {kills} times over {runs} runs", "resumed; rewards and curve equal bit for bit"
    )


@pytest.mark.timeout(3600)
def test_server_and_browsers_killed_at_random_moments_lose_and_double_nothing(tmp_path, promised):
    chance, kills, runs, unscored = random.Random(7), 0, 0, 0
    while kills < 20:
        tag = f"torn-{runs}"
        kills += broken_run(tmp_path, tag, ["server", "browser", "browser"], 20 - kills, chance)
        runs += 1
        rows, _ = read_rows(tmp_path / tag / "rollouts.jsonl")
        places = [(one["step"], one["position_in_group"]) for one in rows]
        assert places == [(step, position) for step in range(TINY.generations) for position in range(TINY.rollouts)]
        assert all(one["reward"] is not None or one["unscored_reason"] for one in rows)
        unscored += sum(one["reward"] is None for one in rows)
        assert list(pd.read_csv(tmp_path / tag / "curve.csv")["step"]) == list(range(TINY.generations))
    promised(6, f"kill -9 of server or browser {kills} times over {runs} runs", f"no gap, none twice; {unscored} None")


def strip(one: dict) -> dict:
    return {name: value for name, value in one.items() if name not in UNEQUAL}


@pytest.mark.timeout(900)
def test_a_judge_that_goes_away_pauses_the_run_which_then_goes_on(settings, tmp_path, promised):
    with ProviderServer() as chat:
        ours = {"WATERCOLOUR_JUDGE_URL": chat.chat_url, "WATERCOLOUR_JUDGE_MODEL": "m", **settings}

        def leaves_after_the_first_evaluation(told: str) -> None:
            chat.always = "500" if told.startswith("evaluation after 0") else chat.always

        with local_server(env=ours, quiet=True) as url:
            with pytest.raises(InfrastructureFault, match="(?s)could not be scored.*--resume"):
                say = leaves_after_the_first_evaluation
                run_laptop(TINY, tmp_path, "paused", env_url=url, progress=False, say=say)
            counted = pd.read_csv(tmp_path / "paused" / "curve.csv")["scored_share"].to_numpy()
            assert counted.mean() < 0.75 and len(counted) == 2, "the third step fills the window and is not trained on"
            chat.always = "good"
            result = run_laptop(None, tmp_path, "paused", True, url, progress=False, say=lambda text: None)
    assert result["steps"] == TINY.generations
    promised(8, "the judge answers 500 to everything, then works again", f"paused after {len(counted)} steps, resumed")
