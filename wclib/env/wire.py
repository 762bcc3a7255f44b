"""The parts of OpenEnv that are used here, imported in half the time.

OpenEnv imports its Gradio web interface whenever that package can be found, and copes when it
cannot. So it is told that Gradio is not installed while it loads, unless ``ENABLE_WEB_INTERFACE``
asks for that interface.
"""

from __future__ import annotations

import os
import sys

_WANTED = os.environ.get("ENABLE_WEB_INTERFACE", "").lower() in ("true", "1", "yes")
_HIDE = not _WANTED and "gradio" not in sys.modules

if _HIDE:
    sys.modules["gradio"] = None  # type: ignore[assignment]  # Python's own way to say: not installed
try:
    from openenv.core.client_types import StepResult
    from openenv.core.env_client import EnvClient
    from openenv.core.env_server import Action, ConcurrencyConfig, Environment, Observation, State, create_app
    from openenv.core.env_server.types import EnvironmentMetadata
finally:
    if _HIDE:
        del sys.modules["gradio"]

__all__ = [
    "Action",
    "ConcurrencyConfig",
    "EnvClient",
    "Environment",
    "EnvironmentMetadata",
    "Observation",
    "State",
    "StepResult",
    "create_app",
]
