"""The vision judge against a real HTTP server that speaks the provider's chat API, faults included."""

from __future__ import annotations

import asyncio
import base64
import email.utils
import time

import paintings
import pytest
from provider_server import ProviderServer

from wclib.errors import InfrastructureFault, UsageError
from wclib.judges.pairwise import compare_all, judge_score
from wclib.judges.remote import retry_after
from wclib.judges.vision import VisionJudge, parse_winner, vision_judge_from_env
from wclib.pool import load_pool

LARGE, SMALL = paintings.disc(radius=90), paintings.disc(radius=30)
SECRET = "hf_this_is_a_secret"


def judge(server, **settings):
    settings = {"attempt_s": 0.6, "deadline_s": 10, **settings}
    return VisionJudge("some/model", url=server.chat_url, token=SECRET, **settings)


def verdict(server, first=LARGE, second=SMALL, **settings):
    return asyncio.run(judge(server, **settings).verdict(first, second))


def test_the_request_is_what_the_provider_expects():
    with ProviderServer() as server:
        assert verdict(server) == "first" and verdict(server, SMALL, LARGE) == "second"
    path, headers, body = server.requests[0]
    assert path == "/v1/chat/completions" and headers["authorization"] == f"Bearer {SECRET}"
    assert body["model"] == "some/model" and body["temperature"] == 0 and body["max_tokens"] == 220
    content = body["messages"][0]["content"]
    pictures = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    assert [base64.b64decode(url.removeprefix("data:image/png;base64,")) for url in pictures] == [LARGE, SMALL]
    question = content[0]["text"]
    assert "muddy" in question and "bleeds" in question and question.index('"winner"') < question.index('"reason"')


@pytest.mark.parametrize("reply", ["cut", "prose", "fenced"])
def test_a_reply_that_is_cut_fenced_or_wrapped_in_prose_still_names_the_winner(reply):
    with ProviderServer(always=reply) as server:
        assert verdict(server) == "first" and verdict(server, SMALL, LARGE) == "second"
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    "fault", ["429", "500", "503", "504", "drop", "slow", "babble", "both", "not_json", "no_choices"]
)
def test_two_failed_attempts_are_forgiven_and_the_third_answers(fault):
    with ProviderServer(fault, fault) as server:
        assert verdict(server) == "first"
        assert len(server.requests) == 3


@pytest.mark.parametrize("fault", ["429", "500", "504", "drop", "slow", "babble", "not_json"])
def test_three_failed_attempts_are_a_fault_of_the_judge_and_never_a_verdict(fault):
    with ProviderServer(always=fault) as server, pytest.raises(InfrastructureFault) as raised:
        verdict(server)
    assert raised.value.part == "judge" and len(server.requests) == 3
    assert "some/model at 127.0.0.1" in str(raised.value) and SECRET not in str(raised.value)


@pytest.mark.parametrize(("status", "remedy"), [("401", "token"), ("402", "credit"), ("404", "model")])
def test_what_waiting_cannot_mend_is_not_asked_again(status, remedy):
    with ProviderServer(always=status) as server, pytest.raises(InfrastructureFault, match=f"{status}.*{remedy}"):
        verdict(server)
    assert len(server.requests) == 1


def test_retry_after_is_waited_for():
    with ProviderServer("429:1.2") as server:
        assert verdict(server) == "first"
    assert 1.2 <= server.at[1] - server.at[0] < 3


def test_retry_after_may_be_a_number_or_a_date():
    assert retry_after({"retry-after": "7"}) == 7
    in_a_minute = email.utils.formatdate(time.time() + 60, usegmt=True)
    assert 55 < retry_after({"retry-after": in_a_minute}) <= 60
    assert retry_after({"retry-after": "soon"}) is None and retry_after({}) is None
    assert retry_after({"retry-after": "nan"}) is None and retry_after({"retry-after": "-3"}) == 0


@pytest.mark.parametrize("fault", ["429:3600", "slow"])
def test_the_deadline_holds_over_all_attempts_and_waits(fault):
    started = time.monotonic()
    with ProviderServer(always=fault, slow_s=3) as server, pytest.raises(InfrastructureFault, match="within 1 s"):
        verdict(server, attempt_s=30, deadline_s=1)
    assert time.monotonic() - started < 2.5


def test_a_server_that_is_not_there_is_a_fault_of_the_judge():
    with ProviderServer() as server:
        pass
    with pytest.raises(InfrastructureFault, match="connection failed"):
        verdict(server)


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    pictures = [paintings.disc(radius=radius) for radius in (50, 60)]
    folder = paintings.write_pool(tmp_path_factory.mktemp("p") / "pool", {"love": pictures, "okay": pictures})
    return load_pool(folder).paintings


@pytest.mark.parametrize(("kind", "large", "small"), [("good", 1, 0), ("wrong", 0, 1), ("biased", 0.5, 0.5)])
def test_a_position_biased_judge_scores_a_half_and_a_wrong_one_is_believed(references, kind, large, small):
    with ProviderServer(always=kind) as server:
        for picture, expected in ((LARGE, large), (SMALL, small)):
            comparisons = asyncio.run(compare_all(picture, references, judge(server)))
            assert judge_score(comparisons) == expected
        assert len(server.requests) == 16


def test_one_judge_serves_several_event_loops():
    with ProviderServer() as server:
        one = judge(server)
        assert [asyncio.run(one.verdict(LARGE, SMALL)) for _ in range(3)] == ["first"] * 3


def test_the_token_is_shown_nowhere():
    with ProviderServer() as server:
        one = judge(server)
    assert SECRET not in repr(one) and SECRET not in one.name
    hidden = VisionJudge("m", url=f"http://someone:{SECRET}@127.0.0.1:1/v1", deadline_s=1)
    with pytest.raises(InfrastructureFault) as raised:
        asyncio.run(hidden.verdict(LARGE, SMALL))
    assert SECRET not in str(raised.value) + repr(hidden)


@pytest.mark.parametrize(
    ("reply", "winner"),
    [
        ('{"winner": "A", "reason": "soft"}', "first"),
        ("{'winner': 'b'}", "second"),
        ('{"winner":"B","reason":"its wash', "second"),
        ('{"winner": "A', "first"),
        ('{"reason": "A is muddy", "winner": "B"}', "second"),
        ("Winner: **B**", "second"),
        ('<think>A? the winner: A maybe</think>\n{"winner": "B"}', "second"),
        ("B", "second"),
        ("Painting A.", "first"),
        ('{"winner": "', None),
        ('{"winner": "neither"}', None),
        ('{"winner": "Abstract"}', None),
        ('{"winner": "A" or "B", "reason": ""}', None),
        ("A is better than B", None),
        ("", None),
    ],
)
def test_who_a_reply_names(reply, winner):
    assert parse_winner(reply) == winner


def test_the_environment_configures_it_and_the_hub_token_goes_to_hugging_face_alone(monkeypatch):
    assert vision_judge_from_env() is None
    with ProviderServer() as server:
        monkeypatch.setenv("HF_TOKEN", SECRET)
        assert vision_judge_from_env().model == "Qwen/Qwen3-VL-30B-A3B-Instruct"
        monkeypatch.setenv("WATERCOLOUR_JUDGE_URL", server.chat_url)
        monkeypatch.setenv("WATERCOLOUR_JUDGE_MODEL", "my/own")
        asyncio.run(vision_judge_from_env().verdict(LARGE, SMALL))
        monkeypatch.setenv("WATERCOLOUR_JUDGE_TOKEN", "mine")
        asyncio.run(vision_judge_from_env().verdict(LARGE, SMALL))
    assert [headers["authorization"] for _, headers, _ in server.requests] == ["Bearer none", "Bearer mine"]
    assert server.requests[0][2]["model"] == "my/own"
    monkeypatch.setenv("WATERCOLOUR_JUDGE_MODEL", "local")
    assert vision_judge_from_env() is None


def test_a_model_that_cannot_be_reached_and_a_bad_url_are_refused(monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_JUDGE_MODEL", "my/own")
    with pytest.raises(UsageError, match="my/own needs HF_TOKEN"):
        vision_judge_from_env()
    monkeypatch.setenv("WATERCOLOUR_JUDGE_URL", "localhost:8080")
    with pytest.raises(UsageError, match="WATERCOLOUR_JUDGE_URL"):
        vision_judge_from_env()
