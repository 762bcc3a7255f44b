"""Figures of notebook 02: what a painting costs, what each cure bought, what is left, and how a renderer holds up.

Each takes what ``python -m wclib bench ...`` measured (``data/bench``) and returns a Matplotlib figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from wclib.plots import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, STYLE, _figure

Rows = Sequence[dict[str, Any]]
_PLAIN = FuncFormatter(lambda value, _: f"{value:g}")


def _mean_cost(row: dict[str, Any]) -> float:
    return 0.5 * (row["ours_cpu_s"] + row["again_cpu_s"])


@matplotlib.rc_context(STYLE)
def costs(rows: Rows) -> Figure:
    """CPU seconds by shapes, published flags against ours, from :func:`wclib.bench.render.compare`."""
    rows = [row for row in rows if row["published_cpu_s"] is not None]
    shapes = [row["shapes"] for row in rows]
    figure = _figure(7.2, 3.8)
    axes = figure.subplots()
    published, ours = [row["published_cpu_s"] for row in rows], [_mean_cost(row) for row in rows]
    axes.plot(shapes, published, "o-", color=ORANGE, label="published flags")
    axes.plot(shapes, ours, "o-", color=BLUE, label="ours")
    for row, high, low in zip(rows, published, ours, strict=True):
        axes.annotate(
            f"÷ {row['times_less_cpu']:.0f}",
            (row["shapes"], (high * low) ** 0.5),
            color=INK,
            ha="center",
            fontsize=12,
        )
    axes.set(xscale="log", yscale="log", xlabel="filled shapes in the sketch", ylabel="CPU seconds a painting")
    axes.set_xticks(shapes, [str(count) for count in shapes])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(_PLAIN)
    low, high = min(row["times_less_cpu"] for row in rows), max(row["times_less_cpu"] for row in rows)
    likeness = min(row["ssim"] for row in rows)
    axes.set_title(f"{low:.0f} to {high:.0f} times less CPU, SSIM at least {likeness:.3f}")
    axes.legend()
    return figure


@matplotlib.rc_context(STYLE)
def cures(rows: Rows) -> Figure:
    """CPU seconds of one sketch after each cure, from :func:`wclib.bench.render.cures`."""
    figure = _figure(7.6, 3.8)
    axes = figure.subplots()
    names, seconds = [row["cure"] for row in rows], [row["cpu_s"] for row in rows]
    at = np.arange(len(rows))[::-1]
    axes.barh(at, seconds, color=[ORANGE] + [BLUE] * (len(rows) - 1), height=0.62)
    for place, row in zip(at, rows, strict=True):
        likeness = "" if row is rows[0] else f"   SSIM {row['ssim']:.3f}"
        axes.text(row["cpu_s"] * 1.06, place, f"{row['cpu_s']:.2f} s{likeness}", va="center", fontsize=10)
    axes.set_yticks(at, [names[0], *(f"+ {name}" for name in names[1:])])
    axes.set(xscale="log", xlabel=f"CPU seconds, {rows[0]['shapes']} shapes (SSIM: to the published)")
    axes.set_xlim(0.5 * min(seconds), 4 * max(seconds))
    axes.xaxis.set_major_formatter(_PLAIN)
    axes.set_title(f"One flag buys ÷ {seconds[0] / seconds[1]:.0f}, the rest another ÷ {seconds[1] / seconds[-1]:.1f}")
    return figure


@matplotlib.rc_context(STYLE)
def parts(rows: Rows) -> Figure:
    """What is left, by kind of process, from :func:`wclib.bench.parts.parts`."""
    from wclib.bench.parts import fixed_and_per_shape

    fixed, each = fixed_and_per_shape(list(rows))
    colours = {"page": BLUE, "gpu": GREEN, "browser": GREY}
    labels = {"page": "page: libraries, 2D masks", "gpu": "GPU process: pigment", "browser": "browser"}
    figure = _figure(7.2, 3.4)
    axes = figure.subplots()
    left = np.zeros(len(rows))
    for kind, colour in colours.items():
        values = np.array([row["cpu_s"][kind] for row in rows])
        axes.barh(range(len(rows)), values, left=left, color=colour, height=0.6, label=labels[kind])
        left += values
    axes.set_yticks(range(len(rows)), [f"{row['shapes']} shapes" for row in rows])
    axes.invert_yaxis()
    axes.set(xlabel="CPU seconds a painting")
    axes.set_title(f"What is left: {fixed:.2f} s for the page and {each:.3f} s a shape")
    axes.legend(loc="upper right")
    return figure


@matplotlib.rc_context(STYLE)
def hostile(rows: Rows, deadline_s: float) -> Figure:
    """Seconds each hostile sketch held the renderer, from :func:`wclib.bench.hostile.hostile`."""
    colours = {"timeout": ORANGE, "resource_limit": PURPLE, "painted": BLUE}
    rows = sorted(rows, key=lambda row: row["seconds"])
    equal = sum(row["next_equal"] for row in rows)
    figure = _figure(7.6, 4.4)
    axes = figure.subplots()
    for outcome, colour in colours.items():
        chosen = [i for i, row in enumerate(rows) if row["outcome"] == outcome]
        axes.barh(chosen, [rows[i]["seconds"] for i in chosen], color=colour, height=0.62, label=outcome)
    for i, row in enumerate(rows):
        axes.text(row["seconds"] + 0.4, i, f"{row['seconds']:.1f} s", va="center", fontsize=10)
    axes.axvline(2 * deadline_s, color=GREY, linestyle=":", label="two deadlines")
    axes.set_yticks(range(len(rows)), [row["sketch"] for row in rows])
    axes.set_xlim(0, 1.15 * max(2 * deadline_s, rows[-1]["seconds"]))
    axes.set(xlabel="seconds until the answer (a timeout is tried twice)")
    axes.set_title(f"{equal} of {len(rows)} next paintings are byte-equal")
    axes.legend(loc="lower right")
    return figure


@matplotlib.rc_context(STYLE)
def soak(found: dict[str, Any]) -> Figure:
    """Memory and open files over hundreds of renders, from :func:`wclib.bench.load.soak`."""
    rows, growth = found["rows"], found["growth"]
    renders = [row["renders"] for row in rows]
    figure = _figure(7.6, 3.2)
    memory, files = figure.subplots(1, 2)
    for name, colour, label in (("browsers", BLUE, "browsers"), ("python", ORANGE, "Python")):
        memory.plot(renders, [row[f"{name}_mb"] for row in rows], color=colour, label=label)
        files.plot(renders, [row[f"{name}_files"] for row in rows], color=colour, label=label)
    memory.set(xlabel="renders", ylabel="memory (MB)", ylim=(0, None))
    files.set(xlabel="renders", ylabel="open files", ylim=(0, None))
    memory.set_title(
        f"{renders[-1]} renders: browsers × {growth['browsers_mb']:.2f}, Python × {growth['python_mb']:.2f}"
    )
    files.legend()
    return figure


@matplotlib.rc_context(STYLE)
def backends(found: dict[str, Any]) -> Figure:
    """How far the local judge's scores move with the backend and with the seed, from :mod:`wclib.bench.backends`."""
    figure = _figure(7.6, 3.8)
    panels = figure.subplots(1, 2)
    for axes, score, text in ((panels[0], "quality", "quality"), (panels[1], "won", "share of the pool beaten")):
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        for kind, colour, marker, label in (
            ("seed", ORANGE, "x", "another seed"),
            ("backend", BLUE, "o", "SwiftShader"),
        ):
            pairs = np.array([row[score] for row in found[kind]["rows"]])
            axes.scatter(*pairs.T, color=colour, marker=marker, s=28, label=label, alpha=0.8)
        axes.set(xlabel=f"{text}, llvmpipe", ylabel=f"{text}, the other", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        axes.set_aspect("equal")
    backend, seed = (found[kind]["summary"]["quality_moves_by"] for kind in ("backend", "seed"))
    panels[0].set_title(f"The backend moves quality by {backend:.3f}, a seed by {seed:.3f}")
    panels[1].legend(loc="lower right")
    return figure
