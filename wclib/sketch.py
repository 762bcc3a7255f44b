"""From a model's reply to a sketch, and from a sketch to what it does: no browser, nothing of it is run.

Two questions are answered here. *Which part of the reply is the sketch?* See :mod:`wclib.reply` for the ways in which
replies are written. *What does the sketch call?* A JavaScript parser (acorn) and scope
analysis (eslint-scope) read the source; a flow analysis then follows ``brush``, the page's window, p5 and the builtins
through variables, fields, arguments and callbacks (``js/flow.js``, ``js/rules.js``). Comments and the contents of
strings are not code, and a local function called ``line`` is nobody's business but the sketch's.

What the source cannot show (a key read from ``Math.random()``, a loop without end, a blank picture) is left to the
render's own checks: see :mod:`wclib.gate`.

Try it: ``python -c "from wclib.sketch import inventory; print(inventory('brush.set()'))"``
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wclib import nodeworker
from wclib.jsruntime import well_formed
from wclib.reply import LONGEST_SKETCH, PAGE, choose, without_thoughts

#: Longest reply that is looked at, in characters.
LONGEST_REPLY = 1_000_000


@dataclass(frozen=True)
class Violation:
    """One reason to turn a sketch away.

    Attributes:
        code: one of :data:`wclib.gate.CODES`.
        message: what is wrong, one clause.
        line, column: where in the extracted source, from 1; 0 when it is about the whole.
        excerpt: the offending text (at most 80 characters of its first line).
        remedy: what to do instead.
    """

    code: str
    message: str
    line: int = 0
    column: int = 0
    excerpt: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        quoted = f" [{self.excerpt}]" if self.excerpt else ""
        return f"{self.code}: {place}{self.message}{quoted}. {self.remedy}".rstrip()


@dataclass(frozen=True)
class Extraction:
    """What :func:`extract` found: ``source``, or None with a ``reason`` and the verdict ``code`` it amounts to."""

    source: str | None
    reason: str
    code: str = "no_sketch"


@dataclass(frozen=True)
class Inventory:
    """What a sketch calls, counted in its source (call sites, not executions), and what is wrong with it.

    ``n_shapes`` counts ``brush.beginShape`` and ``brush.circle`` call sites, under whatever name they are called.
    """

    findings: tuple[Violation, ...]
    n_shapes: int
    n_vertices: int
    n_circles: int
    n_fill_calls: int
    brush_methods_used: tuple[str, ...]
    code_chars: int
    has_setup: bool
    has_draw: bool


def extract(reply: str | bytes) -> Extraction:
    """The sketch in a reply: bare code, or the fence that holds a complete sketch.

    Among several complete sketches the last one without findings is taken, else the last. When no fence holds a whole
    sketch, the JavaScript fences are tried together. A reply that holds only broken code gives that code, so that the
    fault can be named.

    Raises:
        UsageError: Node or the parser is not installed.
        InfrastructureFault: the parser does not work at all.
    """
    text = _decode(reply)
    if len(text) > LONGEST_REPLY:
        reason = f"the reply has {len(text):,} characters; at most {LONGEST_REPLY:,} are read"
        return Extraction(None, reason, "resource_limit")
    if not text.strip():
        return Extraction(None, "the reply is empty")
    answer = without_thoughts(text)
    if not answer.strip():
        return Extraction(None, "the reply holds thoughts only, and no answer after them")
    source = choose(answer)
    if source is None:
        page = PAGE.search(answer)
        return Extraction(None, f"the reply {'is a web page, not a' if page else 'holds no JavaScript'} sketch")
    if not source.strip():
        return Extraction(None, "the code block is empty")
    if len(source) > LONGEST_SKETCH:
        reason = f"the sketch has {len(source):,} characters; at most {LONGEST_SKETCH:,} are read"
        return Extraction(None, reason, "resource_limit")
    return Extraction(source, "")


def inventory(source: str) -> Inventory:
    """Read a sketch's source.

    Raises:
        UsageError: Node or the parser is not installed.
        InfrastructureFault: the parser does not work at all.
    """
    try:
        found = nodeworker.ask(op="inspect", source=source)
    except nodeworker.RequestFailed as error:
        tangle = f"the source could not be read ({error})"
        finding = Violation("resource_limit", tangle, remedy="Write a shorter, plainer sketch.")
        return Inventory((finding,), 0, 0, 0, 0, (), len(source), False, False)
    findings = tuple(_violation(finding) for finding in found.pop("findings"))
    return Inventory(
        findings, brush_methods_used=tuple(found.pop("brush_methods_used")), code_chars=len(source), **found
    )


def _violation(finding: dict[str, Any]) -> Violation:
    # Messages and excerpts quote the sketch, and an excerpt may be cut in the middle of a surrogate pair.
    fields: dict[str, Any] = {name: well_formed(it) if isinstance(it, str) else it for name, it in finding.items()}
    return Violation(**fields)


def _decode(reply: str | bytes) -> str:
    if isinstance(reply, bytes):
        if reply[:2] in (b"\xff\xfe", b"\xfe\xff"):
            reply = reply.decode("utf-16", "replace")
        else:
            reply = reply.decode("utf-8", "replace")
    reply = reply.removeprefix("\ufeff")
    return reply if "\n" in reply else reply.replace("\r", "\n")
