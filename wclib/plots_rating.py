"""Figures of ratings: repeats and raters as tables, drift over a sitting, a ranking with its paintings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from wclib.intervals import wilson
from wclib.plots import BLUE, GREEN, GREY, INK, ORANGE, STYLE, _draw, _figure, finish
from wclib.rating.agreement import Drift, Kappa
from wclib.rating.log import TIERS

_COLOURS = {"love": ORANGE, "okay": BLUE, "nope": GREY}
_MARKS = {"love": "o", "okay": "s", "nope": "^"}


@matplotlib.rc_context(STYLE)
def agreement_tables(tables: Mapping[str, tuple[Kappa, str, str]], title: str) -> Figure:
    """One table of counts for every pair of answers: what the first said by row, the second by column.

    Args:
        tables: ``{caption: (kappa, name of the first answer, name of the second)}``.
        title: the finding.
    """
    figure = _figure(3.5 * len(tables), 4.3)
    axes = figure.subplots(1, len(tables), squeeze=False)[0]
    for axis, (caption, (kappa, first, second)) in zip(axes, tables.items(), strict=True):
        axis.imshow(kappa.table, cmap="Blues", vmax=max(1, kappa.table.max() * 1.5))
        for (row, column), count in np.ndenumerate(kappa.table):
            weight = "bold" if row == column else "normal"
            axis.text(column, row, count or "·", ha="center", va="center", color=INK, fontweight=weight)
        axis.set(xticks=range(4), yticks=range(4), xlabel=second, ylabel=first)
        axis.set_xticklabels(TIERS)
        axis.set_yticklabels(TIERS)
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
        value = (
            "cannot be told" if math.isnan(kappa.value) else f"{kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f})"
        )
        axis.set_title(f"{caption}\nkappa {value}, n = {kappa.n}", fontsize=10, fontweight="normal")
    return finish(figure, title)


@matplotlib.rc_context(STYLE)
def drift_over_sitting(drifts: Mapping[str, Drift], title: str) -> Figure:
    """Share of each tier in the three thirds of a sitting, with Wilson's 95% interval; a panel a rater."""
    figure = _figure(4.4 * len(drifts), 3.7)
    axes = figure.subplots(1, len(drifts), sharey=True, squeeze=False)[0]
    for axis, (rater, drift) in zip(axes, drifts.items(), strict=True):
        sizes = [len(part) for part in np.array_split(np.arange(drift.n), 3)]
        for shift, (tier, colour) in zip((-0.07, 0, 0.07), _COLOURS.items(), strict=True):
            shares = [third[tier] for third in drift.shares]
            bounds = np.array([wilson(round(s * size), size) for s, size in zip(shares, sizes, strict=True)])
            reach = [shares - bounds[:, 0], bounds[:, 1] - shares]
            axis.errorbar(
                np.arange(3) + shift,
                shares,
                np.clip(reach, 0, 1),
                color=colour,
                marker=_MARKS[tier],
                label=tier,
                lw=1.8,
                capsize=3,
            )
        axis.set(xticks=range(3), xlabel="third of the sitting", ylim=(0, 1))
        axis.set_xticklabels(["first", "second", "last"])
        axis.set_title(
            f"{rater}\nrho {drift.rho:+.2f} (p {drift.p:.2g}), {drift.n} presses", fontsize=10, fontweight="normal"
        )
    axes[0].set_ylabel("share of presses (95% interval)")
    axes[-1].legend(loc="upper right", fontsize=9, ncols=3)
    return finish(figure, title)


@matplotlib.rc_context(STYLE)
def ranking_strip(
    strengths: Sequence[float], tiers: Sequence[str], ends: tuple[Sequence[Path], Sequence[Path]], title: str
) -> Figure:
    """Every painting's strength in order, coloured by its tier, with the strongest and the weakest pictured below.

    Args:
        strengths, tiers: one each a painting, strongest first.
        ends: paths of some of the strongest and of the weakest.
        title: the finding.
    """
    figure = _figure(9.5, 4.9)
    top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=[3.4, 1.2])[:, 0]
    axis = top.subplots()
    places = np.arange(1, len(strengths) + 1)
    for tier, colour in _COLOURS.items():
        chosen = np.array([each == tier for each in tiers])
        axis.plot(
            places[chosen], np.asarray(strengths)[chosen], _MARKS[tier], color=colour, ms=5, label=tier, alpha=0.85
        )
    axis.axhline(0, color=GREY, lw=0.8)
    axis.set(xlabel="place in the ranking", ylabel="strength (log odds)")
    axis.legend(title="tier in the starter pool", title_fontsize=9, fontsize=9)
    for half, paths, name, colour in zip(
        bottom.subfigures(1, 2, squeeze=False)[0], ends, ("strongest", "weakest"), (GREEN, GREY), strict=True
    ):
        half.suptitle(name, fontsize=10, color=colour)
        for cell, path in zip(half.subplots(1, len(paths)), paths, strict=True):
            cell.set_axis_off()
            _draw(cell, path)
    return finish(figure, title)
