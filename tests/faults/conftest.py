"""The fault harness: break things on purpose, check a promise, keep a row for the table.

    make test        every promise in little, within the suite
    make faults      every promise at full size; the table goes to data/faults/table.md

A test asks for ``whole`` to know its size and calls ``row(promise, injected, result)`` with what it saw.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

TABLE = Path(__file__).resolve().parents[2] / "data" / "faults" / "table.md"
WHOLE = os.environ.get("WATERCOLOUR_FAULTS") == "whole"
_rows: list[tuple[int, str, str, float]] = []


@pytest.fixture(scope="session")
def whole() -> bool:
    """Whether this is the long form."""
    return WHOLE


@pytest.fixture
def row() -> Callable[[int, str, str], None]:
    """Write down what was injected and what came of it; the seconds are the test's until then."""
    began = time.monotonic()

    def note(promise: int, injected: str, result: str) -> None:
        _rows.append((promise, injected, result, time.monotonic() - began))

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _rows:
        return
    lines = ["| promise | injected | seen | seconds |", "|---|---|---|---|"]
    lines += [f"| {number} | {injected} | {seen} | {took:.0f} |" for number, injected, seen, took in sorted(_rows)]
    if WHOLE:
        TABLE.parent.mkdir(parents=True, exist_ok=True)
        TABLE.write_text("\n".join(lines) + "\n")
        terminalreporter.write_line("\n".join(lines))
