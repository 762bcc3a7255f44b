"""The commands, one module a family; :mod:`wclib.cli` puts them together.

Each module has ``register(commands)``, which adds its parsers, and one function a command: it takes the parsed
arguments, returns the exit status and imports what it needs when it runs, so that ``gate --static`` does not wait
for torch.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wclib.errors import UsageError

Run = Callable[[argparse.Namespace], int]


def add(group: Any, name: str, run: Run, text: str, example: str = "") -> argparse.ArgumentParser:
    """Add the command ``name`` to a group of subparsers; ``example`` is what follows ``python -m wclib``."""
    epilog = f"example: python -m wclib {example}" if example else None
    command = group.add_parser(name, help=text, description=text, epilog=epilog)
    command.set_defaults(run=run)
    return command


def path(text: str) -> str:
    """The type of an argument that names a file or a folder: anything but nothing.

    Raises:
        ArgumentTypeError: it is empty, as an unset variable of a shell is.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("a path is needed here, and this is empty")
    return text


def family(commands: Any, name: str, text: str) -> Any:
    """Add a command that only holds others, such as ``train``, and return its subparsers."""
    return commands.add_parser(name, help=text, description=text).add_subparsers(metavar="WHAT", required=True)


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
