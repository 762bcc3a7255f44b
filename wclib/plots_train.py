"""Figures of the training notebooks (07 and 08), in the style of :mod:`wclib.plots`; each title states its finding."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from wclib.plots import BLUE, GREY, INK, ORANGE, STYLE, _figure, smooth

#: The variants of the control task as a reader would say them, in the order of the figure.
CHANGES = {
    "failing": "the failing settings",
    "schedule": "schedule: constant",
    "scale": "scale_rewards: none",
    "modules": "modules: all-linear",
    "rate-5e-5": "rate: 5e-5",
    "rate-3e-4": "rate: 3e-4",
}


def _title(figure: Figure, text: str) -> None:
    figure.suptitle(text, x=0.01, ha="left", fontsize=13, fontweight="bold")


def _seeds(axis: Axes, table: pd.DataFrame, column: str, colour: str, label: str) -> None:
    """One thin line a seed and a thick one for their mean."""
    for _, curve in table.groupby("seed"):
        axis.plot(curve["step"], smooth(curve[column]), color=colour, lw=0.9, alpha=0.45)
    mean = table.groupby("step")[column].mean()
    seeds = table["seed"].nunique()
    axis.plot(mean.index, smooth(mean), color=colour, lw=2.4, label=f"{label} ({seeds} seed{'s' * (seeds > 1)})")


def control_rates(high: pd.DataFrame, low: pd.DataFrame, source: str = "") -> Figure:
    """Reward of the control task at two rates, by step.

    Args:
        high, low: :func:`wclib.train.control.run_control`'s columns after ``seed``, one row a seed and step.
        source: one line under the figure.
    """
    with matplotlib.rc_context(STYLE):
        figure = _figure(7.5, 3.6)
        axis = figure.subplots()
        _seeds(axis, high, "reward", BLUE, "rate 3e-4")
        _seeds(axis, low, "reward", ORANGE, "rate 2e-5")
        rises = [_rise(table) for table in (high, low)]
        _title(figure, f"The trainer learns at 3e-4 (x{rises[0]:.1f}) and hardly at 2e-5 (x{rises[1]:.1f})")
        axis.set(xlabel="step (32 sketches)", ylabel="reward (0 to 1)", ylim=(0, 1))
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.legend(loc="upper left", fontsize=9)
        if source:
            figure.supxlabel(source, fontsize=8, color=GREY, x=0.01, ha="left")
        return figure


def control_hacked(honest: pd.DataFrame, hacked: pd.DataFrame) -> Figure:
    """Reward and share of valid sketches, with and without the well-formed condition (columns as above)."""
    with matplotlib.rc_context(STYLE):
        figure = _figure(9, 3.4)
        left, right = figure.subplots(1, 2)
        for table, colour, label in ((honest, BLUE, "must be well formed"), (hacked, ORANGE, "no condition")):
            _seeds(left, table, "reward", colour, label)
            _seeds(right, table, "valid_share", colour, label)
        end = [table[table["step"] > table["step"].max() - 5] for table in (honest, hacked)]
        _title(
            figure,
            f"Without the condition the reward climbs to {end[1]['reward'].mean():.2f} "
            f"and valid sketches fall to {end[1]['valid_share'].mean():.0%}",
        )
        left.set(xlabel="step (32 sketches)", ylabel="reward that is paid", ylim=(0, 1))
        right.set(xlabel="step (32 sketches)", ylabel="sketches the gate admits", ylim=(0, 1.02))
        right.yaxis.set_major_formatter(PercentFormatter(1))
        left.legend(loc="upper left", fontsize=9)
        return figure


def control_changes(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """The four changes one at a time: reward at the end of a run, a dot a seed.

    Args:
        tables: by variant, a key of :data:`CHANGES`; columns as above.
    """
    with matplotlib.rc_context(STYLE):
        figure = _figure(8, 3.3)
        axis = figure.subplots()
        names = [name for name in CHANGES if name in tables]
        ends = {}
        for place, name in enumerate(names):
            table = tables[name]
            last = table[table["step"] > table["step"].max() - 5].groupby("seed")["reward"].mean()
            ends[name] = last.mean()
            colour = GREY if name == "failing" else ORANGE if name.startswith("rate") else BLUE
            axis.plot(last, np.full(len(last), place), "o", color=colour, ms=7, alpha=0.75)
            axis.plot([ends[name]] * 2, [place - 0.3, place + 0.3], color=colour, lw=2)
        start = pd.concat(tables.values()).query("step < 3")["reward"].mean()
        axis.axvline(start, color=GREY, ls=":", lw=1.2)
        axis.text(start, -0.75, " start of all", color=GREY, fontsize=9, va="center")
        axis.set(
            xlabel="reward, mean of the last five steps", xlim=(0, 1), ylim=(len(names) - 0.4, -1.1),
            yticks=range(len(names)), yticklabels=[CHANGES[name] for name in names],
        )  # fmt: skip
        axis.tick_params(axis="y", labelcolor=INK, length=0)
        best = max(ends, key=ends.get)
        others = max(value for name, value in ends.items() if name != best)
        _title(figure, f"One change at a time: {CHANGES[best]} ends at {ends[best]:.2f}, no other above {others:.2f}")
        return figure


def _rise(table: pd.DataFrame) -> float:
    last = table["step"].max()
    end = table[table["step"] > last - 5].groupby("seed")["reward"].mean()
    return float((end / table[table["step"] < 3].groupby("seed")["reward"].mean()).mean())
