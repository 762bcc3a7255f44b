"""The reference pool: rated paintings that every new painting is compared with.

The pool *is* the reward function: its pictures are the opponents of the pairwise judge, and
the local judge learns its taste from its tiers. Swap the folder and the taste is swapped; no
code changes. So a pool has a fingerprint, written into every run.

A pool is a folder: pictures (``<tier>_<slug>_s<seed>.png`` or ``.webp``), ``sources/*.js`` and
``metadata.jsonl`` with one row a picture (``file_name``, ``tier``, ``subject``, ``source_file``, ...,
the columns of the published pool). Judges draw from the tiers ``love`` and ``okay``. Rejected
paintings (tier ``nope``) live in a sibling folder of the same layout, ``<folder>_nope``; only the
local judge reads them.

Where it comes from, first that is given: the ``folder`` argument, ``WATERCOLOUR_POOL_DIR``,
``WATERCOLOUR_POOL_DATASET`` with ``WATERCOLOUR_POOL_REVISION`` (a Hub dataset), the starter pool. A pool of
another subject brings its own ``domain.json``, see :mod:`wclib.domains`.

Try it: ``python -c "from wclib.pool import load_pool; print(load_pool().describe())"``
"""

from __future__ import annotations

import hashlib
import math
import os
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wclib.domains import FILE, HIBISCUS, Domain, domain_of
from wclib.errors import UsageError
from wclib.painting import DRAWN, TIERS, Painting
from wclib.pool_files import PICTURES, read_metadata, read_picture, rejected_of, source_of

#: The published pool (178 paintings, CC BY 4.0), pinned.
PUBLISHED_DATASET = "HuggingEnvs/watercolour-reference-pool"
#: The organisation's name since; the Hub sends the old one on to it.
RENAMED_DATASET = "FineEnvs/watercolour-reference-pool"
PUBLISHED_REVISION = "50da8bb183aa472bdf6538852b652778f539a2af"


@dataclass(frozen=True)
class Pool:
    """A loaded pool: the paintings judges draw from, and the rejected ones beside them.

    Attributes:
        folder: where it was read from.
        paintings: tiers love and okay, sorted by file name.
        rejected: tier nope, sorted by file name; may be empty.
        fingerprint: sha256 (hex) over the sorted names, tiers and picture bytes of both, and the ``domain.json``.
        revision: commit of the Hub dataset it came from, ``""`` for a folder.
        domain: what it is about.
    """

    folder: Path
    paintings: tuple[Painting, ...]
    rejected: tuple[Painting, ...]
    fingerprint: str
    revision: str = ""
    domain: Domain = HIBISCUS

    def by_tier(self, tier: str) -> list[Painting]:
        """All paintings of one tier, sorted by file name."""
        return [painting for painting in self.paintings + self.rejected if painting.tier == tier]

    def draw(self, seed: int, k: int = 4, mix: tuple[float, float] = (0.5, 0.5)) -> list[Painting]:
        """Draw ``k`` different references: the same pool, seed and mix always give the same ones.

        Args:
            seed: one seed a group, so that all its rollouts face the same references.
            k: how many; a tier too small for its share is topped up from the other, and a pool
                smaller than ``k`` gives all it has.
            mix: shares of love and okay, which sum to 1; a half goes to okay (an easier opponent
                still teaches).
        """
        rng = random.Random(seed)
        shuffled = {tier: rng.sample(rated, len(rated)) for tier in DRAWN for rated in [self.by_tier(tier)]}
        # Rounding first keeps 4 * 0.35 / 0.65 style products from leaning on the last bit of a float.
        share = math.ceil(round(k * mix[0], 9) - 0.5)
        love, okay = max(share, k - len(shuffled["okay"])), max(k - share, k - len(shuffled["love"]))
        return shuffled["love"][:love] + shuffled["okay"][:okay]

    def describe(self) -> str:
        """One line: where it is, how many of each tier, the start of its fingerprint."""
        count = Counter(painting.tier for painting in self.paintings + self.rejected)
        tiers = ", ".join(f"{count[tier]} {tier}" for tier in TIERS)
        return f"{os.path.relpath(self.folder)}: {tiers}; fingerprint {self.fingerprint[:12]}"


def mix_from_env() -> tuple[float, float]:
    """Shares of love and okay in a draw, from ``WATERCOLOUR_MIX_LOVE`` and ``WATERCOLOUR_MIX_OKAY``.

    Half and half by default; when one is given alone the other is what is left.

    Raises:
        UsageError: not numbers, negative, or not summing to 1.
    """
    names = ("WATERCOLOUR_MIX_LOVE", "WATERCOLOUR_MIX_OKAY")
    given = [os.environ.get(name, "").strip() for name in names]
    if not any(given):
        return (0.5, 0.5)
    try:
        love, okay = (float(text) if text else 1 - float(other) for text, other in (given, given[::-1]))
    except ValueError:
        raise UsageError(f"{names[0]}={given[0]!r} and {names[1]}={given[1]!r} must be numbers from 0 to 1") from None
    if not (min(love, okay) >= 0 and abs(love + okay - 1) < 1e-6):
        raise UsageError(f"{names[0]}={love:g} and {names[1]}={okay:g} must not be negative and must sum to 1")
    return (love, okay)


def load_pool(folder: str | Path | None = None) -> Pool:
    """Load and check a pool; see the top of this module for where it comes from.

    Raises:
        UsageError: no such folder, no pictures, no or broken metadata, a picture without a row or a
            row without a picture, an unreadable picture, an unknown tier, or no okay tier.
    """
    if folder is None:
        folder = os.environ.get("WATERCOLOUR_POOL_DIR") or None
        dataset = os.environ.get("WATERCOLOUR_POOL_DATASET")
        if folder is None and dataset:
            return load_hub_pool(dataset, os.environ.get("WATERCOLOUR_POOL_REVISION"))
    return _load_folder(Path(folder or HIBISCUS.pool))


def load_hub_pool(dataset: str = PUBLISHED_DATASET, revision: str | None = None) -> Pool:
    """Load a pool from a Hub dataset at a pinned revision (the endpoint is ``HF_ENDPOINT``'s).

    Args:
        dataset: ``owner/name``.
        revision: a commit hash; only the published pool, under either name, has a default.

    Raises:
        UsageError: no revision, no such dataset, no network, or not a pool.
    """
    from wclib.hub.load import snapshot

    revision = revision or (PUBLISHED_REVISION if dataset in (PUBLISHED_DATASET, RENAMED_DATASET) else None)
    if revision is None:
        raise UsageError(
            f"the pool {dataset} needs a pinned revision, or the reward could change under a run: "
            "set WATERCOLOUR_POOL_REVISION to a commit hash of that dataset"
        )
    folder = snapshot(dataset, "dataset", revision)
    # A snapshot folder is named by its commit.
    return _load_folder(folder, revision=folder.name)


def _load_folder(folder: Path, revision: str = "") -> Pool:
    if not folder.is_dir():
        raise UsageError(
            f"there is no pool folder {folder}: name a folder of rated paintings with --pool or WATERCOLOUR_POOL_DIR"
        )
    digest = hashlib.sha256()
    found = _read_folder(folder, digest)
    sibling = rejected_of(folder)
    beside = _read_folder(sibling, digest) if sibling.is_dir() else []
    if kept := [painting.reference_id for painting in beside if painting.tier != "nope"]:
        raise UsageError(f"{sibling} holds a painting that is not rated nope, {kept[0]}: move it to {folder}")
    paintings = tuple(painting for painting in found if painting.tier in DRAWN)
    if not any(painting.tier == "okay" for painting in paintings):
        raise UsageError(
            f"the pool {folder} has no okay tier. A love-only pool is a wall: early paintings beat nothing in it, "
            "every rollout of a group scores the same 0, and there is no gradient. Rate some paintings okay, or "
            "point WATERCOLOUR_POOL_DIR at another pool"
        )
    rejected = tuple(painting for painting in found if painting.tier == "nope") + tuple(beside)
    domain = domain_of(folder)
    if (folder / FILE).is_file():
        digest.update((folder / FILE).read_bytes())
    return Pool(folder, paintings, rejected, digest.hexdigest(), revision, domain)


def _read_folder(folder: Path, digest: Any) -> list[Painting]:
    """Every painting of one folder, checked, sorted by name; its names, tiers and bytes go into ``digest``."""
    files = (path for path in folder.rglob("*") if path.is_file())
    pictures = {path.relative_to(folder).as_posix() for path in files if path.suffix.lower() in PICTURES}
    if not pictures:
        raise UsageError(f"the pool {folder} has no pictures: it needs .png or .webp files beside metadata.jsonl")
    rows = read_metadata(folder)
    if missing := sorted(set(rows) - pictures):
        table = folder / "metadata.jsonl"
        raise UsageError(f"{table} names {missing[0]}, which is not there: restore it or drop its row")
    if stray := sorted(pictures - set(rows)):
        raise UsageError(f"{folder / stray[0]} has no row in metadata.jsonl: add one with its file_name and tier")
    paintings = []
    for name in sorted(rows):
        row, path = rows[name], folder / name
        tier = row.get("tier") or Path(name).name.split("_", 1)[0]
        if tier not in TIERS:
            raise UsageError(f"{path} has the tier {tier!r}; a tier is one of {', '.join(TIERS)}")
        data = read_picture(path)
        for part in (name.encode(), tier.encode(), data):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
        paintings.append(Painting(name, path, tier, str(row.get("subject") or ""), source_of(folder, row), row))
    return paintings
