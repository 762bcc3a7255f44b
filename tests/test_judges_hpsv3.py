"""The HPSv3 client against a real HTTP server that answers as its Space does."""

from __future__ import annotations

import asyncio
import base64
import math

import paintings
import pytest
from provider_server import ProviderServer

from wclib.domains import HIBISCUS
from wclib.errors import InfrastructureFault, UsageError
from wclib.judges.hpsv3 import HPSv3Client, hpsv3_from_env, squash

PICTURE = paintings.disc(radius=90)
SECRET = "hf_this_is_a_secret"


def quality(server, **settings):
    client = HPSv3Client(server.url, token=SECRET, **{"attempt_s": 0.6, "deadline_s": 10, **settings})
    return asyncio.run(client.quality(PICTURE))


def test_mu_is_squashed_by_a_logistic_of_scale_four():
    assert squash(0) == 0.5
    for mu in (3.5, -7.5, -10, 12.3):
        assert squash(mu) == pytest.approx(1 / (1 + math.exp(-mu / 4)))
    assert squash(1e5) == 1.0 and squash(-1e5) == 0.0


def test_the_picture_and_the_domain_s_caption_are_posted_and_mu_is_used():
    with ProviderServer() as server:
        score = quality(server)
    path, headers, body = server.requests[0]
    assert path == "/score" and headers["Authorization"] == f"Bearer {SECRET}"
    assert base64.b64decode(body["png_base64"]) == PICTURE and body["prompt"] == HIBISCUS.caption
    assert 0 < score < 1 and score != 0.5


@pytest.mark.parametrize("fault", ["429", "503", "drop", "slow", "unavailable", "nan", "not_json"])
def test_two_failed_attempts_are_forgiven(fault):
    with ProviderServer(fault, fault) as server:
        assert 0 < quality(server) < 1
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "fault", ["500", "drop", "slow", "unavailable", "nan", "infinite", "words", "list", "not_json"]
)
def test_without_a_finite_score_there_is_a_fault_of_quality_and_never_a_number(fault):
    with ProviderServer(always=fault) as server, pytest.raises(InfrastructureFault) as raised:
        quality(server)
    assert raised.value.part == "quality" and SECRET not in str(raised.value)


def test_a_refused_token_is_not_tried_again():
    with ProviderServer(always="401") as server, pytest.raises(InfrastructureFault, match="401.*token"):
        quality(server)
    assert len(server.requests) == 1


def test_the_environment_configures_it(monkeypatch):
    assert hpsv3_from_env() is None
    with ProviderServer() as server:
        monkeypatch.setenv("WATERCOLOUR_HPSV3_URL", server.url + "/")
        assert 0 < asyncio.run(hpsv3_from_env().quality(PICTURE)) < 1
    monkeypatch.setenv("WATERCOLOUR_HPSV3_URL", "ftp://somewhere")
    with pytest.raises(UsageError, match="WATERCOLOUR_HPSV3_URL"):
        hpsv3_from_env()
