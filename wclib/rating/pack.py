"""Ratings to a pool: ``python -m wclib pool pack RATINGS --out DIR``.

Loves and okays go to ``DIR``, nopes to ``DIR_nope``, meh stays out. With several raters a picture needs a majority; one
they are split on stays out. Only comparisons: the first third of the ranking is loved, the second okay, the last nope.
A rating belongs to the picture that was rated: one whose file changed since is said and left out.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wclib.domains import FILE
from wclib.errors import UsageError
from wclib.hub.cards import front_matter
from wclib.jsonl import lines_of
from wclib.pool import load_pool
from wclib.pool_files import COLUMNS, rejected_of
from wclib.rating.agreement import summarise
from wclib.rating.candidates import Candidate, Candidates
from wclib.rating.log import Row, latest, read_log, standing
from wclib.rating.ranking import rank, tiers_of

_FOLDER_OF = {"love": "", "okay": "", "nope": "_nope"}
Rated = dict[str, tuple[str, Candidate, str]]


def pack(
    ratings: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    raters: Sequence[str] | None = None,
    allow_wall: bool = False,
) -> dict[str, Any]:
    """Write the pool folder ``out`` (and ``<out>_nope``) from one or several logs.

    Args:
        ratings: ``.jsonl`` files of :class:`~wclib.rating.Rater`.
        out: a folder that is not there yet.
        raters: whose ratings count; everybody's when None.
        allow_wall: write a pool without an okay tier all the same; nothing here will load it.

    Returns:
        ``{"out", "love", "okay", "nope", "left_out": {"meh", "split", "stale", "missing"} (file names), "raters",
        "fingerprint" (None for a wall), "notes"}``.

    Raises:
        UsageError: no ratings, none by a rater named, ``out`` exists, nothing was kept, there is no okay tier, or
            there are two domains.
    """
    paths = [Path(ratings)] if isinstance(ratings, str | Path) else [Path(path) for path in ratings]
    out = Path(out)
    notes: list[str] = []
    rows = [row | {"folder_of": path.parent} for path in paths for row in _read(path, notes)]
    if raters is not None:
        known = {row["rater"] for row in rows}
        if strangers := sorted(set(raters) - known):
            raise UsageError(f"nobody called {strangers[0]!r} rated here: --rater is one of {', '.join(sorted(known))}")
        rows = [row for row in rows if row["rater"] in raters]
    for folder in (out, rejected_of(out)):
        if folder.exists():
            raise UsageError(f"{folder} is there already: name another folder with --out, or remove it first")
    left_out: dict[str, list[str]] = {"meh": [], "split": [], "stale": [], "missing": []}
    kept = _kept(rows, left_out, notes)
    counts = Counter(tier for tier, _, _ in kept.values())
    if not counts["love"] + counts["okay"]:
        gone = {why: len(files) for why, files in left_out.items() if files}
        raise UsageError(
            f"no painting is rated love or okay (nope: {counts['nope']}, left out: {gone}): rate some first"
        )
    if not counts["okay"] and not allow_wall:
        raise UsageError(
            f"none of the {counts['love']} paintings kept is okay. A love-only pool is a wall: early paintings beat "
            "nothing in it, every rollout of a group scores the same 0, and there is no gradient. Rate some paintings "
            "okay (key 2), or write it all the same with --allow-wall"
        )
    domains = {path.read_bytes() for _, item, _ in kept.values() if (path := item.folder / FILE).is_file()}
    if len(domains) > 1:
        raise UsageError(f"the rated paintings come from {len(domains)} domains: pack one domain's ratings at a time")
    who = sorted({row["rater"] for row in standing(rows)})
    for suffix in sorted({_FOLDER_OF[tier] for tier in counts}):
        _write(rejected_of(out) if suffix else out, {s: k for s, k in kept.items() if _FOLDER_OF[k[0]] == suffix})
    for domain in domains:
        (out / FILE).write_bytes(domain)
    _card(out, rows, counts, who)
    fingerprint = load_pool(out).fingerprint if counts["okay"] else None
    tiers = {tier: counts[tier] for tier in _FOLDER_OF}
    return {"out": str(out)} | tiers | {"left_out": left_out, "raters": who, "fingerprint": fingerprint, "notes": notes}


def _read(path: Path, notes: list[str]) -> list[Row]:
    if not path.is_file():
        raise UsageError(f"there are no ratings {path}: name the .jsonl that a Rater wrote")
    return read_log(path, notes.append)


def _kept(rows: list[Row], left_out: dict[str, list[str]], notes: list[str]) -> Rated:
    """``{picture: (tier, candidate, raters)}`` of what goes into the pool; what does not goes into ``left_out``."""
    votes: dict[str, dict[str, Row]] = {}
    for rater, by_sha in latest(rows).items():
        for sha, row in by_sha.items():
            votes.setdefault(sha, {})[rater] = row
    if not votes and any(row["event"] == "compare" for row in standing(rows)):
        votes = _by_rank(rows)
        notes.append("only comparisons: the first third of the ranking is love, the second okay, the last nope")
    folders: dict[Path, dict[str, Candidate]] = {}
    kept: Rated = {}
    for sha, by_rater in votes.items():
        row = next(iter(by_rater.values()))
        tier, candidate = _majority([vote["tier"] for vote in by_rater.values()]), _find(row, folders)
        if candidate is None or candidate.sha256 != sha:
            left_out["missing" if candidate is None else "stale"].append(row["file"])
        elif tier in _FOLDER_OF:
            kept[sha] = (tier, candidate, ", ".join(sorted(by_rater)))
        else:
            left_out["split" if tier is None else "meh"].append(row["file"])
    for why, files in left_out.items():
        files.sort()
        if files and why in ("stale", "missing"):
            what = "changed since it was rated" if why == "stale" else "is not there any more"
            notes.append(f"{len(files)} left out: the picture {what}, such as {files[0]}")
    return kept


def _by_rank(rows: list[Row]) -> dict[str, dict[str, Row]]:
    compared = [row for row in standing(rows) if row["event"] == "compare"]
    who = ", ".join(sorted({row["rater"] for row in compared}))
    places = {row[side + "sha256"]: row["folder_of"] for row in compared for side in ("left_", "right_")}
    ranked = rank(rows)
    tiers = tiers_of(ranked)
    ranks = {item.sha256: {"tier": tiers[item.sha256], "file": item.file, "folder": item.folder} for item in ranked}
    return {sha: {who: row | {"folder_of": places[sha]}} for sha, row in ranks.items()}


def _majority(tiers: list[str]) -> str | None:
    (first, count), *_ = Counter(tiers).most_common(1)
    return first if 2 * count > len(tiers) else None


def _find(row: Row, folders: dict[Path, dict[str, Candidate]]) -> Candidate | None:
    folder = row["folder_of"] / row["folder"]
    if folder not in folders:
        folders[folder] = {}
        if folder.is_dir():
            scanned = Candidates(folder)
            folders[folder] = {item.file: item for item in scanned.by_sha.values()}
    found = folders[folder].get(row["file"])
    path = folder / row["file"]
    if found is None and path.is_file():  # a second copy of another picture
        return Candidate(hashlib.sha256(path.read_bytes()).hexdigest(), folder, row["file"], {})
    return found


def _write(folder: Path, kept: Rated) -> None:
    (folder / "sources").mkdir(parents=True)
    taken: set[str] = set()
    rows = []
    for sha, (tier, item, raters) in sorted(kept.items(), key=lambda each: (each[1][0], each[1][1].file)):
        stem = _stem(item)
        name = f"{tier}_{stem}" if f"{tier}_{stem}" not in taken else f"{tier}_{stem}-{sha[:6]}"
        taken.add(name)
        shutil.copyfile(item.path, folder / f"{name}{item.path.suffix.lower()}")
        source = None
        if item.sketch:
            source = f"sources/{item.sketch.name}"
            if (folder / source).exists() and (folder / source).read_bytes() != item.sketch.read_bytes():
                source = f"sources/{item.sketch.stem}_{sha[:6]}.js"
            shutil.copyfile(item.sketch, folder / source)
        row = {name: item.row.get(name, default) for name, default in (COLUMNS | {"generator_model": None}).items()}
        named = {"file_name": f"{name}{item.path.suffix.lower()}", "source_file": source, "tier": tier}
        rows.append(row | named | {"raters": raters, "rated_sha256": sha})
    (folder / "metadata.jsonl").write_text(lines_of(rows), encoding="utf-8")


def _stem(item: Candidate) -> str:
    """A file's name without its tier: it had one when it came from a pool."""
    return re.sub(r"^(love|okay|nope|meh)_", "", Path(item.file).stem)


def _card(out: Path, rows: list[Row], counts: Counter[str], who: list[str]) -> None:
    times = [row["time"] for row in standing(rows)]
    fields = {
        "pretty_name": f"Rated watercolour sketches: {out.name}",
        "task_categories": ["image-classification"],
        "tags": ["reinforcement-learning", "reward-model", "generative-art", "p5js"],
    }
    tiers = ", ".join(f"{counts[tier]} {tier}" for tier in _FOLDER_OF)
    (out / "README.md").write_text(
        f"{front_matter(fields)}\n# {out.name}\n\n{tiers}; nopes lie in `../{out.name}_nope`. "
        f"Rated by {', '.join(who)}, {min(times)[:10]} to {max(times)[:10]}. Add a `license` above before you "
        f"publish it.\n\n## How far these ratings can be trusted\n\n```text\n{summarise(rows)}\n```\n\n"
        "```python\nfrom datasets import load_dataset\n\n"
        f'pool = load_dataset("imagefolder", data_dir="{out.name}", split="train")\n```\n',
        encoding="utf-8",
    )
