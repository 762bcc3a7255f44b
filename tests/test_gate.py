"""Verdicts: lines of JavaScript in data/gate_forbidden.txt and data/gate_honest.txt, then the render's own checks."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from wclib.errors import SketchFault
from wclib.gate import CODES, PAINT_FLOOR, admit, check_render, check_source, gate_command, reject

DATA = Path(__file__).parent / "data"
FORBIDDEN = (DATA / "gate_forbidden.txt").read_text().splitlines()
HONEST = (DATA / "gate_honest.txt").read_text().splitlines()

SETUP = "function setup() { createCanvas(600, 600, WEBGL); brush.scaleBrushes(3); angleMode(DEGREES); noLoop(); }\n"
OPEN = "function draw() {\n  translate(-300, -300);\n  background('#f6f1e6');\n  brush.noStroke();\n"
OPEN += '  brush.fillTexture(0.4, 0.4);\n  brush.fill("#b5365a", 200);\n'
DRAW = OPEN + "  brush.circle(300, 300, 100, 0.3);\n"
SKETCH = SETUP + DRAW + "}\n"
ACCIDENTS = {"no_sketch", "syntax_error", "missing_entry_points", "not_webgl", "blank_canvas", "resource_limit"}


def inside(line: str) -> str:
    return f"{SETUP}{DRAW}{line}\n}}\n"


def above(line: str) -> str:
    return f"{line}\n{SKETCH}"


@pytest.mark.parametrize("place", [inside, above])
def test_every_forbidden_line_is_rejected_for_what_it_does(place):
    for line in FORBIDDEN:
        verdict = check_source(place(line))
        assert not verdict.passed, line
        assert set(verdict.codes) - ACCIDENTS, f"{verdict.codes}: {line}"


@pytest.mark.parametrize("place", [inside, above])
def test_every_honest_line_is_admitted(place):
    for line in HONEST:
        verdict = check_source(place(line))
        assert verdict.passed, f"{line}\n" + "\n".join(map(str, verdict.violations))


@pytest.mark.parametrize(
    "line",
    ["var rect; rect(0, 0, 9, 9);", "var fetch; fetch('x');", "var brush;", "function eval() {}", "var JSON = {};"],
)
def test_a_top_level_var_does_not_hide_the_page(line):
    assert not check_source(above(line)).passed


@pytest.mark.parametrize(
    "line", ["function rect() {}", "var name = 'rose';", "let line = [1]; line.pop();", "var stop = 3; print(stop);"]
)
def test_a_top_level_name_of_ones_own_is_fine(line):
    assert check_source(above(line)).passed


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("", "no_sketch"),
        ("I would rather not.", "no_sketch"),
        (SKETCH[:-30], "syntax_error"),
        ("```js\n" + SKETCH[:-30], "syntax_error"),
        (SKETCH + "let x: number = 3;\n", "syntax_error"),
        ('import p5 from "p5";\n' + SKETCH, "external_access"),
        (SKETCH.replace("setup", "begin"), "missing_entry_points"),
        (SKETCH.replace(", WEBGL", ""), "not_webgl"),
        (SKETCH.replace(", WEBGL", ", P2D") + "// WEBGL", "not_webgl"),
        (SKETCH.replace("createCanvas(600, 600, WEBGL);", ""), "not_webgl"),
        (inside("brush.petal(1);"), "unknown_brush_method"),
        (inside("brush.spline([]);"), "method_not_allowed"),
        (inside("ellipse(1, 1, 2, 2);"), "bare_primitives"),
        (inside('text("rose", 1, 1);'), "text_label"),
        (inside("fetch('x');"), "external_access"),
        (inside("Math.random = () => 0;"), "tampering"),
        (SETUP + OPEN + "}\n", "blank_canvas"),
        (inside("(" * 60_000 + ")" * 60_000 + ";"), "resource_limit"),
        (above("/*" + "x" * 300_000 + "*/"), "resource_limit"),
    ],
)
def test_each_code_has_its_occasion(reply, code):
    verdict = check_source(reply)
    assert not verdict.passed and code in verdict.codes and code in CODES


@pytest.mark.parametrize(
    "canvas",
    [
        "createCanvas(600, 600, WEBGL)",
        "createCanvas(...[600, 600, WEBGL])",
        "createCanvas(600, 600, window.WEBGL)",
        "const mode = WEBGL; createCanvas(600, 600, mode)",
        "const make = (w, h, kind) => createCanvas(w, h, kind); make(600, 600, WEBGL)",
        "const make = createCanvas; make(600, 600, WEBGL)",
        "const config = { mode: WEBGL }; createCanvas(600, 600, config.mode)",
        "createCanvas(600, 600, true ? WEBGL : P2D)",
        'createCanvas(600, 600, "webgl")',
    ],
)
def test_webgl_counts_however_it_reaches_create_canvas(canvas):
    assert check_source(SKETCH.replace("createCanvas(600, 600, WEBGL)", canvas)).passed


def test_every_finding_of_a_bad_sketch_is_told_with_its_remedy():
    verdict = check_source(inside("rect(0, 0, 1, 1); brush.line(1, 2, 3, 4); eval('1');"))
    assert verdict.codes == ["bare_primitives", "method_not_allowed", "tampering"]
    for violation in verdict.violations:
        assert violation.line == 9 and violation.column > 0 and violation.excerpt and violation.remedy
    told = verdict.as_dict()
    assert told["violations"] == verdict.codes and told["details"][0]["excerpt"] == "rect"
    assert told["inventory"]["brush_methods_used"] == ["circle", "fill", "fillTexture", "noStroke", "scaleBrushes"]


def rendered(paint: float, errors: tuple = (), tampering: tuple = ()) -> SimpleNamespace:
    return SimpleNamespace(paint_fraction=paint, errors=errors, tampering=tampering)


def test_a_render_is_judged_by_what_it_shows():
    honest = check_source(SKETCH)
    error = "ReferenceError: leaves is not defined"
    assert check_render(honest, rendered(0.1)).passed
    assert check_render(honest, rendered(PAINT_FLOOR)).passed
    assert check_render(honest, rendered(0.1, errors=(error,))).passed
    assert check_render(honest, rendered(0.004)).codes == ["blank_canvas"]
    assert check_render(honest, rendered(0.0, errors=(error,))).codes == ["runtime_error"]
    assert error in check_render(honest, rendered(0.0, errors=(error,))).violations[0].message
    assert check_render(honest, rendered(0.3, tampering=("brush.set",))).codes == ["tampering"]
    assert reject(honest, SketchFault("timeout", "it ran for 20 s")).codes == ["timeout"]


def test_static_admission_needs_no_browser():
    verdict, render = admit(SKETCH)
    assert verdict.passed and render is None
    assert gate_command(SKETCH.encode(), static=True)["passed"] is True


@pytest.mark.parametrize(
    ("sketch", "codes"),
    [
        (SKETCH, []),
        (inside("missing.forEach();"), []),
        (SKETCH.replace('brush.fill("#b5365a", 200);', "missing();"), ["runtime_error"]),
        (SKETCH.replace("#b5365a", "#f6f1e6"), ["blank_canvas"]),
        (inside("let k = ''; for (const c of 'rotcurtsnoc') k = c + k; [][k][k]('return this')();"), ["tampering"]),
    ],
)
def test_admission_with_a_render(renderer, sketch, codes):
    verdict, render = admit(sketch, renderer, seed=3)
    assert verdict.codes == codes and verdict.passed is (not codes)
    assert render is not None and render.seed == 3


def test_a_source_that_is_rejected_is_not_rendered(renderer):
    verdict, render = admit(inside("rect(0, 0, 9, 9);"), renderer)
    assert verdict.codes == ["bare_primitives"] and render is None
