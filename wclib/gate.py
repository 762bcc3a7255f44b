"""The gate: which replies are valid, honest sketches.

A reply is admitted when it holds a complete sketch that defines ``setup``, makes a WEBGL canvas, paints with the ten
methods of ``brush`` and nothing else, writes no text, reaches for nothing outside, leaves the page's instruments alone,
paints at least :data:`PAINT_FLOOR` of the canvas and does so within the renderer's limits. The published gate read the
source with regular expressions; comments and strings counted as code there. Here the source is parsed
(:mod:`wclib.sketch`), and what only running it can show is taken from the render: the page is locked and says what
was touched.

A sketch that throws *after* it has painted is admitted and judged by what is on the canvas.

Covered: everything in :data:`CODES`. Not covered: a sketch whose only fault is that it is ugly, or flat: coverage is
checked here and never paid for, and how flat, speckled and dark the paint is, is reported beside the verdict
(:func:`wclib.render.pixels.checks`) and neither checked nor paid.

Try it: ``python -m wclib gate --static < reply.txt``
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from wclib.errors import SketchFault
from wclib.sketch import Inventory, Violation, extract, inventory

if TYPE_CHECKING:
    from wclib.render import Render, Renderer
    from wclib.render.ray_renderer import RayRenderer

#: Every verdict code. The first six can be told from the source alone, the last four only by rendering.
CODES = (
    "no_sketch",
    "syntax_error",
    "missing_entry_points",
    "not_webgl",
    "unknown_brush_method",
    "method_not_allowed",
    "bare_primitives",
    "text_label",
    "external_access",
    "tampering",
    "blank_canvas",
    "runtime_error",
    "timeout",
    "resource_limit",
)

#: Share of pixels that must differ from the background: the published floor, see :mod:`wclib.render.pixels`.
PAINT_FLOOR = 0.005

_REMEDIES = {
    "no_sketch": "Answer with one complete JavaScript sketch in a single code block.",
    "syntax_error": "Correct the code there, or write it out to its last bracket if it was cut off.",
    "external_access": "Leave it out: p5 and p5.brush are loaded already, and a sketch uses nothing but its canvas.",
    "tampering": "Leave the page's own objects alone.",
    "blank_canvas": "Fill larger shapes, between 0 and 600 on both axes, in colours that stand out from the paper.",
    "runtime_error": "Correct the line that throws, or paint before it.",
    "timeout": "Paint fewer shapes and let every loop end.",
    "resource_limit": "Write a shorter sketch with fewer shapes and no large arrays.",
}


@dataclass(frozen=True)
class Verdict:
    """What the gate says of one reply. ``source`` and ``inventory`` are None when no sketch was found in it."""

    passed: bool
    violations: tuple[Violation, ...]
    source: str | None = None
    inventory: Inventory | None = None

    @property
    def codes(self) -> list[str]:
        """The verdict codes, each once, in order of appearance."""
        return list(dict.fromkeys(violation.code for violation in self.violations))

    def remarks(self) -> str:
        """The first three violations with their remedies, in sentences for whoever wrote the sketch."""
        told = (f"{found.message.rstrip('.')}. {found.remedy}".strip() for found in self.violations[:3])
        return " ".join(words[:1].upper() + words[1:] for words in told)

    def as_dict(self) -> dict:
        """A JSON-able account: ``passed``, ``violations`` (codes), ``details`` and the inventory's counts."""
        found: dict = {"passed": self.passed, "violations": self.codes, "details": [asdict(v) for v in self.violations]}
        if self.inventory is not None:
            counts = asdict(self.inventory)
            del counts["findings"]
            found["inventory"] = counts | {"brush_methods_used": list(self.inventory.brush_methods_used)}
        return found


def check_source(reply: str | bytes) -> Verdict:
    """Judge a reply by its source alone.

    Raises:
        UsageError: Node or the parser is not installed.
        InfrastructureFault: the parser does not work at all.
    """
    found = extract(reply)
    if found.source is None:
        return Verdict(False, (_violation(found.code, found.reason),))
    read = inventory(found.source)
    findings = tuple(v if v.remedy else replace(v, remedy=_REMEDIES.get(v.code, "")) for v in read.findings)
    return Verdict(not findings, findings, found.source, read)


def check_render(verdict: Verdict, render: Render) -> Verdict:
    """Add what the render of ``verdict.source`` shows: tampering, a throw before any paint, a blank canvas."""
    found = [_violation("tampering", f"while it ran, the sketch touched {what}") for what in render.tampering]
    if render.paint_fraction < PAINT_FLOOR:
        if render.errors:
            found.append(_violation("runtime_error", f"it threw before anything was painted: {render.errors[0]}"))
        else:
            share, floor = 100 * render.paint_fraction, 100 * PAINT_FLOOR
            message = f"{share:.2f} % of the canvas differs from its background; at least {floor:g} % is needed"
            found.append(_violation("blank_canvas", message))
    return _with(verdict, found)


def reject(verdict: Verdict, fault: SketchFault) -> Verdict:
    """Add a fault that stopped the render, such as a timeout."""
    return _with(verdict, [_violation(fault.code, fault.detail)])


def admit(
    reply: str | bytes, renderer: Renderer | RayRenderer | None = None, seed: int = 0
) -> tuple[Verdict, Render | None]:
    """Judge a reply by its source and, with a ``renderer``, by its render. A rejected source is not rendered.

    Raises:
        InfrastructureFault: the parser or the renderer does not work; the reply has no verdict then.
    """
    verdict = check_source(reply)
    if renderer is None or not verdict.passed or verdict.source is None:
        return verdict, None
    try:
        render = renderer.render(verdict.source, seed=seed)
    except SketchFault as fault:
        return reject(verdict, fault), None
    return check_render(verdict, render), render


def gate_command(data: bytes, static: bool) -> dict:
    """What ``python -m wclib gate`` prints: the verdict, and the render's figures unless ``static``.

    Raises:
        InfrastructureFault: the parser or the renderer does not work.
    """
    verdict = check_source(data)
    if static or not verdict.passed:
        return verdict.as_dict()
    from wclib.render import Renderer

    with Renderer(browsers=1) as renderer:
        verdict, render = admit(data, renderer)
    found = verdict.as_dict()
    if render is not None:
        shown = ("paint_fraction", "checks", "finished", "errors", "backend")
        found["render"] = {name: getattr(render, name) for name in shown}
    return found


def _violation(code: str, message: str) -> Violation:
    return Violation(code, message, remedy=_REMEDIES.get(code, ""))


def _with(verdict: Verdict, found: list[Violation]) -> Verdict:
    return replace(verdict, passed=verdict.passed and not found, violations=verdict.violations + tuple(found))
