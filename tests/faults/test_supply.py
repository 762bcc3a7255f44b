"""Promises 11 and 12: Dockerfiles serve as nobody special, advisories are news, and the newer OpenEnv works too.

Beside these: ``tests/test_setup.py`` (pins and hashes), ``tests/test_env_space.py`` and ``tests/test_hpsv3_space.py``
(each Space's server from its own files in a clean virtual environment).
"""

from __future__ import annotations

import re
import subprocess

import pytest

from wclib.hpsv3_space import HERE as SCORER
from wclib.hub import ROOT

ENVIRONMENT = ROOT / "wclib" / "env"


def make(target: str) -> subprocess.CompletedProcess[str]:
    """Run a target without touching what ``make setup`` made."""
    return subprocess.run(["make", "-o", "setup", target], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("dockerfile", [ENVIRONMENT / "Dockerfile", SCORER / "Dockerfile"], ids=["env", "hpsv3"])
def test_a_space_serves_as_a_user_who_owns_nothing_it_runs(dockerfile, promised):
    """The last USER is not root, and nothing is copied, installed or handed over after it."""
    lines = [line.strip() for line in dockerfile.read_text().splitlines() if line and not line.startswith("#")]
    users = [i for i, line in enumerate(lines) if line.startswith("USER ")]
    name = lines[users[-1]].split()[1]
    assert name not in ("root", "0") and any(f"--uid 1000 {name}" in line for line in lines)
    assert not any(line.startswith(("COPY", "ADD", "RUN")) for line in lines[users[-1] :])
    assert "chown" not in dockerfile.read_text()
    promised(11, f"the Dockerfile of {dockerfile.parent.name}", f"serves as {name}, who owns none of its files")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_advisories_are_read_and_never_stop_anything(promised):
    done = make("audit")
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    found = re.search(r"Found (\d+ known vulnerabilit\w+ in \d+ packages?)|No known vulnerabilities found", told)
    assert found, told
    promised(11, "make audit", found[0])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_environments_tests_pass_with_the_newer_openenv_too(promised):
    done = make("test-openenv")
    assert done.returncode == 0, done.stdout + done.stderr
    version = next((ROOT / "build/openenv/lib").glob("python*/site-packages/openenv-*.dist-info")).name
    assert not list((ROOT / "build/openenv/lib").glob("python*/site-packages/openenv_core-*.dist-info"))
    promised(12, f"{version.split('.dist')[0]} in place of openenv-core", re.search(r"\d+ passed", done.stdout)[0])
