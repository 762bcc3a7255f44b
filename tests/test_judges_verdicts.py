"""Verdicts kept on disk: paid for once, and never a lost call."""

from __future__ import annotations

import asyncio

import paintings
import pytest
from provider_server import ProviderServer

from wclib.domains import HIBISCUS, Domain
from wclib.errors import InfrastructureFault, UsageError
from wclib.judges.local import LocalJudge
from wclib.judges.verdicts import RememberedJudge, judge_from_env
from wclib.judges.vision import VisionJudge
from wclib.pool import load_pool
from wclib.scorer import scorer_from_env

LARGE, SMALL = paintings.disc(radius=90), paintings.disc(radius=30)


def judge(server, folder, model="some/model", domain=HIBISCUS):
    return RememberedJudge(VisionJudge(model, domain, server.chat_url, attempt_s=0.6, deadline_s=5), folder)


def ask(judge, first=LARGE, second=SMALL):
    return asyncio.run(judge.verdict(first, second))


def test_the_same_pair_is_paid_for_once_even_by_another_process_s_judge(tmp_path):
    with ProviderServer() as server:
        first = judge(server, tmp_path / "deep" / "cache")
        assert [ask(first) for _ in range(3)] == ["first"] * 3
        again = judge(server, tmp_path / "deep" / "cache")
        assert ask(again) == "first" and again.remembered == 1
        assert len(server.requests) == 1
    assert str(tmp_path) in again.describe()


def test_order_model_and_question_each_make_another_verdict(tmp_path):
    other = Domain(**{**vars(HIBISCUS), "criteria": "nothing but blue"})
    with ProviderServer() as server:
        assert ask(judge(server, tmp_path)) == "first"
        assert ask(judge(server, tmp_path), SMALL, LARGE) == "second"
        ask(judge(server, tmp_path, model="another/model"))
        ask(judge(server, tmp_path, domain=other))
        assert len(server.requests) == 4


def test_a_lost_call_is_not_kept(tmp_path):
    with ProviderServer("500", "500", "500") as server:
        one = judge(server, tmp_path)
        with pytest.raises(InfrastructureFault):
            ask(one)
        assert ask(one) == "first" and one.remembered == 0
        assert len(server.requests) == 4


def test_a_cache_that_breaks_costs_its_savings_and_nothing_else(tmp_path):
    with ProviderServer() as server:
        one = judge(server, tmp_path)
        for file in tmp_path.iterdir():
            file.unlink()
        (tmp_path / "cache.db").write_bytes(b"no database" * 999)
        one._cache.close()
        assert ask(one) == ask(one) == "first"
    with pytest.raises(UsageError, match="WATERCOLOUR_VERDICT_CACHE=.*cannot be used"):
        judge(server, tmp_path)


def test_it_is_off_unless_a_folder_is_named_and_the_scorer_says_which(tmp_path, monkeypatch):
    folder = paintings.taste_pool(tmp_path / "pool", paintings.WARM, paintings.COOL, each=2)
    assert isinstance(judge_from_env(load_pool(folder)), LocalJudge)
    monkeypatch.setenv("WATERCOLOUR_JUDGE_URL", "http://127.0.0.1:9")
    assert isinstance(judge_from_env(load_pool(folder)), VisionJudge)
    assert scorer_from_env(pool=load_pool(folder)).identity()["verdict_cache"] == ""
    monkeypatch.setenv("WATERCOLOUR_VERDICT_CACHE", str(tmp_path / "verdicts"))
    identity = scorer_from_env(pool=load_pool(folder)).identity()
    assert identity["verdict_cache"] == str(tmp_path / "verdicts") and identity["judge"].startswith("vision judge")
