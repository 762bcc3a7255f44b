"""Every test starts without the variables that configure judges, pool and weights, and with its own cache."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["fault_table"]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path_factory):
    """No variable of the caller's shell reaches a test: no token, no judge, no pool, no weight."""
    for name in list(os.environ):
        if name.startswith("WATERCOLOUR_") and name != "WATERCOLOUR_CHROMIUM" or name == "HF_TOKEN":
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """With two processes a file stays in one of them, with its servers; notebooks are dealt out one by one."""
    for item in items:
        name = item.path.stem
        if name == "test_notebooks":
            name += item.name.partition("[")[2]
        item.add_marker(pytest.mark.xdist_group(name))


@pytest.fixture(scope="session")
def renderer():
    """One pool of real browsers for the whole run; without a Chromium the tests that need it fail."""
    from wclib.render import Renderer

    with Renderer(deadline_s=30) as pool:
        yield pool


@pytest.fixture(scope="module")
def browser():
    """A Chromium of the test's own, for pages that people look at."""
    import lab

    with lab.chromium() as browser:
        yield browser
