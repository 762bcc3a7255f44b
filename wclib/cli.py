"""The command line: ``python -m wclib COMMAND``.

JSON goes to stdout, one object with unrounded numbers; talk and progress go to stderr. Exit status 0: done;
1: the thing checked is bad; 2: wrong usage. The commands themselves are in :mod:`wclib.commands`.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from pathlib import Path

from wclib.commands import analyse, bench, gallery, paint, pool, print_json, publish, train
from wclib.errors import InfrastructureFault, UsageError

FAMILIES = (paint, train, pool, analyse, gallery, publish, bench)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    args = _parser().parse_args(argv)
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    try:
        result = args.run(args)
        if isinstance(result, int):
            return result
        print_json(result)
        return 0
    except UsageError as error:
        print(f"wclib: {error}", file=sys.stderr)
        return 2
    except InfrastructureFault as error:
        print(f"wclib: {error.detail}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as interrupt:
        print(f"wclib: stopped; {str(interrupt) or args.again}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            name = max(Path(str(error.filename)).parts, key=len)
            print(f"wclib: {name[:40]}... has {len(name)} characters, a file's name at most 255", file=sys.stderr)
            return 2
        print(f"wclib: {error}; make room, or name a place you may read and write", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wclib",
        description="Teach a code-writing model to paint watercolours.",
        epilog="Start with: python -m wclib doctor",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for each in FAMILIES:
        each.register(commands)
    return parser
