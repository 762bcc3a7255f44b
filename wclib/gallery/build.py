"""From runs to a page: what of a rollout is shown, and how it gets into the file without being able to act there."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wclib.errors import UsageError
from wclib.gallery.pictures import small, smalls, write_smalls
from wclib.gallery.read import Rollout, Run, frame, read_runs
from wclib.gallery.sketches import spans
from wclib.jsonl import atomic_write, disk_fault
from wclib.pool import DRAWN, load_pool

HERE = Path(__file__).parent
REFERENCE_SIDE = 160
#: Pictures that are parsed together when the first of them comes into view.
CHUNK = 48
TERMS = (("gate", "gate_passed"), ("length", "length_score"), ("judge", "judge_score"), ("quality", "quality_score"))
GROUP_MEANS = {"length": "group_length_mean", "judge": "group_judge_mean", "quality": "group_quality_mean"}
VERDICTS = {
    ("submission", "submission"): ("won", "won in both orders"),
    ("reference", "reference"): ("lost", "lost in both orders"),
    ("submission", "reference"): ("split", "won when shown first, lost when shown second"),
    ("reference", "submission"): ("split", "lost when shown first, won when shown second"),
}


def gallery(
    folders: Sequence[Path | str], out: Path | str, pool: Path | str | None = None, side: int = 480
) -> dict[str, Any]:
    """Write the gallery of one or several runs.

    Args:
        folders: runs, as in :func:`wclib.gallery.read.read_runs`.
        out: a name ending in ``.html`` for one self-contained file, any other for a folder of ``index.html`` and
            pictures; pictures that an earlier try left there are kept.
        pool: the folder of rated paintings the references come from (default: the configured pool).
        side: pixels of a picture's longer side; 2,203 paintings at 480 are about 10 MB.

    Returns:
        ``out``, ``runs``, ``paintings``, ``unscored``, ``without_picture`` and ``bytes`` of the page.

    Raises:
        UsageError: there is no run, its tables are broken, or ``out`` cannot be what it should be.
        InfrastructureFault: the disk is full.
    """
    page, runs = Path(out), read_runs(folders)
    alone = page.suffix.lower() in (".html", ".htm")
    home = page.parent if alone else page
    if (alone and page.is_dir()) or (not alone and page.is_file()):
        raise UsageError(f"{page} is already there and is {'a folder' if alone else 'a file'}; choose another name")
    rollouts = [(run, rollout) for run in runs for rollout in run.rollouts]
    paths = [rollout.picture for _, rollout in rollouts]
    try:
        home.mkdir(parents=True, exist_ok=True)
        if alone:
            pictures = [picture and base64.b64encode(picture).decode() for picture in smalls(paths, side)]
        else:
            (page / "pictures").mkdir(exist_ok=True)
            names = [f"pictures/{number:05}-{side}.webp" for number in range(len(paths))]
            written = write_smalls(paths, [page / name for name in names], side)
            pictures = [name if there else None for name, there in zip(names, written, strict=True)]
    except OSError as error:
        raise disk_fault(home, error) from error
    references = _references(rollouts, pool)
    text = _page(runs, rollouts, pictures, references, alone)
    target = page if alone else page / "index.html"
    atomic_write(target, text)
    return {
        "out": str(target),
        "runs": [run.name for run in runs],
        "paintings": len(rollouts),
        "unscored": sum(rollout.reward is None for _, rollout in rollouts),
        "without_picture": sum(picture is None for picture in pictures),
        "bytes": len(text.encode()),
    }


def _page(
    runs: Sequence[Run],
    rollouts: Sequence[tuple[Run, Rollout]],
    pictures: Sequence[str | None],
    references: Mapping[str, dict[str, Any]],
    alone: bool,
) -> str:
    order = {name: number for number, name in enumerate(references)}
    index = {run.name: number for number, run in enumerate(runs)}
    shown = {
        "alone": alone,
        "chunk": CHUNK,
        "runs": [_run(run) for run in runs],
        "paintings": [
            {"run": index[run.name], **_painting(rollout), "picture": picture is not None}
            for (run, rollout), picture in zip(rollouts, pictures, strict=True)
        ],
    }
    details = [_details(run, rollout, order) for run, rollout in rollouts]
    chunks = [pictures[start : start + CHUNK] for start in range(0, len(pictures), CHUNK)]
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        f"img-src {'data:' if alone else 'data: file: ' + chr(39) + 'self' + chr(39)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    parts = {
        "policy": policy,
        "style": style,
        "script": script,
        "title": html.escape(_clean(f"Gallery: {', '.join(run.name for run in runs)}")),
        "data": _data("gallery", shown),
        "rest": "\n".join(
            [
                *(_data(f"pictures-{number}", chunk) for number, chunk in enumerate(chunks)),
                _data("references", list(references.values())),
                _data("details", details),
            ]
        ),
    }
    # In one pass: a sketch that holds "{{script}}" stays a sketch.
    template = (HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _data(name: str, value: Any) -> str:
    # In a script element only "<" can end or nest anything; JSON may spell it \u003c.
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _clean(text: str) -> str:
    """A lone surrogate cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _run(run: Run) -> dict[str, Any]:
    table = frame([run])
    means = table.groupby("step")["reward"].mean().to_numpy()
    environment = run.facts.get("environment", {})
    judges = list(dict.fromkeys(str(environment[name]) for name in ("judge", "quality") if environment.get(name)))
    facts = [f"{table['step'].nunique()} steps", f"{len(table)} paintings"]
    if unscored := int(table["reward"].isna().sum()):
        facts.append(f"{unscored} unscored")
    if not np.isnan(means).all():
        k = max(1, len(means) // 3)
        facts.append(
            f"mean reward {np.nanmean(means[:k]):.2f} in the first third, {np.nanmean(means[-k:]):.2f} in the last"
        )
    if judges:
        facts.append(f"scored by the {' and the '.join(judges)}")
    started = run.facts.get("starts") or [{}]
    if commit := started[0].get("commit"):
        facts.append(f"commit {commit[:7]}")
    return {"name": run.name, "facts": facts}


def _painting(rollout: Rollout) -> dict[str, Any]:
    row = rollout.row
    painted = row.get("shapes_painted")
    return {
        "step": rollout.step,
        "group": rollout.group,
        "position": rollout.position,
        "reward": rollout.reward,
        "reason": rollout.reason,
        "subject": str(row.get("subject") or ""),
        "terms": {name: None if row.get(column) is None else float(row[column]) for name, column in TERMS},
        "coverage": row.get("paint_fraction"),
        "shapes": row.get("n_shapes") if painted is None else painted,
        "characters": len(row["code"] or ""),
        "beaten": _beaten(rollout),
        "violations": [str(code) for code in _listed(row.get("violations"))],
    }


def _beaten(rollout: Rollout) -> str | None:
    """The best tier of which it beat a reference in both orders, ``"none"``, or None when nothing was compared."""
    if not rollout.comparisons:
        return None
    won = {compared.get("tier") for compared in rollout.comparisons if _verdict(compared)[0] == "won"}
    return next((tier for tier in DRAWN if tier in won), "none")


def _verdict(compared: Mapping[str, Any]) -> tuple[str, str]:
    orders = (compared.get("verdict_submission_first"), compared.get("verdict_reference_first"))
    return VERDICTS.get(orders, ("open", "not answered in both orders"))


def _details(run: Run, rollout: Rollout, order: Mapping[str, int]) -> dict[str, Any]:
    row, code = rollout.row, rollout.row["code"] or ""
    weights = run.facts.get("environment", {}).get("weights", {})
    weights = {**weights, "judge": row.get("judge_weight"), "quality": row.get("hpsv3_weight")}
    compared = {str(each.get("reference_id")): _verdict(each) for each in rollout.comparisons}
    compared |= {
        name: ("open", "not judged") for name in map(str, _listed(row.get("references"))) if name not in compared
    }
    facts = {
        "subject": row.get("subject"),
        "coverage": _share(row.get("paint_fraction")),
        "shapes painted": _whole(row.get("shapes_painted")),
        "shapes in the source": _whole(row.get("n_shapes")),
        "characters": len(code),
        "seed": _whole(row.get("seed")),
        "render": f"{row['render_s']:.1f} s" if row.get("render_s") else None,
        "painted by": row.get("backend"),
        "file": rollout.picture and rollout.picture.name,
    }
    return {
        "code": code,
        "spans": spans(code),
        "weights": {name: weight for name, weight in weights.items() if weight is not None},
        "means": {name: row[column] for name, column in GROUP_MEANS.items() if row.get(column) is not None},
        "references": [[order[name], *verdict] for name, verdict in compared.items()],
        "facts": [[name, str(value)] for name, value in facts.items() if value not in (None, "")],
    }


def _listed(value: Any) -> list[Any]:
    """A column that holds a list; a CSV holds it as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return [value]
    return value if isinstance(value, list) else []


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def _share(number: float | None) -> str | None:
    return None if number is None else f"{number:.1%}"


def _references(rollouts: Iterable[tuple[Run, Rollout]], folder: Path | str | None) -> dict[str, dict[str, Any]]:
    """Every reference that was faced, with its tier and, where the pool is at hand, its picture."""
    tiers: dict[str, str] = {}
    for _, rollout in rollouts:
        for compared in rollout.comparisons:
            tiers[str(compared.get("reference_id"))] = str(compared.get("tier") or "")
        for name in map(str, _listed(rollout.row.get("references"))):
            tiers.setdefault(name, name.split("_", 1)[0] if name.startswith(DRAWN) else "")
    if not tiers:
        return {}
    try:
        paths = {painting.reference_id: painting.path for painting in load_pool(folder).paintings}
    except UsageError as error:
        if folder is not None:
            raise
        print(f"references are named without pictures: {error}", file=sys.stderr)
        paths = {}
    if missing := [name for name in tiers if name not in paths]:
        print(
            f"{len(missing)} of {len(tiers)} references are not in this pool (the first is {missing[0]}) and are "
            "named without pictures; give the run's own with --pool",
            file=sys.stderr,
        )
    found = {}
    for name, tier in sorted(tiers.items()):
        data = small(paths[name], REFERENCE_SIDE) if name in paths else None
        found[name] = {
            "name": Path(name).stem.removeprefix(f"{tier}_"),
            "tier": tier,
            "picture": data and base64.b64encode(data).decode(),
        }
    return found
