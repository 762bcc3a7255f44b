"""One sketch on one page: put the guard and the libraries in, run the sketch, read p5's own canvas.

Nothing here trusts the page. Scripts go in through the debugger, so the page's Content-Security-Policy can forbid
all script and a ``</script>`` in a sketch is just text. The guard hands out an object (the keeper) that only the
debugger holds. Pixels are read in an isolated world, where the page cannot have touched ``toDataURL``.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from playwright.async_api import CDPSession, Page

from wclib.errors import InfrastructureFault, SketchFault
from wclib.jsruntime import JS_DIR, library_path, well_formed
from wclib.prompt import METHODS
from wclib.render.backends import CHANGES
from wclib.render.patches import faster_brush
from wclib.render.pixels import SIZE

#: How much a sketch may do. ``frames``: a draw that never stops gets this many. ``loopShapes``: shapes after which
#: an endless draw is cut, ``repaintShapes`` the same for one that starts every frame on fresh paper. ``virtualMs``:
#: virtual time a sketch may wait for. ``events``: timers and frames in all. ``canvas``: pixels a side.
LIMITS = {
    "size": SIZE,
    "canvas": 2400,
    "frames": 60,
    "loopShapes": 120,
    "repaintShapes": 24,
    "virtualMs": 60_000,
    "events": 20_000,
    "notes": 20,
}

_CSP = (
    "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src 'none'; connect-src 'none'; "
    "worker-src 'none'; frame-src 'none'; object-src 'none'; form-action 'none'; base-uri 'none'"
)
BLANK_PAGE = f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{_CSP}"><body></body>'

_START = """function () {
  "use strict";
  let s = null, d = null;
  try { if (typeof setup === "function") s = setup; } catch {}
  try { if (typeof draw === "function") d = draw; } catch {}
  return this.start(s, d);
}"""
_READ = """function () {
  const url = HTMLCanvasElement.prototype.toDataURL.call(this, "image/png");
  return url.slice(url.indexOf(",") + 1);
}"""


#: The page's own script, joined in this order inside one strict function.
_PARTS = ("host", "stage", "guard", "perform")
#: Names of the browser that the libraries use as globals; host.js says what each is for them.
_TAKEN = """
AbortController Blob CSSFontFaceRule CSSStyleSheet DOMException DOMMatrix DOMParser DOMPoint Date Event
FileReader FontFace HTMLCanvasElement HTMLDivElement HTMLElement HTMLInputElement HTMLLabelElement
HTMLSelectElement HTMLSpanElement Image ImageData OffscreenCanvas Path2D Request TextDecoder TextEncoder URL
WebAssembly XMLSerializer alert atob btoa clearInterval clearTimeout console document fetch getComputedStyle
global globalThis localStorage location navigator performance requestAnimationFrame screen self setImmediate
setInterval setTimeout structuredClone
""".split()
#: JavaScript's own names that they use most. As constants of theirs these cost nothing; as the page's, which ring when
#: a sketch assigns them, each look-up is a call.
_BUILTINS = """
Array ArrayBuffer Boolean DataView Error Float32Array Int32Array JSON Map Math Number Object Promise Reflect RegExp Set
String Symbol TypeError Uint8Array Uint8ClampedArray Uint16Array Uint32Array WeakMap WeakSet isFinite isNaN parseFloat
parseInt
""".split()


@dataclass(frozen=True)
class Outcome:
    """What came out of a page: ``raw`` (the canvas as PNG, any size) and the keeper's report."""

    raw: bytes
    finished: bool
    errors: tuple[str, ...]
    tampering: tuple[str, ...]
    calls: dict[str, int]


@lru_cache(maxsize=8)
def _machinery(changes: tuple[str, ...]) -> str:
    """The page's script up to its last argument, the seed, with the given :data:`~wclib.render.backends.CHANGES`."""
    ours = "\n".join((JS_DIR / f"{part}.js").read_text(encoding="utf-8") for part in _PARTS)
    p5 = library_path("p5").read_text(encoding="utf-8")
    brush = faster_brush(library_path("p5.brush").read_text(encoding="utf-8"), changes)
    take = f"const {{ {', '.join(_TAKEN + _BUILTINS)} }} = window;"
    # In parentheses a function is compiled at once; otherwise V8 reads the million characters twice more.
    p5 = p5.replace("var p5=function(){", "var p5=(function(){", 1).rstrip().removesuffix("}();") + "})();"
    p5_factory = f"(function (window) {{ {take}\n{p5}\n;return p5; }})"
    brush_factory = f"(function (window, p5) {{ {take} const exports = undefined;\n{brush}\n;return window.brush; }})"
    head = f'(function (makeP5, makeBrush, METHODS, LIMITS, SEED) {{ "use strict";\n{ours}\n}})'
    limits = json.dumps({**LIMITS, "halfFloat": "masks" in changes, "builtins": _BUILTINS})
    return f"{head}({p5_factory}, {brush_factory}, {json.dumps(list(METHODS))}, {limits}, "


def prepare() -> None:
    """Read and assemble the page's script, so that a wrong library file is found before the first sketch.

    Raises:
        UsageError: p5.brush is missing or is not the file our changes were written for.
    """
    _machinery(CHANGES)


async def _evaluate(session: CDPSession, expression: str) -> dict[str, Any]:
    return await session.send(
        "Runtime.evaluate", {"expression": expression, "allowUnsafeEvalBlockedByCSP": False, "silent": True}
    )


async def _call(session: CDPSession, object_id: str, function: str, *args: dict[str, Any], value: bool = True) -> Any:
    answer = await session.send(
        "Runtime.callFunctionOn",
        {
            "objectId": object_id,
            "functionDeclaration": function,
            "arguments": list(args),
            "awaitPromise": True,
            "returnByValue": value,
            "silent": True,
        },
    )
    if "exceptionDetails" in answer:
        raise InfrastructureFault("renderer", f"the page's keeper failed: {_text(answer['exceptionDetails'])}")
    return answer["result"]


def _text(details: dict[str, Any]) -> str:
    thrown = details.get("exception", {})
    return str(thrown.get("description") or thrown.get("value") or details.get("text", "")).split("\n")[0]


async def paint(page: Page, source: str, seed: int, changes: tuple[str, ...] = CHANGES) -> Outcome:
    """Run ``source`` with Math.random seeded by ``seed`` on the fresh, blank ``page``.

    Raises:
        SketchFault: the sketch asked for an impossible canvas or left its page.
        InfrastructureFault: the page's own machinery failed.
    """
    session = await page.context.new_cdp_session(page)
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    await session.send("Page.setDocumentContent", {"frameId": frame, "html": BLANK_PAGE})
    left: list[str] = []
    page.on("framenavigated", lambda frame: left.append(frame.url))
    page.on("popup", lambda popup: left.append("popup"))

    made = await _evaluate(session, f"{_machinery(changes)}{seed & 0xFFFFFFFF})")
    if "exceptionDetails" in made:
        raise InfrastructureFault("renderer", f"the page did not start: {_text(made['exceptionDetails'])}")
    keeper = made["result"]["objectId"]

    ran = await _evaluate(session, source)
    if "exceptionDetails" in ran:
        thrown = ran["exceptionDetails"].get("exception", {})
        argument = {"objectId": thrown["objectId"]} if "objectId" in thrown else {"value": thrown.get("value")}
        await _call(session, keeper, "function (error) { this.note(error); }", argument)
    report = json.loads((await _call(session, keeper, _START))["value"])
    if report["tooLarge"]:
        raise SketchFault(
            "resource_limit",
            f"the canvas asked for, {report['tooLarge']}, is not from 1 to {LIMITS['canvas']} pixels a side",
        )

    canvas = await _call(session, keeper, "function () { return this.canvas(); }", value=False)
    if "objectId" not in canvas:
        raise InfrastructureFault("renderer", "p5 has no canvas on this page")
    node = await session.send("DOM.describeNode", {"objectId": canvas["objectId"]})
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "pixels"})
    resolved = await session.send(
        "DOM.resolveNode",
        {"backendNodeId": node["node"]["backendNodeId"], "executionContextId": world["executionContextId"]},
    )
    picture = await _call(session, resolved["object"]["objectId"], _READ)
    trips = [well_formed(trip) for trip in report["trips"]]
    if left:
        trips.append("navigation")
    errors = tuple(well_formed(error) for error in report["errors"])
    return Outcome(
        raw=base64.b64decode(picture["value"]),
        finished=bool(report["ended"]) and not errors,
        errors=errors,
        tampering=tuple(trips),
        calls={name: int(count) for name, count in report["calls"].items()},
    )
