"""Do a run's paintings grow alike? Spread of their statistics, entropy of their palettes, copies of the pool.

Pictures are measured once (:func:`measure_pictures`, about 25 ms each) into a frame; the rest is arithmetic on that
frame. The embedding is the local judge's eighteen statistics of colour and shape (:mod:`wclib.judges.features`),
standardised on a reference set, so that one unit is one standard deviation of the pool. It sees colour, size,
softness and placing; it does not see what a flower is.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from wclib.judges.features import FEATURES, measure_image
from wclib.likeness import COPY, SIDE, distances, thumbnail
from wclib.progress import Bar

PIXELS = [f"p{i}" for i in range(SIDE * SIDE * 3)]


def measure_pictures(pictures: Sequence[Path | bytes]) -> pd.DataFrame:
    """A row a picture: the eighteen statistics, ``palette_bits``, and its thumbnail (``p0`` ...).

    Raises:
        OSError: a picture cannot be read.
    """
    rows = []
    for picture in Bar(pictures, desc="measuring pictures", disable=len(pictures) <= 80 or None, leave=False):
        with Image.open(io.BytesIO(picture) if isinstance(picture, bytes) else picture) as opened:
            image = opened.convert("RGB")
        rows.append(np.r_[measure_image(image), palette_entropy(image), thumbnail(image)])
    return pd.DataFrame(np.array(rows).reshape(len(rows), -1), columns=[*FEATURES, "palette_bits", *PIXELS])


def palette_entropy(image: Image.Image) -> float:
    """Entropy in bits of the painted pixels' colours, three bits a channel.

    The commonest colour, which is paper, is left out.
    """
    pixels = np.asarray(image.resize((150, 150), Image.Resampling.BOX)) >> 5
    count = np.bincount((pixels.astype(int) @ (64, 8, 1)).ravel(), minlength=512)
    count[count.argmax()] = 0
    share = count[count > 0] / max(1, count.sum())
    return float(-(share * np.log2(share)).sum()) + 0.0


def spread(measured: pd.DataFrame, unit: pd.Series | None = None) -> float:
    """Root mean square distance of pictures from their centre in the embedding, a statistic.

    1 is as varied as the reference.

    Args:
        measured: pictures of one group, step or run.
        unit: standard deviation of each statistic in the reference set (a pool); by default this set's own.
    """
    values = measured[list(FEATURES)]
    if len(values) < 2:
        return math.nan
    scale = (measured[list(FEATURES)].std() if unit is None else unit).replace(0, np.nan)
    return float(np.sqrt(((values - values.mean()) / scale).pow(2).sum(axis=0).div(len(values) - 1).mean()))


def near_copies(measured: pd.DataFrame, pool: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """For each picture the pool's most alike one.

    Args:
        measured, pool: :func:`measure_pictures`.
        names: the pool's reference ids, in order.

    Returns:
        ``reference_id``, ``distance`` (:mod:`wclib.likeness`) and whether it is a ``copy`` (under its ``COPY``).
    """
    distance = distances(measured[PIXELS].to_numpy(), pool[PIXELS].to_numpy())
    nearest = distance.argmin(axis=1)
    least = distance.min(axis=1)
    return pd.DataFrame(
        {"reference_id": np.asarray(names)[nearest], "distance": least, "copy": least < COPY}, index=measured.index
    )
