"""The commands, one module a family; :mod:`wclib.cli` puts them together.

Each module has ``register(commands)``, which adds its parsers, and one function a command: it takes the parsed
arguments and returns the exit status, or the object to print when that is 0. It imports what it needs when it runs, so
that ``gate --static`` does not wait for torch.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wclib.errors import UsageError

Run = Callable[[argparse.Namespace], int | dict[str, Any]]
#: How to go on after Ctrl-C, for most commands and for those that keep what they have done.
AGAIN = "run the same command again"
GOES_ON = "the same command goes on where this one stopped"


def add(group: Any, name: str, run: Run, text: str, example: str, again: str = AGAIN) -> argparse.ArgumentParser:
    """Add a command to a group of subparsers.

    Args:
        group: where to.
        name: how it is called.
        run: what it does.
        text: that in a line, for people.
        example: what follows ``python -m wclib``.
        again: how to go on after Ctrl-C.
    """
    command = _parser(group, name, text, example)
    command.set_defaults(run=run, again=again)
    return command


def path(text: str) -> str:
    """The type of an argument that names a file or a folder: anything but nothing.

    Raises:
        ArgumentTypeError: it is empty, as an unset variable of a shell is.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("a path is needed here, and this is empty")
    return text


def number(kind: type[int] | type[float], least: float) -> Callable[[str], float]:
    """The type of an argument that is a number, ``least`` or more."""

    def parse(text: str) -> float:
        try:
            if kind(text) >= least:
                return kind(text)
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"{text} is not a number from {least:g} on")

    return parse


def family(commands: Any, name: str, text: str, example: str) -> Any:
    """Add a command that only holds others, such as ``train``, and return its subparsers."""
    return _parser(commands, name, text, example).add_subparsers(metavar="WHAT", required=True)


def _parser(group: Any, name: str, text: str, example: str) -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter  # an example that was broken into lines could not be copied
    epilog = f"example: python -m wclib {example}"
    return group.add_parser(name, help=text, description=text, epilog=epilog, formatter_class=raw)


def print_json(value: dict[str, Any]) -> None:
    """One object on stdout, numbers unrounded.

    ASCII escapes: neither a terminal's encoding nor a lone surrogate in what is quoted can stop the answer.
    """
    print(json.dumps(value, allow_nan=False), flush=True)


def read_file(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``.

    Raises:
        UsageError: it cannot be read.
    """
    if path == "-":
        return standard_input()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def standard_input() -> bytes:
    """All of standard input.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdin is None:
        raise UsageError("the reply is read from standard input, and that is closed: add < REPLY")
    return sys.stdin.buffer.read()
