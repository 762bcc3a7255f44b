"""The laptop run against other judges, by configuration only: an OpenAI-style endpoint and an HPSv3 server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from provider_server import ProviderServer
from test_train_end_to_end import TINY

from wclib.domains import HIBISCUS
from wclib.errors import UsageError
from wclib.jsonl import read_rows
from wclib.train.laptop import run_laptop
from wclib.train.policy import load


def test_a_lora_run_is_judged_by_the_endpoints_the_variables_name(tmp_path, monkeypatch):
    config = replace(TINY, generations=1, rollouts=2, eval_samples=2, eval_every=1, adapter="lora")
    with ProviderServer() as far:
        monkeypatch.setenv("WATERCOLOUR_JUDGE_URL", far.chat_url)
        monkeypatch.setenv("WATERCOLOUR_JUDGE_MODEL", "some-vision-model")
        monkeypatch.setenv("WATERCOLOUR_HPSV3_URL", far.url)
        said: list[str] = []
        done = run_laptop(config, tmp_path, "far", progress=False, say=said.append, pool=HIBISCUS.pool)
        chats = [body for path, _, body in far.requests if path == "/v1/chat/completions"]
        scores = [body for path, _, body in far.requests if path == "/score"]
    assert "some-vision-model" in done["judge"] and "local" not in done["judge"] + done["quality"], done
    run = Path(done["folder"])
    rows = read_rows(run / "rollouts.jsonl")[0] + read_rows(run / "eval" / "rollouts.jsonl")[0]
    painted = [row for row in rows if row["gate_passed"]]
    assert painted and all(row["reward"] is not None for row in rows)
    assert len(scores) == len(painted)
    assert len(chats) == sum(2 * len(row["references"]) for row in painted), "every pair in both orders"
    assert {body["model"] for body in chats} == {"some-vision-model"}
    assert {body["prompt"] for body in scores} == {HIBISCUS.caption}
    assert all(row["judge_score"] is not None and row["quality_score"] is not None for row in painted)
    model, _ = load(Path(done["best_policy"]))
    assert not any("lora" in name for name, _ in model.named_parameters()), "the policy that is kept needs no PEFT"


def test_a_pool_for_an_environment_that_has_one_is_refused(tmp_path):
    with pytest.raises(UsageError, match="--pool"):
        run_laptop(TINY, tmp_path, "far", env_url="http://127.0.0.1:9", pool=HIBISCUS.pool)
    assert not (tmp_path / "far").exists()
