"""Figures of the launch: which layers an adapter reaches."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from wclib.plots import BLUE, GREY, INK, ORANGE, STYLE, _figure
from wclib.train.launch.coverage import MIXERS, Coverage


@matplotlib.rc_context(STYLE)
def coverage_figure(found: Mapping[str, Coverage]) -> Figure:
    """Every layer's token mixer, adapted or frozen, for each choice of targets.

    Args:
        found: coverage by name of the choice, from :func:`wclib.train.launch.coverage.every_choice`.
    """
    first = next(iter(found.values()))
    title = (
        f"The usual names leave {first.layers - found['seven'].mixers} of {first.layers} token mixers frozen; "
        f"all-linear reaches {found['all-linear'].mixers}"
    )
    figure = _figure(10, 0.9 + 0.5 * len(found))
    axis = figure.subplots()
    for row, seen in enumerate(found.values()):
        for layer, kind in enumerate(seen.kinds):
            colour = (ORANGE if kind == MIXERS[0] else BLUE) if layer in seen.mixed else "#e4e1d8"
            axis.barh(row, 0.86, left=layer + 0.07, height=0.62, color=colour)
            if kind == MIXERS[1]:  # attention is marked whether adapted or not
                axis.plot(layer + 0.5, row, "o", ms=3, color="white" if layer in seen.mixed else GREY)
        label = f"{seen.mixers} of {seen.layers}\n{seen.trainable / 1e6:.1f} M parameters"
        axis.text(first.layers + 0.6, row, label, va="center", fontsize=9, color=INK)
    axis.set_yticks(range(len(found)), list(found))
    axis.tick_params(axis="y", labelcolor=INK, length=0)
    axis.set(xlim=(0, first.layers + 8), ylim=(len(found) - 0.5, -0.6), xlabel="layer", title=title)
    axis.set_xticks([i + 0.5 for i in range(0, first.layers, 5)], map(str, range(0, first.layers, 5)))
    axis.spines["left"].set_visible(False)
    axis.spines["bottom"].set_bounds(0, first.layers)
    handles = [
        Patch(color=ORANGE, label="linear attention, adapted"),
        Patch(color=BLUE, label="attention (dot), adapted"),
        Patch(color="#e4e1d8", label="frozen"),
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=3, fontsize=9)
    return figure
