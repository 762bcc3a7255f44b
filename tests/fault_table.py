"""The fault harness: break things on purpose, check a promise, keep a row for the table.

    make test                                          every promise in little, within the suite
    make faults                                        every promise at full size
    make faults ARGS=tests/faults/test_sockets.py      one file of it: only its rows are replaced

A test that asks for ``promised`` belongs to the harness, wherever it lives: ``make faults`` runs it, slow ones
included. It calls ``promised(promise, injected, seen)`` with what it saw, and asks ``whole`` for its size. The rows of
a test that passed at full size go to ``data/faults/rows.jsonl`` at once, from which ``data/faults/table.md`` is
written; one that failed loses its rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "data" / "faults"
WHOLE = os.environ.get("WATERCOLOUR_FAULTS") == "whole"
HEAD = ["promise", "injected", "seen", "seconds", "date", "commit"]
_noted = pytest.StashKey[list[dict]]()


@pytest.fixture(scope="session")
def whole() -> bool:
    """Whether this is the long form."""
    return WHOLE


@pytest.fixture
def promised(request: pytest.FixtureRequest) -> Callable[[int, str, str], None]:
    """Write down what was injected and what came of it; the seconds are the test's until then."""
    began = time.monotonic()
    request.node.stash[_noted] = noted = []

    def note(promise: int, injected: str, seen: str) -> None:
        noted.append({"promise": promise, "injected": injected, "seen": seen, "seconds": time.monotonic() - began})

    return note


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "promised" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.faults)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    if WHOLE and item.get_closest_marker("faults") and (report.when == "call" or report.failed):
        keep(item.nodeid, item.stash[_noted] if report.passed else [])
    return report


def keep(test: str, noted: list[dict], folder: Path = FOLDER) -> None:
    """Replace a test's rows and write the table anew."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "rows.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    measured = {"date": time.strftime("%Y-%m-%d"), "commit": commit.stdout.strip()}
    rows = [one for one in rows if one["test"] != test] + [{"test": test, **one, **measured} for one in noted]
    rows.sort(key=lambda one: (one["promise"], one["test"]))
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows))
    shown = [{**one, "seconds": f"{one['seconds']:.0f}"} for one in rows]
    lines = [HEAD, ["---"] * len(HEAD), *([one[name] for name in HEAD] for one in shown)]
    (folder / "table.md").write_text("".join(f"| {' | '.join(map(str, line))} |\n" for line in lines))
