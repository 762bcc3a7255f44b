"""wclib: teach a code-writing model to paint, and explain every number on the way.

The numbered notebooks tell the story; this library does the work. Start with
``python -m wclib doctor`` and ``notebooks/00_start_here.ipynb``.
"""

import sys

__version__ = "0.1.0"


def say(text: str) -> None:
    """A line for the person watching: on stderr, at once; in a notebook, where stderr stands in red, on stdout."""
    red = type(sys.stderr).__module__.startswith("ipykernel")
    print(text, file=sys.stdout if red else sys.stderr, flush=True)
