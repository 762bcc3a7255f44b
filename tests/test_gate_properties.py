"""Automatic disguises of everything forbidden, none admitted; automatic variations of honest sketches, none rejected.

Static checks only, so that thousands fit in a test run. Both halves are grown from small grammars by hypothesis, always
with the same seed. ``python -m tests.test_gate_properties`` prints a few of each.
"""

from __future__ import annotations

import base64
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wclib.gate import check_source
from wclib.jsruntime import JS_DIR
from wclib.prompt import METHODS

DISGUISES = 600
VARIATIONS = 400

QUICK = dict(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

FORBIDDEN_METHODS = sorted(set(json.loads((JS_DIR / "names.json").read_text())["brush"].split()) - set(METHODS))
PRIMITIVES = """arc bezier box circle cone cylinder ellipse ellipsoid endShape image line model plane point quad rect sphere
spline square torus triangle beginShape vertex set updatePixels filter shader createGraphics createFramebuffer copy blend
loadPixels drawingContext pixels buildGeometry panorama""".split()
OUTSIDE = """fetch XMLHttpRequest WebSocket Worker Image document localStorage sessionStorage indexedDB location open alert
navigator history postMessage saveCanvas save loadImage createDiv createP createImg httpGet eval Function text
HTMLCanvasElement OffscreenCanvas addEventListener EventSource Blob URL MutationObserver select createElement""".split()

BODY = """  translate(-width / 2, -height / 2);
  background("#f6f1e6");
  brush.noStroke();
  brush.fill("#b5365a", 200);
  brush.circle(300, 300, 100, 0.3);
"""


def sketch(top: str, inside: str) -> str:
    setup = "function setup() {\n  createCanvas(600, 600, WEBGL);\n  brush.scaleBrushes(3);\n  noLoop();\n}\n"
    return f"{top}\n{setup}function draw() {{\n{BODY}{inside}\n}}\n"


# ---- disguises -------------------------------------------------------------------------------------------------------


@st.composite
def spelt(draw, word: str) -> tuple[str, str]:
    """A way to spell a word at run time: (statements that come first, expression)."""
    quote = json.dumps
    cut = draw(st.integers(1, max(1, len(word) - 1)))
    a, b = word[:cut], word[cut:]
    codes = [ord(c) for c in word]
    coded = base64.b64encode(word.encode()).decode()
    key = f"k{draw(st.integers(0, 99))}"
    plain = [
        quote(word),
        f"`{word}`",
        "'" + "".join(f"\\x{c:02x}" for c in codes) + "'",
        "'" + "".join(f"\\u{{{c:x}}}" for c in codes) + "'",
        f"{quote(a)} + {quote(b)}",
        f"`{a}${{{quote(b)}}}`",
        f"[{quote(a)}, {quote(b)}].join('')",
        f"{quote(word[::-1])}.split('').reverse().join('')",
        f"[...{quote(word[::-1])}].reverse().join('')",
        f"String.fromCharCode({', '.join(map(str, codes))})",
        f"[{', '.join(map(str, codes))}].map((c) => String.fromCharCode(c)).join('')",
        f"{quote('x' + word + 'y')}.slice(1, -1)",
        f"{quote(a + '_' + b)}.replace('_', '')",
        f"{quote(a)}.concat({quote(b)})",
        f"atob({quote(coded)})",
        f"({{ k: {quote(word)} }}).k",
        f"[{quote('fill')}, {quote(word)}][1]",
        f"(true ? {quote(word)} : 'fill')",
        f"((s) => s)({quote(word)})",
        f"{quote(a)} + ((x) => x + {quote(b)})('')",
    ]
    choice = draw(st.integers(0, len(plain) + 4))
    if choice < len(plain):
        return "", plain[choice]
    return [
        (f"const {key} = {quote(word)};", key),
        (f"const {key} = {{ deep: [{quote(word)}] }};", f"{key}.deep[0]"),
        (f"const {key} = (p, q) => p + q;", f"{key}({quote(a)}, {quote(b)})"),
        (f"let {key} = ''; for (const c of {quote(word)}) {key} += c;", key),
        (f"let {key} = {quote(word)}; if (Math.random() > 2) {key} = 'fill';", key),
    ][choice - len(plain)]


ROUTES = [
    ("", "{root}"),
    ("const {v} = {root};", "{v}"),
    ("let {v}; {v} = {root};", "{v}"),
    ("const {v} = {{ at: {root} }};", "{v}.at"),
    ("const {{ at: {v} }} = {{ at: {root} }};", "{v}"),
    ("const {v} = [{root}];", "{v}[0]"),
    ("const [{v}] = [{root}];", "{v}"),
    ("const {v} = () => {root};", "{v}()"),
    ("function {v}() {{ return {root}; }}", "{v}()"),
    ("", "((x) => x)({root})"),
    ("", "(function (x = {root}) {{ return x; }})()"),
    ("", "(0, {root})"),
    ("", "(null ?? {root})"),
    ("", "(1 && {root})"),
    ("", "(Date.now() > 0 ? {root} : null)"),
    ("class {v} {{ constructor(x) {{ this.x = x; }} get it() {{ return this.x; }} }}", "new {v}({root}).it"),
    ("class {v} {{ static it = {root}; }}", "{v}.it"),
    ("const {v} = new Map([['at', {root}]]);", "{v}.get('at')"),
    ("const {v} = []; {v}.push({root});", "{v}.pop()"),
    ("function* {v}() {{ yield {root}; }}", "[...{v}()][0]"),
    ("let {v}; try {{ throw {root}; }} catch (e) {{ {v} = e; }}", "{v}"),
    ("const {v} = {{ get at() {{ return {root}; }} }};", "{v}.at"),
    ("const {v} = {{}}; {v}.at = {root};", "{v}.at"),
    ("function {v}(...list) {{ return list[0]; }}", "{v}({root})"),
    ("function {v}() {{ return arguments[0]; }}", "{v}({root})"),
    ("const {v} = (o) => (p) => o;", "{v}({root})(1)"),
    ("const {v} = [{root}].map((x) => x);", "{v}[0]"),
    ("const {v} = Object.values({{ a: {root} }});", "{v}[0]"),
]
WINDOWS = ["window", "globalThis", "self", "window.window", "frames", "top", "(() => globalThis)()", "window['self']"]


@st.composite
def reached(draw, root: str) -> tuple[str, str]:
    """The root by one or two detours: (statements, expression)."""
    before = ""
    for step in range(draw(st.integers(0, 2))):
        name = f"v{step}{draw(st.integers(0, 99))}"
        statement, expression = draw(st.sampled_from(ROUTES))
        before += statement.format(root=root, v=name) + "\n"
        root = expression.format(root=root, v=name)
    return before, root


@st.composite
def member(draw, root: str, word: str) -> tuple[str, str]:
    before, at = draw(reached(root))
    more, key = draw(spelt(word))
    gap = draw(st.sampled_from(["", " ", "\n", "/* . */"]))
    name = f"m{draw(st.integers(0, 99))}"
    ways = [
        ("", f"{at}{gap}.{gap}{word}"),
        ("", f"{at}?.{word}"),
        ("", f"{at}[{gap}{key}{gap}]"),
        ("", f"{at}?.[{key}]"),
        (f"const {{ {word}: {name} }} = {at};", name),
        (f"const {{ [{key}]: {name} }} = {at};", name),
        (f"let {name}; ({{ {word}: {name} }} = {at});", name),
        ("", f"Reflect.get({at}, {key})"),
        ("", f"((o, k) => o[k])({at}, {key})"),
        (f"const {name} = (o) => (k) => o[k];", f"{name}({at})({key})"),
        ("", f"[{key}].map((n) => {at}[n])[0]"),
    ]
    statement, expression = draw(st.sampled_from(ways))
    return before + more + "\n" + statement, expression


@st.composite
def called(draw, expression: str) -> str:
    name = f"f{draw(st.integers(0, 99))}"
    return draw(
        st.sampled_from(
            [
                f"{expression}(10, 10, 40, 40);",
                f"const {name} = {expression}; {name}(10, 10, 40, 40);",
                f"({expression}).call(null, 10, 10, 40, 40);",
                f"({expression}).apply(null, [10, 10, 40, 40]);",
                f"({expression}).bind(null)(10, 10);",
                f"[10].forEach({expression});",
                f"[{expression}].forEach((f) => f(10, 10, 40, 40));",
                f"new ({expression})(10);",
                f"Reflect.apply({expression}, null, [10, 10]);",
                f"setTimeout({expression}, 0);",
                f"({expression})`10`;",
                f"void ({expression})?.(10, 10);",
            ]
        )
    )


@st.composite
def placed(draw, code: str, strict: bool = True) -> str:
    """The code somewhere in an otherwise honest sketch; without ``strict``, not in a class, where `this` is not lent."""
    in_class = [
        lambda: sketch(f"class Helper {{ go() {{ {code} }} }}", "new Helper().go();"),
        lambda: sketch(f"class Helper {{ static {{ {code} }} }}", ""),
    ]
    where = in_class * strict + [
        lambda: sketch(code, ""),
        lambda: sketch("", code),
        lambda: sketch(f"function helper() {{\n{code}\n}}", "helper();"),
        lambda: sketch(f"const helper = () => {{ {code} }};", "helper();"),
        lambda: sketch("", f"(() => {{ {code} }})();"),
        lambda: sketch("", f"if (frameCount >= 0) {{ {code} }}"),
        lambda: sketch("", f"for (const once of [1]) {{ {code} }}"),
        lambda: sketch("", f"try {{ {code} }} catch {{}}"),
        lambda: sketch("", f"setTimeout(() => {{ {code} }}, 1);"),
        lambda: sketch(f"async function helper() {{ await null; {code} }}", "helper();"),
        lambda: sketch("", f"switch (1) {{ case 1: {{ {code} }} }}"),
        lambda: "Here it is:\n\n```js\n" + sketch("", code) + "```\n",
        lambda: sketch("", code).replace("\n", "\r\n"),
    ]
    return draw(st.sampled_from(where))()


@st.composite
def forbidden(draw) -> str:
    kind = draw(
        st.sampled_from(["brush", "window", "window", "free", "p5", "function", "write", "string", "sloppy", "spread"])
    )
    if kind == "brush":
        before, use = draw(member("brush", draw(st.sampled_from(FORBIDDEN_METHODS))))
        code = before + draw(called(use))
    elif kind == "window":
        root, word = draw(st.sampled_from(WINDOWS)), draw(st.sampled_from(PRIMITIVES + OUTSIDE))
        before, use = draw(member(root, word))
        code = before + draw(called(use))
    elif kind == "free":
        before, use = draw(reached(draw(st.sampled_from(PRIMITIVES + OUTSIDE))))
        code = before + draw(called(use))
    elif kind == "p5":
        before, use = draw(
            member("p5", draw(st.sampled_from(["instance", "prototype", "Graphics", "Renderer", "Image"])))
        )
        code = before + f"const held = {use}; held.rect(0, 0, 9, 9);"
    elif kind == "function":
        root = draw(
            st.sampled_from(["draw", "(() => {})", "Math.sin", "brush.fill", "(async () => {})", "class {}", "[].map"])
        )
        before, use = (
            draw(member(root, "constructor"))
            if root in ("draw", "Math.sin", "brush.fill")
            else ("", f"({root}).constructor")
        )
        code = before + f'\nconst made = {use}; made("return this")();'
    elif kind == "write":
        root, word = draw(
            st.sampled_from(
                [("brush", "circle"), ("brush", "fill"), ("Math", "random"), ("JSON", "stringify"), ("Array.prototype", "push"),
                 ("Date", "now"), ("console", "error"), ("Promise.prototype", "then"), ("Object", "keys"), ("window", "eval"),
                 ("window", "onerror"), ("window", "__done"), ("window", "requestAnimationFrame"), ("performance", "now"),
                 ("String.prototype", "trim"), ("window", "brush"), ("Object.prototype", "passed"), ("p5", "instance")]
            )
        )  # fmt: skip
        before, at = draw(reached(root)) if root in ("brush", "window") else ("", root)
        more, key = draw(spelt(word))
        how = [
            f"{at}.{word} = () => 0;",
            f"{at}[{key}] = () => 0;",
            f"Object.defineProperty({at}, {key}, {{ value: () => 0 }});",
            f"Object.assign({at}, {{ [{key}]: () => 0 }});",
            f"Reflect.set({at}, {key}, () => 0);",
            f"[{at}.{word}] = [() => 0];",
            f"({{ a: {at}.{word} }} = {{ a: () => 0 }});",
            f"delete {at}.{word};",
        ]
        if before and "Object.values" in before + at:  # a copy taken by a builtin: only reads of it are followed
            before, at, how = "", root, [f"{root}.{word} = () => 0;"]
        code = before + more + "\n" + draw(st.sampled_from(how))
    elif kind == "string":
        more, text = draw(spelt("rect(0,0,9,9)"))
        timer = draw(st.sampled_from(["setTimeout", "setInterval", "window.setTimeout", "globalThis['setInterval']"]))
        if more.startswith("let") or "deep" in more:
            more, text = "", '"rect(0,0,9,9)"'
        code = draw(
            st.sampled_from(
                [
                    f"{more} eval({text});",
                    f"{more} new Function({text})();",
                    f"{more} {timer}({text}, 1);",
                    f"{more} import({text});",
                ]
            )
        )
        if ".k" in text or "[1]" in text or "((s)" in text:
            code = f"{more} (0, eval)({text});"
    elif kind == "sloppy":
        word = draw(st.sampled_from(PRIMITIVES[:20]))
        _, key = draw(spelt(word).filter(lambda pair: not pair[0]))
        code = draw(
            st.sampled_from(
                [
                    f"(function () {{ this[{key}](0, 0, 9, 9); }})();",
                    f"[1].forEach(function () {{ this.{word}(0, 0, 9, 9); }});",
                    f"const held = (function () {{ return this; }}).call(undefined); held[{key}](0, 0, 9, 9);",
                    f"const o = {{ m() {{ return this; }} }}; const m = o.m; m().{word}(0, 0, 9, 9);",
                    f"setTimeout(function () {{ this[{key}](0, 0, 9, 9); }}, 0);",
                    f"function Me() {{ return this; }} const me = Me(); me[{key}](0, 0, 9, 9);",
                    f"const me = (function () {{ return [this]; }})()[0]; me.{word}(0, 0, 9, 9);",
                ]
            )
        )
    else:
        before, at = draw(
            reached(draw(st.sampled_from(["brush", "window"]))).filter(
                lambda pair: (
                    "Object.values" not in pair[0]
                    and "Map" not in pair[0]
                    and "push" not in pair[0]
                    and "map(" not in pair[0]
                    and "yield" not in pair[0]
                )
            )
        )
        code = before + draw(
            st.sampled_from(
                [
                    f"const copy = {{ ...{at} }}; copy.x;",
                    f"for (const k in {at}) {at}[k];",
                    f"Object.keys({at}).forEach((k) => k);",
                    f"const {{ fill, ...others }} = {at}; others;",
                    f"new Proxy({at}, {{}}).x;",
                    f"Object.create({at}).x;",
                    f"Reflect.ownKeys({at});",
                    f"JSON.stringify({at});",
                ]
            )
        )
    return draw(placed(code, strict=kind != "sloppy"))


@settings(max_examples=DISGUISES, **QUICK)
@given(forbidden())
def test_no_disguise_of_a_forbidden_capability_is_admitted(reply):
    verdict = check_source(reply)
    assert not verdict.passed, reply
    honest_reasons = {
        "syntax_error",
        "no_sketch",
        "missing_entry_points",
        "not_webgl",
        "blank_canvas",
        "resource_limit",
    }
    assert set(verdict.codes) - honest_reasons, f"{verdict.codes}\n{reply}"


# ---- honest variations -----------------------------------------------------------------------------------------------

LOOKALIKES = """line rect text point ellipse image fetch open document location history triangle arc box select save filter quad
model sphere vertex2 circle beginShape endShape name status parent top event screen self origin print copy blend set get pixels
shader texture plane navigator alert find stop close focus Image Worker Blob constructor_ drawingContext storage""".split()
REMARKS = [
    "rect(0, 0, 10, 10); text('rose', 1, 1)",
    "eval('1'); new Function('x'); window.location = 'x'",
    "brush.line(1, 2, 3, 4); brush.set('pen')",
    "fetch('https://example.org') { } } )",
    "</script><script>alert(1)</script>",
    "don't use document.createElement or import('x')",
    "``` ~~~ ${brush.spline()} \\",
    "setup draw WEBGL {{{ ((( [[[",
]
PASTELS = ["#d96c66", "#e2857a", "#7f86c9", "#c25b6e", "#f0c24b", "#5f7f4a"]


@st.composite
def honest(draw) -> str:
    def pick(options):
        return draw(st.sampled_from(options))

    names = draw(st.lists(st.sampled_from(LOOKALIKES), min_size=6, max_size=6, unique=True))
    petal, turn, hue, data, item, helper = names
    remark = pick(REMARKS)
    colour = json.dumps(pick(PASTELS))
    # how brush is held
    hold, fill, circle, shape = pick(
        [
            ("", "brush.fill", "brush.circle", "brush"),
            ("", 'brush["fill"]', "brush?.circle", "brush"),
            ("const b = brush;", "b.fill", "b.circle", "b"),
            ("const tools = { ink: brush };", "tools.ink.fill", "tools.ink.circle", "tools.ink"),
            ("const { fill: wash, circle: dab } = brush;", "wash", "dab", "brush"),
            ("const wash = brush.fill, dab = brush.circle.bind(brush);", "wash", "dab", "brush"),
            ("const M = { paint: 'fill', drop: 'cir' + 'cle' };", "brush[M.paint]", "brush[M.drop]", "brush"),
            ("", "window.brush.fill", "globalThis.brush.circle", "brush"),
        ]
    )
    outline = pick(
        [
            f"{shape}.beginShape(0.5); for (let i = 0; i < 5; i++) {shape}.vertex(300 + 90 * cos(i * 72 + {turn}), 300 + 90 * sin(i * 72)); {shape}.endShape(true);",
            f"{shape}.beginShape(0.5); [[0, 0], [40, 10], [20, 60]].forEach(([x, y]) => {shape}.vertex(300 + x, 300 + y + {turn})); {shape}.endShape(true);",
            f"{shape}.beginShape(0.6); Array.from({{ length: 6 }}, (_, i) => i * 60).map((a) => {shape}.vertex(300 + 80 * cos(a), {turn} + 300 + 80 * sin(a))); {shape}.endShape(true);",
            f"{circle}(300 + {turn}, 280, 60, 0.4);",
            f"let i = 0; while (i < 3) {{ {circle}(250 + 40 * i, 300 + {turn}, 40, 0.3); i += 1; }}",
        ]
    )
    painter = pick(
        [
            f"function {petal}({turn}, {hue}) {{ {fill}({hue}, 200); {outline} }}\nconst go = () => {petal}(3, {colour});",
            f"const {petal} = ({turn}, {hue} = {colour}) => {{ {fill}({hue}, 190); {outline} }};\nconst go = () => {petal}(2);",
            f"class Flower {{ constructor({hue}) {{ this.{hue} = {hue}; this.{item} = []; }}\n  {petal}({turn}) {{ {fill}(this.{hue}, 200); {outline} return this; }}\n  static {helper}() {{ return new Flower({colour}); }} }}\nconst go = () => Flower.{helper}().{petal}(1);",
            f"const {data} = {{ {item}: {colour}, {petal}({turn}) {{ {fill}(this.{item}, 200); {outline} }}, [`{helper}`]: 3 }};\nconst go = () => {data}.{petal}({data}.{helper});",
            f"function* {petal}() {{ for (let {turn} = 0; {turn} < 3; {turn}++) yield {turn}; }}\nconst go = () => {{ for (const {turn} of {petal}()) {{ {fill}({colour}, 200); {outline} }} }};",
            f"const {data} = [{colour}, '#efc65a'];\nconst go = () => {data}.forEach(({hue}, {turn}) => {{ {fill}({hue}, 200); {outline} }});",
            f"const {data} = new Map([['{item}', {colour}]]);\nconst go = () => {{ for (const [{helper}, {hue}] of {data}) {{ const {turn} = {helper}.length; {fill}({hue}, 200); {outline} }} }};",
            f"function Flower({hue}) {{ this.{hue} = {hue}; }}\nFlower.prototype.{petal} = function ({turn}) {{ {fill}(this.{hue}, 200); {outline} }};\nconst go = () => new Flower({colour}).{petal}(4);",
            f"const go = async () => {{ const {turn} = await Promise.resolve(2); {fill}({colour}, 200); {outline} }};",
            f"const {helper} = ({turn}, n) => {{ if (n <= 0) return; {fill}({colour}, 200); {outline} {helper}({turn} + 1, n - 1); }};\nconst go = () => {helper}(0, 2);",
        ]
    )
    extras = pick(
        [
            f"// {remark}",
            f"/* {remark.replace('*/', '')} */",
            f"const note = {json.dumps(remark)}; print(note.length);",
            f"const kept = {{ {item}: 1, '{helper}': [1, 2], {petal}: (x) => x }}; kept.{item} += kept['{helper}'][0];",
            "push(); rotate(12); scale(1.1); pop();",
            "noStroke(); fill(255); rectMode(CENTER); colorMode(RGB);",
            "randomSeed(4); noiseSeed(5); const n = noise(0.3) * random(1, 2) + map(1, 0, 2, 0, 9);",
            "const v = createVector(1, 2); v.add(3, 4); const angle = v.heading() + p5.Vector.fromAngle(1).x;",
            "const c = lerpColor(color('#fab'), color('#abf'), 0.4); brush.fill(c, 200);",
            f"const re = /{petal}\\(|[{{}}]\\/\\//g; 'x'.replace(re, '');",
            "const { sin: sine, PI: HALF } = Math; sine(HALF);",
            "try { JSON.parse('{'); } catch (error) { console.log(error.message); }",
            f"{petal}: for (const {turn} of [1, 2]) {{ for (const q of [1]) if (q) continue {petal}; }}",
        ]
    )
    before = pick(["", "'use strict';\n", "p5.disableFriendlyErrors = true;\n", f"// {remark}\n", "\ufeff"])
    start, end = pick(
        [
            ("function setup() {", "}"),
            ("async function setup() {", "}"),
            ("const setup = () => {", "};"),
            ("const setup = async function () {", "};"),
        ]
    )
    size = pick(["600, 600, WEBGL", "600, 600, WEBGL", "SIZE, SIZE, WEBGL", "...[600, 600, WEBGL]"])
    head, tail = pick([("function draw() {", "}"), ("async function draw() {", "}"), ("const draw = () => {", "};")])
    last = "await go();" if head.startswith("async") else "go();"
    code = (
        f"{before}const SIZE = 600;\n{start}\n  createCanvas({size});\n  brush.scaleBrushes(3);\n  angleMode(DEGREES);\n  noLoop();\n{end}\n"
        f"{head}\n  translate(-width / 2, -height / 2);\n  background('#f6f1e6');\n  brush.noStroke();\n  {hold}\n  {painter}\n  {extras}\n  {last}\n{tail}\n"
    )
    shape_of_reply = draw(st.integers(0, 6))
    if shape_of_reply == 1:
        return code.replace("\n", "\r\n")
    if shape_of_reply == 2:
        return f"Of course, no `text()` or rect() here:\n\n~~~javascript\n{code}~~~\n\nSay if you want a line() added."
    if shape_of_reply == 3:
        return f"<think>use rect()? no, {remark}</think>\n```js\n{code}```"
    if shape_of_reply == 4:
        return f"```\n{code}"
    return code


@settings(max_examples=VARIATIONS, **QUICK)
@given(honest())
def test_no_honest_variation_is_rejected(reply):
    verdict = check_source(reply)
    assert verdict.passed, "\n".join(map(str, verdict.violations)) + "\n" + reply


if __name__ == "__main__":
    for strategy in (forbidden(), honest()):
        for _ in range(3):
            print(strategy.example())
