"""What a launch takes and costs, from measured parts: the published steps, our renderer against theirs, your price.

    step, article's renderer = published mean                       (figures of three runs; one H200)
    step, ours               = published mean * (1 - share + share / times)
    hours                    = steps * step / 3600                  cost = hours * price

``share`` is the part of a step spent rendering: the article says 70 to 80%, so both ends are computed. ``times`` is how
much less CPU our renderer takes for the same sketch, measured by ``python -m wclib bench render`` (data/bench): it is
assumed that rendering's wall time falls as its CPU time does. What the GPU does is as published; nothing here has seen
one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from wclib.errors import UsageError

BENCH = Path(__file__).resolve().parents[3] / "data" / "bench" / "render.json"
#: Steps and mean seconds a step of the published runs (column step_time of results/curve-*.csv in
#: github.com/adithya-s-k/HuggingEnvs, folder 02-watercolour, commit 3fb7adb38b38).
PUBLISHED = {"hps-only": (60, 1066.58), "judge-led": (110, 1139.03), "hps-led": (110, 1055.33)}
RENDERING = (0.70, 0.80)


def measured_times(bench: Path = BENCH, shapes: int = 7) -> float:
    """How many times less CPU our renderer takes than the published flags, for the sketch nearest to ``shapes`` shapes.

    Seven is what the trained policies paint. Raises UsageError when there is no measurement.
    """
    try:
        rows = json.loads(bench.read_text())["sketches"]
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"{bench} holds no measurement ({error}): python -m wclib bench render makes one") from None
    return min(rows, key=lambda row: abs(row["shapes"] - shapes))["times_less_cpu"]


def step_seconds(published_s: float, share: float, times: float) -> float:
    """Seconds of a step when the rendering part (``share`` of ``published_s``) is ``times`` times quicker."""
    return published_s * (1 - share + share / times)


def cost_table(hourly: float, times: float, runs: dict[str, tuple[int, float]] | None = None) -> pd.DataFrame:
    """A row a run: steps, seconds a step, hours and cost with the article's renderer and with ours.

    Args:
        hourly: price of the GPU an hour, in your currency; the environment's machine is not in it.
        times: :func:`measured_times`.
        runs: name -> (steps, seconds a step); the published ones by default.

    Raises:
        UsageError: a price or factor that is not above 0.
    """
    if not (hourly > 0 and times > 0):
        raise UsageError(f"the price an hour ({hourly}) and the factor ({times}) must be above 0")
    rows = {}
    for name, (steps, seconds) in (runs or PUBLISHED).items():
        least, most = sorted(step_seconds(seconds, share, times) for share in RENDERING)
        hours, ours = steps * seconds / 3600, [steps * part / 3600 for part in (least, most)]
        rows[name] = {
            "steps": steps,
            "step, article (s)": round(seconds),
            "step, ours (s)": f"{least:.0f}-{most:.0f}",
            "hours, article": round(hours, 1),
            "hours, ours": f"{ours[0]:.1f}-{ours[1]:.1f}",
            "cost, article": round(hours * hourly, 2),
            "cost, ours": f"{ours[0] * hourly:.2f}-{ours[1] * hourly:.2f}",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("run")
