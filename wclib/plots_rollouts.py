"""Figures from a rollouts table: what the rise was made of, and whether more shapes or paint go with more reward."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from wclib.analysis.paintings import BAD, ceiling, coverage_column, one_run
from wclib.analysis.shapes import correlation, demeaned
from wclib.plots import BLUE, GREEN, GREY, INK, ORANGE, STYLE, _figure, finish

PARTS = {"fewer_bad": ("fewer bad", BLUE), "better_good": ("better good", ORANGE), "less_bad": ("bad less bad", GREEN)}
#: From a blue that shows on the paper to a dark one.
_CELLS = LinearSegmentedColormap.from_list("cells", ["#b9d6ea", BLUE, "#062f4f"])
NAMES = {
    "n_shapes": "beginShape calls in the source",
    "shapes_painted": "shapes painted",
    "n_vertices": "vertex calls in the source",
    "code_chars": "characters of code",
}


@matplotlib.rc_context(STYLE)
def decomposition(tables: Mapping[str, pd.DataFrame], source: str = "") -> Figure:
    """What the rise of the mean is made of, a group of bars a run.

    Args:
        tables: :func:`wclib.analysis.paintings.decompose` by run; intervals are drawn where it has them.
    """
    figure = _figure(8.4, 1.6 + 1.15 * len(tables))
    axis = figure.subplots()
    ticks, said = [], []
    for row, (name, table) in enumerate(tables.items()):
        for i, (part, (label, colour)) in enumerate(PARTS.items()):
            y, value = row * 4 + i, table.loc[part, "value"]
            axis.barh(y, value, color=colour, label=label if row == 0 else None)
            if {"low", "high"} <= set(table):
                axis.hlines(y, *table.loc[part, ["low", "high"]], color=INK, lw=1.3)
            axis.annotate(f"{value:+.3f}", (max(value, table.loc[part].get("high", value), 0), y), (5, 0),
                          textcoords="offset points", va="center", fontsize=10)  # fmt: skip
        ticks.append((row * 4 + 1, f"{name}\n{table.loc['rise', 'value']:+.3f}"))
        most = str(table.loc[list(PARTS), "value"].idxmax())
        said.append(
            f"{name} mostly by {PARTS[most][0]} paintings" if most != "less_bad" else f"{name} by bad ones less bad"
        )
    axis.set_yticks([y for y, _ in ticks], [label for _, label in ticks])
    axis.invert_yaxis()
    axis.axvline(0, color=GREY, lw=0.8)
    axis.margins(x=0.12)
    axis.set_xlabel(f"part of the rise of the mean reward, first to last third (bad: under {BAD})")
    axis.legend(fontsize=9, loc="lower right")
    return finish(figure, "The mean rose: " + "; ".join(said), source)


@matplotlib.rc_context(STYLE)
def bad_share(rollouts: pd.DataFrame, source: str = "") -> Figure:
    """Every reward by step, the bad ones apart, and the ceiling: what the good ones of the last third earn."""
    scored = one_run(rollouts)
    bad = scored["reward"] < BAD
    top = ceiling(rollouts)[0]
    figure = _figure(8.4, 4)
    axis = figure.subplots()
    shift = np.random.default_rng(0).uniform(-0.3, 0.3, len(scored))
    for part, colour, label in ((~bad, BLUE, "good"), (bad, ORANGE, f"bad (under {BAD})")):
        axis.plot(scored.loc[part, "step"] + shift[part], scored.loc[part, "reward"], "o", ms=3.5, alpha=0.55,
                  mew=0, color=colour, label=f"{label}: {part.sum()}")  # fmt: skip
    axis.plot(scored.groupby("step")["reward"].mean(), color=INK, lw=2, label="mean")
    axis.axhline(top, color=GREEN, lw=1.3, ls="--", label=f"ceiling {top:.3f}: mean of the good, last third")
    axis.set(xlabel="step", ylabel="reward (0 to 1)", ylim=(0, 1))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(*axis.get_legend_handles_labels(), loc="outside right center", fontsize=9)
    half = scored["step"] < scored["step"].median()
    return finish(
        figure,
        f"Bad paintings: {bad[half].sum()} in the first half of the run, {bad[~half].sum()} in the second",
        source,
    )


@matplotlib.rc_context(STYLE)
def against_reward(rollouts: pd.DataFrame, column: str = "n_shapes", within: bool = False, source: str = "") -> Figure:
    """A count against the reward as a hexbin, with the least-squares line and the null line (no relation).

    Args:
        rollouts: one run.
        column: a count.
        within: take each step's mean off both first, so that drift over the run cannot make a relation.
    """
    scored = one_run(rollouts)[[column, "reward", "step"]].dropna()
    x, y, step = (scored[name].to_numpy(float) for name in (column, "reward", "step"))
    if within:
        x, y = demeaned(x, step), demeaned(y, step)
    r = correlation(x, y)
    figure = _figure(7, 4.4)
    axis = figure.subplots()
    cells = axis.hexbin(x, y, gridsize=(28, 16), cmap=_CELLS, mincnt=1, linewidths=0.2)
    figure.colorbar(cells, ax=axis, label="paintings", shrink=0.8)
    axis.axhline(y.mean(), color=GREY, lw=1.6, ls="--", label="null: no relation")
    if not np.isnan(r):
        ends = np.array([x.min(), x.max()])
        axis.plot(
            ends, y.mean() + r * y.std() / x.std() * (ends - x.mean()), color=ORANGE, lw=2.2, label=f"r = {r:+.2f}"
        )
    rest = " less its step's mean" if within else ""
    axis.set(xlabel=NAMES.get(column, column) + rest, ylabel="reward" + rest)
    axis.legend(loc="lower right", fontsize=9)
    name = NAMES.get(column, column)
    size = "nothing to speak of" if abs(r) < 0.1 else "a weak relation" if abs(r) < 0.3 else "a clear relation"
    found = "does not vary: it can tell nothing" if np.isnan(r) else f"{size} with the reward (r {r:+.2f}, n {len(x)})"
    return finish(figure, f"{name[0].upper()}{name[1:]}{', within steps' if within else ''}: {found}", source)


@matplotlib.rc_context(STYLE)
def coverage_against_reward(rollouts: pd.DataFrame, source: str = "") -> Figure:
    """Coverage against the reward, bad and good paintings apart."""
    scored, column = one_run(rollouts), coverage_column(rollouts)
    scored = scored[[column, "reward"]].dropna()
    good = scored["reward"] >= BAD
    r = [correlation(part[column].to_numpy(), part["reward"].to_numpy()) for part in (scored, scored[good])]
    figure = _figure(7, 4.2)
    axis = figure.subplots()
    for part, colour, label in ((good, BLUE, "good"), (~good, ORANGE, f"bad (under {BAD})")):
        axis.plot(
            scored.loc[part, column], scored.loc[part, "reward"], "o", ms=4, alpha=0.5, mew=0, color=colour, label=label
        )
    axis.set(xlabel="share of the canvas painted", ylabel="reward (0 to 1)", xlim=(0, None), ylim=(0, 1))
    axis.legend(fontsize=9)
    return finish(
        figure, f"Paint and reward: r {r[0]:+.2f} over all paintings, {r[1]:+.2f} among the good ones", source
    )
