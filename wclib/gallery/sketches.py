"""Highlighting that cannot turn into markup: a sketch stays one string, beside it only kinds and lengths."""

from __future__ import annotations

from pygments.lexers import JavascriptLexer
from pygments.token import Comment, Keyword, Name, Number, String, Token

#: Kinds of text a page may colour; the position is what :func:`spans` writes.
KINDS = ("", "comment", "keyword", "string", "number", "brush")
#: A longer sketch is shown plain: a lexer is quick on programs, not on everything a model can write.
LONGEST = 30_000
_LEXER = JavascriptLexer()


def spans(code: str) -> list[int]:
    """``[kind, length, kind, length, ...]``, lengths in UTF-16 units as a browser counts; they sum to the code's.

    ``kind`` is a position in :data:`KINDS`. ``brush`` marks ``brush`` and the method called on it.
    """
    found: list[int] = []
    last = ""
    for _, token, text in _LEXER.get_tokens_unprocessed(code) if len(code) <= LONGEST else ((0, Token, code),):
        brush = token in Name and (text == "brush" or last == "brush.")
        kind = KINDS.index("brush" if brush else _kind(token))
        length = len(text.encode("utf-16-le", "surrogatepass")) // 2
        if not length:
            continue
        if found and found[-2] == kind:
            found[-1] += length
        else:
            found += [kind, length]
        if text.strip():
            last = last + text if last == "brush" and text == "." else text
    return found


def _kind(token: Token) -> str:
    for name, family in (("comment", Comment), ("keyword", Keyword), ("string", String), ("number", Number)):
        if token in family:
            return name
    return ""
