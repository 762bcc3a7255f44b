"""Reply -> source -> inventory: what is taken for the sketch, and what is read off it."""

import json
import os
import re
import signal
import threading
import time

import pytest

from wclib import nodeworker
from wclib.jsruntime import JS_DIR, library_path
from wclib.prompt import METHODS
from wclib.sketch import LONGEST_REPLY, extract, inventory

SETUP = "function setup() {\n  createCanvas(600, 600, WEBGL);\n  brush.scaleBrushes(3);\n  noLoop();\n}\n"
DRAW = 'function draw() {\n  background("#f6f1e6");\n  brush.fill("#b5365a", 200);\n'
DRAW += "  brush.circle(300, 300, 100, 0.3);\n}\n"
SKETCH = SETUP + DRAW
OTHER = SKETCH.replace("#b5365a", "#336699")


def fenced(code: str, info: str = "js", fence: str = "```") -> str:
    return f"{fence}{info}\n{code}{fence}\n"


@pytest.mark.parametrize(
    "reply",
    [
        SKETCH,
        "\ufeff" + SKETCH,
        "\n\n  " + SKETCH + "\n\n",
        fenced(SKETCH),
        fenced(SKETCH, "javascript"),
        fenced(SKETCH, "JavaScript title=sketch.js"),
        fenced(SKETCH, ""),
        fenced(SKETCH, " js"),
        fenced(SKETCH, "python"),
        fenced(SKETCH, "{.js}"),
        fenced(SKETCH, "js", "~~~"),
        fenced(SKETCH, "js", "`````"),
        "Here you are:\n\n" + fenced(SKETCH) + "\nEnjoy! It uses brush.circle(x, y, r) twice.",
        "Here you are:\n\n```js\n" + SKETCH,
        "1. The sketch:\n" + "".join(f"   {line}\n" for line in fenced(SKETCH).splitlines()),
        "".join(f"> {line}\n" for line in fenced(SKETCH).splitlines()),
        "First `npm install`:\n\n" + fenced("npm install p5\n", "bash") + "\nthen\n\n" + fenced(SKETCH),
        "A petal is\n\n" + fenced("brush.circle(1, 2, 3, 0.1);\n") + "\nand all of it:\n\n" + fenced(SKETCH),
        fenced(SKETCH) + "\nTo change the colour:\n\n" + fenced('brush.fill("#123456", 200);\n'),
        "<think>perhaps\n" + fenced("function setup() {") + "no</think>\n" + fenced(SKETCH),
        "<think>\nshort\n</think>\n\n" + SKETCH,
        "hm, a flower\n</think>\n" + fenced(SKETCH),
        "<think>never closed\n" + fenced(SKETCH),
        "Sure! The sketch is\n\n" + SKETCH + "\nI hope you like it.",
        "```js\n" + SKETCH + "```\n```\n",
        "```js\n" + SKETCH.rstrip() + "```",
        "```js\n" + SKETCH.rstrip() + "```\nEnjoy! It is a flower.\n",
        "```js\n" + SKETCH.rstrip() + "```\nTo change the colour:\n" + fenced('brush.fill("#123456", 200);\n'),
        fenced(SKETCH).rstrip() + "<|im_end|>",
        SKETCH + "</s>\n",
        "<pre><code>\n" + SKETCH + "</code></pre>",
        "js\n" + SKETCH + "```",
        fenced(SKETCH).encode(),
        b"\xef\xbb\xbf" + fenced(SKETCH).encode(),
        "\ufeff".encode("utf-16-le") + fenced(SKETCH).encode("utf-16-le"),
        b"\xff\xfa bad bytes\n" + fenced(SKETCH).encode(),
        fenced(SKETCH).replace("\n", "\r\n"),
        fenced(SKETCH).replace("\n", "\r"),
    ],
)
def test_the_sketch_is_found_wherever_it_stands(reply):
    found = extract(reply)
    assert found.source is not None, found.reason
    assert found.source.replace("\r", "").strip() == SKETCH.strip()


@pytest.mark.parametrize("opening", ["(() => {", ";(() => {", "(async () => {", "(function () {", "!(function () {"])
def test_a_sketch_wrapped_in_a_function_of_its_own_is_found_bare(opening):
    wrapped = f"{opening} 'use strict'; window.setup = () => createCanvas(600, 600, WEBGL); }})();"
    assert extract(wrapped).source == wrapped


@pytest.mark.parametrize("many", ["<think></think>\n", "```\n", "</s>", "<think>", "a</think>", "x```\n"])
def test_a_reply_that_says_one_thing_without_end_is_read_in_a_moment(many):
    started = time.monotonic()
    assert extract("<think>hm</think>" + many * (400_000 // len(many))).source is None
    assert time.monotonic() - started < 30


def test_bare_code_is_taken_byte_for_byte():
    assert extract(SKETCH).source == SKETCH and extract(SKETCH + "\n \n").source == SKETCH + "\n \n"


def test_a_sketch_after_many_thoughts_is_found():
    assert extract("<think>so</think>\n" * 5000 + fenced(SKETCH)).source.strip() == SKETCH.strip()


def test_a_sketch_in_two_fences_is_joined():
    source = extract("Set-up:\n" + fenced(SETUP) + "\nPainting:\n" + fenced(DRAW)).source
    read = inventory(source)
    assert read.has_setup and read.has_draw and not read.findings


def test_of_two_complete_sketches_the_last_clean_one_is_taken():
    assert extract(fenced(SKETCH) + "or\n" + fenced(OTHER)).source.strip() == OTHER.strip()
    spoiled = OTHER.replace("brush.fill", 'text("rose", 10, 10);\n  brush.fill')
    assert extract(fenced(SKETCH) + "or, with a title,\n" + fenced(spoiled)).source.strip() == SKETCH.strip()


def test_a_fence_inside_the_code_does_not_end_it():
    code = SKETCH + "/* like so:\n```\nnot the end\n```\n*/\n"
    assert extract(fenced(code)).source.strip() == code.strip()
    assert extract(code).source.strip() == code.strip()


def test_line_separators_inside_strings_survive():
    code = SKETCH + 'const mark = "a\u2028b\x0cc\x85d";\n'
    assert extract(fenced(code)).source.strip() == code.strip()


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        ("", "empty"),
        (b"", "empty"),
        (" \n\t ", "empty"),
        ("I cannot paint today.", "no JavaScript"),
        ("Sorry", "no JavaScript"),
        ("<think>only thoughts</think>", "thoughts"),
        ("Here:\n```js\n```\n", "empty"),
        (fenced("print('hello')\n", "python"), "no JavaScript"),
        (fenced("<!DOCTYPE html>\n<script>\n" + SKETCH + "</script>\n", "html"), "web page"),
        ("<!DOCTYPE html><html><script>\n" + SKETCH + "</script></html>", "web page"),
        (bytes(range(256)) * 40, "no JavaScript"),
        (os.urandom(5000), "no JavaScript"),
    ],
)
def test_a_reply_without_a_sketch_says_why(reply, word):
    found = extract(reply)
    assert found.source is None and found.code == "no_sketch" and word in found.reason


def test_a_huge_reply_is_refused_quickly():
    started = time.perf_counter()
    for reply in (SKETCH + "// x\n" * 1_000_000, b"`" * 5_000_000, " " * 5_000_000 + "x"):
        found = extract(reply)
        assert found.source is None and found.code == "resource_limit" and f"{LONGEST_REPLY:,}" in found.reason
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "piece",
    ["function ", "```", "> ", "~~~\n", "brush . ", "; ", "<think>", "</think>", "(", "[", "`${", "a=>", "//", "\\"],
)
def test_long_nonsense_is_read_in_good_time(piece):
    started = time.perf_counter()
    found = extract(piece * (150_000 // len(piece)) + " " * 40_000 + "x")
    if found.source is not None:
        assert inventory(found.source).findings
    assert time.perf_counter() - started < 20


def test_counts_are_of_call_sites_under_any_name():
    source = SETUP + (
        "const { circle: dab, fill } = brush;\n"
        "const b = brush;\n"
        "function draw() {\n"
        "  fill('#aa0000', 200); b['fill']('#00aa00', 200);\n"
        "  dab(1, 2, 3, 0.1); window.brush.circle(1, 2, 3, 0.1);\n"
        "  b.beginShape(0.4); for (const p of [[1, 2]]) b.vertex(...p); b.endShape(true);\n"
        "  // brush.circle(0, 0, 0)\n"
        "}\n"
    )
    read = inventory(source)
    assert not read.findings
    assert (read.n_shapes, read.n_circles, read.n_vertices, read.n_fill_calls) == (3, 2, 1, 2)
    assert read.brush_methods_used == ("beginShape", "circle", "endShape", "fill", "scaleBrushes", "vertex")
    assert read.code_chars == len(source) and read.has_setup and read.has_draw


def test_a_finding_says_where_what_and_what_instead():
    source = SETUP + "function draw() {\r\n  brush.circle(1, 2, 3, 0.1);\r\n\tbrush.spline([[1, 2]]);\r\n}\n"
    (finding,) = inventory(source).findings
    assert (finding.code, finding.line, finding.column, finding.excerpt) == ("method_not_allowed", 8, 2, "brush.spline")
    assert "brush.beginShape" in finding.remedy and "spline" in finding.message


@pytest.mark.parametrize(
    "code",
    ["function setup() {}", "const setup = async () => {}", "let setup; setup = function () {}", "var setup = () => {}",
     "window.setup = () => {}", "globalThis['setup'] = () => {}", "setup = () => {}", "function* setup() {}"],
)  # fmt: skip
def test_every_way_to_define_setup_counts(code):
    assert inventory(code).has_setup


@pytest.mark.parametrize(
    "code",
    [
        "",
        "let setup;",
        "const setup = 3;",
        "{ function setup2() {} }",
        "const o = { setup() {} };",
        "// function setup() {}",
    ],
)
def test_what_only_looks_like_setup_does_not_count(code):
    assert not inventory(code).has_setup


def test_the_known_methods_are_those_of_the_installed_library():
    known = set(json.loads((JS_DIR / "names.json").read_text())["brush"].split())
    library = library_path("p5.brush").read_text()
    exported = set(re.findall(r"\bt\.([A-Za-z]\w*)=", library[library.rindex("t.Plot") :]))
    exported |= set(re.findall(r"\bt\.(Plot|Polygon|Position)=", library))
    assert exported == known and len(known - {"Plot", "Polygon", "Position"}) == 47
    assert set(METHODS) <= known


def test_the_parser_survives_being_killed():
    assert inventory(SKETCH).has_setup
    nodeworker.shared._process.kill()
    assert inventory(SKETCH).has_setup


def test_a_stopped_parser_is_replaced_within_its_deadline():
    worker = nodeworker.NodeWorker()
    assert worker.healthy()
    os.kill(worker._process.pid, signal.SIGSTOP)
    with pytest.raises(nodeworker.RequestFailed, match="too long"):
        worker.ask(deadline_s=0.3, op="inspect", source=SKETCH)
    assert worker.ask(op="inspect", source=SKETCH)["has_setup"]
    worker.close()


def test_threads_get_their_own_answers():
    sources = [SKETCH + "brush.fill('#fff', 200);\n" * i for i in range(24)]
    found: dict[int, int] = {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: inventory(sources[i]).n_fill_calls})) for i in range(24)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: i + 1 for i in range(24)}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_parent_and_forked_child_both_go_on():
    assert inventory(SKETCH).has_setup
    child = os.fork()
    if child == 0:
        os._exit(0 if inventory(SKETCH).has_draw else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert inventory(SKETCH).n_circles == 1


@pytest.mark.parametrize("quoted", [r'brush["\ud800"]();', "/* " + "x" * 73 + " */ brush.petal('\U0001f338');"])
def test_what_is_quoted_from_a_sketch_can_always_be_sent(quoted):
    # A lone surrogate, the sketch's own or what is left of a cut emoji, is a string in JavaScript and not in UTF-8.
    found = inventory(SKETCH.replace("background", quoted + " background")).findings
    assert found and all(str(finding).encode("utf-8") for finding in found)


def test_an_interrupted_request_leaves_no_answer_for_the_next(monkeypatch):
    worker = nodeworker.NodeWorker()
    assert worker.healthy()
    exchange = worker._exchange

    def interrupted(process, line, until):
        process.stdin.write(line)
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "_exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        worker.ask(op="survey", sources=["function draw() {}"])
    monkeypatch.setattr(worker, "_exchange", exchange)
    assert worker.ask(op="survey", sources=["function setup() {}"])["surveys"][0]["setup"]
    worker.close()
