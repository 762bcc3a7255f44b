"""Spaces: the environment's, and HPSv3's.

    python -m wclib publish env --dry-run        assemble the folder, upload nothing

A Space is a folder that builds by itself: our wheel, the reference pool, the locked JavaScript
and Python dependencies, a Dockerfile and a server script. The Python lock is made inside that folder.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wclib.errors import UsageError
from wclib.hub.cards import front_matter
from wclib.hub.upload import publish

ROOT = Path(__file__).resolve().parents[2]
#: Parts of data/ that the server reads.
_DATA = ("pool", "pool_nope")

_SERVER = '''\
"""The Space's entry: wclib's own server, on all interfaces, with the pool that lies beside it."""

import os
from pathlib import Path

os.environ.setdefault("WATERCOLOUR_POOL_DIR", str(Path(__file__).resolve().parent.parent / "data" / "pool"))

from wclib.env.app import serve  # noqa: E402
from wclib.env.server import build_app  # noqa: E402

app = build_app()


def main() -> None:
    serve(host="0.0.0.0", port=int(os.environ.get("PORT", "8000")))


if __name__ == "__main__":
    main()
'''

_PYPROJECT = """\
[build-system]
requires = ["setuptools==84.2.1"]
build-backend = "setuptools.build_meta"

[project]
name = "watercolour-environment"
version = "{version}"
description = "The watercolour environment as a Space"
readme = "README.md"
requires-python = ">=3.11,<3.13"
dependencies = ["wclib=={version}", "openenv-core==0.3.0"]

[project.scripts]
server = "server.app:main"

[tool.setuptools]
packages = ["server"]

[tool.uv.sources]
wclib = {{ path = "wheels/{wheel}" }}
"""


def publish_env(out: Path, dry_run: bool, repo_id: str | None = None) -> dict[str, Any]:
    """Assemble the environment's Space, check it, and upload it unless told not to.

    Args:
        out: folder to write; one that an earlier run wrote is replaced, anything else in the way is left alone.
        dry_run: upload nothing.
        repo_id: ``owner/name`` of the Space; the token's owner and ``watercolour`` when None.

    Returns:
        ``{"out", "files", "bytes", "validated", "url"}``; ``url`` is None after a dry run.

    Raises:
        UsageError: ``out`` is in use, this is not a clone of the repository, ``uv`` or the package index cannot be had,
            the folder is not a valid environment, or there is no token.
    """

    def check() -> dict[str, Any]:
        return {"validated": validate(out)}

    return publish(out, _write_env_space, "space", repo_id or "watercolour", dry_run, check=check)


def _write_env_space(space: Path) -> None:
    if not (ROOT / "pyproject.toml").is_file():
        raise UsageError("the Space is assembled from a clone of the repository; this is an installed package")
    uv = _uv()
    package = ROOT / "wclib"
    wheel = build_wheel(space / "wheels")
    for name in ("README.md", "Dockerfile", "openenv.yaml"):
        shutil.copy(package / "env" / name, space / name)
    (space / "js").mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(package / "js" / name, space / "js" / name)
    for name in _DATA:
        if (ROOT / "data" / name).is_dir():
            shutil.copytree(ROOT / "data" / name, space / "data" / name, ignore=shutil.ignore_patterns(".*"))
    (space / "server").mkdir()
    (space / "server" / "__init__.py").touch()
    (space / "server" / "app.py").write_text(_SERVER, encoding="utf-8")
    version = wheel.name.split("-")[1]
    (space / "pyproject.toml").write_text(_PYPROJECT.format(version=version, wheel=wheel.name), encoding="utf-8")
    _run([uv, "lock", "--directory", str(space)], "uv lock", "it needs the package index: check the network")


def validate(space: Path) -> str:
    """Run ``openenv validate`` on a Space's folder and return its verdict line.

    Raises:
        UsageError: the folder is not a valid environment; the message lists the issues.
    """
    command = [sys.executable, "-m", "openenv.cli", "validate", str(space)]
    return _run(command, "openenv validate", "mend what it names").strip().splitlines()[0]


def build_wheel(target: Path) -> Path:
    """Build our wheel into ``target`` and return its path.

    Raises:
        UsageError: this is not a clone of the repository, or the build failed.
    """
    if not (ROOT / "pyproject.toml").is_file():
        raise UsageError("a wheel is built from a clone of the repository; this is an installed package: name --wheel")
    # From a clean copy: a build in the working tree would pick up leftovers of earlier builds.
    with tempfile.TemporaryDirectory(prefix="wheel-") as scratch:
        source = Path(scratch)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, source / name)
        unwanted = shutil.ignore_patterns("node_modules", "__pycache__", ".*")
        shutil.copytree(ROOT / "wclib", source / "wclib", ignore=unwanted)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        _run([*command, "--wheel-dir", str(target), str(source)], "pip wheel", "run make setup first")
    return next(target.glob("wclib-*.whl"))


def _uv() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise UsageError("the Space's lock is made by uv, which is not installed: pip install uv")
    return found


def _run(command: list[str], what: str, remedy: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:])
        raise UsageError(f"{what} failed; {remedy}. It said:\n{last}")
    return done.stdout


def publish_hpsv3(out: Path, dry_run: bool, repo_id: str | None = None) -> dict[str, Any]:
    """Write the HPSv3 scorer's Space and upload it unless told not to.

    Raises:
        UsageError: ``out`` is in use, there is no token, or the Hub refused.
    """
    from wclib.hpsv3_space import FILES, HERE

    def write(folder: Path) -> None:
        for name in FILES:
            shutil.copy(HERE / name, folder / name)

    return publish(out, write, "space", repo_id or "hpsv3", dry_run)


def publish_gallery(runs: Sequence[Path], out: Path, dry_run: bool, repo_id: str | None = None) -> dict[str, Any]:
    """Write the gallery of one or several runs as a static Space and upload it unless told not to.

    Raises:
        UsageError: not a run, ``out`` is in use, there is no token, or the Hub refused.
    """
    from wclib.gallery import gallery

    shown: dict[str, Any] = {}

    def write(folder: Path) -> None:
        shown["paintings"] = gallery(runs, folder)["paintings"]
        head = {"title": "Watercolour gallery", "emoji": "🌺", "colorFrom": "pink", "colorTo": "yellow"}
        matter = front_matter({**head, "sdk": "static", "pinned": False, "license": "cc-by-4.0"})
        names = ", ".join(f"`{Path(run).name}`" for run in runs)
        (folder / "README.md").write_text(f"{matter}\nEvery painting of {names}. Paintings and sketches: CC BY 4.0.\n")

    name = repo_id or "watercolour-gallery"
    return publish(out, write, "space", name, dry_run, sdk="static", check=lambda: shown)
