"""Figures of the training notebooks (07 and 08), in the style of :mod:`wclib.plots`; each title states its finding."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from wclib.analysis.curves import thirds
from wclib.plots import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, STYLE, _figure, finish, smooth

#: The variants of the control task as a reader would say them, in the order of the figure.
CHANGES = {
    "failing": "the failing settings",
    "schedule": "schedule: constant",
    "scale": "scale_rewards: none",
    "modules": "modules: all-linear",
    "rate-5e-5": "rate: 5e-5",
    "rate-3e-4": "rate: 3e-4",
}
#: Attributes of a painting as a reader would say them, with their units.
ATTRIBUTES = {
    "warmth": "warmth of the paint\n(a* + b*) / chroma",
    "size": "size of the painting\nspread, half pages",
    "shapes": "filled shapes\ncount",
    "washes": "layers: passes over\nall petals",
    "coverage": "painted share\nof the page",
}
TASTES = {"warm": ORANGE, "cool": BLUE}


def _seeds(axis: Axes, table: pd.DataFrame, column: str, colour: str, label: str) -> None:
    """One thin line a seed and a thick one for their mean."""
    for _, curve in table.groupby("seed"):
        axis.plot(curve["step"], smooth(curve[column]), color=colour, lw=0.9, alpha=0.45)
    mean = table.groupby("step")[column].mean()
    seeds = table["seed"].nunique()
    axis.plot(mean.index, smooth(mean), color=colour, lw=2.4, label=f"{label} ({seeds} seed{'s' * (seeds > 1)})")


@matplotlib.rc_context(STYLE)
def control_rates(high: pd.DataFrame, low: pd.DataFrame, source: str = "") -> Figure:
    """Reward of the control task at two rates, by step.

    Args:
        high, low: :func:`wclib.train.control.run_control`'s columns after ``seed``, one row a seed and step.
        source: one line under the figure.
    """
    figure = _figure(7.5, 3.6)
    axis = figure.subplots()
    _seeds(axis, high, "reward", BLUE, "rate 3e-4")
    _seeds(axis, low, "reward", ORANGE, "rate 2e-5")
    rises = [(_end(table) / table[table["step"] < 3].groupby("seed")["reward"].mean()).mean() for table in (high, low)]
    axis.set(xlabel="step (32 sketches)", ylabel="reward (0 to 1)", ylim=(0, 1))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.legend(loc="upper left", fontsize=9)
    found = f"The trainer learns at 3e-4 (x{rises[0]:.1f}) and hardly at 2e-5 (x{rises[1]:.1f})"
    return finish(figure, found, source)


@matplotlib.rc_context(STYLE)
def control_hacked(honest: pd.DataFrame, hacked: pd.DataFrame) -> Figure:
    """Reward and share of valid sketches, with and without the well-formed condition (columns as above)."""
    figure = _figure(9.6, 3.4)
    left, right = figure.subplots(1, 2)
    for table, colour, label in ((honest, BLUE, "must be well formed"), (hacked, ORANGE, "no condition")):
        _seeds(left, table, "reward", colour, label)
        _seeds(right, table, "valid_share", colour, label)
    left.set(xlabel="step (32 sketches)", ylabel="reward that is paid", ylim=(0, 1))
    right.set(xlabel="step (32 sketches)", ylabel="sketches the gate admits", ylim=(0, 1.02))
    right.yaxis.set_major_formatter(PercentFormatter(1))
    left.legend(loc="upper left", fontsize=9)
    paid, valid = _end(hacked).mean(), _end(hacked, "valid_share").mean()
    return finish(
        figure, f"Without the condition the reward climbs to {paid:.2f} and valid sketches fall to {valid:.0%}"
    )


@matplotlib.rc_context(STYLE)
def control_changes(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """The four changes one at a time: reward at the end of a run, a dot a seed.

    Args:
        tables: by variant, a key of :data:`CHANGES`; columns as above.
    """
    figure = _figure(8.6, 3.3)
    axis = figure.subplots()
    names = [name for name in CHANGES if name in tables]
    ends = {}
    for place, name in enumerate(names):
        last = _end(tables[name])
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
    best = max(ends, key=lambda name: ends[name])
    others = max(value for name, value in ends.items() if name != best)
    found = f"One change at a time: {CHANGES[best]} ends at {ends[best]:.2f}, no other above {others:.2f}"
    return finish(figure, found)


def _end(table: pd.DataFrame, column: str = "reward") -> pd.Series:
    """Mean of a column over the last five steps, by seed."""
    return table[table["step"] > table["step"].max() - 5].groupby("seed")[column].mean()


def parted(table: pd.DataFrame, first: str, second: str) -> str:
    """In which attributes every run of the first taste lies above every run of the second, e.g. ``"warmth, size"``."""
    means = table[table["best"]].groupby(["taste", "seed"])[list(ATTRIBUTES)].mean()
    names = [column for column in ATTRIBUTES if means.loc[first, column].min() > means.loc[second, column].max()]
    return ", ".join(names) or "nothing"


@matplotlib.rc_context(STYLE)
def taste_seeds(table: pd.DataFrame, names: Mapping[str, str] = TASTES, title: str = "") -> Figure:
    """Means of the evaluation paintings before and after training, a line a seed.

    Args:
        table: :func:`wclib.train.steering.collect`'s rows.
        names: colour by the ``taste`` column.
        title: the finding; when empty, in which attributes all runs of the first taste lie above all of the second.
    """
    figure = _figure(11, 3.4)
    axes = figure.subplots(1, len(ATTRIBUTES))
    for axis, (column, label) in zip(axes, ATTRIBUTES.items(), strict=True):
        before = table[table["after_steps"] == 0][column].mean()
        for name, colour in names.items():
            part = table[(table["taste"] == name) & table["best"]]
            for _, value in part.groupby("seed")[column].mean().items():
                axis.plot([0, 1], [before, value], "-o", color=colour, lw=1.6, ms=5, alpha=0.85, label=name)
        axis.set_title(label, fontsize=10, fontweight="normal")
        axis.set(xticks=[0, 1], xticklabels=["before", "best"], xlim=(-0.2, 1.25))
    first, second, *_ = names
    handles = {line.get_label(): line for line in axes[0].lines}
    figure.legend(handles.values(), handles.keys(), fontsize=9, ncols=4, loc="outside lower left")
    found = f"Every {first} run lies above every {second} run in: {parted(table, first, second)}"
    return finish(figure, title or found)


@matplotlib.rc_context(STYLE)
def watched(steps: pd.DataFrame, copy: float) -> Figure:
    """What else changed by step (:func:`wclib.train.watch.watch`); ``copy`` is the distance of a near-copy."""
    figure = _figure(11, 3.2)
    left, middle, right = figure.subplots(1, 3)
    for axis, column, colour, label in (
        (left, "reward", BLUE, "reward"),
        (left, "coverage", ORANGE, "painted share of the page"),
        (middle, "diversity", GREEN, "distance within a group"),
        (middle, "distinct", PURPLE, "share of different sketches"),
        (right, "nearest", INK, None),
    ):
        axis.plot(steps["step"], steps[column], "o-", color=colour, ms=3.5, label=label)
    left.set(ylim=(0, 1))
    left.legend(fontsize=9)
    middle.set(ylim=(0, 1.05))
    middle.legend(fontsize=9, loc="lower left")
    right.axhline(copy, color=ORANGE, ls="--", lw=1.2)
    right.text(steps["step"].min(), copy, "near-copies lie below", color=ORANGE, fontsize=9, va="top")
    right.set(ylim=(0, 1))
    names = ("reward and coverage", "diversity", "distance from the nearest painting of the pool")
    for axis, name in zip((left, middle, right), names, strict=True):
        axis.set_xlabel("step (one generation)")
        axis.set_title(name, fontsize=10, fontweight="normal")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    found = f"{steps['copies'].mean():.0%} near-copies"
    if len(steps) > 2:
        ends = {name: "{0:.2f} to {2:.2f}".format(*thirds(steps, name)) for name in ("coverage", "diversity")}
        found = f"Coverage {ends['coverage']}, diversity {ends['diversity']}, {found}"
    return finish(figure, found)
