"""The Hub job and the pushes, over real requests to a server that answers as the Hub's real client expects."""

from __future__ import annotations

import threading
import time
import zipfile
from io import BytesIO

import pytest
from hub_server import COMMIT, TOKEN, Hub, hub_server
from huggingface_hub import HfApi
from launch_line import parse

from wclib.errors import InfrastructureFault, UsageError
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.jobs import effective_job, submit
from wclib.train.launch.push import Pusher
from wclib.train.launch.pushing import Pushes, fetch_run

LINE = "--env-url https://e.hf.space --lora --all-linear --steps 60 --push-to-hub --flavor h200 --timeout 20h --submit"


@pytest.fixture
def hub(monkeypatch):
    with hub_server() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield server


def job_of(line: str = LINE):
    return effective_job(*parse(line.split()))


def test_a_job_gets_our_wheel_the_flags_and_an_explicit_limit(hub: Hub):
    said: list[str] = []
    assert submit(job_of(), say=said.append) == 0
    (job,) = hub.jobs
    assert job["flavor"] == "h200" and job["timeoutSeconds"] == 72_000 and job["dockerImage"].endswith("bookworm")
    assert job["secrets"] == {"HF_TOKEN": TOKEN} and TOKEN not in " ".join(said) + str(job["command"])
    script_url = job["command"][2]
    assert job["command"][:2] == ["uv", "run"] and f"/resolve/{COMMIT}/grpo.py" in script_url
    arguments = job["command"][3:]
    again = parse(arguments)[0]
    assert again.steps == 60 and again.all_linear and again.env_url == ("https://e.hf.space",)
    stored = hub.files["dataset", "painter/wclib-jobs"]
    assert hub.private["dataset", "painter/wclib-jobs"]
    (wheel,) = (name for name in stored if name.endswith(".whl"))
    assert "wclib/train/grpo.py" in zipfile.ZipFile(BytesIO(stored[wheel])).namelist()
    assert f"resolve/{COMMIT}/{wheel}" in stored["grpo.py"].decode()
    told = "\n".join(said)
    assert wheel in told and "hf jobs cancel job0001" in told and "step 1/60" in told and "COMPLETED" in told


def test_a_private_environments_token_and_the_weights_go_with_the_job(hub: Hub, monkeypatch):
    assert job_of().secrets == ("HF_TOKEN",)
    monkeypatch.setenv("WATERCOLOUR_ENV_TOKEN", "sesame-open\n")
    monkeypatch.setenv("WATERCOLOUR_JUDGE_WEIGHT", "0.3")
    monkeypatch.setenv("WATERCOLOUR_QUALITY_WEIGHT", "0.6")
    said: list[str] = []
    job = job_of(LINE + " --wheel https://x/wclib.whl")
    assert "HF_TOKEN, WATERCOLOUR_ENV_TOKEN (by name)" in job.text() and "sesame" not in job.text() + repr(job)
    submit(job, say=said.append)
    sent = hub.jobs[0]
    assert sent["secrets"] == {"HF_TOKEN": TOKEN, "WATERCOLOUR_ENV_TOKEN": "sesame-open"}
    assert sent["environment"]["WATERCOLOUR_JUDGE_WEIGHT"] == "0.3"
    del sent["secrets"]
    assert "sesame" not in str(sent) + " ".join(said) + str(hub.commits) and TOKEN not in str(sent)


@pytest.mark.parametrize(("status", "kind"), [(401, UsageError), (409, UsageError), (500, InfrastructureFault)])
def test_a_refusal_and_a_failing_hub_are_told_apart(hub: Hub, status, kind):
    hub.faults = [status] * 9
    with pytest.raises(kind, match=str(status)) as refused:
        submit(job_of(LINE + " --wheel https://x/wclib.whl"), say=lambda text: None)
    assert TOKEN not in str(refused.value)


def test_a_given_wheel_is_used_and_a_failed_job_is_no_success(hub: Hub):
    hub.stage = "ERROR"
    assert submit(job_of(LINE + " --wheel https://x/wclib.whl --namespace guild"), say=lambda text: None) == 1
    script = hub.files["dataset", "guild/wclib-jobs"]["grpo.py"].decode()
    assert '"wclib[train] @ https://x/wclib.whl"' in script and hub.jobs


def test_a_submit_without_a_limit_or_with_a_refusal_or_without_a_hub_is_said(hub: Hub, monkeypatch):
    with pytest.raises(UsageError, match="--timeout"):
        submit(job_of(LINE.replace("--timeout 20h", "")))
    assert not hub.jobs and not hub.files
    wheel = LINE + " --wheel https://x/wclib.whl --namespace guild"
    hub.faults = [403]
    with pytest.raises(UsageError, match="refused"):
        submit(job_of(wheel), say=lambda text: None)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InfrastructureFault, match="cannot be reached"):
        submit(job_of(wheel), say=lambda text: None)


def pusher(hub: Hub, root, said, **more) -> Pusher:
    api = HfApi(endpoint=hub.url, token=TOKEN)
    return Pusher(api, "painter/run", "model", root, said.append, pauses=(0.02, 0.1), **more)


def test_pushes_go_in_the_background_and_a_torn_line_stays_here(hub: Hub, tmp_path):
    said: list[str] = []
    (tmp_path / "checkpoints" / "checkpoint-10").mkdir(parents=True)
    (tmp_path / "checkpoints" / "checkpoint-10" / "optimizer.pt").write_bytes(b"moments")
    (tmp_path / "rollouts.jsonl").write_bytes(b'{"step": 0}\n{"ste')
    sender = pusher(hub, tmp_path, said)
    began = time.monotonic()
    sender.push([tmp_path / "checkpoints" / "checkpoint-10", tmp_path / "rollouts.jsonl", tmp_path / "gone.csv"])
    assert time.monotonic() - began < 0.2
    assert sender.close(20) == [] and not said
    stored = hub.files["model", "painter/run"]
    assert stored["checkpoints/checkpoint-10/optimizer.pt"] == b"moments"
    assert stored["rollouts.jsonl"] == b'{"step": 0}\n' and hub.private["model", "painter/run"]


def test_a_hub_that_fails_costs_no_step_and_gets_everything_later(hub: Hub, tmp_path):
    said: list[str] = []
    hub.faults = [403, 507, 413]
    sender = pusher(hub, tmp_path, said)
    for step in range(5):
        path = tmp_path / f"painting-{step}.png"
        path.write_bytes(bytes([step]))
        sender.push([path])
    assert sender.close(20) == []
    assert sorted(hub.files["model", "painter/run"]) == [f"painting-{step}.png" for step in range(5)]
    assert sender.faults == 3 and all("tried again" in line for line in said)


def test_what_a_lost_hub_did_not_get_is_told_at_the_end_in_bounded_time(hub: Hub, tmp_path):
    said: list[str] = []
    hub.faults = [403] * 99
    (tmp_path / "run.json").write_text("{}")
    sender = pusher(hub, tmp_path, said)
    sender.push([tmp_path / "run.json"])
    began = time.monotonic()
    assert sender.close(20) == ["run.json"] and time.monotonic() - began < 10
    assert "did not reach painter/run" in said[-1]
    assert not [thread for thread in threading.enumerate() if thread.name == "push to painter/run"]


def test_a_hub_that_is_away_at_the_start_is_said_as_the_hubs_fault(hub: Hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InfrastructureFault, match="hub: looking up whose run it is: the Hub cannot be reached"):
        Pushes(LaunchConfig(push_to_hub=""), tmp_path, lambda text: None)
    with pytest.raises(InfrastructureFault, match="fetching painter/first: the Hub cannot be reached"):
        fetch_run("painter/first", tmp_path / "first", lambda text: None)


def test_a_pushed_run_comes_back_with_its_last_whole_checkpoint(hub: Hub, tmp_path):
    hub.repo("model", "painter/first").update(
        {
            "run.json": b'{"tag": "first", "config": {}, "starts": []}',
            "rollouts.jsonl": b'{"step": 0}\n',
            "checkpoints/checkpoint-10/complete.json": b'{"steps": 10}',
            "checkpoints/checkpoint-10/optimizer.pt": b"ten",
            "checkpoints/checkpoint-20/optimizer.pt": b"cut short",
        }
    )
    fetch_run("painter/first", tmp_path / "first", lambda text: None)
    assert (tmp_path / "first" / "checkpoints" / "checkpoint-10" / "optimizer.pt").read_bytes() == b"ten"
    assert not (tmp_path / "first" / "checkpoints" / "checkpoint-20").exists()
    with pytest.raises(UsageError, match="painter/none"):
        fetch_run("painter/none", tmp_path / "none", lambda text: None)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").touch()
    with pytest.raises(UsageError, match="--run-tag"):
        fetch_run("painter/first", tmp_path / "taken", lambda text: None)
