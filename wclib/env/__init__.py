"""The environment: a sketch goes in over a websocket, a reward or ``None`` comes out.

    models.py       what travels: action, observation, state, reset options
    environment.py  one episode: reset names a subject, step paints and scores
    critique.py     what a painter could see in the picture, in words
    app.py          the server: ``python -m wclib serve``
    client.py       the client, with two faults of OpenEnv's own client mended
    local.py        a server of one's own as a child process, for notebooks, runs and tests

Client and server share ``models.py`` and nothing else.

OpenEnv imports its Gradio web interface whenever that package can be found, which more than
doubles the time to import; it copes when Gradio is absent. So it is told that Gradio is absent
while it loads, unless ``ENABLE_WEB_INTERFACE`` asks for that interface.
"""

from __future__ import annotations

import os
import sys


def _import_openenv() -> None:
    wanted = os.environ.get("ENABLE_WEB_INTERFACE", "").lower() in ("true", "1", "yes")
    if wanted or "gradio" in sys.modules:
        return
    sys.modules["gradio"] = None  # type: ignore[assignment]  # Python's own way to say: not installed
    try:
        import openenv.core  # noqa: F401
    finally:
        del sys.modules["gradio"]


_import_openenv()
