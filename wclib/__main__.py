"""``python -m wclib``: see :mod:`wclib.cli`."""

import sys

try:
    from wclib.cli import main

    sys.exit(main())
except KeyboardInterrupt:  # before the command began
    sys.exit(130)
