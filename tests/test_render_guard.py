"""The locked page: what a sketch may not touch, it does not get, and the touch is written down."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from test_render_pictures import DOT, sketch

from wclib.errors import SketchFault
from wclib.jsruntime import JS_DIR, node_executable

CHEATS = {
    "brush.set": 'brush["set"]("marker", "#000", 2);',
    "brush.wash": "Reflect.get(brush, ['w', 'ash'].join(''))('#000', 9);",
    "brush.Polygon": "const { Polygon } = brush; new Polygon([[0, 0]]);",
    "brush.constructor": "brush.constructor;",
    "brush.circle": "Object.assign(brush, { circle() {} });",
    "brush": "brush = {};",
    "rect": "const strip = [rect, line][0]; strip(0, 0, 600, 300);",
    "triangle": "[0].forEach(function () { this['tri' + 'angle'](300, 40, 180, 200, 420, 200); });",
    "text": "globalThis['te' + 'xt']('a masterpiece', 80, 500);",
    "beginShape": "beginShape(); vertex(0, 0); vertex(9, 0); endShape();",
    "plane": "plane(600, 600);",
    "createGraphics": "for (let i = 0; i < 100; i++) createGraphics(600, 600);",
    "createFilterShader": "filter(createFilterShader('void main() {}'));",
    "loadPixels": "loadPixels(); pixels[0] = 1; updatePixels();",
    "drawingContext": "drawingContext.clear(16384);",
    "canvas.elt": "kept.elt.getContext('webgl2');",
    "canvas.getContext": "canvas.getContext('webgl2').clear(16384);",
    "p5.Vector.prototype.add": "p5.Vector.prototype.add = () => 0;",
    "saveCanvas": "saveCanvas('loot', 'png');",
    "createP": "createP('hello');",
    "p5.instance": "p5.instance.ellipse(0, 0, 99);",
    "p5.prototype": "Object.getOwnPropertyNames(p5.prototype);",
    "p5": "new p5((p) => { p.draw = () => p.rect(0, 0, 9, 9); });",
    "eval": "(0, eval)('rect(0, 0, 9, 9)');",
    "Function": "draw[['const', 'ructor'].join('')]('rect(0, 0, 9, 9)')();",
    "a timer made of text": "setTimeout('rect(0, 0, 9, 9)', 1);",
    "import": "import('data:text/javascript,rect(0,0,9,9)');",
    "fetch": "window['fet' + 'ch']('https://pictures.example/');",
    "XMLHttpRequest": "new XMLHttpRequest();",
    "WebSocket": "new WebSocket('wss://pictures.example/');",
    "RTCPeerConnection": "new RTCPeerConnection();",
    "Worker": "new Worker('data:,');",
    "Image": "new Image().src = 'data:image/svg+xml,';",
    "navigator": "navigator.sendBeacon('https://pictures.example/');",
    "localStorage": "localStorage.setItem('a', 1);",
    "indexedDB": "indexedDB.open('a');",
    "document.cookie": "document.cookie = 'a=1';",
    "document.querySelector": "document.querySelector('canvas');",
    "document.createElement": "document.createElement('canvas');",
    "HTMLCanvasElement": "HTMLCanvasElement.prototype.toDataURL = () => '';",
    "onerror": "window.onerror = () => true;",
    "addEventListener": "addEventListener('error', (e) => e.preventDefault());",
    "open": "open('https://pictures.example/');",
    "alert": "alert(1);",
    "navigation": "location.hash = 'x';",
    "JSON.stringify": "JSON.stringify = () => '[]';",
    "Promise.prototype.then": "Promise.prototype.then = function () {};",
    "Math.random": "Math.random = () => 0.5;",
    "Math.floor": "Math.floor = () => 0;",
    "Array.prototype.push": "Array.prototype.push = () => { throw 1; };",
    "Array.prototype.Symbol(Symbol.iterator)": "[].__proto__[Symbol.iterator] = null;",
    "TypedArray.of": "Uint8Array.of = () => 0;",
    "Object.prototype.valueOf": "Math.valueOf = () => 0;",
    "String.prototype.includes": "''.__proto__.includes = () => true;",
    "RegExp.prototype.exec": "/x/.__proto__.exec = () => null;",
    "Error.prototype.toString": "RangeError.prototype.toString = () => '';",
    "Date.now": "Date.now = () => 0;",
    "Object.defineProperty on a built-in": "Object.defineProperty(Object.prototype, 'passed', { get: () => true });",
}

#: Attempts that find nothing: they neither paint nor ring, and the picture is that of the honest sketch.
HARMLESS = {
    "structured stack": """Error.prepareStackTrace = (e, f) => f;
        try { null.x; } catch (e) { if (Array.isArray(e.stack)) throw 1; }""",
    "caller": """let seen = null; const spy = { valueOf() { seen ??= spy.valueOf.caller; return 1; } };
        createVector(spy, 2); brush.fill(spy, 200); if (seen) throw seen;""",
    "element ids": "if (window.defaultCanvas0 || window[0]) throw 1;",
    "prototypes of window": """for (let o = window; o; o = Object.getPrototypeOf(o))
        for (const f of [o.addEventListener]) if (f && /native/.test(`${f}`)) throw 1;""",
    "walk": """const seen = new Set();
        const walk = (o, depth) => {
          if (o === null || (typeof o !== "object" && typeof o !== "function") || seen.has(o) || depth > 8) return;
          seen.add(o);
          if (o !== window && (o._renderer || o._pInst || o.getContext)) throw new Error("p5 leaks");
          for (const key of Reflect.ownKeys(o)) {
            const d = Object.getOwnPropertyDescriptor(o, key);
            walk(d.value, depth + 1); walk(d.get, depth + 1); walk(d.set, depth + 1);
          }
          walk(Object.getPrototypeOf(o), depth + 1);
        };
        [createVector(1, 2), color("red"), p5.Vector, setTimeout, createCanvas, cos, brush.fill, console, Date]
          .forEach((o) => walk(o, 0));""",
}

HONEST = {
    "idle habits": "textSize(12); textAlign(CENTER); lights(); ambientLight(200); createCamera(); tint(9);",
    "vectors": """const v = p5.Vector.fromAngle(1).mult(20).add(createVector(3, 4));
        if (!(v.mag() > 0 && v.x > 0)) throw v;""",
    "colours": """const c = lerpColor(color("#f00"), color(0, 0, 255), 0.5); c.setAlpha(120);
        if (Math.abs(red(c) - 127.5) > 1 || c.levels.length !== 4 || !`${c}`.startsWith("rgb")) throw `${c}`;""",
    "randomness": """randomSeed(3); noiseSeed(4);
        const a = random(), b = random([{ k: 1 }, { k: 2 }]).k, c = noise(1, 2);
        if (!(a < 1 && b > 0 && c < 1) || shuffle([{ n: 1 }])[0].n !== 1) throw a;""",
    "state": """push(); noStroke(); fill(255); colorMode(HSB, 360, 100, 100); stroke(10, 20, 30); strokeWeight(2);
        blendMode(BLEND); rotate(10); scale(2); pop(); colorMode(RGB);""",
    "own names": """const line = (n) => n, text = "t", rect = { get: (k) => k, set: 1 };
        var point = line(2), name = "n", top2 = 3;
        if (rect.get(point) !== 2) throw 1;""",
    "classes": """class Petal { #r = 1; constructor() { this.constructor; this.toString = () => "p"; }
          get r() { return this.#r; } }
        const p = new Petal(); if (`${p}` !== "p" || p.r !== 1) throw 1;
        const e = new Error("m"); e.name = "Own"; if (e.name !== "Own") throw 1;
        const o = { hasOwnProperty: 1 }; o.valueOf = () => 4; if (o + 1 !== 5) throw 1;
        const a = [1]; a.map = () => 7; class Own extends Array { push() { return 8; } }
        if (a.map() !== 7 || new Own().push() !== 8) throw 2;""",
    "sloppy names": "status = 3; length = 4; total = status + length; if (total !== 7) throw total;",
    "helpers": """print('x'); console.log(1); describe('a flower'); noCursor();
        if (map(5, 0, 10, 0, 1) !== 0.5 || nf(3, 2) !== '03') throw 1;""",
    "globals": """if (canvas.width !== 600 || touches.length || new WeakRef(brush).deref() !== brush) throw 1;
        if (!(color(1) instanceof p5.Color) || new Intl.NumberFormat("en").format(1e4) !== "10,000") throw 2;
        if (new DOMMatrix().scale(2).a !== 2 || new TextEncoder().encode("a").length !== 1) throw 3;""",
    "typeof": "if (typeof fetch !== 'function' || !(draw instanceof Function) || this === brush) throw 1;",
}


def attempts(names):
    """One sketch that paints honestly and then tries several cheats, each in its own try block."""
    return sketch(DOT + " ".join(f"try {{ {CHEATS[name]} }} catch {{}}" for name in names))


GROUPS = [list(CHEATS)[start : start + 8] for start in range(0, len(CHEATS), 8)]


@pytest.fixture(scope="module")
def paint(renderer):
    """Renders by sketch, painted together beforehand because each is a second of waiting."""
    sources = [sketch(DOT), *map(attempts, GROUPS), *(sketch(DOT + code) for code in HARMLESS.values())]
    sources += [sketch(f"{{ {code} }} {DOT}") for code in HONEST.values()]
    with ThreadPoolExecutor(2 * renderer.browsers) as threads:
        done = dict(zip(sources, threads.map(renderer.render, sources), strict=True))
    return done.__getitem__


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_reported_and_does_not_paint(paint, name):
    render = paint(attempts(next(group for group in GROUPS if name in group)))
    assert name in render.tampering, (render.tampering, render.errors)
    assert render.sha256 == paint(sketch(DOT)).sha256


def test_a_cheat_that_is_not_caught_by_the_sketch_is_an_error_too(renderer):
    render = renderer.render(sketch(DOT + CHEATS["rect"]))
    assert render.errors == ("Error: rect is not available to a sketch",) and not render.finished


@pytest.mark.parametrize("name", HARMLESS)
def test_an_attempt_that_finds_nothing_changes_nothing(paint, name):
    render = paint(sketch(DOT + HARMLESS[name]))
    assert render.errors == () and render.sha256 == paint(sketch(DOT)).sha256


@pytest.mark.parametrize("name", HONEST)
def test_honest_code_is_left_alone(paint, name):
    render = paint(sketch(f"{{ {HONEST[name]} }} {DOT}"))
    assert render.errors == () and render.tampering == () and render.paint_fraction > 0.01


def test_no_name_that_the_source_check_lets_through_rings(renderer):
    """Every harmless name of the language, the page and p5 is read, and every function among them called."""
    program = """const policy = require("./names.js"), raw = require("./names.json");
      const names = new Set([...raw.page.split(/\\s+/), ...raw.p5.split(/\\s+/), ...policy.BUILTINS]);
      const kinds = ["builtin", "helper", "readable"];
      const harmless = (name) => /^[\\w$]+$/.test(name) && kinds.includes(policy.classify(name)?.kind);
      console.log(JSON.stringify([...names].filter(harmless)));"""
    done = subprocess.run([node_executable(), "-e", program], cwd=JS_DIR, capture_output=True, check=True)
    names = json.loads(done.stdout)
    assert len(names) > 450
    busy = {"createCanvas", "resizeCanvas", "loop", "redraw", "background", "clear", "setTimeout", "setInterval"}
    busy |= {"requestAnimationFrame", "requestIdleCallback", "queueMicrotask"}
    read = "".join(f"try {{ {name}; }} catch {{}}" for name in names)
    call = "".join(
        f"try {{ if (typeof {name} === 'function') {name}(1, 2, 3); }} catch {{}}"
        for name in names
        if name[0].islower() and name not in busy
    )
    timers = "requestIdleCallback((rest) => rest.timeRemaining()); cancelIdleCallback(1);"
    render = renderer.render(sketch(f"{DOT} {read} push(); {call} pop(); {timers}"))
    assert render.tampering == () and render.errors == () and render.finished


def test_the_canvas_may_be_kept_and_placed(renderer):
    head = "let placed; function place() { placed = createCanvas(600, 600, WEBGL).parent('x').position(0, 0); }"
    render = renderer.render(sketch("if (placed.width !== 600) throw 1;" + DOT, setup="place(); noLoop();", head=head))
    assert render.errors == () and render.tampering == () and render.paint_fraction > 0.01


def test_top_level_names_of_p5_may_be_the_authors_own(renderer):
    head = "function circle(x) { return x; } function text() { return 1; } var width2 = 4; let fill = 3;"
    render = renderer.render(sketch("if (circle(2) + text() + fill !== 6) throw 1;" + DOT, head=head))
    assert render.errors == () and render.tampering == () and render.paint_fraction > 0.01


@pytest.mark.parametrize(
    "where", ["location.href = 'https://pictures.example/'", "location.href = 'about:blank'", "location.reload()"]
)
def test_leaving_the_page_ends_the_sketch(renderer, where):
    with pytest.raises(SketchFault) as caught:
        renderer.render(sketch(f"{DOT} {where};"))
    assert caught.value.code == "external_access"


def test_nothing_is_kept_for_the_next_sketch(renderer):
    first = renderer.render(sketch(DOT, head="var total = (globalThis.total || 0) + 1; Object.prototype.left = 1;"))
    second = renderer.render(sketch(DOT + "if (typeof total !== 'undefined' || {}.left) throw 1;"))
    assert first.paint_fraction > 0 and second.errors == () and second.finished
