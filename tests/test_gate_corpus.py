"""The shared corpus of replies, where a checkout has it beside it: ``../shared/gate``.

Files marked hard or contested are not counted. What needs a render is rendered, all the rest is judged twice: by its
source alone and, where that admits, by its render as well.
"""

import json
from pathlib import Path

import pytest

from wclib.gate import admit, check_source

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "gate"
FILES = []
if (CORPUS / "expected.json").is_file():
    FILES = json.loads((CORPUS / "expected.json").read_text("utf-8"))["files"]
COUNTED = [pytest.param(e, id=e["file"]) for e in FILES if not e["hard"] and not e["contested"]]

pytestmark = pytest.mark.skipif(not FILES, reason=f"no gate corpus at {CORPUS}")


@pytest.fixture(scope="module")
def renderer():
    from wclib.render import Renderer

    with Renderer(browsers=1, deadline_s=8.0) as shared:  # the hung ones pay it twice
        yield shared


@pytest.mark.parametrize("entry", COUNTED)
def test_the_source_alone_tells_what_it_can(entry):
    verdict = check_source((CORPUS / "sketches" / entry["file"]).read_bytes())
    if entry["admit"] or entry["needs_render"]:
        # c49 spells its key out of pieces, so its source gives it away although a render is allowed to.
        assert verdict.passed or set(verdict.codes) & set(entry["codes"]), verdict.violations
    else:
        assert set(verdict.codes) & set(entry["codes"]), verdict.codes


@pytest.mark.parametrize("entry", [p for p in COUNTED if p.values[0]["admit"] or p.values[0]["needs_render"]])
def test_source_and_render_reach_the_expected_verdict(entry, renderer):
    verdict, _ = admit((CORPUS / "sketches" / entry["file"]).read_bytes(), renderer)
    if entry["admit"]:
        assert verdict.passed, verdict.violations
    else:
        assert not verdict.passed and set(verdict.codes) & set(entry["codes"]), verdict.codes
