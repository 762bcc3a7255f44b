"""What else changed while the reward rose: a reward that climbs says only that the judge is pleased.

* **attributes** of every painting: warmth, size, filled shapes, washes, coverage;
* **coverage for its own sake**: does reward follow coverage among rollouts that face the same references?
* **diversity**: how far the paintings of a group are apart, and how many sketches of a step are the same;
* **near-copies**: how far each painting is from the nearest painting of the pool.

How far two paintings are apart is measured by :mod:`wclib.likeness`. How small is a copy? :func:`repainted` measures
what a sketch is from itself under another seed.

Try it: ``watch(paintings("runs/demo"), load_pool())``
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from wclib.jsonl import read_rows
from wclib.judges.features import FEATURES, measure
from wclib.likeness import COPY, distances, thumbnails
from wclib.pool import Pool
from wclib.render import Renderer

#: What is measured of a painting; the first three are those of :mod:`wclib.taste`.
ATTRIBUTES = ("warmth", "size", "shapes", "washes", "coverage")


def paintings(folder: Path | str, table: str = "rollouts.jsonl") -> pd.DataFrame:
    """The rows of a run's table that have a picture, with :data:`ATTRIBUTES` and the picture's ``path``.

    ``warmth`` is (a* + b*) / chroma of the paint (CIE Lab; blue-green is negative), ``size`` the root mean
    square distance of the paint from its own centre in half pages, ``shapes`` the filled shapes painted, ``washes`` the
    passes over all petals that the policy's sketch calls for, ``coverage`` the painted share of the page.

    Args:
        folder: a run's folder with its pictures.
        table: ``"rollouts.jsonl"``, or ``"eval/rollouts.jsonl"`` for the fixed-seed evaluations.
    """
    rows = []
    for row in read_rows(Path(folder) / table)[0]:
        if row["image"]:
            picture = Path(folder) / row["image"]
            seen = dict(zip(FEATURES, measure(picture.read_bytes()).tolist(), strict=True))
            row["warmth"] = (seen["warmth"] + seen["yellow"]) / max(1.0, seen["chroma"])
            row |= {
                "size": seen["spread"],
                "shapes": row["shapes_painted"] or 0,
                "washes": row["code"].count("  wash("),
            }
            rows.append(row | {"coverage": row["paint_fraction"], "path": picture})
    return pd.DataFrame(rows)


def repainted(pool: Pool, renderer: Renderer, count: int = 8) -> pd.DataFrame:
    """How near is a copy: a few sketches of the pool painted under another seed.

    Returns:
        a row a sketch: ``reference_id``; ``itself``, its distance from its painting in the pool; ``nearest``, the
        distance of that painting from the nearest one of another family.
    """
    known = thumbnails(painting.read() for painting in pool.paintings)
    families = np.array([painting.family for painting in pool.paintings])
    rows = []
    for i in np.linspace(0, len(pool.paintings) - 1, count).astype(int):
        painting = pool.paintings[i]
        again = renderer.render(painting.source_path.read_text(), seed=9_000 + int(i))
        rows.append(
            {
                "reference_id": painting.reference_id,
                "itself": float(distances(thumbnails([again.png]), known[[i]])[0, 0]),
                "nearest": float(distances(known[[i]], known[families != families[i]]).min()),
            }
        )
    return pd.DataFrame(rows)


def watch(frame: pd.DataFrame, pool: Pool) -> pd.DataFrame:
    """One row a step of a run.

    Args:
        frame: :func:`paintings` of the run's rollouts.
        pool: whose paintings may have been copied.

    Returns:
        ``step``, ``reward`` and ``coverage`` (means), ``diversity`` (mean distance between two paintings of a group),
        ``distinct`` (share of different sketches), ``nearest`` (least distance of any painting from the pool),
        ``copies`` (share of paintings nearer than :data:`wclib.likeness.COPY`).
    """
    known = thumbnails(painting.read() for painting in pool.paintings)
    rows = []
    for step, part in frame.groupby("step"):
        seen = thumbnails(part["path"])
        groups = [
            distances(own, own) for _, places in part.groupby("group").indices.items() if len(own := seen[places])
        ]
        pairs = np.concatenate([group[np.triu_indices(len(group), 1)] for group in groups])
        nearest = distances(seen, known).min(axis=1)
        rows.append(
            {
                "step": step,
                "reward": part["reward"].mean(),
                "coverage": part["coverage"].mean(),
                "diversity": pairs.mean() if pairs.size else np.nan,
                "distinct": part["code"].nunique() / len(part),
                "nearest": nearest.min(),
                "copies": (nearest < COPY).mean(),
            }
        )
    return pd.DataFrame(rows)


def within_groups(frame: pd.DataFrame, cause: str = "coverage") -> float:
    """Correlation of a column with the reward over rollouts after each group's means are taken off.

    A group shares its references and its seed, so a hard draw cannot pass for a cause.
    """
    part = frame[["step", "group", cause, "reward"]].dropna()
    apart = part[[cause, "reward"]] - part.groupby(["step", "group"])[[cause, "reward"]].transform("mean")
    return float(apart[cause].corr(apart["reward"]))
