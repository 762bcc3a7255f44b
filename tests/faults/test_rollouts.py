"""Promises 1, 2 and 3: a failure of the machinery is never a number, and the sketch's own is always 0."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import multiprocessing
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paintings
import psutil
import pytest
from env_fixtures import ENDLESS, flower
from provider_server import ProviderServer

from wclib import nodeworker
from wclib.judges.hpsv3 import HPSv3Client
from wclib.judges.vision import VisionJudge
from wclib.pool import load_pool
from wclib.render import Renderer
from wclib.scorer import Scorer
from wclib.sketch import extract
from wclib.weights import MIXES

SHARED = Path(__file__).resolve().parents[3] / "shared" / "gate"
REPLIES = [flower("#d5567f", 200), flower("#e8a13c", 150), flower("#5566d5", 230)]
#: What the judges' far ends do, for one request or for as long as the rollout lasts.
PASSING = ("429:0", "500", "504", "drop", "not_json")
JUDGE = ("429:0", "500", "504", "slow", "drop", "babble", "not_json", "no_choices")
QUALITY = ("500", "slow", "drop", "nan", "infinite", "unavailable", "not_json", "words")
KILLED = ("page", "GPU process", "browser", "any of them", "every one for 2 s", "Playwright's helper", "parser")
FAULTS = (
    *(("judge", name) for name in JUDGE),
    *(("judge, once", name) for name in PASSING),
    ("judge, half", "429:0"),
    *(("quality", name) for name in QUALITY),
    *(("killed", name) for name in KILLED),
    ("clock jump", "an hour ahead and back"),
    ("none", ""),
)
#: Kinds that are one fault for every request of a rollout: no number can come of them.
LASTING = ("judge", "quality")


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return load_pool(paintings.taste_pool(tmp_path_factory.mktemp("taste") / "pool", paintings.WARM, paintings.COOL))


@contextlib.contextmanager
def far_ends():
    with ProviderServer(slow_s=4) as chat, ProviderServer(slow_s=4) as score:
        yield chat, score


class Painted:
    """A renderer that has this one painting ready."""

    def __init__(self, render):
        self._render = render

    async def arender(self, source, seed=0):
        return self._render


def scorer(renderer, pool, chat, score, weights=MIXES["judge-led"]):
    return Scorer(
        renderer,
        pool,
        judge=VisionJudge("m", url=chat.chat_url, attempt_s=1.5, deadline_s=3),
        quality=HPSv3Client(score.url, attempt_s=1.5, deadline_s=3),
        weights=weights,
    )


@contextlib.contextmanager
def injected(kind, name, chat, score, renderer, chance, clock):
    """One fault for the length of a rollout."""
    chat.script.clear()
    chat.always = name if kind == "judge" else "good"
    score.always = name if kind == "quality" else "good"
    if kind == "judge, once":
        chat.script.append(name)
    if kind == "judge, half":
        chat.script.extend(chance.choices((name, "good"), k=60))
    if kind == "killed":
        killer = threading.Timer(chance.uniform(0.05, 0.6), kill_one, (renderer, name, chance))
        killer.start()
    clock["jumps"] += kind == "clock jump"
    yield
    clock["jumps"] -= kind == "clock jump"
    if kind == "killed":
        killer.join()


def kill_one(renderer, name, chance):
    """Kill -9 the named part of the renderer's browser, if it is there now."""
    signs = {"page": "--type=renderer", "GPU process": "--type=gpu-process"}
    with contextlib.suppress(psutil.NoSuchProcess, IndexError):
        if name == "parser":
            pid = nodeworker.shared.pid  # None while another lane restarts it; psutil would take that for ourselves
            return psutil.Process(pid).kill() if pid else None
        processes = renderer.processes()
        helper = processes[0].parent()  # init, once the helper is dead: then there is nobody to kill
        if helper not in psutil.Process().children(recursive=True):
            return None
        if name == "Playwright's helper":
            return helper.kill()
        if name == "browser":
            return processes[0].kill()
        if name.startswith("every"):
            until = time.monotonic() + 2
            while time.monotonic() < until:
                for one in helper.children():
                    with contextlib.suppress(psutil.NoSuchProcess):
                        one.kill()
                time.sleep(chance.uniform(0.01, 0.3))
            return None
        chance.choice([one for one in processes if signs.get(name, "") in " ".join(one.cmdline())]).kill()


@pytest.fixture
def clock(monkeypatch):
    """The wall clock, which jumps an hour ahead or back at every look while ``jumps`` is above 0."""
    real, chance, state = time.time, random.Random(2), {"jumps": 0}
    monkeypatch.setattr(time, "time", lambda: real() + (chance.choice((0, 3600, -3600)) if state["jumps"] else 0))
    return state


def test_no_faulted_rollout_gets_a_number_that_an_undisturbed_one_would_not(renderer, pool, clock, whole, promised):
    """A fault is either absorbed (the reward is the undisturbed one, to the last bit) or the reward is None."""
    faults = FAULTS if whole else FAULTS[::3]
    count, lanes = (1000, 4) if whole else (len(faults), 2)
    seen: Counter[str] = Counter()
    undisturbed: dict[tuple[int, int], float] = {}

    def lane(number: int) -> None:
        chance = random.Random(number)
        with far_ends() as (chat, score), Renderer(browsers=1, deadline_s=30) as own:
            earn = scorer(own, pool, chat, score)
            for i in range(number, count, lanes):
                kind, name = faults[i % len(faults)]
                which, seed = i % len(REPLIES), i % 2
                with injected(kind, name, chat, score, own, chance, clock):
                    reward = asyncio.run(earn.score(REPLIES[which], seed=seed))
                if reward.value is None:
                    assert kind not in ("none", "clock jump", "judge, once"), f"{kind} {name}: {reward.reason}"
                    part = {"judge": "judge", "judge, half": "judge", "quality": "quality", "killed": "renderer"}[kind]
                    assert reward.reason.startswith(f"{part}: "), f"{kind} {name}: {reward.reason}"
                    seen[f"{kind}: None"] += 1
                else:
                    assert reward.value == undisturbed[which, seed], f"{kind} {name}: {reward.value}"
                    assert kind not in LASTING, f"{name} gave a number"
                    seen[f"{kind}: as undisturbed"] += 1

    with far_ends() as (chat, score):
        earn = scorer(renderer, pool, chat, score)
        for key in [(which, seed) for which in range(len(REPLIES)) for seed in (0, 1)]:
            undisturbed[key] = asyncio.run(earn.score(REPLIES[key[0]], seed=key[1])).value
    assert all(value and math.isfinite(value) for value in undisturbed.values())
    with ThreadPoolExecutor(lanes) as threads:
        for done in [threads.submit(lane, number) for number in range(lanes)]:
            done.result()
    assert sum(seen.values()) == count
    promised(
        1,
        f"{count:,} rollouts, {len(faults)} kinds of fault in turn",
        ", ".join(f"{k} {n}" for k, n in sorted(seen.items())),
    )


def test_no_reward_lacks_a_term_that_is_wanted(renderer, pool, promised):
    """Every fault of a judge against every mix: None where the term is wanted, the same number where it is not."""
    seen: Counter[str] = Counter()
    easel = Painted(renderer.render(extract(REPLIES[0]).source, seed=1))
    faults = [("judge", "500"), ("judge", "not_json"), ("quality", "nan"), ("quality", "infinite"), ("quality", "500")]

    async def earned(mix: str, part: str, name: str) -> float | None:
        with far_ends() as (chat, score):
            (chat if part == "judge" else score).always = name
            return (await scorer(easel, pool, chat, score, MIXES[mix]).score(REPLIES[0], seed=1)).value

    async def all_of(mix: str) -> list[float | None]:
        return await asyncio.gather(*(earned(mix, *fault) for fault in [("judge", "good"), *faults]))

    for mix, weights in MIXES.items():
        undisturbed, *values = asyncio.run(all_of(mix))
        assert undisturbed is not None and math.isfinite(undisturbed)
        for (part, name), value in zip(faults, values, strict=True):
            wanted = getattr(weights, part) > 0
            assert value == (None if wanted else undisturbed), f"{mix}: {part} {name} gave {value}"
            seen["None" if wanted else "as if it had come (weight 0)"] += 1
    promised(
        2,
        "5 faults of judge and HPSv3 (NaN and inf among them) in 3 mixes",
        ", ".join(f"{k} {n}" for k, n in seen.items()),
    )


OWN_FAULTS = [
    "",
    "Here is my painting!",
    flower().replace("function setup", "function setup(("),
    flower().replace("brush.noStroke();", "nobody();"),
    flower("#f7f1e3"),
    flower().replace("background('#f7f1e3');", "background('#f7f1e3'); fill(255, 0, 0); circle(300, 300, 200);"),
    flower().replace("draw() {", "draw() { throw new Error('no');"),
    ENDLESS,
]


def corpus() -> list[tuple[bytes, bool]]:
    """The shared corpus of replies, where a checkout has it beside it: each with whether it is to be admitted."""
    path = SHARED / "expected.json"
    files = json.loads(path.read_text("utf-8"))["files"] if path.is_file() else []
    counted = [one for one in files if not one["hard"] and not one["contested"]]
    return [((SHARED / "sketches" / one["file"]).read_bytes(), one["admit"]) for one in counted]


def test_the_sketchs_own_fault_is_always_zero_also_under_load(pool, whole, promised):
    """Two busy processes beside two browsers: a faulty sketch never gets None for it, nor a sound one a 0."""
    replies: list[tuple[str | bytes, bool]] = [(reply, False) for reply in OWN_FAULTS]
    if whole:
        replies += corpus()
    busy = [multiprocessing.get_context("spawn").Process(target=spin, args=(600 if whole else 90,)) for _ in range(2)]
    for process in busy:
        process.start()
    try:
        with far_ends() as (chat, score), Renderer(browsers=2, deadline_s=20 if whole else 8) as renderer:
            earn = scorer(renderer, pool, chat, score)
            rewards = [asyncio.run(earn.score(reply, seed=1)) for reply, _ in replies]
    finally:
        for process in busy:
            process.terminate()
    for (reply, sound), reward in zip(replies, rewards, strict=True):
        told = f"{reward.value}: {reward.reason}\n{reply[:300]!r}"
        if sound:
            assert reward.value and reward.value > 0, told
        else:
            assert reward.value == 0 and reward.reason and reward.verdict.codes, told
    sound = sum(admitted for _, admitted in replies)
    what = f"{len(replies) - sound} faulty sketches and {sound} sound ones beside two busy processes"
    promised(
        3, what, "0 with a reason, every one; a number above 0, every one" if sound else "0 with a reason, every one"
    )


def spin(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
