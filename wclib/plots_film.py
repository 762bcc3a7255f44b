"""What a run painted, in one picture: the median painting of each step, the wall of the best, two steps compared.

Each function takes the frame of :func:`wclib.gallery.read.frame` (``run``, ``step``, ``position``, ``reward``,
``picture``) and returns a Matplotlib figure with its caption underneath, or the bytes of an animated WebP. A rollout
without a reward or without a picture is never shown.

Run it: ``python -m wclib film data/runs/laptop-demo/seed0 --out figures``
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont

from wclib.analysis.curves import thirds
from wclib.errors import UsageError
from wclib.jsonl import atomic_write
from wclib.plots import GREY, INK, PAPER, STYLE, _figure, finish

#: As many paintings as the published pool holds.
WALL = 178


def median_paintings(rollouts: pd.DataFrame) -> pd.DataFrame:
    """The painting with the median reward of each step of each run: the lower of the two middle ones.

    Raises:
        UsageError: no rollout has both a reward and a picture.
    """
    ordered = _shown(rollouts).sort_values(["run", "step", "reward", "position"], kind="stable")
    return (
        ordered.groupby(["run", "step"], sort=False).apply(lambda step: step.iloc[(len(step) - 1) // 2]).reset_index()
    )


@matplotlib.rc_context(STYLE)
def film_strip(rollouts: pd.DataFrame, most: int = 15, source: str = "") -> Figure:
    """The median painting of each step, one row a run, steps from left to right.

    Args:
        rollouts: one or several runs.
        most: columns; a longer run shows steps evenly spread from its first to its last.
        source: where the runs come from; closes the caption.
    """
    medians = median_paintings(rollouts)
    runs, steps = list(dict.fromkeys(medians["run"])), sorted(medians["step"].unique())
    picked = [steps[i] for i in np.unique(np.linspace(0, len(steps) - 1, min(most, len(steps))).round().astype(int))]
    at = {(row.run, row.step): row for row in medians.itertuples()}
    figure = _figure(max(6, 1.02 * len(picked)), 1.22 * len(runs) + 0.85)
    axes = figure.subplots(len(runs), len(picked), squeeze=False)
    for i, (run, row) in enumerate(zip(runs, axes, strict=True)):
        for step, axis in zip(picked, row, strict=True):
            axis.set_axis_off()
            if (run, step) in at:
                axis.imshow(_open(at[run, step].picture, 200))
                axis.text(0.5, -0.05, f"{at[run, step].reward:.2f}", fontsize=9, color=INK, **_centred(axis, "top"))
            if i == 0:
                axis.text(0.5, 1.05, f"step {step}", fontsize=8.5, color=GREY, **_centred(axis, "bottom"))
        if len(runs) > 1:
            row[0].text(-0.08, 0.5, run, fontsize=8, color=GREY, rotation=90, **_centred(row[0], "center"))
    ends = [each for run in runs if not math.isnan((each := thirds(medians[medians["run"] == run]))[2])]
    told = "; ".join(f"{first:.2f} to {last:.2f}" for first, _, last in ends[:3]) + " ..." * (len(ends) > 3)
    found = f": reward {told} (mean of first and last third)" if ends else ""
    said = f"Under each its reward, the middle one of its step's paintings. {source}"
    return finish(figure, f"The median painting of each step{found}", said)


def film(rollouts: pd.DataFrame, side: int = 300, hold_ms: int = 700, fade: int = 3) -> bytes:
    """The median painting of each step as an animated WebP, runs side by side, each step fading into the next.

    Args:
        rollouts: one or several runs; a run that ends early keeps its last painting.
        side: pixels of a painting.
        hold_ms: milliseconds a step stands.
        fade: frames between two steps, 60 ms each.
    """
    medians = median_paintings(rollouts)
    runs, steps = list(dict.fromkeys(medians["run"])), sorted(medians["step"].unique())
    gap, head, foot = 14, 40, 34
    large, little = (ImageFont.truetype(findfont("DejaVu Sans"), size) for size in (20, 14))
    by_run = {run: medians[medians["run"] == run] for run in runs}
    held = []
    for step in steps:
        image = Image.new("RGB", (len(runs) * (side + gap) + gap, head + side + foot), PAPER)
        pen = ImageDraw.Draw(image)
        pen.text((gap, 9), f"step {step}", INK, large)
        for i, run in enumerate(runs):
            left = gap + i * (side + gap)
            so_far = by_run[run][by_run[run]["step"] <= step]
            if len(so_far):
                row = so_far.iloc[-1]
                image.paste(_open(row["picture"], side), (left, head))
                pen.text((left, head + side + 8), f"reward {row['reward']:.2f}", INK, little)
            if len(runs) > 1:
                pen.text((left + side, head + side + 8), str(run)[:24], GREY, little, anchor="ra")
        held.append(image)
    frames, times = [], []
    for now, following in zip(held, [*held[1:], None], strict=True):
        frames.append(now)
        times.append(hold_ms if following else 3 * hold_ms)
        if following:
            frames += [Image.blend(now, following, k / (fade + 1)) for k in range(1, fade + 1)]
            times += [60] * fade
    out = io.BytesIO()
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:], duration=times, loop=0, quality=72, kmax=1)
    return out.getvalue()


@matplotlib.rc_context(STYLE)
def wall(rollouts: pd.DataFrame, n: int = WALL, seed: int = 0, source: str = "") -> Figure:
    """The ``n`` highest rewards of all runs, hung in an order shuffled by ``seed`` so that no corner is the best."""
    best = _shown(rollouts).sort_values("reward", ascending=False, kind="stable").head(n)
    pictures = best["picture"].tolist()
    random.Random(seed).shuffle(pictures)
    columns = math.ceil(math.sqrt(1.8 * len(pictures)))
    rows, cell, gap = math.ceil(len(pictures) / columns), 110, 6
    mosaic = Image.new("RGB", (columns * (cell + gap) - gap, rows * (cell + gap) - gap), PAPER)
    for i, picture in enumerate(pictures):
        mosaic.paste(_open(picture, cell), (i % columns * (cell + gap), i // columns * (cell + gap)))
    width = max(6.0, 0.72 * columns)
    figure = _figure(width, width * mosaic.height / mosaic.width + 0.75)
    axis = figure.subplots()
    axis.set_axis_off()
    axis.imshow(mosaic, interpolation="lanczos")
    low, high = best["reward"].min(), best["reward"].max()
    found = f"The {len(best)} highest rewards of {len(rollouts)} paintings: {low:.2f} to {high:.2f}"
    runs = ", ".join(map(str, dict.fromkeys(rollouts["run"])))
    return finish(figure, found, f"Runs: {runs}. Order shuffled with seed {seed}. {source}")


@matplotlib.rc_context(STYLE)
def best_of_steps(
    rollouts: pd.DataFrame, steps: Sequence[int], n: int = 4, run: str | None = None, source: str = ""
) -> Figure:
    """The ``n`` highest rewards of each of a few steps, one row a step.

    Args:
        rollouts: one or several runs.
        steps: such as ``(11, 12)``.
        run: which run; needed when there are several.

    Raises:
        UsageError: a step, or the run, is not there or has nothing to show.
    """
    runs = sorted(rollouts["run"].unique())
    if run is None and len(runs) > 1:
        raise UsageError(f"there are {len(runs)} runs; name one of {', '.join(runs)}")
    shown = _shown(rollouts[rollouts["run"] == (run or runs[0])])
    figure = _figure(max(5.0, 1.9 * n + 0.4), 2.15 * len(steps) + 0.7)
    axes = figure.subplots(len(steps), n, squeeze=False)
    for axis in axes.ravel():
        axis.set_axis_off()
    told = []
    for step, row in zip(steps, axes, strict=True):
        here = shown[shown["step"] == step].sort_values("reward", ascending=False, kind="stable")
        if here.empty:
            raise UsageError(
                f"step {step} of {run or runs[0]} has no scored painting; its steps end at {shown['step'].max()}"
            )
        told.append(f"{here['reward'].head(n).mean():.2f} at step {step}")
        row[0].text(-0.06, 0.5, f"step {step}", fontsize=10, color=GREY, rotation=90, **_centred(row[0], "center"))
        for axis, best in zip(row, here.itertuples(), strict=False):
            axis.imshow(_open(best.picture, 300))
            axis.text(0.5, -0.03, f"{best.reward:.2f}", fontsize=10, color=INK, **_centred(axis, "top"))
    said = f"Run {run or runs[0]}; under each its reward. {source}"
    return finish(figure, f"Mean of the best {n}: {', '.join(told)}", said)


def save_small(figure: Figure, path: Path | str, dpi: int = 110) -> Path:
    """Write a figure of many paintings as a PNG of 256 colours: a third of its size, and no eye can tell."""
    out, small = io.BytesIO(), io.BytesIO()
    figure.savefig(out, format="png", dpi=dpi)
    Image.open(out).convert("RGB").quantize(256, dither=Image.Dither.FLOYDSTEINBERG).save(small, "PNG", optimize=True)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, small.getvalue())
    return path


def _shown(rollouts: pd.DataFrame) -> pd.DataFrame:
    shown = rollouts[rollouts["reward"].notna() & rollouts["picture"].notna()]
    if shown.empty:
        raise UsageError("no rollout here has both a reward and a picture; name a run's folder with its paintings")
    return shown


def _open(path: Path, side: int) -> Image.Image:
    try:
        return Image.open(path).convert("RGB").resize((side, side), Image.Resampling.LANCZOS)
    except OSError as error:
        raise UsageError(f"{path} is not a picture ({error}); restore it or take its row out") from None


def _centred(axis: matplotlib.axes.Axes, vertical: str) -> dict[str, object]:
    return {"ha": "right" if vertical == "center" else "center", "va": vertical, "transform": axis.transAxes}
