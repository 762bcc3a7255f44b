"""``python -m wclib``: see :mod:`wclib.cli`."""

import sys

from wclib.cli import main

sys.exit(main())
