"""Which part of a reply is the sketch: bare code, fenced in several ways, cut off, wrapped in prose, after a thought.

Whether a candidate is a sketch is asked of the parser (:mod:`wclib.nodeworker`); nothing of it is run.
:func:`wclib.sketch.extract` is the way in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wclib import nodeworker

#: Longest sketch that is read, in characters. The length reward is 0 from 24,000.
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
#: What a web page starts with.
PAGE = re.compile(r"<!doctype html|<(?:html|head|body|script)\b", re.IGNORECASE)
_TAIL = re.compile(r"(?:\s{1,20}|</\w{1,20}>|<\|\w{1,30}\|>|`{3})\Z")
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_HEAD = re.compile(r"\s*(?:`{3}|~{3}|//|/\*|(?:async\s+)?function\b|const\b|let\b|var\b|class\b)")
_THOUGHT_START = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True)
class _Block:
    language: str
    body: str
    closed: bool
    first: int
    last: int
    opening: re.Match[str]


def without_thoughts(text: str) -> str:
    """The reply without its train of thought, whether or not the tags are both there."""
    at = 0
    while start := _THOUGHT_START.match(text, at):
        closed = _THOUGHT.match(text, start.start(1) - 1)
        if not closed:
            return text[start.end() :]  # never closed: the answer, if there is one, is in there
        at = closed.end()
    text = text[at:]
    return text if _HEAD.match(text) else text[max((tag.end() for tag in _THOUGHT_END.finditer(text)), default=0) :]


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
    return closing is not None and fence in closing[1] and not closing[2].strip()


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
    return _Block(language, "\n".join(body), end is not None, first, len(lines) if end is None else end, opening)


def choose(text: str) -> str | None:
    """The sketch in a reply whose thoughts are left out, or the code nearest to one; None where there is no code."""
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
        answers = iter(nodeworker.ask(op="survey", sources=asked)["surveys"])
    except nodeworker.RequestFailed:
        return [nothing] * len(sources)
    return [nothing if skip else next(answers) for skip in long]


def _reopened(text: str, blocks: list[_Block]) -> str | None:
    """A block that ends elsewhere: its code holds a line like its fence, or the fence is glued to the code."""
    lines = text.split("\n")
    for block in [block for block in blocks if _is_code(block)][:4]:
        tries = _unglued(block.body)
        if block.closed:
            fence = block.opening[1]
            ends = [j for j in range(block.last + 1, len(lines)) if _closes(lines[j], fence)][:6] + [len(lines)]
            tries += [_make_block(lines, block.first, end, block.opening).body for end in ends]
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
    text = text if PAGE.search(text) else _without_tail(text)
    first, _, rest = text.lstrip().partition("\n")
    if first.strip().lower() in _JS_LANGUAGES:  # what is left of a lost fence
        text = rest
    if PAGE.match(text.lstrip()):
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
