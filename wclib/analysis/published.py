"""The three published runs: per-step figures kept in ``data/published``, rollouts on the Hub.

``curves.csv`` is one tidy table (``run``, ``step``, ``metric``, ``value``), re-tabulated by us from the published
files; a figure that was not published has no row. Source and licence are in the folder's README.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from wclib.analysis.schema import check_rollouts
from wclib.analysis.tables import numbers, read_table, require, unique, whole

FOLDER = Path(__file__).resolve().parents[2] / "data" / "published"
RUNS = ("hps-only", "judge-led", "hps-led")
SOURCE = "published figures, S. Paniego (Hugging Face), HuggingEnvs 02-watercolour/results at 3fb7adb"


def published_rollouts(run: str) -> pd.DataFrame:
    """The rollouts of one of :data:`RUNS` (needs the network).

    Raises:
        UsageError: they cannot be fetched.
    """
    from wclib.hub.load import dataset_rows

    dataset = f"HuggingEnvs/watercolour-rollouts-{run}"
    return check_rollouts(dataset_rows(dataset), dataset)


def published_curves() -> dict[str, pd.DataFrame]:
    """The three curves by name, each a row a step with the published columns.

    Raises:
        UsageError: the table is not there or wrong.
    """
    path = FOLDER / "curves.csv"
    frame = read_table(path)
    require(frame, path, ("run", "step", "metric", "value"), "a tidy table of curves")
    whole(frame, path, ("step",))
    numbers(frame, path, ("value",))
    unique(frame, path, ("run", "step", "metric"))
    # A metric that one run lacks still has its place in the published order.
    order = max((list(part["metric"].unique()) for _, part in frame.groupby("run")), key=len)
    curves = {}
    for run, part in frame.groupby("run", sort=False):
        table = part.pivot(index="step", columns="metric", values="value").reindex(columns=order)
        curves[str(run)] = table.rename_axis(columns=None).reset_index()
    return curves
