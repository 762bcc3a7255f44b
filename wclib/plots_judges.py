"""Figures about judges: an audit, the ladder, two tastes on the same paintings, which references teach.

As in :mod:`wclib.plots`: data in, a Matplotlib figure out, its title states the finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from wclib.plots import BLUE, GREEN, GREY, INK, ORANGE, STYLE, _draw, _figure, finish

_PLACES = {"ceiling": ORANGE, "rung": GREEN, "free win": BLUE}
_MARKS = {"love": "o", "okay": "s", "nope": "X"}


def audit_bars(tables: Mapping[str, Mapping[str, Any]]) -> Figure:
    """What several judges get right, tier by tier and rung by rung, with intervals.

    Args:
        tables: name -> the table of :func:`wclib.judges.audit.audit`; the first judge is drawn first.
    """
    with matplotlib.rc_context(STYLE):
        rows = [row["what"] for part in ("tiers", "ladder") for row in next(iter(tables.values()))[part]]
        figure = _figure(8.2, 1.1 + (0.3 + 0.13 * len(tables)) * len(rows))
        axis = figure.subplots()
        colours = (BLUE, ORANGE, GREEN, GREY)
        for i, (name, table) in enumerate(tables.items()):
            known = {row["what"]: row for part in ("tiers", "ladder") for row in table[part] if row["answered"]}
            at = [rows.index(what) + (i - (len(tables) - 1) / 2) * 0.2 for what in known]
            share = np.array([row["share"] for row in known.values()])
            gap = [[row["share"] - row["low"] for row in known.values()]]
            gap.append([row["high"] - row["share"] for row in known.values()])
            style: dict[str, Any] = {
                "fmt": "oDs^"[i % 4],
                "ms": 5.5,
                "capsize": 2.5,
                "lw": 1.4,
                "color": colours[i % 4],
            }
            axis.errorbar(share, at, xerr=np.clip(gap, 0, None), label=name, **style)
        axis.set_yticks(range(len(rows)), rows, color=INK)
        axis.axvline(0.5, color=GREY, lw=1, ls=":")
        axis.text(0.5, -0.75, " a coin", color=GREY, fontsize=9, va="center")
        axis.set(
            xlim=(-0.02, 1.02), ylim=(len(rows) - 0.4, -1), xlabel="share of pairs right in both orders (95% Wilson)"
        )
        name, table = next(iter(tables.items()))
        asked = (row for part in ("tiers", "ladder") for row in table[part] if row["answered"])
        worst = min(asked, key=lambda row: row["share"])
        if len(tables) > 1:
            axis.legend(loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2, fontsize=9)
        return finish(figure, f"{name}: weakest on {worst['what']}, {worst['share']:.2f} right")


def ladder_sheet(rungs: Sequence[Any], tastes: Mapping[str, float] | None = None) -> Figure:
    """One painting intact and broken in every way, best of the judge's scores first when it gives any.

    Args:
        rungs: the :class:`wclib.judges.ladder.Rung` of one painting.
        tastes: a scalar judge's score of ``"intact"`` and of each rung's picture, by name; shown under the pictures.
    """
    pictures = [("intact", rungs[0].intact), *((rung.name, rung.broken) for rung in rungs)]
    if tastes:
        pictures.sort(key=lambda pair: -tastes[pair[0]])
    with matplotlib.rc_context(STYLE):
        figure = _figure(1.62 * len(pictures), 2.5)
        axes = figure.subplots(1, len(pictures))
        for axis, (name, picture) in zip(axes, pictures, strict=True):
            _draw(axis, picture)
            axis.set_axis_off()
            score = f"\n{tastes[name] - tastes['intact']:+.1f}" if tastes else ""
            weight = "bold" if name == "intact" else "normal"
            axis.set_title(name + score, fontsize=10, loc="center", y=-0.03, pad=0, va="top", fontweight=weight)
        title = "One painting, broken one way at a time"
        if not tastes:
            return finish(figure, title)
        below = sum(tastes[rung.name] < tastes["intact"] for rung in rungs)
        title += f": the judge puts {below} of {len(rungs)} below it"
        return finish(figure, title, "the judge's score less that of the painting")


def swap(pictures: Sequence[bytes], scores: Mapping[str, Sequence[float]], agreement: float) -> Figure:
    """The same paintings in the order of two pools, with what each pool's reward gives them.

    Args:
        pictures: PNG bytes.
        scores: name of a pool -> its score of each picture, in [0, 1]; two pools.
        agreement: Spearman's rank correlation of the two.
    """
    with matplotlib.rc_context(STYLE):
        figure = _figure(1.25 * len(pictures), 4.0)
        rows = figure.subplots(2, len(pictures), squeeze=False)
        for axes, (name, values) in zip(rows, scores.items(), strict=True):
            for axis, i in zip(axes, np.argsort(-np.asarray(values), kind="stable"), strict=True):
                _draw(axis, pictures[i])
                axis.set_xticks([])
                axis.set_yticks([])
                for spine in axis.spines.values():
                    spine.set_visible(False)
                axis.set_xlabel(f"{values[i]:.2f}", fontsize=11, color=INK, labelpad=2)
            axes[0].set_ylabel(name, fontsize=11)
        verb = "turns the order round" if agreement < -0.5 else "changes the order" if agreement < 0.5 else "keeps it"
        title = f"Another folder of ratings {verb}: the same {len(pictures)} paintings, best first"
        note = f"under each painting its reward against that pool; rank correlation of the two {agreement:+.2f}"
        return finish(figure, title, note)


def calibration(rows: Sequence[Mapping[str, Any]], judge: str, paintings: int) -> Figure:
    """Win rate against every reference, from ceiling to free win.

    Args:
        rows: of :func:`wclib.judges.calibrate.calibrate`.
        judge: who judged.
        paintings: how many paintings met each reference.
    """
    known = [row for row in rows if row["share"] is not None]
    with matplotlib.rc_context(STYLE):
        figure = _figure(9, 4.2)
        axis = figure.subplots()
        axis.axhspan(0.25, 0.75, color=GREEN, alpha=0.09, lw=0)
        for i, row in enumerate(known):
            colour = _PLACES[row["place"]]
            axis.plot([i, i], [row["low"], row["high"]], color=colour, lw=1, alpha=0.5)
            axis.plot(i, row["share"], _MARKS[row["tier"]], color=colour, ms=5)
        counts = {name: sum(row["place"] == name for row in known) for name in _PLACES}
        for name, y in (("ceiling", 0.125), ("rung", 0.5), ("free win", 0.875)):
            text = f"{name}: {counts[name]}"
            axis.text(1.01, y, text, color=_PLACES[name], transform=axis.transAxes, va="center", fontweight="bold")
        tiers = sorted({row["tier"] for row in known}, key=list(_MARKS).index)
        handles = [Line2D([], [], marker=_MARKS[tier], ls="", color=INK, ms=5, label=tier) for tier in tiers]
        axis.legend(handles=handles, loc="upper left", fontsize=9, title="tier", title_fontsize=9)
        axis.set(ylim=(0, 1), xlim=(-1, len(known)), ylabel="share of paintings that beat it", xticks=[])
        axis.set_xlabel(f"{len(known)} references, hardest first; {paintings} paintings each; {judge}")
        axis.set_title(f"{counts['rung']} of {len(known)} references are rungs: 25 to 75% of the paintings beat them")
        return figure
