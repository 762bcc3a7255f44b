"""The local judge: a taste learned from the pool's own tiers, with no token and no GPU.

It is a linear model on the statistics of :mod:`wclib.judges.features`, with two heads (:mod:`wclib.judges.heads`):

* **pairs**: a Bradley-Terry model of love > okay > nope, with everything kept above the floor pictures of
  :mod:`wclib.judges.floor`;
* **quality**: the chance, in [0, 1], that a picture would be kept (love, okay) rather than rejected or floor.

One statistic is added to the eighteen: ``strange``, how far a picture lies from the kept ones. It lets
a linear model say "too much" of what it otherwise likes, and standardised values are cut at +-3, so no
statistic can be driven without end. A scalar judge cannot prefer by position, nor be intransitive.

How far it can be trusted is measured when it is fitted and travels with its weights: the share of
held-out pairs of different tiers it orders rightly. Folds are split by sketch family, so variations of
a sketch are never on both sides, and the interval resamples families. It is not HPSv3 and not the
vision judge, and everything that shows its scores says "local judge".

Fitted weights are cached by the pool's fingerprint in ``$XDG_CACHE_HOME/wclib`` (``~/.cache/wclib``).

Try it: ``python -m wclib pool fit``
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from wclib.errors import InfrastructureFault
from wclib.jsonl import atomic_write
from wclib.judges import features, floor, heads
from wclib.judges.features import FEATURES, measure, measure_image, open_picture
from wclib.judges.heads import RANK, Accuracy, Heads, cross_validate, fit_heads
from wclib.judges.pairwise import Position
from wclib.pool import Pool
from wclib.render import pixels

NAME = "local judge"
_SPOILED = 12
_REMEMBERED = 4096


class LocalJudge:
    """Compares two pictures and scores one, by the taste of a pool.

    Make one with :meth:`fit`, or with :meth:`for_pool`, which keeps what it fitted.

    Attributes:
        name: ``"local judge"``, followed by the reason when its held-out accuracy or its number of ratings is too low
            to trust it; scores, figures, ``/health`` and a run's record show the name.
    """

    #: It compares one number a picture, so it cannot prefer by position, nor be intransitive.
    scalar = True

    def __init__(self, heads: Heads, accuracy: Accuracy, fingerprint: str):
        self.heads, self.accuracy, self.fingerprint = heads, accuracy, fingerprint
        self.name = f"{NAME} ({accuracy.doubt})" if accuracy.doubt else NAME
        self._measured: dict[bytes, np.ndarray] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<{self.describe()}>"

    def describe(self) -> str:
        """One line: what it is, how far it can be trusted, and whose taste it has."""
        return f"{NAME}, fitted on pool {self.fingerprint[:12]}; {self.accuracy}"

    async def verdict(self, first: bytes, second: bytes) -> Position:
        """Which picture is the better painting; the same two pictures always get the same answer.

        Raises:
            InfrastructureFault: part ``"judge"``, when the bytes are not a picture.
        """
        one, other = await asyncio.to_thread(lambda: (self.taste(first), self.taste(second)))
        return "first" if one >= other else "second"

    async def quality(self, png: bytes) -> float:
        """How likely the pool's raters would keep this picture, in [0, 1].

        Raises:
            InfrastructureFault: part ``"judge"``, when the bytes are not a picture.
        """
        x = await asyncio.to_thread(self._measure, png)
        return float(self.heads.quality(x[None])[0])

    def taste(self, picture: bytes) -> float:
        """The picture's Bradley-Terry score (logits; only differences mean anything)."""
        return float(self.heads.taste(self._measure(picture)[None])[0])

    def weights(self) -> dict[str, tuple[float, float]]:
        """Each statistic's weight in the pair head and in the quality head, per standard deviation."""
        pairs, quality = self.heads.pair_weights, self.heads.quality_weights
        return {name: (float(pairs[i]), float(quality[i])) for i, name in enumerate((*FEATURES, "strange"))}

    def _measure(self, picture: bytes) -> np.ndarray:
        key = hashlib.sha256(picture).digest()
        # Eight verdicts on one submission arrive at once: the first measures, the others wait for it.
        with self._lock:
            known = self._measured.get(key)
            if known is None:
                if len(self._measured) >= _REMEMBERED:
                    self._measured.clear()
                known = self._measured[key] = measure(picture)
        return known

    @classmethod
    def fit(cls, pool: Pool) -> LocalJudge:
        """Fit on a pool's tiers, its rejected paintings and the floor; 1-3 s for a hundred pictures.

        Raises:
            InfrastructureFault: a picture of the pool cannot be read any more.
        """
        table = training_table(pool)
        return cls(fit_heads(table.x, table.rank), cross_validate(*table), pool.fingerprint)

    @classmethod
    def for_pool(cls, pool: Pool) -> LocalJudge:
        """The judge of this pool: from the cache when the same pool was fitted before, else fitted now."""
        path = _cache_folder() / f"local-judge-{_cache_key(pool)}.json"
        try:
            return cls.load(path)
        except (OSError, ValueError, KeyError, TypeError):
            judge = cls.fit(pool)
        try:
            judge.save(path)
        except (OSError, InfrastructureFault):
            pass  # A read-only home costs a refit at the next start, nothing else.
        return judge

    def save(self, path: Path) -> None:
        """Write weights and accuracy as JSON, whole or not at all.

        Raises:
            OSError, InfrastructureFault: the folder cannot be made, or the file not be written.
        """
        numbers = {name: np.asarray(value).tolist() for name, value in vars(self.heads).items()}
        whole = {"fingerprint": self.fingerprint, "accuracy": asdict(self.accuracy), "heads": numbers}
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, json.dumps(whole, indent=1))

    @classmethod
    def load(cls, path: Path) -> LocalJudge:
        """Read what :meth:`save` wrote.

        Raises:
            OSError, ValueError, KeyError, TypeError: not there, or not such a file.
        """
        stored = json.loads(path.read_text())
        arrays: dict[str, Any] = {name: np.array(value) for name, value in stored["heads"].items()}
        fitted = Heads(**arrays | {"quality_bias": float(arrays["quality_bias"])})
        if fitted.pair_weights.shape != (len(FEATURES) + 1,) or not all(np.isfinite(v).all() for v in arrays.values()):
            raise ValueError(f"{path} does not fit this version's statistics")
        return cls(fitted, Accuracy(**stored["accuracy"]), stored["fingerprint"])


class Table(NamedTuple):
    """What the local judge learns from: statistics (n, 18), ranks and sketch families, the rated pictures first.

    ``rank`` is 3 love, 2 okay, 1 nope, 0 floor; ``rated`` is how many are rated; the rest is the floor.
    """

    x: np.ndarray
    rank: np.ndarray
    family: np.ndarray
    rated: int


def training_table(pool: Pool) -> Table:
    """Measure everything the judge of a pool learns from, see :func:`examples`.

    Raises:
        InfrastructureFault: a picture of the pool cannot be read any more.
    """
    rows = [(measure_image(image), rank, family) for image, rank, family in examples(pool)]
    x, rank, family = (np.array(column) for column in zip(*rows, strict=True))
    return Table(x, rank, family, len(pool.paintings + pool.rejected))


def examples(pool: Pool) -> Iterator[tuple[Image.Image, int, str]]:
    """Pictures with rank and sketch family: the rated ones, then the floor: some kept ones spoiled, and made ones."""
    for painting in pool.paintings + pool.rejected:
        yield open_picture(painting.read()), RANK[painting.tier], painting.family
    for painting in pool.paintings[:: max(1, len(pool.paintings) // _SPOILED)]:
        for image in floor.spoiled(painting.read()):
            yield image, 0, painting.family
    for image in floor.floor_pictures():
        yield image, 0, ""


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "wclib"


def _cache_key(pool: Pool) -> str:
    """Of the pool and of the code that measures and fits: a change in either is a new judge."""
    digest = hashlib.sha256(pool.fingerprint.encode())
    for file in (pixels.__file__, features.__file__, floor.__file__, heads.__file__, __file__):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:20]
