"""Figures: each function takes data and returns a Matplotlib figure whose title states what it shows.

One style for all; the colours are the Okabe-Ito palette, which stays apart for colour-blind readers.
``save(figure, stem)`` writes PNG and SVG side by side.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from IPython.display import Image as IPythonImage
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator
from matplotlib.typing import RcKeyType
from PIL import Image

from wclib.analysis.curves import thirds

INK, BLUE, ORANGE, GREEN, PURPLE, GREY = "#222222", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8a8a8a"
PAPER = "#fdfcf8"

STYLE: dict[RcKeyType, Any] = {
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.labelsize": 11,
    "font.size": 11,
    "legend.frameon": False,
    "xtick.color": GREY,
    "ytick.color": GREY,
}


def _figure(width: float, height: float) -> Figure:
    layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, hspace=0.01, wspace=0.01)
    return Figure(figsize=(width, height), layout=layout)


def finish(figure: Figure, title: str, source: str = "") -> Figure:
    """Put the finding over the figure, wrapped to its width, and where the numbers come from under it."""
    wrapped = textwrap.fill(title, int(8.2 * figure.get_figwidth()))
    figure.suptitle(wrapped, x=0.01, ha="left", fontsize=13, fontweight="bold")
    if source:
        figure.supxlabel(source, fontsize=8, color=GREY, x=0.01, ha="left")
    return figure


def smooth(values: Sequence[float], width: int = 5) -> np.ndarray:
    """Centred moving mean that keeps the ends: the window shrinks there, missing values are left out.

    Args:
        values: one number a step; NaN where nothing was scored.
        width: window in steps, an odd number.
    """
    array = np.asarray(values, dtype=float)
    half = width // 2
    out = np.full(len(array), np.nan)
    for i in range(len(array)):
        reach = min(half, i, len(array) - 1 - i)
        window = array[i - reach : i + reach + 1]
        if not np.isnan(window).all():
            out[i] = np.nanmean(window)
    return out


@matplotlib.rc_context(STYLE)
def reward_curve(curve: pd.DataFrame, source: str = "") -> Figure:
    """Reward a step with its spread, and the terms it is made of.

    Args:
        curve: a ``curve.csv``: columns ``step``, ``reward``, ``reward_std`` and any of ``judge_mean``,
            ``quality_mean``, ``length_mean``.
        source: one line under the figure: where the numbers come from.
    """
    figure = _figure(9, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=[3, 2], sharey=True)
    step, reward = curve["step"], curve["reward"].astype(float)
    spread = curve["reward_std"].astype(float)
    first, _, last = thirds(curve)
    verb = "rose" if last > first + 0.02 else "fell" if last < first - 0.02 else "hardly moved,"
    found = f"Reward {verb} from {first:.2f} (mean of the first third) to {last:.2f} (last third)"
    left.fill_between(step, reward - spread, reward + spread, color=BLUE, alpha=0.13, lw=0, label="± 1 sd in a group")
    left.plot(step, reward, "o", color=BLUE, ms=3.5, alpha=0.6, label="group mean")
    left.plot(step, smooth(reward), color=BLUE, lw=2.2, label="moving mean of 5")
    left.set(xlabel="step (one generation)", ylabel="reward (0 to 1)", ylim=(0, 1))
    left.legend(loc="lower right", fontsize=9)
    terms = (
        ("judge_mean", "pairwise judge", ORANGE),
        ("quality_mean", "quality", GREEN),
        ("length_mean", "length", PURPLE),
    )
    for column, label, colour in terms:
        if column in curve and curve[column].notna().any():
            right.plot(step, smooth(curve[column].astype(float)), color=colour, lw=2, label=label)
    right.set(xlabel="step (one generation)")
    if right.lines:
        right.legend(title="its terms, smoothed", title_fontsize=9, fontsize=9, loc="best")
    for axis in (left, right):
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(figure, "Too few steps to say whether the reward moved" if math.isnan(last) else found, source)


@matplotlib.rc_context(STYLE)
def contact_sheet(
    pictures: Sequence[Path | bytes], captions: Sequence[str] = (), columns: int = 6, title: str = "", cell: float = 1.7
) -> Figure:
    """Paintings in a grid, left to right and top to bottom.

    Args:
        pictures: paths or PNG bytes; a missing or unreadable one is drawn as an empty, labelled cell.
        captions: one line under each, or nothing.
        columns: pictures a row.
        cell: side of a picture in inches.
    """
    rows = max(1, math.ceil(len(pictures) / columns))
    figure = _figure(columns * cell, rows * (cell + (0.22 if captions else 0)) + (0.4 if title else 0))
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes:
        axis.set_axis_off()
    longest = max((len(line) for caption in captions for line in caption.split("\n")), default=1)
    size = max(4.5, min(8.0, 110 * cell / longest))
    for i, picture in enumerate(pictures):
        _draw(axes[i], picture)
        if i < len(captions):
            axes[i].set_title(captions[i], fontsize=size, fontweight="normal", loc="center", pad=2, y=-0.02, va="top")
    return finish(figure, title) if title else figure


@matplotlib.rc_context(STYLE)
def before_after(before: Sequence[Path], after: Sequence[Path], title: str, columns: int = 6) -> Figure:
    """Two contact sheets side by side: the same prompts and seeds before and after training.

    Args:
        before, after: paths; pictures of the same file name take the same place, and one that is missing on a side
            (its sketch did not paint) leaves an empty, labelled cell there.
        title: the finding.
        columns: pictures a row on each side.
    """
    names = sorted({path.name for path in (*before, *after)})
    before, after = ([side[0].parent / name for name in names] if side else [] for side in (before, after))
    rows = max(1, math.ceil(max(len(before), len(after)) / columns))
    figure = _figure(2 * columns * 1.1 + 0.4, rows * 1.1 + 0.75)
    halves = figure.subfigures(1, 2, squeeze=False, wspace=0.04)[0]
    for half, pictures, name in ((halves[0], before, "before"), (halves[1], after, "after")):
        half.suptitle(name, fontsize=12, color=INK)
        axes = half.subplots(rows, columns, squeeze=False).ravel()
        for axis in axes:
            axis.set_axis_off()
        for axis, picture in zip(axes, pictures, strict=False):
            _draw(axis, picture)
    return finish(figure, title)


def _draw(axis: Axes, picture: Path | bytes) -> None:
    try:
        image = Image.open(io.BytesIO(picture) if isinstance(picture, bytes) else picture).convert("RGB")
    except OSError:
        axis.text(0.5, 0.5, "no picture", ha="center", va="center", color=GREY, transform=axis.transAxes)
        return
    axis.imshow(image.resize((300, 300), Image.Resampling.LANCZOS), interpolation="lanczos")


def thumbnail(png: bytes, side: int = 360) -> IPythonImage:
    """A painting for a notebook: shown at ``side`` pixels and stored as a JPEG of about 20 KB."""
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").resize((side, side), Image.Resampling.LANCZOS).save(
        out, "JPEG", quality=88
    )
    return IPythonImage(out.getvalue(), format="jpeg")


def save(figure: Figure, stem: Path | str, dpi: int = 110) -> Path:
    """Write ``stem.png`` and ``stem.svg``; return the PNG's path."""
    path = Path(stem)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".png"), dpi=dpi)
    with matplotlib.rc_context({"svg.hashsalt": "wclib"}):  # or the same figure is another file each time
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    return path.with_suffix(".png")
