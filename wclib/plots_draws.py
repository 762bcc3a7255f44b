"""Figures about the luck of the draw.

*How hard* is in logits and compares draws; *what it cost* is in score and adjusts curves: every axis says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from wclib.analysis.drawcurves import StepPair
from wclib.plots import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, STYLE, _figure, contact_sheet, finish, smooth


@matplotlib.rc_context(STYLE)
def shared(by_lag: pd.DataFrame, columns: pd.DataFrame, names: tuple[str, str], source: str = "") -> Figure:
    """Did two runs face the same draws? Correlation by lag, and of columns that a draw cannot move.

    Args:
        by_lag, columns: :func:`wclib.analysis.drawcurves.shared_draws`.
        names: the two runs.
    """
    figure = _figure(9.4, 3.9)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    here = by_lag["lag"] == 0
    left.bar(by_lag["lag"], by_lag["r"], color=np.where(here, ORANGE, GREY))
    band = 1.96 / np.sqrt(columns["n"].iloc[0])
    labels = {"judge": "judge", "quality_mean": "quality", "length_mean": "length", "paint_fraction_mean": "coverage"}
    right.bar([labels.get(name, name) for name in columns.index], columns["r"],
              color=[ORANGE if name == "judge" else GREY for name in columns.index])  # fmt: skip
    for axis in (left, right):
        axis.axhspan(-band, band, color=GREY, alpha=0.15, lw=0)
        axis.axhline(0, color=GREY, lw=0.8)
    left.set(xlabel=f"steps that {names[1]} is shifted by", ylabel="correlation")
    right.set(xlabel="same step, each column about its own trend")
    right.tick_params("x", labelsize=9)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    r = float(by_lag.loc[here, "r"].iloc[0])
    found = f"faced the same draws: r {r:.2f} at the same step, nothing at any other" if r > 2 * band else (
        f"show no shared draws: r {r:+.2f} at the same step")  # fmt: skip
    return finish(figure, f"{names[0]} and {names[1]} {found}", source)


@matplotlib.rc_context(STYLE)
def difficulty(table: pd.DataFrame, source: str = "") -> Figure:
    """How hard each step's draw was, in logits, the hardest four named.

    Args:
        table: ``step`` and ``difficulty`` (higher is harder).
        source: where it comes from.
    """
    hardest = table.nlargest(4, "difficulty")
    figure = _figure(9, 3.7)
    axis = figure.subplots()
    axis.bar(
        table["step"], table["difficulty"], color=np.where(table["step"].isin(hardest["step"]), ORANGE, GREY), width=0.8
    )
    for row in hardest.itertuples():
        # Names of neighbours would run into each other: the earlier one ends at its bar, the later one begins there.
        before, after = (hardest["step"].between(row.step + a, row.step + b).any() for a, b in ((1, 7), (-7, -1)))
        side, shift = ("right", 3) if before else ("left", -3) if after else ("center", 0)
        where = (row.step, row.difficulty)
        axis.annotate(f"step {row.step}", where, (shift, 3), textcoords="offset points", fontsize=9, ha=side)
    axis.axhline(0, color=GREY, lw=0.8)
    axis.set(xlabel="step", ylabel="difficulty of the draw (logits)")
    axis.margins(y=0.15)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(figure, "Hardest draws: steps " + ", ".join(str(step) for step in hardest["step"]), source)


@matplotlib.rc_context(STYLE)
def adjusted(
    table: pd.DataFrame,
    raw: str,
    corrected: str,
    score: str,
    source: str = "",
    truth: np.ndarray | None = None,
    band: str = "95%, references and rollouts",
) -> Figure:
    """The curve as it was and as an average draw would have made it.

    Args:
        table: ``step``, the two columns and, where there are, ``<corrected>_low`` and ``_high``.
        score: what the y axis measures.
        source: where it comes from.
        truth: of a simulation, drawn as a line.
        band: what the interval holds.
    """
    figure = _figure(9, 4.2)
    axis = figure.subplots()
    x = table["step"]
    if f"{corrected}_low" in table:
        axis.fill_between(x, table[f"{corrected}_low"], table[f"{corrected}_high"], color=BLUE, alpha=0.15, lw=0,
                          label=band)  # fmt: skip
    axis.vlines(x, table[raw], table[corrected], color=GREY, lw=0.8, alpha=0.7)
    axis.plot(x, table[raw], "o", color=ORANGE, ms=4, label="as it was")
    axis.plot(x, table[corrected], "o", color=BLUE, ms=4, label="with an average draw")
    axis.plot(x, smooth(table[corrected], 9), color=BLUE, lw=2)
    if truth is not None:
        axis.plot(x, truth, color=INK, lw=1.6, ls="--", label="truth (simulated)")
    axis.set(xlabel="step", ylabel=score, ylim=(0, 1))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.legend(loc="lower right", ncols=2, fontsize=9)
    moved = (table[raw] - table[corrected]).abs()
    most = table.loc[moved.idxmax()]
    less = bool(moved.max() < 0.005)
    found = f"most at step {most['step']:.0f}: {most[raw] - most[corrected]:+.2f}"
    found = f"The draw moved a step by {moved.mean():.3f} on average, {found}"
    return finish(figure, "Nothing to adjust: eight rollouts' luck explains this curve" if less else found, source)


@matplotlib.rc_context(STYLE)
def two_steps(pair: StepPair, run: str, earlier: int, later: int, source: str = "") -> Figure:
    """How much of the change between two steps was the draw, with what pays for it and how sure that is."""
    figure = _figure(9, 3.4)
    axis = figure.subplots()
    rows = [
        ("the whole change", pair.change, (pair.change - 1.96 * pair.luck, pair.change + 1.96 * pair.luck), INK),
        ("the draw, from the other run", pair.draw, (pair.draw_low, pair.draw_high), ORANGE),
        ("what is left", pair.left, (pair.left_low, pair.left_high), BLUE),
        ("paid by quality, which sees no draw", pair.terms["quality"], None, GREEN),
        ("paid by the judge", pair.terms["judge"], None, PURPLE),
    ]
    for y, (_, value, ends, colour) in enumerate(rows):
        axis.barh(y, value, color=colour, height=0.6)
        if ends:
            axis.hlines(y, *ends, color=GREY, lw=2)
        axis.annotate(f"{value:+.2f}", (0.085, y), va="center", fontsize=11)
    axis.set_yticks(range(len(rows)), [name for name, *_ in rows])
    axis.invert_yaxis()
    axis.axvline(0, color=GREY, lw=0.8)
    axis.set_xlabel("change of the mean reward; lines: 95% (whole change: eight rollouts' luck)")
    share = pair.draw / pair.change
    most = max(0.0, pair.draw_low / pair.change)
    found = f"the draw explains about {share:.0%} of {pair.change:+.2f}, at most {most:.0%}"
    return finish(figure, f"{run}, step {earlier} to {later}: {found}", source)


def hardest_references(references: pd.DataFrame, pictures: Mapping[str, Path], n: int = 6) -> Figure:
    """The hardest and the easiest references as pictures, with their difficulty.

    Args:
        references: ``reference_id``, ``difficulty`` and, where known, ``draws``.
        pictures: a picture's path by reference id; one that is not there is drawn as absent.
        n: how many of each.
    """
    ordered = references.sort_values("difficulty", ascending=False)
    shown = pd.concat([ordered.head(n), ordered.tail(n)])
    captions = [
        f"{row.difficulty:+.1f}" + (f", met {row.draws}x" if hasattr(row, "draws") else "")
        for row in shown.itertuples()
    ]
    files = [pictures.get(name, Path("absent")) for name in shown["reference_id"]]
    return contact_sheet(
        files, captions, columns=n, title=f"The {n} hardest references (above) and the {n} easiest; logits"
    )


@matplotlib.rc_context(STYLE)
def ways(table: pd.DataFrame, source: str = "") -> Figure:
    """How much noise each way of drawing leaves in a curve (:func:`wclib.analysis.balance.noise_by_way`)."""
    figure = _figure(7.4, 3.4)
    axis = figure.subplots()
    y = np.arange(len(table))
    axis.barh(y - 0.2, table["sd_step"], height=0.36, color=GREY, label="a step's noise in all")
    axis.barh(y + 0.2, table["sd_draw"], height=0.36, color=ORANGE, label="the draw's part")
    for row, (step, draw) in enumerate(zip(table["sd_step"], table["sd_draw"], strict=True)):
        for value, shift in ((step, -0.2), (draw, 0.2)):
            axis.annotate(
                f"{value:.3f}", (value, row + shift), (4, 0), textcoords="offset points", va="center", fontsize=9
            )
    axis.set_yticks(y, table.index)
    axis.invert_yaxis()
    axis.margins(x=0.12)
    axis.set_xlabel("standard deviation of a step's mean judge score, policy held still")
    axis.legend(fontsize=9, loc="lower right")
    best = table["steps_saved"].idxmax()
    saved = table.loc[best, "steps_saved"]
    return finish(figure, f"Balanced draws: '{best}' needs {saved:.0%} fewer steps for an equally sure curve", source)
