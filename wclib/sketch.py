"""From a model's reply to a sketch, and from a sketch to what it does: no browser, nothing of it is run.

Two questions are answered here. *Which part of the reply is the sketch?* Replies come bare, fenced in several ways,
cut off, wrapped in prose, after a train of thought. *What does the sketch call?* A JavaScript parser (acorn) and scope
analysis (eslint-scope) read the source; a flow analysis then follows ``brush``, the page's window, p5 and the builtins
through variables, fields, arguments and callbacks (``js/flow.js``, ``js/rules.js``). Comments and the contents of
strings are not code, and a local function called ``line`` is nobody's business but the sketch's.

What the source cannot show (a key read from ``Math.random()``, a loop without end, a blank picture) is left to the
render's own checks: see :mod:`wclib.gate`.

Try it: ``python -c "from wclib.sketch import inventory; print(inventory('brush.set()'))"``
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wclib import nodeworker
from wclib.errors import InfrastructureFault
from wclib.jsruntime import well_formed

#: Longest reply that is looked at, and longest sketch that is read, in characters. The length reward is 0 from 24,000.
LONGEST_REPLY = 1_000_000
LONGEST_SKETCH = 200_000

_MOST_BLOCKS = 50

_JS_LANGUAGES = set("js javascript jsx mjs p5 p5js p5.js processing ts typescript ecmascript".split())
_NOT_JS = set("html css python py json bash sh shell glsl xml yaml yml java c cpp svg diff".split())
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})([^\n]*)$")
_CODE_LINE = re.compile(
    r"^\s*(?:(?:async\s+|[;!]?\()?function\b|[;!]?\((?:async\s*)?\(\)\s*=>|"
    r"const\s|let\s|var\s|class\s|import\s|//|/\*|[\"']use strict[\"']|[\w.]+\s*[=(])"
)
_CODE = re.compile(r"\bfunction\s*[\w*(]|=>|\bcreateCanvas\s*\(|\bbrush\s*\.\s*\w+\s*\(")
_PAGE = re.compile(r"<!doctype html|<(?:html|head|body|script)\b", re.IGNORECASE)
_TAIL = re.compile(r"(?:\s{1,20}|</\w{1,20}>|<\|\w{1,30}\|>|`{3})\Z")
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_HEAD = re.compile(r"\s*(?:`{3}|~{3}|//|/\*|(?:async\s+)?function\b|const\b|let\b|var\b|class\b)")
_THOUGHT_START = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)


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


@dataclass(frozen=True)
class _Block:
    language: str
    body: str
    closed: bool
    first: int
    last: int


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
    answer = _without_thoughts(text)
    if not answer.strip():
        return Extraction(None, "the reply holds thoughts only, and no answer after them")
    source = _choose(answer)
    if source is None:
        page = _PAGE.search(answer)
        return Extraction(
            None, "the reply is a web page, not a sketch" if page else "the reply holds no JavaScript sketch"
        )
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
        found = _ask(op="inspect", source=source)
    except nodeworker.RequestFailed as error:
        tangle = f"the source could not be read ({error})"
        finding = Violation("resource_limit", tangle, remedy="Write a shorter, plainer sketch.")
        return Inventory((finding,), 0, 0, 0, 0, (), len(source), False, False)
    return Inventory(
        findings=tuple(_violation(finding) for finding in found["findings"]),
        n_shapes=found["n_shapes"],
        n_vertices=found["n_vertices"],
        n_circles=found["n_circles"],
        n_fill_calls=found["n_fill_calls"],
        brush_methods_used=tuple(found["brush_methods_used"]),
        code_chars=len(source),
        has_setup=found["has_setup"],
        has_draw=found["has_draw"],
    )


def _violation(finding: dict) -> Violation:
    # Messages and excerpts quote the sketch, and an excerpt may be cut in the middle of a surrogate pair.
    return Violation(**{name: well_formed(it) if isinstance(it, str) else it for name, it in finding.items()})


def _ask(**request: object) -> dict:
    """Ask the parser; a death or a timeout is the sketch's fault only if a tiny sketch is read right after."""
    try:
        return nodeworker.shared.ask(**request)
    except nodeworker.RequestFailed:
        if not nodeworker.shared.healthy():
            detail = "the parser's Node process does not answer; run `python -m wclib doctor`"
            raise InfrastructureFault("gate", detail) from None
        return nodeworker.shared.ask(**request)


def _decode(reply: str | bytes) -> str:
    if isinstance(reply, bytes):
        if reply[:2] in (b"\xff\xfe", b"\xfe\xff"):
            reply = reply.decode("utf-16", "replace")
        else:
            reply = reply.decode("utf-8", "replace")
    reply = reply.removeprefix("\ufeff")
    return reply if "\n" in reply else reply.replace("\r", "\n")


def _without_thoughts(text: str) -> str:
    """The reply without its train of thought, whether or not the tags are both there."""
    at = 0
    while start := _THOUGHT_START.match(text, at):
        closed = _THOUGHT.match(text, start.start(1) - 1)
        if not closed:
            return text[start.end() :]  # never closed: the answer, if there is one, is in there
        at = closed.end()
    text = text[at:]
    head = _HEAD.match(text)
    end = None if head else _last(_THOUGHT_END, text)
    return text[end:] if end is not None else text


def _last(pattern: re.Pattern[str], text: str) -> int | None:
    end = None
    for match in pattern.finditer(text):
        end = match.end()
    return end


def _blocks(text: str) -> list[_Block]:
    """The fenced blocks of a reply, by the rules of CommonMark with any indent and inside quotes."""
    lines = text.split("\n")
    blocks: list[_Block] = []
    i = 0
    while i < len(lines):
        opening = _FENCE.match(lines[i])
        if not opening or (opening[1][0] == "`" and "`" in opening[2]):
            i += 1
            continue
        end = next((j for j in range(i + 1, len(lines)) if _closes(lines[j], opening[1])), None)
        blocks.append(_make_block(lines, i, end, opening))
        i = len(lines) if end is None else end + 1
    return blocks if len(blocks) <= _MOST_BLOCKS else sorted(blocks, key=lambda b: len(b.body))[-_MOST_BLOCKS:]


def _closes(line: str, fence: str) -> bool:
    closing = _FENCE.match(line)
    return bool(closing) and closing[1][0] == fence[0] and len(closing[1]) >= len(fence) and not closing[2].strip()


def _make_block(lines: list[str], first: int, end: int | None, opening: re.Match[str]) -> _Block:
    body = lines[first + 1 : end]
    prefix = lines[first][: opening.start(1)]
    if ">" in prefix:
        body = [re.sub(r"^[ \t>]*>[ \t]?", "", line) for line in body]
    elif prefix:
        body = [line[len(prefix) :] if line.startswith(prefix) else line.lstrip(" \t") for line in body]
    info = opening[2].strip()
    language = re.split(r"[\s{(:,]", info, maxsplit=1)[0].lower().lstrip("{.") if info else ""
    if _CODE.search(info):  # the code starts on the fence's own line
        body = [info.partition(" ")[2] if language in _JS_LANGUAGES else info, *body]
    return _Block(language, "\n".join(body), end is not None, first, len(lines) if end is None else end)


def _choose(text: str) -> str | None:
    blocks = _blocks(text)
    if not blocks:
        return _bare(text)
    only = blocks[0] if len(blocks) == 1 else None
    if only and only.closed and _is_code(only) and "```" not in only.body and not _CODE.search(_around(text, blocks)):
        return only.body
    is_bare = bool(_CODE_LINE.match(text.lstrip().split("\n", 1)[0]))
    surveys = _survey([text] * is_bare + [block.body for block in blocks])
    if is_bare and surveys.pop(0)["setup"]:
        return text
    seen = list(zip((block.body for block in blocks), surveys, strict=True))
    complete = [pair for pair in seen if pair[1]["setup"]]
    whole = [pair for pair in complete if pair[1]["draw"]]
    if not whole and len(blocks) > 1:
        joined = "\n".join(body for body, survey in seen if survey["parses"])
        survey = _survey([joined])[0]
        if survey["setup"] and (survey["draw"] or not complete):
            return joined
    for pairs in (whole, complete):
        if pairs:
            clean = [body for body, survey in pairs if survey["clean"]]
            return clean[-1] if clean else pairs[-1][0]
    longer = _reopened(text, blocks)
    if longer:
        return longer
    code = [block for block in blocks if _is_code(block)]
    if code:
        return max(code, key=lambda b: ("setup" in b.body, b.language in _JS_LANGUAGES, len(b.body))).body
    return _bare(text) if not any(block.language in _NOT_JS for block in blocks) else None


def _around(text: str, blocks: list[_Block]) -> str:
    inside = {line for block in blocks for line in range(block.first, block.last + 1)}
    return "\n".join(line for i, line in enumerate(text.split("\n")) if i not in inside)


def _is_code(block: _Block) -> bool:
    if block.body.lstrip().startswith("<"):
        return False
    return block.language in _JS_LANGUAGES or (block.language not in _NOT_JS and bool(_CODE.search(block.body)))


def _survey(sources: list[str]) -> list[dict]:
    long = [len(source) > LONGEST_SKETCH for source in sources]
    nothing = {"parses": False, "setup": False, "draw": False, "clean": False}
    asked = [source for source, skip in zip(sources, long, strict=True) if not skip]
    try:
        answers = iter(_ask(op="survey", sources=asked)["surveys"])
    except nodeworker.RequestFailed:
        return [nothing] * len(sources)
    return [nothing if skip else next(answers) for skip in long]


def _reopened(text: str, blocks: list[_Block]) -> str | None:
    """A block that ends elsewhere: its code holds a line like its fence, or the fence is glued to the code."""
    lines = text.split("\n")
    for block in [block for block in blocks if _is_code(block)][:4]:
        tries = _unglued(block.body)
        if block.closed:
            opening = _FENCE.match(lines[block.first])
            ends = [j for j in range(block.last + 1, len(lines)) if _closes(lines[j], opening[1])][:6] + [len(lines)]
            tries += [_make_block(lines, block.first, end, opening).body for end in ends]
        for body, seen in zip(tries, _survey(tries), strict=True):
            if seen["setup"]:
                return body
    return None


def _unglued(body: str) -> list[str]:
    """A block's code without what was written straight behind it: up to each of its first lines that end in a fence."""
    lines = body.split("\n")
    ends = [i for i, line in enumerate(lines) if line.rstrip().endswith("```")][:3]
    return [_without_tail(body)] + ["\n".join([*lines[:end], lines[end].rstrip().rstrip("`")]) for end in ends]


def _without_tail(text: str) -> str:
    """``text`` without the closing tags, end tokens and fences it ends in, none of which a script can end in."""
    end = len(text)
    while tail := _TAIL.search(text, max(0, end - 60), end):
        end = tail.start()
    return text[:end] if text[end:].strip() else text


def _bare(text: str) -> str | None:
    """Code without any fence, perhaps with prose around it."""
    text = text if _PAGE.search(text) else _without_tail(text)
    first, _, rest = text.lstrip().partition("\n")
    if first.strip().lower() in _JS_LANGUAGES:  # what is left of a lost fence
        text = rest
    if _PAGE.match(text.lstrip()):
        return None
    lines = text.split("\n")
    starts = [i for i, line in enumerate(lines) if _CODE_LINE.match(line)]
    if not starts or not _CODE.search(text):
        return None
    used = [i for i, line in enumerate(lines) if line.strip()]
    if starts[0] == used[0] and re.search(r"[;})\]/]\s*$", lines[used[-1]]):
        return text
    ends = [i + 1 for i in used if re.search(r"[;})]\s*(//.*)?$", lines[i]) and _is_prose(lines[i + 1 :])]
    tries = [text]
    for start in starts[:4]:
        tries += ["\n".join(lines[start:end]) for end in ends[-1:-4:-1] if end > start]
    for body, seen in zip(tries, _survey(tries), strict=True):
        if seen["setup"]:
            return body
    return "\n".join(lines[starts[0] :])


def _is_prose(lines: list[str]) -> bool:
    """Whether what follows the code reads like a sentence, rather than like code that was cut off."""
    first = next((line for line in lines if line.strip()), "")
    words = re.findall(r"[^\W\d_]{2,}", first)
    return not first or (not _CODE_LINE.match(first) and not first[0].isspace() and len(words) >= 3)
