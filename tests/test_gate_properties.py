"""Automatic disguises of everything forbidden, none admitted; automatic variations of honest sketches, none rejected.

Static checks only, so that thousands fit in a test run. Both halves are grown from small grammars by hypothesis, always
with the same seed. ``python -m tests.test_gate_properties`` prints a few of each.
"""

from __future__ import annotations

import base64
import json
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wclib.gate import check_source
from wclib.jsruntime import JS_DIR
from wclib.prompt import METHODS

DISGUISES = 1000
VARIATIONS = 600

QUICK = dict(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

FORBIDDEN_METHODS = sorted(set(json.loads((JS_DIR / "names.json").read_text())["brush"].split()) - set(METHODS))
PRIMITIVES = """
arc bezier box circle cone cylinder ellipse ellipsoid endShape image line model plane point quad rect sphere
spline square torus triangle beginShape vertex set updatePixels filter shader createGraphics createFramebuffer
copy blend loadPixels drawingContext pixels buildGeometry panorama
""".split()
OUTSIDE = """
fetch XMLHttpRequest WebSocket Worker Image document localStorage sessionStorage indexedDB location open alert
navigator history postMessage saveCanvas save loadImage createDiv createP createImg httpGet eval Function text
HTMLCanvasElement OffscreenCanvas addEventListener EventSource Blob URL MutationObserver select createElement
""".split()

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


# Routes a value keeps its identity on; then those through lists and builtins, after which less is known of it.
PLAIN_ROUTES = [
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
    ("let {v}; try {{ throw {root}; }} catch (e) {{ {v} = e; }}", "{v}"),
    ("const {v} = {{ get at() {{ return {root}; }} }};", "{v}.at"),
    ("const {v} = {{}}; {v}.at = {root};", "{v}.at"),
    ("function {v}(...list) {{ return list[0]; }}", "{v}({root})"),
    ("function {v}() {{ return arguments[0]; }}", "{v}({root})"),
    ("const {v} = (o) => (p) => o;", "{v}({root})(1)"),
]
ROUTES = PLAIN_ROUTES + [
    ("const {v} = new Map([['at', {root}]]);", "{v}.get('at')"),
    ("const {v} = []; {v}.push({root});", "{v}.pop()"),
    ("function* {v}() {{ yield {root}; }}", "[...{v}()][0]"),
    ("const {v} = [{root}].map((x) => x);", "{v}[0]"),
    ("const {v} = Object.values({{ a: {root} }});", "{v}[0]"),
    ("const {v} = ((s, ...x) => x)`at${{{root}}}`;", "{v}[0]"),
    ("const {v} = new Proxy({{}}, {{ get: () => {root} }});", "{v}.anything"),
    ("const {v} = Object.defineProperty({{}}, 'at', {{ get: () => {root} }});", "{v}.at"),
    ("const {v} = Object.create({{}}, {{ at: {{ value: {root} }} }});", "{v}.at"),
    ("function* {v}() {{ return {root}; }}", "{v}().next().value"),
    ("const {v} = {{ *[Symbol.iterator]() {{ yield {root}; }} }};", "[...{v}][0]"),
    ("const {v} = {{ valueOf: () => {root} }};", "{v}.valueOf()"),
    ("class {v} {{ constructor(x) {{ return x; }} }}", "new {v}({root})"),
    ("const {v} = new WeakRef({root});", "{v}.deref()"),
    ("const {v} = [{root}].reduce((a, x) => x, null);", "{v}"),
    ("const {v} = new Set([{root}]);", "[...{v}][0]"),
    ("function {v}(x) {{ arguments[0] = {root}; return x; }}", "{v}(1)"),
]
# Routes through promises: what comes first, and what follows with the root under the name it.
WAITING = [
    "Promise.resolve({root}).then((it) => {{ {code} }});",
    "Promise.reject({root}).catch((it) => {{ {code} }});",
    "new Promise((done) => done({root})).then((it) => {{ {code} }});",
    "const {{ promise, resolve }} = Promise.withResolvers(); promise.then((it) => {{ {code} }}); resolve({root});",
    "(async () => {root})().then((it) => {{ {code} }});",
    "(async (it) => {{ it = await it; {code} }})({root});",
    "(async () => {{ for await (const it of [{root}]) {{ {code} }} }})();",
    "Promise.all([{root}]).then(([it]) => {{ {code} }});",
]
WINDOWS = ["window", "globalThis", "self", "window.window", "frames", "top", "(() => globalThis)()", "window['self']"]


@st.composite
def reached(draw, root: str, routes: list = ROUTES) -> tuple[str, str]:
    """The root by one or two detours: (statements, expression)."""
    before = ""
    for step in range(draw(st.integers(0, 2))):
        name = f"v{step}{draw(st.integers(0, 99))}"
        statement, expression = draw(st.sampled_from(routes))
        before += statement.format(root=root, v=name) + "\n"
        root = expression.format(root=root, v=name)
    return before, root


@st.composite
def member(draw, root: str, word: str, routes: list = ROUTES) -> tuple[str, str]:
    before, at = draw(reached(root, routes))
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
    """The code somewhere in an honest sketch; without ``strict``, not in a class, where `this` is not lent."""
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
def brush_method(draw) -> str:
    word = draw(st.sampled_from(FORBIDDEN_METHODS))
    # Maps and vectors have these two as well; out of a list they are not held against a sketch, and paint nothing.
    before, use = draw(member("brush", word, PLAIN_ROUTES if word in ("add", "set") else ROUTES))
    return before + draw(called(use))


@st.composite
def page_name(draw) -> str:
    word = draw(st.sampled_from(PRIMITIVES + OUTSIDE))
    before, use = draw(st.one_of(member(draw(st.sampled_from(WINDOWS)), word), reached(word)))
    return before + draw(called(use))


@st.composite
def inside_of_p5(draw) -> str:
    word = draw(st.sampled_from(["instance", "prototype", "Graphics", "Renderer", "Image"]))
    before, use = draw(member("p5", word))
    return before + f"const held = {use}; held.rect(0, 0, 9, 9);"


@st.composite
def function_constructor(draw) -> str:
    root = draw(
        st.sampled_from(["draw", "Math.sin", "brush.fill", "(() => {})", "(async () => {})", "class {}", "[].map"])
    )
    named = root[0].isalpha() and root != "class {}"
    before, use = draw(member(root, "constructor", PLAIN_ROUTES)) if named else ("", f"({root}).constructor")
    return before + f'\nconst made = {use}; made("return this")();'


OVERWRITTEN = """
brush.circle brush.fill brush.vertex Math.random JSON.stringify Array.prototype.push Date.now console.error
Promise.prototype.then Object.keys window.eval window.onerror window.__done window.requestAnimationFrame
performance.now String.prototype.trim window.brush Object.prototype.passed p5.instance Array.from
Map.prototype.get window.fetch
""".split()


@st.composite
def overwriting(draw) -> str:
    root, _, word = draw(st.sampled_from(OVERWRITTEN)).rpartition(".")
    before, at = draw(reached(root, PLAIN_ROUTES)) if root in ("brush", "window") else ("", root)
    more, key = draw(spelt(word))
    ways = [
        f"{at}.{word} = () => 0;",
        f"{at}[{key}] = () => 0;",
        f"Object.defineProperty({at}, {key}, {{ value: () => 0 }});",
        f"Object.assign({at}, {{ [{key}]: () => 0 }});",
        f"Reflect.set({at}, {key}, () => 0);",
        f"[{at}.{word}] = [() => 0];",
        f"({{ a: {at}.{word} }} = {{ a: () => 0 }});",
        f"{at}.{word} ||= 0; delete {at}.{word};",
    ]
    return before + more + "\n" + draw(st.sampled_from(ways))


@st.composite
def code_from_text(draw) -> str:
    before, text = draw(spelt("rect(0,0,9,9)"))
    timer = draw(st.sampled_from(["setTimeout", "setInterval", "window.setTimeout", "globalThis['setInterval']"]))
    ways = [
        f"eval({text});",
        f"new Function({text})();",
        f"{timer}({text}, 1);",
        f"import({text});",
        f"(0, eval)({text});",
    ]
    return before + draw(st.sampled_from(ways))


@st.composite
def page_as_this(draw) -> str:
    word = draw(st.sampled_from(PRIMITIVES[:20]))
    _, key = draw(spelt(word).filter(lambda pair: not pair[0]))
    ways = [
        f"(function () {{ this[{key}](0, 0, 9, 9); }})();",
        f"[1].forEach(function () {{ this.{word}(0, 0, 9, 9); }});",
        f"const held = (function () {{ return this; }}).call(undefined); held[{key}](0, 0, 9, 9);",
        f"const o = {{ m() {{ return this; }} }}; const m = o.m; m().{word}(0, 0, 9, 9);",
        f"setTimeout(function () {{ this[{key}](0, 0, 9, 9); }}, 0);",
        f"function Me() {{ return this; }} const me = Me(); me[{key}](0, 0, 9, 9);",
        f"const me = (function () {{ return [this]; }})()[0]; me.{word}(0, 0, 9, 9);",
    ]
    return draw(st.sampled_from(ways))


@st.composite
def given_away(draw) -> str:
    before, at = draw(reached(draw(st.sampled_from(["brush", "window"])), PLAIN_ROUTES))
    ways = [
        f"const copy = {{ ...{at} }}; copy.x;",
        f"for (const k in {at}) {at}[k];",
        f"Object.keys({at}).forEach((k) => k);",
        f"const {{ fill, ...others }} = {at}; others;",
        f"new Proxy({at}, {{}}).x;",
        f"Object.create({at}).x;",
        f"Reflect.ownKeys({at});",
        f"JSON.stringify({at});",
    ]
    return before + draw(st.sampled_from(ways))


@st.composite
def awaited(draw) -> str:
    root, word = draw(
        st.one_of(
            st.tuples(
                st.just("brush"), st.sampled_from([name for name in FORBIDDEN_METHODS if name not in ("add", "set")])
            ),
            st.tuples(st.sampled_from(["window", "globalThis", "self"]), st.sampled_from(PRIMITIVES + OUTSIDE)),
        )
    )
    code = draw(st.sampled_from([f"it.{word}(10, 10);", f"it['{word}'](10);", f"const {{ {word}: f }} = it; f(9);"]))
    return draw(st.sampled_from(WAITING)).format(root=root, code=code)


def forbidden() -> st.SearchStrategy[str]:
    anywhere = st.one_of(
        brush_method(),
        page_name(),
        page_name(),
        inside_of_p5(),
        function_constructor(),
        overwriting(),
        code_from_text(),
        given_away(),
        awaited(),
    )
    return st.one_of(anywhere.flatmap(placed), page_as_this().flatmap(lambda code: placed(code, strict=False)))


def test_no_disguise_of_a_forbidden_capability_is_admitted():
    seen = set()

    @settings(max_examples=DISGUISES, **QUICK)
    @given(forbidden())
    def check(reply):
        seen.add(reply)
        verdict = check_source(reply)
        assert not verdict.passed, reply
        accidents = {"syntax_error", "no_sketch", "missing_entry_points", "not_webgl", "blank_canvas", "resource_limit"}
        assert set(verdict.codes) - accidents, f"{verdict.codes}\n{reply}"

    check()
    assert len(seen) >= 300


# ---- honest variations ----------------------------------------------------------------------------------------------

LOOKALIKES = """
line rect text point ellipse image fetch open document location history triangle arc box select save filter
quad model sphere vertex2 circle beginShape endShape name status parent top event screen self origin print
copy blend set get pixels shader texture plane navigator alert find stop close focus Image Worker Blob
constructor_ drawingContext storage
""".split()
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

# How the sketch holds brush: what comes first, then how it fills, draws a circle and reaches the shape methods.
HOLDS = [
    ("", "brush.fill", "brush.circle", "brush"),
    ("", 'brush["fill"]', "brush?.circle", "brush"),
    ("const b = brush;", "b.fill", "b.circle", "b"),
    ("const tools = { ink: brush };", "tools.ink.fill", "tools.ink.circle", "tools.ink"),
    ("const { fill: wash, circle: dab } = brush;", "wash", "dab", "brush"),
    ("const wash = brush.fill, dab = brush.circle.bind(brush);", "wash", "dab", "brush"),
    ("const M = { paint: 'fill', drop: 'cir' + 'cle' };", "brush[M.paint]", "brush[M.drop]", "brush"),
    ("", "window.brush.fill", "globalThis.brush.circle", "brush"),
]


def blocks(text: str) -> list[str]:
    return [block.strip() for block in text.strip().split("\n\n")]


# In what follows @turn and the other names in @ are replaced by words that elsewhere would be forbidden.
OUTLINES = blocks("""
@shape.beginShape(0.5);
for (let i = 0; i < 5; i++) @shape.vertex(300 + 90 * cos(i * 72 + @turn), 300 + 90 * sin(i * 72));
@shape.endShape(true);

@shape.beginShape(0.5);
[[0, 0], [40, 10], [20, 60]].forEach(([x, y]) => @shape.vertex(300 + x, 300 + y + @turn));
@shape.endShape(true);

@shape.beginShape(0.6);
Array.from({ length: 6 }, (_, i) => i * 60).map((a) => @shape.vertex(300 + 80 * cos(a), @turn + 300 + 80 * sin(a)));
@shape.endShape(true);

@dab(300 + @turn, 280, 60, 0.4);

let i = 0;
while (i < 3) { @dab(250 + 40 * i, 300 + @turn, 40, 0.3); i += 1; }
""")
PAINTERS = blocks("""
function @petal(@turn, @hue) { @wash(@hue, 200); @outline }
const go = () => @petal(3, @colour);

const @petal = (@turn, @hue = @colour) => { @wash(@hue, 190); @outline };
const go = () => @petal(2);

class Flower {
  constructor(@hue) { this.@hue = @hue; this.@item = []; }
  @petal(@turn) { @wash(this.@hue, 200); @outline return this; }
  static @helper() { return new Flower(@colour); }
}
const go = () => Flower.@helper().@petal(1);

const @data = { @item: @colour, @petal(@turn) { @wash(this.@item, 200); @outline }, [`@helper`]: 3 };
const go = () => @data.@petal(@data.@helper);

function* @petal() { for (let @turn = 0; @turn < 3; @turn++) yield @turn; }
const go = () => { for (const @turn of @petal()) { @wash(@colour, 200); @outline } };

const @data = [@colour, '#efc65a'];
const go = () => @data.forEach((@hue, @turn) => { @wash(@hue, 200); @outline });

const @data = new Map([['@item', @colour]]);
const go = () => { for (const [@helper, @hue] of @data) { const @turn = @helper.length; @wash(@hue, 200); @outline } };

function Flower(@hue) { this.@hue = @hue; }
Flower.prototype.@petal = function (@turn) { @wash(this.@hue, 200); @outline };
const go = () => new Flower(@colour).@petal(4);

const go = async () => { const @turn = await Promise.resolve(2); @wash(@colour, 200); @outline };

const @helper = (@turn, n) => { if (n <= 0) return; @wash(@colour, 200); @outline @helper(@turn + 1, n - 1); };
const go = () => @helper(0, 2);

const @data = { @item: [1, 2], go() { this.@item.forEach(function (@turn) { @wash(@colour, 200); @outline }, this); } };
const go = () => @data.go();
""")
EXTRAS = blocks("""
// @remark

/* @remark */

const note = @quoted; print(note.length);

const kept = { @item: 1, '@helper': [1, 2], @petal: (x) => x }; kept.@item += kept['@helper'][0];

push(); rotate(12); scale(1.1); pop();

noStroke(); fill(255); rectMode(CENTER); colorMode(RGB);

randomSeed(4); noiseSeed(5); const n = noise(0.3) * random(1, 2) + map(1, 0, 2, 0, 9);

const v = createVector(1, 2); v.add(3, 4); const angle = v.heading() + p5.Vector.fromAngle(1).x;

const c = lerpColor(color('#fab'), color('#abf'), 0.4); brush.fill(c, 200);

const re = /@petal\\(|[{}]\\/\\//g; 'x'.replace(re, '');

const { sin: sine, PI: HALF } = Math; sine(HALF);

try { JSON.parse('{'); } catch (error) { console.log(error.message); }

@petal: for (const @turn of [1, 2]) { for (const q of [1]) if (q) continue @petal; }
""")
WHOLE = """@first
const SIZE = 600;
@above
@setup
  createCanvas(@size);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
};
@draw
  translate(-width / 2, -height / 2);
  background('#f6f1e6');
  brush.noStroke();
  @inside
  @extra
  @go
};
"""
SETUPS = [
    "function setup() {",
    "async function setup() {",
    "const setup = () => {",
    "const setup = async function () {",
]
DRAWS = ["function draw() {", "async function draw() {", "const draw = () => {"]


def filled(text: str, **words: str) -> str:
    return re.sub(r"@(\w+)", lambda found: words.get(found[1], found[0]), text)


@st.composite
def honest(draw) -> str:
    pick = lambda options: draw(st.sampled_from(options))  # noqa: E731
    kinds = ["petal", "turn", "hue", "data", "item", "helper"]
    names = dict(zip(kinds, draw(st.permutations(LOOKALIKES))[:6], strict=True))
    remark, (hold, wash, dab, shape) = pick(REMARKS), pick(HOLDS)
    names |= dict(
        wash=wash, dab=dab, shape=shape, remark=remark, quoted=json.dumps(remark), colour=json.dumps(pick(PASTELS))
    )
    painter = f"{hold}\n" + filled(filled(pick(PAINTERS), outline=pick(OUTLINES)), **names)
    is_above = draw(st.booleans())
    start = pick(DRAWS)
    code = filled(
        WHOLE,
        first=pick(["", "'use strict';", "p5.disableFriendlyErrors = true;", f"// {remark}", "\ufeff"]),
        above=painter if is_above else "",
        inside="" if is_above else painter,
        setup=pick(SETUPS),
        size=pick(["600, 600, WEBGL", "SIZE, SIZE, WEBGL", "...[600, 600, WEBGL]"]),
        draw=start,
        extra=filled(pick(EXTRAS), **names),
        go="await go();" if start.startswith("async") else "go();",
    )
    replies = [
        code,
        code.replace("\n", "\r\n"),
        f"Of course, no `text()` or rect() here:\n\n~~~javascript\n{code}~~~\n\nSay if you want a line() added.",
        f"<think>use rect()? no, {remark}</think>\n```js\n{code}```",
        f"```\n{code}",
    ]
    return pick(replies)


def test_no_honest_variation_is_rejected():
    seen = set()

    @settings(max_examples=VARIATIONS, **QUICK)
    @given(honest())
    def check(reply):
        seen.add(reply)
        verdict = check_source(reply)
        assert verdict.passed, "\n".join(map(str, verdict.violations)) + "\n" + reply

    check()
    assert len(seen) >= 300


if __name__ == "__main__":
    for strategy in (forbidden(), honest()):
        for _ in range(3):
            print(strategy.example())
