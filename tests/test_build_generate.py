"""Generation against a real server on this machine: rounds, faults, a kill, what is kept and what is paid."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import paintings
import pytest
from env_fixtures import flower
from PIL import Image

from wclib.building.chat import Chat
from wclib.building.generate import dry_run, generate
from wclib.building.photos import Photo
from wclib.building.plan import Plan, read_prices
from wclib.building.replay import Provider, Status, spoken
from wclib.cli import main
from wclib.domains import HIBISCUS
from wclib.errors import UsageError
from wclib.jsonl import read_rows

DOMAIN = replace(HIBISCUS, subjects=("a coral hibiscus", "a white hibiscus"))
ONE = replace(HIBISCUS, subjects=("a coral hibiscus",))
HUES = ("#5b7fc4", "#eda486", "#d5567f")


def turn(messages):
    return sum(message["role"] == "assistant" for message in messages)


def painter(model, messages):
    """Paints larger and warmer with every round; `critic` answers about what it is shown."""
    if model == "critic":
        return "<think>hm</think>Lay the petals larger and warmer."
    return flower(HUES[turn(messages)], 90 + 60 * turn(messages))


def run(plan, out, provider, renderer, **options):
    chat = Chat(provider.url, concurrent=4, attempt_s=5, deadline_s=8)
    return asyncio.run(generate(plan, out, chat, renderer, say=options.pop("say", lambda text: None), **options))


def events(out, name):
    return [row for row in read_rows(out / "build.jsonl")[0] if row["event"] == name]


class Watched:
    """The renderer, and how many paintings are under way."""

    def __init__(self, renderer):
        self.renderer, self.at_work = renderer, 0

    async def arender(self, source, seed=0):
        self.at_work += 1
        try:
            return await self.renderer.arender(source, seed)
        finally:
            self.at_work -= 1


@pytest.fixture(scope="module")
def built(renderer, tmp_path_factory):
    """One build of two models that paint, one that talks and one that is never there."""
    home = tmp_path_factory.mktemp("built")
    path = home / "7.jpg"
    Image.open(io.BytesIO(paintings.flower(1))).convert("RGB").save(path)
    look = Photo(
        path, "cc-by", "(c) someone, some rights reserved (CC BY)", "https://www.inaturalist.org/observations/70"
    )

    watched, overlapped = Watched(renderer), []

    def answer(model, messages):
        if model == "talks":
            return "A hibiscus is a fine thing to paint. Shall I begin?"
        if model == "is/away":
            return Status(404)
        if model == "reads" and any(isinstance(message["content"], list) for message in messages):
            return Status(400)
        if model == "reads" and turn(messages) == 0:
            # Answers only while the other model's painting is under way: without overlap nobody ever paints.
            until = time.monotonic() + 4
            while not watched.at_work and time.monotonic() < until:
                time.sleep(0.005)
            overlapped.append(watched.at_work > 0)
        time.sleep(0.1)
        return painter(model, messages)

    said = []
    plan = Plan(ONE, ("paints/One", "reads", "talks", "is/away"), (look,), each=1, critic="critic")
    with Provider(answer) as provider:
        report = run(plan, home / "out", provider, watched, prices={"reads": (1.0, 2.0)}, say=said.append)
    assert overlapped and all(overlapped), "nobody was asked while something was being painted"
    return plan, home / "out", report, provider.requests, said


def test_every_round_is_painted_kept_and_listed_in_the_published_columns(built):
    plan, out, report, _, _ = built
    rows, _ = read_rows(out / "metadata.jsonl")
    assert report["paintings"] == len(rows) == 6
    assert Counter(row["refinement_round"] for row in rows) == {0: 2, 1: 2, 2: 2}
    assert {row["generator_model"] for row in rows} == {"paints/One", "reads"}
    for row in rows:
        assert row["tier"] is None and row["reference_photo_licence"] == "cc-by" and row["reference_photo_attribution"]
        with Image.open(out / row["file_name"]) as picture:
            assert picture.size == (600, 600)
        assert HUES[row["refinement_round"]] in (out / row["source_file"]).read_text()


def test_the_photograph_is_in_the_first_message_and_words_are_between_the_rounds(built):
    _, out, _, requests, said = built
    first = next(r for r in requests if r["model"] == "paints/One" and turn(r["messages"]) == 0)
    picture = next(part for part in first["messages"][1]["content"] if part["type"] == "image_url")
    data = base64.b64decode(picture["image_url"]["url"].partition("base64,")[2])
    assert Image.open(io.BytesIO(data)).size == (300, 300)
    last = next(r for r in requests if r["model"] == "paints/One" and turn(r["messages"]) == 2)
    assert [message["role"] for message in last["messages"]] == ["system"] + ["user", "assistant"] * 2 + ["user"]
    assert spoken(last["messages"]).count("Lay the petals larger and warmer.") == 2 and "Paint covers" in spoken(
        last["messages"]
    )
    assert "<think>" not in spoken(last["messages"])
    asked = next(r for r in requests if r["model"] == "critic")
    assert sum(part["type"] == "image_url" for part in asked["messages"][1]["content"]) == 2
    assert DOMAIN.criteria in asked["messages"][0]["content"]
    assert len([text for text in said if text.startswith("reads takes no pictures")]) == 1


def test_models_that_fail_their_trial_are_dropped_and_named_after_the_trial_alone(built):
    _, out, report, requests, _ = built
    assert set(report["dropped"]) == {"talks", "is/away"} and "0 of its 1" in report["dropped"]["talks"]
    assert Counter(r["model"] for r in requests)["talks"] == 1
    assert all("HTTP 404 (check the URL and the model's name)" in row["reason"] for row in events(out, "failure"))
    assert report["refused"] == {"no_sketch": 1} and report["failures"] == {"sketch": 1}


def test_the_table_counts_calls_tokens_seconds_and_money(built):
    *_, report, requests, _ = built
    table = {row["model"]: row for row in report["models"]}
    assert table["paints/One"]["calls"] == 3 and table["critic"]["calls"] == 4 and table["is/away"]["calls"] == 0
    assert table["is/away"]["failed"] == 1 and table["talks"]["dropped"]
    priced = table["reads"]
    assert priced["dollars"] == pytest.approx((priced["prompt_tokens"] + 2 * priced["completion_tokens"]) / 1e6)
    assert table["paints/One"]["dollars"] is None and table["paints/One"]["seconds"] >= 0.1


def test_the_dry_run_counts_what_the_build_then_asks_at_most(built, tmp_path):
    plan, out, _, requests, _ = built
    fresh = dry_run(plan, tmp_path)
    assert fresh["calls_in_all"] == 4 * 3 + 4 * 2 and fresh["minutes"] is None
    assert dry_run(plan, out)["calls_left"] == fresh["calls_in_all"] - 3 - 3 - 1 - 4


def test_a_sketch_that_fails_its_gate_is_told_why_and_costs_no_critic(renderer, tmp_path):
    def mends(model, messages):
        broken = not turn(messages) and "Paint a coral" in spoken(messages) and model != "critic"
        return "```js\nsetup(\n```" if broken else painter(model, messages)

    with Provider(mends) as provider:
        plan = Plan(DOMAIN, ("a",), each=1, rounds=2, critic="critic")
        report = run(plan, tmp_path / "out", provider, renderer)
    assert Counter(r["model"] for r in provider.requests) == {"a": 4, "critic": 1}
    second = next(r for r in provider.requests if turn(r["messages"]) == 1 and "Paint a coral" in spoken(r["messages"]))
    told = "The gate did not let this sketch through. The code ends before it is complete. Correct the code there"
    assert told in spoken(second["messages"])
    assert report["paintings"] == 3 and report["refused"] == {"syntax_error": 1}


def test_a_critic_that_fails_is_written_down_and_the_measured_words_stand_in(renderer, tmp_path):
    def answer(model, messages):
        return Status(500) if model == "critic" else painter(model, messages)

    with Provider(answer) as provider:
        plan = Plan(replace(DOMAIN, subjects=DOMAIN.subjects[:1]), ("a",), each=1, rounds=2, critic="critic")
        report = run(plan, tmp_path / "out", provider, renderer)
    assert report["paintings"] == 2 and report["failures"] == {"critique": 1}
    (words,) = events(tmp_path / "out", "critique")
    assert words["model"] == "measured" and "Paint covers" in words["words"]


def test_a_model_that_stops_answering_is_dropped_with_what_it_painted_kept(renderer, tmp_path):
    asked = Counter()

    def answer(model, messages):
        asked[model] += 1
        return painter(model, messages) if asked[model] <= 2 else Status(402)

    with Provider(answer) as provider:
        report = run(Plan(DOMAIN, ("a",), each=4, rounds=1), tmp_path / "out", provider, renderer)
    assert (
        report["paintings"] == 2
        and "3 times in a row" in report["dropped"]["a"]
        and "no credit" in report["dropped"]["a"]
    )


def test_faults_of_the_provider_are_waited_out(renderer, tmp_path):
    script = [Status(429, "1"), None, Status(503)]

    def answer(model, messages):
        return script.pop(0) if script else painter(model, messages)

    with Provider(answer) as provider:
        report = run(Plan(DOMAIN, ("a",), each=1, rounds=1), tmp_path / "out", provider, renderer)
    assert report["paintings"] == 2 and report["failures"] == {} and len(provider.requests) == 5


def test_a_killed_build_goes_on_and_pays_for_nothing_twice(tmp_path, renderer):
    def answer(model, messages):
        time.sleep(0.15)
        return painter(model, messages)

    plan = Plan(ONE, ("a",), each=2, rounds=2, critic="critic")
    out = tmp_path / "out"
    whole = sum(plan.calls().values())
    with Provider(answer) as provider:
        command = [sys.executable, "-m", "wclib", "pool", "generate", "--out", str(out), "--models", "a"]
        chosen = {key: value for key, value in vars(ONE).items() if key != "pool"}
        (tmp_path / "domain.json").write_text(json.dumps(chosen))
        child = subprocess.Popen(
            [*command, "--critic", "critic", "--domain", str(tmp_path), "--each", "2", "--rounds", "2"],
            env={**os.environ, "WATERCOLOUR_GENERATE_URL": provider.url},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while len(events(out, "painting") if out.is_dir() else ()) < 2 and child.poll() is None:
                time.sleep(0.02)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait(10)
        with (out / "build.jsonl").open("a") as log:
            log.write('{"event": "sketch", "torn')
        paid = len(events(out, "sketch")) + sum("latency_s" in row for row in events(out, "critique"))
        in_flight = len(provider.requests) - paid
        assert 0 < paid < whole and 0 <= in_flight <= 2
        report = run(plan, out, provider, renderer)
        assert len(provider.requests) == whole + in_flight
        assert report["paintings"] == len(read_rows(out / "metadata.jsonl")[0]) == 4
        lost = next(out.glob("*_r1_*.png"))
        lost.unlink()
        again = run(plan, out, provider, renderer)
        assert len(provider.requests) == whole + in_flight and again["paintings"] == 4 and lost.is_file()
        assert len(read_rows(out / "metadata.jsonl")[0]) == 4


def test_a_folder_keeps_to_one_domain(renderer, tmp_path):
    with Provider(painter) as provider:
        run(Plan(replace(DOMAIN, subjects=("a",)), ("a",), each=1, rounds=1), tmp_path / "out", provider, renderer)
        with pytest.raises(UsageError, match="a build of hibiscus.*--out"):
            run(Plan(replace(DOMAIN, name="lemon"), ("a",)), tmp_path / "out", provider, renderer)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--models", "a", "a"], "each of them once"),
        (["--models", "a", "--each", "0"], "--each 0"),
        (["--models", "a/b-c", "a/b.c"], "differ only in signs"),
        (["--models", "a", "--domain", "tulip"], "no domain 'tulip'"),
        (["--models", "a", "--photos", "nowhere"], "holds no photographs"),
        (["--models", "a", "--price", "a=cheap"], "MODEL=IN/OUT"),
        (["--models", "a", "--price", "a=nan/2"], "MODEL=IN/OUT"),
        (["--models", "a" * 230], "too long for a disk"),
        (["--models", "a"], "set HF_TOKEN"),
    ],
)
def test_wrong_usage_is_said_before_anything_starts(arguments, said, tmp_path, capsys):
    assert main(["pool", "generate", "--out", str(tmp_path / "out"), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_dry_run_of_the_command_needs_no_token(tmp_path, capsys):
    models = ["--models", "a", "b", "c", "d", "--each", "3"]
    assert main(["pool", "generate", "--out", str(tmp_path / "out"), *models, "--dry-run"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["candidates"] == 60 and told["calls_in_all"] == 60 * 3 + 60 * 2 and not (tmp_path / "out").exists()


def test_prices_are_read_by_model():
    assert read_prices(["a/b=0.5/2"]) == {"a/b": (0.5, 2.0)}
