"""Whether a pool is fit to judge with.

    python -m wclib pool check DIR

A pool is a reward function made by hand, and hands slip. A **fault** makes the check fail: the pool cannot be loaded,
or what it would teach is not what its rater meant. A **remark** is something to know and to decide.

======================  ========  =================================================================================
code                    kind      what
======================  ========  =================================================================================
no_pool                 fault     no folder, no pictures, no ``metadata.jsonl``, or a ``domain.json`` that is none
bad_row                 fault     a row that is no JSON object, holds NaN, names no file in the folder, or no known tier
rating_without_picture  fault     a row whose picture is not there
picture_without_rating  fault     a picture without a row
missing_source          fault     a row names a sketch that is not there
unreadable_picture      fault     no PNG or WebP, or cut short
wrong_size              fault     not 600 x 600: judges would compare a thumbnail with a painting
duplicate               fault     the same pixels twice: the draw counts them twice, and two tiers contradict each other
love_only               fault     no okay tier: a wall that an early policy never climbs
not_loadable            fault     whatever else :func:`wclib.pool.load_pool` refuses
near_copy               remark    two pictures nearer than 0.2 (a twin), or by the same sketch but for its white space
no_source               remark    a row that names no sketch
gate                    remark    a sketch that today's source gate would turn away
tiers_alike             remark    two tiers the local judge orders no better than 0.65 of held-out pairs, or cannot test
======================  ========  =================================================================================

How near two pictures are is measured by :mod:`wclib.likeness`; its ``TWIN`` is the mark.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from wclib import say
from wclib.building.folder import Finding, Picture, look
from wclib.errors import UsageError
from wclib.judges.heads import TRUSTED_ACCURACY
from wclib.judges.local import LocalJudge
from wclib.likeness import TWIN, distances
from wclib.painting import TIERS
from wclib.pool import load_pool
from wclib.pool_files import rejected_of


def check_pool(folder: str | Path) -> dict[str, Any]:
    """Check a pool folder and its ``_nope`` sibling, whatever state they are in.

    Returns:
        JSON-able: ``pool``, ``ok``, ``faults`` and ``remarks`` (each ``code``, ``where``, ``message``), ``counts`` by
        tier and ``generators`` by generator and tier over the rows whose picture can be read, and ``local_judge``,
        ``domain`` and ``fingerprint``, None for a pool that does not load.
    """
    folder = Path(folder)
    findings, pictures = look(folder)
    if rejected_of(folder).is_dir():
        others = look(rejected_of(folder))
        findings, pictures = findings + others[0], pictures + others[1]
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
    say(table(report))
    return report


def _copies(pictures: list[Picture]) -> list[Finding]:
    """Equal and nearly equal pictures; what contradicts a tier is said."""
    found = []
    pictures = sorted(pictures, key=lambda picture: picture.name)
    thumbs = np.array([picture.thumb for picture in pictures])
    apart = distances(thumbs, thumbs) if pictures else thumbs
    for (i, one), (j, other) in combinations(enumerate(pictures), 2):
        tiers = "" if one.tier == other.tier else f", rated {one.tier} and {other.tier}"
        if one.pixels == other.pixels:
            text = f"the same picture as {other.name}{tiers}: keep one"
            found.append(Finding("duplicate", one.name, text))
        elif apart[i, j] < TWIN:
            found.append(Finding("near_copy", one.name, f"{apart[i, j]:.2f} from {other.name}{tiers}", fault=False))
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
