"""Benchmarks: each prints what it measured on this machine, and with ``--json`` one object for a notebook to plot.

The stored ones are in ``data/bench``; ``--out data/bench/NAME.json`` measures one again.
"""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import psutil

from wclib.jsonl import atomic_write

STORED = Path(__file__).resolve().parents[2] / "data" / "bench"


def machine() -> dict[str, Any]:
    """What a figure depends on: cores, processor, memory (GB), system and the load of the last minute."""
    names = [line for line in _cpuinfo().splitlines() if line.startswith("model name")]
    return {
        "cores": os.cpu_count(),
        "processor": names[0].split(":", 1)[1].strip() if names else platform.processor(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "load": psutil.getloadavg()[0],
    }


def _cpuinfo() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def keep(path: Path | str, result: dict[str, Any]) -> None:
    """Write a result as JSON, whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, json.dumps(result, indent=1) + "\n")


def stored(name: str) -> dict[str, Any]:
    """The stored result ``data/bench/NAME.json``."""
    return json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))
