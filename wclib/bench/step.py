"""What a training step of the laptop run takes, and where its time goes: ``python -m wclib bench step``."""

from __future__ import annotations

import tempfile
from typing import Any

from wclib.train.config import preset
from wclib.train.laptop import run_laptop


def bench_step(steps: int = 3) -> dict[str, Any]:
    """Run the demo preset for a few steps in a folder of its own.

    Returns:
        ``steps``, ``rollouts`` a step, ``step_s`` (wall seconds of a step, mean) and ``shares`` of it by part:
        ``generate``, ``render``, ``judge``, ``update``.

    Raises:
        InfrastructureFault: there is no browser, or the environment does not start.
    """
    config = preset("demo", generations=steps, eval_samples=2)
    with tempfile.TemporaryDirectory(prefix="wclib-step-") as folder:
        result = run_laptop(config, folder, "step")
    return {
        "steps": steps,
        "rollouts": config.groups * config.rollouts,
        "step_s": result["step_seconds"],
        "shares": result["shares"],
    }
