"""Curves of one or several runs, from nothing but CSVs.

    from wclib.analysis.load import load_curve
    from wclib.plots_curves import curves
    curves({"mine": load_curve("curve.csv")})

Each function takes frames by run name and returns a Matplotlib figure whose title states what it shows; :func:`keep`
saves it as PNG and SVG with a caption beside it. Missing values leave gaps.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from wclib.analysis.curves import TERM_COLUMNS, rise_by_term, slope, third_steps, thirds
from wclib.analysis.schema import mix_of
from wclib.plots import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, STYLE, _figure, finish, save, smooth

#: The published runs keep their colours in every figure; others take what is left, in order.
COLOURS = {"hps-only": GREY, "judge-led": ORANGE, "hps-led": BLUE}
_OTHERS = (GREEN, PURPLE, INK, BLUE, ORANGE)


def colour_of(name: str, others: int = 0) -> str:
    """A run's colour: its mix's, or the next free one."""
    return COLOURS.get(mix_of(name) or "", _OTHERS[others % len(_OTHERS)])


def keep(figure: Figure, stem: Path | str, caption: str) -> Path:
    """Write ``stem.png``, ``stem.svg`` and the caption as ``stem.txt``; return the PNG's path.

    Under ``WATERCOLOUR_QUICK`` nothing is written: a run cut short has no figure to keep.
    """
    if os.environ.get("WATERCOLOUR_QUICK") == "1":
        return Path(stem).with_suffix(".png")
    path = save(figure, stem)
    path.with_suffix(".txt").write_text(textwrap.fill(caption, 100) + "\n", encoding="utf-8")
    return path


def _line(axis: Axes, curve: pd.DataFrame, column: str, colour: str, label: str) -> None:
    axis.plot(curve["step"], curve[column], "o", ms=2.5, alpha=0.35, color=colour, mew=0)
    axis.plot(curve["step"], smooth(curve[column], 9), lw=2.2, color=colour, label=label)


def _steps(axis: Axes) -> None:
    axis.set_xlabel("step")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))


@matplotlib.rc_context(STYLE)
def curves(runs: Mapping[str, pd.DataFrame], source: str = "") -> Figure:
    """Reward by step, smoothed with a window that shrinks at the ends, and the means of the thirds as bars.

    Args:
        runs: curves by name, with at least ``step`` and ``reward``.
        source: where they come from.
    """
    figure = _figure(4.2 * max(2, len(runs)), 4)
    axes = figure.subplots(1, len(runs), sharey=True, squeeze=False)[0]
    rose = []
    for i, (axis, (name, curve)) in enumerate(zip(axes, runs.items(), strict=True)):
        colour = colour_of(name, i)
        _line(axis, curve, "reward", colour, name)
        values = thirds(curve)
        for steps, value in zip(third_steps(curve["step"]), values, strict=True):
            if len(steps):
                axis.hlines(value, steps[0], steps[-1], color=INK, lw=1.6)
                axis.annotate(f"{value:.3f}", (steps.mean(), value), (0, 7), textcoords="offset points",
                              ha="center", fontsize=10, fontweight="bold", color=INK,
                              bbox={"fc": axis.get_facecolor(), "ec": "none", "alpha": 0.8, "pad": 1})  # fmt: skip
        line = slope(curve)
        known = f"slope t {line.t:+.1f}, HAC {line.t_hac:+.1f}" if line.n > 2 else "too short for a slope"
        axis.set_title(f"{name}\n{known}", fontsize=11, color=colour if colour != GREY else INK)
        rose.append((name, values[0], values[2], line.t_hac))
        _steps(axis)
    axes[0].set(ylabel="mean reward of a step (0 to 1)", ylim=(0, 1))
    return finish(figure, _rose(rose), source)


def _rose(runs: list[tuple[str, float, float, float]]) -> str:
    if len(runs) == 1:
        name, first, last, t = runs[0]
        if np.isnan(first):
            return f"{name}: too few steps to say whether anything was learned"
        verb = "rose" if t > 2 else "fell" if t < -2 else "did not clearly move:"
        return f"{name} {verb} from {first:.2f} in its first third to {last:.2f} in its last"
    sure = sum(t > 2 for *_, t in runs)
    told = ", ".join(f"{name} {last - first:+.2f}" for name, first, last, _ in runs)
    count = f"All {len(runs)} runs" if sure == len(runs) else f"{sure} of {len(runs)} runs"
    return f"{count} learned: first to last third {told}"


@matplotlib.rc_context(STYLE)
def terms(runs: Mapping[str, pd.DataFrame], source: str = "", quality: str = "quality") -> Figure:
    """The terms' means by step for each run, and below what each paid of the reward's rise.

    Args:
        runs: curves by the name of a published mix (the weights are taken from it).
        source: where they come from.
        quality: who scored quality.
    """
    names = {"judge": ("pairwise judge", ORANGE), "quality": (quality, GREEN), "length": ("length", PURPLE)}
    figure = _figure(4.2 * max(2, len(runs)), 5.6)
    axes = figure.subplots(2, len(runs), squeeze=False, sharey="row", height_ratios=[3, 1.3])
    most = {}
    for column, (name, curve) in enumerate(runs.items()):
        top, bottom = axes[:, column]
        for term, (label, colour) in names.items():
            _line(top, curve, TERM_COLUMNS[term], colour, label)
        top.set_title(name, fontsize=11)
        _steps(top)
        paid = rise_by_term(curve, mix_of(name) or name)
        bars = bottom.barh([names[term][0] for term in names], paid[list(names)], color=[c for _, c in names.values()])
        bottom.bar_label(bars, fmt="%+.3f", padding=3, fontsize=9)
        bottom.axvline(0, color=GREY, lw=0.8)
        bottom.margins(x=0.28)
        bottom.xaxis.set_major_locator(MaxNLocator(4))
        bottom.set_xlabel(f"part of the rise of {paid['reward']:+.3f}")
        most[name] = max(names, key=lambda term: paid[term])
    axes[0, 0].set(ylabel="mean of the term (0 to 1)", ylim=(0, 1))
    axes[0, -1].legend(fontsize=9, loc="lower right")
    said = ", ".join(f"{name} by {'the judge' if term == 'judge' else names[term][0]}" for name, term in most.items())
    return finish(figure, f"What paid for the rise, most of it: {said}", source)


@matplotlib.rc_context(STYLE)
def coverage(runs: Mapping[str, pd.DataFrame], source: str = "") -> Figure:
    """Share of the canvas painted by step, with its thirds."""
    figure = _figure(8.4, 4)
    axis = figure.subplots()
    grew = []
    for i, (name, curve) in enumerate(runs.items()):
        first, _, last = thirds(curve, "paint_fraction_mean")
        _line(axis, curve, "paint_fraction_mean", colour_of(name, i), f"{name}: {first:.3f} to {last:.3f}")
        grew.append(f"{name} x{last / first:.1f}")
    axis.set(ylabel="share of the canvas painted", ylim=(0, None))
    _steps(axis)
    axis.legend(loc="upper left", fontsize=10, title="first third to last third", title_fontsize=9)
    return finish(
        figure,
        f"Coverage grew in every run shown: {', '.join(grew)}" if len(grew) > 1 else f"Coverage: {grew[0]}",
        source,
    )


@matplotlib.rc_context(STYLE)
def narrowing(runs: Mapping[str, pd.DataFrame], source: str = "") -> Figure:
    """Spread of the rewards inside a group, and the policy's entropy, by step."""
    figure = _figure(9.4, 3.9)
    left, right = figure.subplots(1, 2)
    last = {}
    for i, (name, curve) in enumerate(runs.items()):
        for axis, column in ((left, "reward_std"), (right, "entropy")):
            _line(axis, curve, column, colour_of(name, i), name)
        last[name] = thirds(curve, "reward_std")[2]
    left.set(ylabel="sd of the rewards in a group", ylim=(0, None))
    right.set(ylabel="entropy of the policy (nats a token)", ylim=(0, None))
    for axis in (left, right):
        _steps(axis)
    right.legend(fontsize=10)
    least = min(last, key=lambda name: last[name])
    return finish(
        figure, f"Rewards inside a group grow alike, most in {least}: sd {last[least]:.2f} in its last third", source
    )
