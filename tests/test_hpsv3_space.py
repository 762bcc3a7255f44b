"""The HPSv3 Space over real HTTP, with another inferencer in the model's place, and our client against it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import math
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import paintings
import pytest
import uvicorn
from provider_server import paint

from wclib.domains import HIBISCUS
from wclib.errors import InfrastructureFault
from wclib.hpsv3_space import FILES, HERE, app
from wclib.hub.space import publish_hpsv3
from wclib.judges.hpsv3 import HPSv3Client, squash

LARGE, SMALL = paintings.disc(radius=100), paintings.disc(radius=20)
SECRET = "a-secret-of-this-server"


class Inferencer:
    """Likes paint. Takes its arguments by keyword only, as both versions of the real one can be called."""

    def __init__(self):
        self.prompts: list[list[str]] = []
        self.busy = 0

    def reward(self, *, image_paths, prompts):
        assert len(image_paths) == len(prompts)
        self.busy += 1
        assert self.busy == 1, "the model was asked twice at once"
        time.sleep(0.02)
        self.prompts.append(list(prompts))
        rows = [[20 * paint(paintings.png(image)) - 5, 0.5] for image in image_paths]
        self.busy -= 1
        return rows


@contextlib.contextmanager
def serving(load):
    """The app on a real port; yields its URL."""
    server = uvicorn.Server(uvicorn.Config(app.create_app(load), port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(5)


def item(picture=LARGE, prompt="a loose watercolour flower"):
    return {"png_base64": base64.b64encode(picture).decode(), "prompt": prompt}


def test_health_does_not_load_the_model_and_the_first_score_does_once():
    loads = []
    with serving(lambda: loads.append(1) or Inferencer()) as url:
        assert httpx.get(f"{url}/health").json()["loaded"] is False and loads == []
        with httpx.Client(base_url=url) as client:
            answers = [client.post("/score", json=item(picture)).json() for picture in (LARGE, SMALL)]
        health = httpx.get(f"{url}/health").json()
    assert loads == [1] and health["loaded"] and health["model"] == "MizzenAI/HPSv3" and not health["token_required"]
    large, small = answers
    assert large["available"] and large["mu"] > 0 > small["mu"] and large["sigma"] == 0.5
    assert large["score"] == pytest.approx(1 / (1 + math.exp(-large["mu"] / 4)))


def test_our_client_gets_the_squashed_mu_for_the_domain_s_caption():
    model = Inferencer()
    with serving(lambda: model) as url:
        quality = asyncio.run(HPSv3Client(url).quality(LARGE))
    assert quality == squash(20 * paint(LARGE) - 5) and model.prompts == [[HIBISCUS.caption]]


def test_a_batch_is_scored_in_order_and_in_one_go():
    model = Inferencer()
    with serving(lambda: model) as url:
        items = [item(LARGE, "one"), item(SMALL, "two"), item(LARGE, "three")]
        scores = httpx.post(f"{url}/score_batch", json={"items": items}).json()["scores"]
    assert [score["mu"] > 0 for score in scores] == [True, False, True]
    assert model.prompts == [["one", "two", "three"]]


def test_many_at_once_are_answered_one_after_another():
    async def ask(url):
        async with httpx.AsyncClient(base_url=url, timeout=20) as client:
            return await asyncio.gather(*(client.post("/score", json=item()) for _ in range(20)))

    with serving(Inferencer) as url:
        answers = asyncio.run(ask(url))
    assert {answer.status_code for answer in answers} == {200} and all(a.json()["available"] for a in answers)


@pytest.mark.parametrize("rows", [[[math.nan, 1.0]], [[math.inf, 1.0]], [], [["high", 1]], None])
def test_what_is_no_finite_number_is_not_available_and_our_client_says_none(rows):
    class Odd:
        def reward(self, **_):
            return rows

    with serving(Odd) as url:
        answer = httpx.post(f"{url}/score", json=item())
        assert answer.json() == {"mu": None, "sigma": None, "score": None, "available": False}
        with pytest.raises(InfrastructureFault, match="not available") as raised:
            asyncio.run(HPSv3Client(url, attempt_s=1, deadline_s=4).quality(LARGE))
    assert raised.value.part == "quality"


def test_a_model_that_does_not_load_is_a_503_without_details_and_is_tried_again():
    loads = []

    def load():
        loads.append(1)
        if len(loads) < 2:
            raise OSError("/secret/path/to/weights")
        return Inferencer()

    with serving(load) as url:
        lost = httpx.post(f"{url}/score", json=item())
        assert lost.status_code == 503 and int(lost.headers["Retry-After"]) > 0 and "secret" not in lost.text
        assert "OSError" in httpx.get(f"{url}/health").json()["problem"]
        assert httpx.post(f"{url}/score", json=item()).json()["available"] and len(loads) == 2
        assert httpx.get(f"{url}/health").json()["problem"] == ""


def test_while_it_loads_callers_are_told_to_come_back_and_it_loads_once(monkeypatch):
    monkeypatch.setattr(app, "LOAD_WAIT_S", 0.2)
    ready, loads = threading.Event(), []

    def load():
        loads.append(1)
        ready.wait(10)
        return Inferencer()

    with serving(load) as url:
        for _ in range(2):
            early = httpx.post(f"{url}/score", json=item())
            assert early.status_code == 503 and "loading" in early.text
        ready.set()
        assert httpx.post(f"{url}/score", json=item()).status_code == 200
    assert loads == [1]


def test_with_a_token_nobody_scores_without_it(monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_HPSV3_TOKEN", SECRET)
    with serving(Inferencer) as url:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": SECRET}):
            refused = httpx.post(f"{url}/score", json=item(), headers=headers)
            assert refused.status_code == 401 and SECRET not in refused.text
        assert httpx.get(f"{url}/health").json()["token_required"]
        assert 0 < asyncio.run(HPSv3Client(url, token=SECRET).quality(LARGE)) < 1
        with pytest.raises(InfrastructureFault, match="401.*token"):
            asyncio.run(HPSv3Client(url).quality(LARGE))


def test_what_is_too_large_or_no_picture_is_refused_before_the_model_is_loaded():
    wide = paintings.png(paintings.Image.new("RGB", (5000, 10)))
    with serving(lambda: pytest.fail("loaded")) as url:
        with httpx.Client(base_url=url) as client:

            def status(path="/score", **body):
                return client.post(path, **body).status_code

            assert status(json=item(wide)) == 413
            assert status(json=item(b"no picture")) == 422 and status(json={"png_base64": "%%", "prompt": "x"}) == 422
            assert status(json=item(prompt="x" * 1001)) == 422 and status(json=item(prompt="")) == 422
            assert status("/score_batch", json={"items": [item()] * 17}) == 422
            assert status("/score_batch", json={"items": []}) == 422
            jpeg = io.BytesIO()
            paintings.Image.new("RGB", (8, 8)).save(jpeg, "JPEG")
            assert status(json=item(jpeg.getvalue())) == 422
            for body in (b'{"png_base64": NaN, "prompt": "x"}', b'{"png_base64": "aGk=", "prompt": ["\\ud800"]}', b"{"):
                answer = client.post("/score", content=body, headers={"Content-Type": "application/json"})
                assert answer.status_code == 422
            answer = client.post("/score", json={"png_base64": "A" * 10_000})
            assert answer.status_code == 422 and len(answer.content) < 200  # what was sent is not sent back
        big = b'{"png_base64": "' + b"A" * (app.MAX_BODY + 1)
        # The server may answer and hang up before all is sent; either way it never takes the whole body.
        for body in (big, iter([big[: 2**20]] * 20)):
            with contextlib.suppress(httpx.WriteError, httpx.ReadError):
                assert httpx.post(f"{url}/score", content=body).status_code == 413
        assert httpx.get(f"{url}/health").json()["loaded"] is False


def test_the_folder_holds_all_the_dockerfile_copies(tmp_path):
    space = tmp_path / "space"
    assert set(FILES) <= set(publish_hpsv3(space, dry_run=True)["files"])
    docker = (space / "Dockerfile").read_text()
    copied = [name for line in docker.splitlines() if line.startswith("COPY ") for name in line.split()[1:-1]]
    assert set(copied) < set(FILES) and "USER scorer" in docker and "--require-hashes" in docker
    assert docker.index("USER scorer") > docker.index("pip install")
    card = (space / "README.md").read_text(encoding="utf-8").split("---")[1]
    assert "sdk: docker" in card and "app_port: 7860" in card and "EXPOSE 7860" in docker


def test_the_lock_has_a_hash_for_every_package_and_keeps_what_was_asked_for(promised):
    lines = (HERE / "requirements.txt").read_text().splitlines()
    packages = [line.split(" ")[0] for line in lines if line and not line.startswith((" ", "#"))]
    asked = [line for line in (HERE / "requirements.in").read_text().splitlines() if line and not line.startswith("#")]
    assert {pin.replace("_", "-") for pin in asked} <= set(packages) and "transformers==4.45.2" in packages
    assert sum("--hash=sha256:" in line for line in lines) >= len(packages) > 60
    assert all("==" in package for package in packages)
    promised(11, "a look into the lock of HPSv3's Space", f"{len(packages)} packages, each with its hashes")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_space_s_own_files_serve_from_a_clean_environment(tmp_path, promised):
    """Its server, installed from its own lock by its hashes into a virtual environment that holds nothing else.

    Torch, its CUDA libraries and the model's weights (gigabytes) are left out: a score then says that the model does
    not load, and the server stays up.
    """
    space = tmp_path / "space"
    publish_hpsv3(space, dry_run=True)
    python = tmp_path / "venv" / "bin" / "python"
    locked = re.split(r"\n(?=[a-z])", (space / "requirements.txt").read_text())
    light = [lines for lines in locked if not lines.startswith(("torch", "nvidia", "triton"))]
    (tmp_path / "light.txt").write_text("\n".join(light))
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(tmp_path / "venv")], check=True)
    install = [uv, "pip", "install", "-q", "--python", str(python), "--no-deps", "--require-hashes"]
    subprocess.run([*install, "-r", str(tmp_path / "light.txt")], check=True)
    command = [str(python), "-m", "uvicorn", "app:app", "--port", "0"]
    server = subprocess.Popen(command, cwd=space, stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if "running on" in line:
                url = line.split("running on ")[1].split()[0]
                break
        health = httpx.get(f"{url}/health").json()
        assert health["status"] == "ok" and health["loaded"] is False
        lost = httpx.post(f"{url}/score", json=item(), timeout=30)
        assert lost.status_code == 503 and "ModuleNotFoundError" in lost.text
        assert json.loads(httpx.get(f"{url}/health").text)["problem"] and server.poll() is None
    finally:
        server.terminate()
        server.wait(10)
    what = f"{len(light)} of {len(locked)} locked packages by hash (no torch); healthy, a score is a clear 503"
    promised(12, "HPSv3's Space in a clean virtual environment", what)
