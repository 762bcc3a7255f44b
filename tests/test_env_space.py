"""The Space's folder: complete, valid, and never written over somebody else's files."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from env_fixtures import eventually, flower

from wclib.env.client import WatercolourEnv
from wclib.errors import UsageError
from wclib.hub import ROOT, publish_env
from wclib.hub.upload import MARK, upload
from wclib.pool_files import PICTURES


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("publish") / "space"
    out.mkdir()
    (out / MARK).write_text("left by an earlier run")
    (out / "stale").touch()
    return out, publish_env(out, dry_run=True)


def test_openenv_validate_passes_and_nothing_is_uploaded(space: tuple[Path, dict]) -> None:
    out, report = space
    assert report["validated"].startswith("[OK]") and report["url"] is None
    assert report["bytes"] > 0 and "stale" not in report["files"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_space_s_own_files_serve_from_a_clean_environment(
    space: tuple[Path, dict], tmp_path: Path, promised: Callable[..., None]
) -> None:
    """What its Dockerfile does, without Docker: ``npm ci``, ``uv sync``, the libraries into the package, the server."""
    out, report = space
    app = tmp_path / "app"
    shutil.copytree(out, app)
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    clean |= {name: value for name, value in os.environ.items() if name.startswith(("UV_", "PIP_", "npm_", "SSL_"))}
    clean["PATH"] += f"{os.pathsep}{Path(sys.executable).parent}"
    npm = "npm ci --omit=dev --ignore-scripts --no-audit --no-fund".split()
    subprocess.run(npm, cwd=app / "js", env=clean, check=True)
    sync = "uv sync --frozen --python".split()
    subprocess.run([*sync, sys.executable], cwd=app, env=clean, check=True)
    python = app / ".venv" / "bin" / "python"
    where = "import wclib, pathlib; print(pathlib.Path(wclib.__file__).parent)"
    package = subprocess.run([python, "-c", where], cwd=tmp_path, env=clean, check=True, capture_output=True, text=True)
    assert Path(package.stdout.strip()).is_relative_to(app / ".venv")
    (app / "js" / "node_modules").rename(Path(package.stdout.strip()) / "js" / "node_modules")
    assert (python.parent / "server").is_file(), "the Dockerfile's CMD"
    with (tmp_path / "log").open("w") as log:
        command = [python, "-m", "uvicorn", "server.app:app", "--host", "127.0.0.1", "--port", "0"]
        server = subprocess.Popen(command, cwd=app, env=clean, stderr=log)
    try:
        assert eventually(lambda: "running on" in (tmp_path / "log").read_text(), 90), (tmp_path / "log").read_text()
        url = re.search(r"http://127\.0\.0\.1:\d+", (tmp_path / "log").read_text())[0]
        health = httpx.get(f"{url}/health").json()
        assert health["status"] == "healthy", health

        async def smoke() -> tuple[float | None, float | None]:
            async with WatercolourEnv(url) as env:
                return (await env.paint(flower(), seed=1)).reward, (await env.paint("prose", seed=1)).reward

        painted, prose = asyncio.run(smoke())
        assert painted and painted > 0.05 and prose == 0
    finally:
        server.terminate()
        server.wait(20)
    what = f"{report['validated']}; server from its own files answers: a flower {painted:.2f}, prose 0"
    promised(12, "the environment's Space in a clean virtual environment", what)


def test_the_folder_has_all_the_dockerfile_copies(space: tuple[Path, dict]) -> None:
    out, report = space
    for line in (out / "Dockerfile").read_text().splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            for name in line.split()[1:-1]:
                assert (out / name).exists(), line
    assert "USER painter" in (out / "Dockerfile").read_text()
    pictures = {path.name for path in (ROOT / "data" / "pool").iterdir() if path.suffix in PICTURES}
    assert pictures and pictures <= {Path(name).name for name in report["files"]}
    assert any(name.startswith("data/pool_nope/") for name in report["files"])
    assert not any("node_modules" in name or "__pycache__" in name for name in report["files"])


def test_the_wheel_is_ours_and_whole(space: tuple[Path, dict]) -> None:
    out, _ = space
    (wheel,) = (out / "wheels").iterdir()
    names = set(zipfile.ZipFile(wheel).namelist())
    ours = [path for path in (ROOT / "wclib").rglob("*") if path.is_file()]
    wanted = {str(path.relative_to(ROOT)) for path in ours if not {"node_modules", "__pycache__"} & set(path.parts)}
    assert wanted - names == set()
    assert not any("node_modules" in name for name in names)
    project = tomllib.loads((out / "pyproject.toml").read_text())
    assert project["project"]["scripts"] == {"server": "server.app:main"}
    assert project["tool"]["uv"]["sources"]["wclib"]["path"] == f"wheels/{wheel.name}"
    locked = {package["name"] for package in tomllib.loads((out / "uv.lock").read_text())["package"]}
    assert "playwright" in locked and not {"torch", "trl", "jupyterlab"} & locked


def test_the_card_says_what_a_docker_space_needs() -> None:
    card = (ROOT / "wclib" / "env" / "README.md").read_text(encoding="utf-8")
    front = card.split("---")[1]
    assert "sdk: docker" in front and "app_port: 8000" in front and "openenv" in front
    assert "port: 8000" in (ROOT / "wclib" / "env" / "openenv.yaml").read_text()


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="--out"):
        publish_env(tmp_path, dry_run=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(UsageError, match="--out"):
        publish_env(tmp_path / "thesis.tex", dry_run=True)


def test_uploading_without_a_token_says_so(space: tuple[Path, dict], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="HF_TOKEN"):
        upload(space[0], "watercolour", "space")
