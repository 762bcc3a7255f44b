"""The Space's folder: complete, valid, and never written over somebody else's files."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path

import pytest

from wclib.errors import UsageError
from wclib.hub import ROOT, assemble_env_space, publish_env
from wclib.hub.upload import upload
from wclib.pool import PICTURES


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("publish") / "space"
    out.mkdir()
    (out / "openenv.yaml").write_text("left by an earlier run")
    (out / "stale").touch()
    return out, publish_env(out, dry_run=True)


def test_openenv_validate_passes_and_nothing_is_uploaded(space: tuple[Path, dict]) -> None:
    out, report = space
    assert report["validated"].startswith("[OK]") and report["url"] is None
    assert report["bytes"] > 0 and "stale" not in report["files"]


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
        assemble_env_space(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(UsageError, match="--out"):
        assemble_env_space(tmp_path / "thesis.tex")


def test_uploading_without_a_token_says_so(space: tuple[Path, dict], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="HF_TOKEN"):
        upload(space[0], "watercolour", "space")
