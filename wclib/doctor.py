"""Check this machine: one [OK] or [FAIL] line a part, with the remedy.

Try it: ``python -m wclib doctor``

The same function is the first cell of notebook 00. A [FAIL] means that something the recipe needs is missing or
wrong; what is merely switched off (no token, no GPU) is an [OK] line that says so.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from wclib.errors import InfrastructureFault, UsageError

if TYPE_CHECKING:
    from wclib.render import Renderer

_DISK_NEEDED_GB = 2
_MEMORY_NEEDED_GB = 4


class Unwell(Exception):
    """A check failed: the message says what is wrong and what to do about it."""


def report(checks: list[tuple[str, Callable[[], str]]] | None = None) -> bool:
    """Run the checks, print a line for each, and return whether all are well.

    Args:
        checks: name and function pairs; a function returns what it found or raises. Default: :func:`all_checks`.
    """
    well = True
    for name, check in checks or all_checks():
        try:
            mark, text = "[OK]  ", check()
        except (Unwell, UsageError) as error:
            mark, text, well = "[FAIL]", str(error), False
        except InfrastructureFault as fault:
            mark, text, well = "[FAIL]", fault.detail, False
        print(f"{mark} {name}: {text}", flush=True)
    return well


def all_checks() -> list[tuple[str, Callable[[], str]]]:
    """Every check in order: the cheap ones first, then the browser, then what is merely on or off."""
    browser = _Browser()
    return [
        ("python", _python),
        ("packages", _packages),
        ("openenv", one_openenv),
        ("machine", _machine),
        ("disk", _disk),
        ("libraries", _libraries),
        ("chromium", browser.chromium),
        ("webgl", browser.webgl),
        ("golden painting", browser.golden),
        ("fonts", lambda: "none needed (a sketch may not write)"),
        ("pool", _pool),
        ("local judge", _judge),
        ("token", _token),
    ]


def _python() -> str:
    found = platform.python_version()
    if not (3, 11) <= sys.version_info[:2] < (3, 13):
        raise Unwell(f"{found} is running, 3.11 or 3.12 is needed; make PYTHON=python3.11")
    return f"{found} on {platform.system()} {platform.machine()}"


def installed(name: str) -> str | None:
    """The version of a package that is installed; None when it is not."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def wrong_pins(requirements: list[str]) -> list[str]:
    """The pinned packages whose installed version is another, as ``"name 1.0 (pinned: 1.1)"``.

    Args:
        requirements: lines such as ``trl==1.12.0; extra == "train"``; a local suffix such as ``+cpu`` does not count.
    """
    wrong = []
    for line in requirements:
        name, _, pinned = line.partition(";")[0].strip().partition("==")
        found = installed(name) or "missing"
        if found.split("+")[0] != pinned:
            wrong.append(f"{name} {found} (pinned: {pinned})")
    return wrong


def _packages() -> str:
    required, remedy = metadata.requires("wclib") or [], "run `make setup`"
    if not (Path(__file__).parents[1] / "Makefile").is_file():  # a wheel: nobody asked for the extras
        required = [line for line in required if "extra ==" not in line]
        remedy = "install wclib anew, in an environment of its own"
    wrong = wrong_pins(required)
    if wrong:
        raise Unwell(f"{'; '.join(wrong)}; {remedy}")
    return f"{len(required)} direct dependencies, all at their pins"


def one_openenv() -> str:
    """The one OpenEnv that is installed.

    Raises:
        Unwell: there is none, or both of the packages that install a module of that name.
    """
    there = [f"{name} {found}" for name in ("openenv-core", "openenv") if (found := installed(name))]
    if len(there) != 1:
        raise Unwell(
            f"{' and '.join(there) or 'none'} installed, and both packages install the module `openenv`: "
            "pip uninstall -y openenv openenv-core && pip install openenv-core==0.3.0"
        )
    return f"{there[0]}, the only one"


def _machine() -> str:
    import psutil

    memory = psutil.virtual_memory().total / 1e9
    if memory < _MEMORY_NEEDED_GB:
        raise Unwell(f"{memory:.1f} GB of memory, {_MEMORY_NEEDED_GB} are needed")
    return f"{os.cpu_count()} cores, {memory:.0f} GB of memory, {_gpu()}"


def _gpu() -> str:
    return "an NVIDIA GPU" if shutil.which("nvidia-smi") else "no NVIDIA GPU (none needed: the laptop run uses the CPU)"


def _disk() -> str:
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    if free < _DISK_NEEDED_GB:
        raise Unwell(f"{free:.1f} GB free in {Path.cwd()}, {_DISK_NEEDED_GB} are needed for a run's paintings")
    return f"{free:.0f} GB free"


def _libraries() -> str:
    from wclib.jsruntime import LIBRARIES, check_libraries

    check_libraries()
    return " with ".join(f"{name} {version}" for name, (version, _) in LIBRARIES.items())


class _Browser:
    """Three checks on one started browser; the later two repeat the first's trouble instead of starting another."""

    def __init__(self) -> None:
        self._renderer: Renderer | None = None

    def chromium(self) -> str:
        from wclib.render import Renderer

        renderer = self._renderer = Renderer(browsers=1)
        sandbox = "sandboxed" if renderer.sandbox else "its sandbox cannot start here (root, or a container)"
        return f"{renderer.chromium}, {sandbox}"

    def webgl(self) -> str:
        return f"painted by {self._started().backend}"

    def golden(self) -> str:
        from wclib.render.golden import check_golden

        renderer = self._started()
        try:
            ok, text = check_golden(renderer)
        finally:
            renderer.close()
        if not ok:
            raise Unwell(text)
        return text

    def _started(self) -> Renderer:
        if self._renderer is None:
            raise Unwell("not checked, because no browser started")
        return self._renderer


def _pool() -> str:
    from wclib.pool import load_pool

    return load_pool().describe()


def _judge() -> str:
    from wclib.judges.local import LocalJudge
    from wclib.pool import load_pool

    return LocalJudge.for_pool(load_pool()).describe()


def _token() -> str:
    from huggingface_hub import get_token

    if os.environ.get("HF_TOKEN", "").strip():
        return "HF_TOKEN is set: the Hub, Inference Providers and Jobs are on"
    if get_token():
        return "a saved login: the Hub is on; the vision judge is off, because it reads HF_TOKEN alone"
    return "none, so off: the vision judge, pool generation, publishing and Hub jobs; everything else runs without one"
