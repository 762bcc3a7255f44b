"""Training: the tiny policy, the control task, the laptop run and the launch on a GPU."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """A line for the person watching: on stderr, at once."""
    print(text, file=sys.stderr, flush=True)
