"""Whether a pool is fit to judge with.

    python -m wclib pool check DIR

A pool is a reward function made by hand, and hands slip. A **fault** makes the check fail: the pool cannot be loaded,
or what it would teach is not what its rater meant. A **remark** is something to know and to decide.

======================  ========  =================================================================================
code                    kind      what
======================  ========  =================================================================================
no_pool                 fault     no folder, no pictures, no ``metadata.jsonl``, or a ``domain.json`` that is none
bad_row                 fault     a row that is no JSON object, names no file inside the folder, or has no known tier
rating_without_picture  fault     a row whose picture is not there
picture_without_rating  fault     a picture without a row
missing_source          fault     a row names a sketch that is not there
unreadable_picture      fault     no PNG or WebP, or cut short
wrong_size              fault     not 600 x 600: judges would compare a thumbnail with a painting
duplicate               fault     the same pixels twice: the draw counts them twice, and two tiers contradict each other
love_only               fault     no okay tier: a wall that an early policy never climbs
not_loadable            fault     whatever else :func:`wclib.pool.load_pool` refuses
near_copy               remark    two pictures closer than :data:`NEAR`, or by the same sketch but for its white space
no_source               remark    a row that names no sketch
gate                    remark    a sketch that today's source gate would turn away
tiers_alike             remark    two tiers the local judge orders no better than 0.65 of held-out pairs, or cannot test
======================  ========  =================================================================================

Closeness of two pictures: both averaged down to 48 x 48, their mean paper colour taken off, then
``sum |a - b| / (sum |a| + sum |b|)``: 0 for the same picture, about 1 for paintings that share nothing.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from wclib.domains import FILE, domain_of
from wclib.errors import UsageError
from wclib.gate import check_source
from wclib.judges.heads import TRUSTED_ACCURACY
from wclib.judges.local import LocalJudge
from wclib.painting import TIERS
from wclib.pool import load_pool
from wclib.pool_files import PICTURES, read_metadata, rejected_of, source_of

SIDE = 600
#: Two pictures closer than this are near-copies. In the starter pool another seed of a sketch lies at 0.15 to 0.33
#: (13 sketches), other colours or proportions of it at 0.16 and more.
NEAR = 0.15
_THUMB = 48


@dataclass(frozen=True)
class Finding:
    """One thing the check has to say: its code, the file it is about, and the remedy or reason."""

    code: str
    where: str
    message: str
    fault: bool = True


@dataclass(frozen=True)
class _Picture:
    name: str
    tier: str
    generator: str
    pixels: str
    thumb: np.ndarray
    sketch: str


def check_pool(folder: str | Path) -> dict[str, Any]:
    """Check a pool folder and its ``_nope`` sibling, whatever state they are in.

    Returns:
        JSON-able: ``pool``, ``ok``, ``faults`` and ``remarks`` (each ``code``, ``where``, ``message``), ``counts`` by
        tier and ``generators`` by generator and tier over the rows whose picture can be read, and ``local_judge``,
        ``domain`` and ``fingerprint``, None for a pool that does not load.
    """
    folder = Path(folder)
    findings: list[Finding] = []
    pictures: list[_Picture] = []
    _look(folder, findings, pictures)
    if rejected_of(folder).is_dir():
        _look(rejected_of(folder), findings, pictures)
    findings += _copies(pictures)
    counts = Counter(picture.tier for picture in pictures)
    generators: dict[str, Counter[str]] = {}
    for picture in pictures:
        generators.setdefault(picture.generator, Counter())[picture.tier] += 1
    if counts["love"] and not counts["okay"]:
        text = "a love-only pool is a wall: early paintings beat nothing and there is no gradient; rate some okay"
        findings.append(Finding("love_only", str(folder), text))
    judged = domain = fingerprint = None
    try:
        pool = load_pool(folder)
        fingerprint, domain = pool.fingerprint, pool.domain.name
        judged = LocalJudge.for_pool(pool)
        findings += _alike(judged, {tier for tier in TIERS if counts[tier]})
    except UsageError as error:
        if not any(finding.fault for finding in findings):
            findings.append(Finding("not_loadable", str(folder), str(error)))
    faults, remarks = ([f for f in findings if f.fault is kind] for kind in (True, False))
    return {
        "pool": str(folder),
        "ok": not faults,
        "faults": [_row(finding) for finding in faults],
        "remarks": [_row(finding) for finding in remarks],
        "counts": {tier: counts[tier] for tier in TIERS},
        "generators": {name: dict(by_tier) for name, by_tier in sorted(generators.items())},
        "local_judge": judged.describe() if judged else None,
        "domain": domain,
        "fingerprint": fingerprint,
    }


def closeness(one: np.ndarray, other: np.ndarray) -> float:
    """How far apart two :func:`thumbnail` arrays are: 0 the same, about 1 nothing in common."""
    return float(np.abs(one - other).sum() / max(1e-9, np.abs(one).sum() + np.abs(other).sum()))


def thumbnail(image: Image.Image) -> np.ndarray:
    """An RGB image averaged down to (48, 48, 3), the median colour of its top and bottom rows taken off."""
    small = np.asarray(image.resize((_THUMB, _THUMB), Image.Resampling.BOX), dtype=np.float32)
    return small - np.median(small[[0, -1]].reshape(-1, 3), axis=0)


def table(report: dict[str, Any]) -> str:
    """The report for a person."""
    lines = [f"{report['pool']}: {'fit to judge with' if report['ok'] else 'NOT fit to judge with'}", ""]
    names = [*report["generators"], "all"]
    width = max(map(len, (*names, "generator")))
    rows = [*report["generators"].values(), report["counts"]]
    lines.append(f"  {'generator':{width}}" + "".join(f"{tier:>7}" for tier in TIERS))
    for name, row in zip(names, rows, strict=True):
        lines.append(f"  {name:{width}}" + "".join(f"{row.get(tier, 0):7}" for tier in TIERS))
    for kind in ("faults", "remarks"):
        by_code = Counter(finding["code"] for finding in report[kind])
        said = ", ".join(f"{count} {code}" for code, count in by_code.items()) or "none"
        lines += ["", f"{kind}: {said}"]
        lines += [f"  {finding['code']}: {finding['where']}: {finding['message']}" for finding in report[kind]]
    if report["fingerprint"]:
        lines += ["", report["local_judge"], f"domain {report['domain']}, fingerprint {report['fingerprint']}"]
    return "\n".join(lines)


def check_command(folder: str | Path) -> dict[str, Any]:
    """What ``python -m wclib pool check`` prints: the report, with :func:`table` on stderr."""
    report = check_pool(folder)
    print(table(report), file=sys.stderr)
    return report


def _look(folder: Path, findings: list[Finding], pictures: list[_Picture]) -> None:
    """Read one folder: what is wrong goes into ``findings``, what can be read into ``pictures``."""
    if not folder.is_dir():
        findings.append(Finding("no_pool", str(folder), "there is no such folder"))
        return
    if (folder / FILE).is_file():
        try:
            domain_of(folder)
        except UsageError as error:
            findings.append(Finding("no_pool", FILE, str(error)))
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in PICTURES)
    there = {path.relative_to(folder).as_posix() for path in files}
    if not there:
        findings.append(Finding("no_pool", str(folder), "it holds no .png or .webp picture"))
    rows = _rows(folder, findings)
    for name in sorted(there - set(rows)):
        findings.append(Finding("picture_without_rating", name, "rate it, or take it out of the folder"))
    for name, row in sorted(rows.items()):
        tier = row.get("tier") or Path(name).name.split("_", 1)[0]
        if tier not in TIERS:
            findings.append(Finding("bad_row", name, f"the tier {tier!r} is none of {', '.join(TIERS)}"))
        elif name not in there:
            findings.append(Finding("rating_without_picture", name, "restore the picture or drop its row"))
        elif (image := _read(folder, name, findings)) is not None:
            pixels, sketch = hashlib.sha256(image.tobytes()).hexdigest(), _source(folder, name, row, findings)
            generator = str(row.get("generator_model") or "unknown")
            pictures.append(_Picture(name, tier, generator, pixels, thumbnail(image), sketch))


def _rows(folder: Path, findings: list[Finding]) -> dict[str, dict[str, Any]]:
    path = folder / "metadata.jsonl"
    if not path.is_file():
        findings.append(Finding("no_pool", str(path), "it is missing: give it one JSON row a picture"))
        return {}

    def wrong(number: int, fault: str) -> None:
        findings.append(Finding("bad_row", f"metadata.jsonl line {number}", f"it {fault}"))

    return read_metadata(folder, wrong)


def _read(folder: Path, name: str, findings: list[Finding]) -> Image.Image | None:
    try:
        with Image.open(io.BytesIO((folder / name).read_bytes())) as opened:
            image = opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        findings.append(Finding("unreadable_picture", name, f"{type(error).__name__}: restore it or drop its row"))
        return None
    if image.size != (SIDE, SIDE):
        size = " x ".join(map(str, image.size))
        findings.append(Finding("wrong_size", name, f"it is {size}; judges compare {SIDE} x {SIDE}: paint it again"))
    return image


def _source(folder: Path, name: str, row: dict[str, Any], findings: list[Finding]) -> str:
    """Check a row's sketch and return it without white space, ``""`` when there is none."""
    source = source_of(folder, row)
    if not row.get("source_file"):
        findings.append(Finding("no_source", name, "its row names no sketch; it cannot be painted again", fault=False))
    elif source is None:
        findings.append(Finding("missing_source", name, f"there is no {row['source_file']}: restore it"))
    elif codes := check_source(source.read_bytes()).codes:
        findings.append(Finding("gate", name, f"its sketch would not pass the gate: {', '.join(codes)}", fault=False))
    return "".join(source.read_text(encoding="utf-8", errors="replace").split()) if source else ""


def _copies(pictures: list[_Picture]) -> list[Finding]:
    """Equal and nearly equal pictures; what contradicts a tier is said."""
    found = []
    for one, other in combinations(sorted(pictures, key=lambda picture: picture.name), 2):
        tiers = "" if one.tier == other.tier else f", rated {one.tier} and {other.tier}"
        if one.pixels == other.pixels:
            text = f"the same picture as {other.name}{tiers}: keep one"
            found.append(Finding("duplicate", one.name, text))
        elif (apart := closeness(one.thumb, other.thumb)) < NEAR:
            found.append(Finding("near_copy", one.name, f"{apart:.2f} from {other.name}{tiers}", fault=False))
        elif one.sketch and one.sketch == other.sketch:
            text = f"the sketch of {other.name} with another seed{tiers}"
            found.append(Finding("near_copy", one.name, text, fault=False))
    return found


def _alike(judge: LocalJudge, present: set[str]) -> list[Finding]:
    """Pairs of tiers the judge cannot tell apart on paintings it was not fitted on."""
    found = []
    for better, worse in combinations((tier for tier in TIERS if tier in present), 2):
        share = judge.accuracy.by_tiers.get(f"{better}>{worse}")
        if share is None:
            text = "no held-out pair of them could be made: rate more, by more sketches"
        elif share < TRUSTED_ACCURACY:
            text = f"held-out pairs in the right order: {share:.3f}, below {TRUSTED_ACCURACY}; rate more, or merge them"
        else:
            continue
        found.append(Finding("tiers_alike", f"{better} and {worse}", text, fault=False))
    return found


def _row(finding: Finding) -> dict[str, str]:
    return {"code": finding.code, "where": finding.where, "message": finding.message}
