"""The record of a run, its ``run.json``: what it was started with, by which code, and how settings are compared.

    tag, config       the run's name and its settings, as they are now
    starts            one each time it was started or resumed: ``at``, ``resumed``, commit, Python, versions
    lengthened        one each time it was made longer: its steps, ``from`` and ``to``, and ``after_steps``, how many
                      the curve had by then (those since the last checkpoint are done again); absent if it never was
    environment       what the environment said of itself: judges, weights, pool, renderer
    summary           of a laptop run that ended

A run goes on with the settings it was started with, the number of its steps apart (:mod:`wclib.train.runlog`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wclib.doctor import installed
from wclib.errors import UsageError

PACKAGES = ("torch", "transformers", "trl", "peft", "tokenizers", "accelerate", "openenv-core", "playwright", "numpy")


def read_run(path: Path) -> dict[str, Any]:
    """``run.json`` of a run's folder.

    Raises:
        UsageError: it is not there or cannot be read.
    """
    try:
        run = json.loads((path / "run.json").read_text())
        if isinstance(run["config"], dict) and isinstance(run["starts"], list):
            return run
        wrong = "it is not a run's record"
    except (OSError, ValueError, KeyError, TypeError) as error:
        wrong = str(error)
    raise UsageError(f"{path / 'run.json'} cannot be read ({wrong}); it is needed to go on with the run")


def differences(before: Mapping[str, Any], now: Mapping[str, Any], longer: str = "") -> str:
    """What differs between two nested settings, for a person; empty when nothing does, or ``longer`` only grew."""
    old, new = (flatten(json.loads(json.dumps(settings))) for settings in (before, now))
    if isinstance(old.get(longer), int) and old[longer] < new.get(longer, 0):
        old[longer] = new[longer]
    return "; ".join(
        f"{name}: {old.get(name, 'not set')!r} then, {new.get(name, 'not set')!r} now"
        for name in sorted({*old, *new})
        if old.get(name, "not set") != new.get(name, "not set")
    )


def flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings as one level with dotted names."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= flatten(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return flat


def identity() -> dict[str, Any]:
    """Package versions, Python and the git commit (with ``+`` when files are changed) this process runs."""
    root = Path(__file__).resolve().parents[2]

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        return done.stdout.strip() if done.returncode == 0 else ""

    commit = ""
    if shutil.which("git"):
        commit = git("rev-parse", "HEAD")
        commit += "+" if commit and git("status", "--porcelain", "--untracked-files=no") else ""
    return {
        "commit": commit,
        "python": sys.version.split()[0],
        "packages": {name: installed(name) for name in PACKAGES},
    }
