"""What the page says of a run, of a painting on the wall and of an opened one: plain data, JSON-able."""

from __future__ import annotations

import base64
import json
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pygments.lexers import JavascriptLexer
from pygments.token import Comment, Keyword, Name, Number, String, Token

from wclib.analysis.curves import thirds
from wclib.errors import UsageError
from wclib.gallery.read import Rollout, Run, frame
from wclib.painting import DRAWN
from wclib.pictures import small
from wclib.pool import load_pool

REFERENCE_SIDE = 160
#: Kinds of text in a sketch that a page may colour; the position is what :func:`spans` writes.
KINDS = ("", "comment", "keyword", "string", "number", "brush")
#: A longer sketch is shown plain: a lexer is quick on programs, not on everything a model can write.
LONGEST = 30_000
_LEXER = JavascriptLexer()
TERMS = (("gate", "gate_passed"), ("length", "length_score"), ("judge", "judge_score"), ("quality", "quality_score"))
GROUP_MEANS = {"length": "group_length_mean", "judge": "group_judge_mean", "quality": "group_quality_mean"}
VERDICTS = {
    ("submission", "submission"): ("won", "won in both orders"),
    ("reference", "reference"): ("lost", "lost in both orders"),
    ("submission", "reference"): ("split", "won when shown first, lost when shown second"),
    ("reference", "submission"): ("split", "lost when shown first, won when shown second"),
}


def about_run(run: Run) -> dict[str, Any]:
    """A run's name and facts: sizes, mean reward of its first and last third of scored steps, judges, commit."""
    table = frame([run])
    first, _, last = thirds(table.groupby("step")["reward"].mean().dropna().reset_index())
    environment = run.facts.get("environment", {})
    judges = list(dict.fromkeys(str(environment[name]) for name in ("judge", "quality") if environment.get(name)))
    facts = [f"{table['step'].nunique()} steps", f"{len(table)} paintings"]
    if unscored := int(table["reward"].isna().sum()):
        facts.append(f"{unscored} unscored")
    if not math.isnan(last):
        facts.append(f"mean reward {first:.2f} in the first third, {last:.2f} in the last")
    if judges:
        facts.append(f"scored by the {' and the '.join(judges)}")
    started = run.facts.get("starts") or [{}]
    if commit := started[0].get("commit"):
        facts.append(f"commit {commit[:7]}")
    return {"name": run.name, "facts": facts}


def on_the_wall(rollout: Rollout) -> dict[str, Any]:
    """What a painting is sorted and filtered by, and its two lines of caption."""
    row = rollout.row
    painted = row.get("shapes_painted")
    return {
        "step": rollout.step,
        "group": rollout.group,
        "position": rollout.position,
        "reward": rollout.reward,
        "reason": rollout.reason,
        "subject": str(row.get("subject") or ""),
        "terms": {name: _term(row.get(column)) for name, column in TERMS},
        "coverage": row.get("paint_fraction"),
        "shapes": row.get("n_shapes") if painted is None else painted,
        "characters": len(row["code"] or ""),
        "beaten": _beaten(rollout),
        "violations": [str(code) for code in _listed(row.get("violations"))],
    }


def _term(value: Any) -> float | None:
    # The gate's verdict is a truth value, and a word in a CSV.
    return {"True": 1.0, "False": 0.0}.get(value) if isinstance(value, str) else None if value is None else float(value)


def _beaten(rollout: Rollout) -> str | None:
    """The best tier of which it beat a reference in both orders, ``"none"``, or None when nothing was compared."""
    if not rollout.comparisons:
        return None
    won = {compared.get("tier") for compared in rollout.comparisons if _verdict(compared)[0] == "won"}
    return next((tier for tier in DRAWN if tier in won), "none")


def _verdict(compared: Mapping[str, Any]) -> tuple[str, str]:
    orders = [str(compared.get(f"verdict_{name}_first")) for name in ("submission", "reference")]
    return VERDICTS.get((orders[0], orders[1]), ("open", "not answered in both orders"))


def opened(run: Run, rollout: Rollout, order: Mapping[str, int]) -> dict[str, Any]:
    """What an opened painting adds: sketch, weights, group means, references by their place in ``order``, facts."""
    row, code = rollout.row, rollout.row["code"] or ""
    weights = run.facts.get("environment", {}).get("weights", {})
    weights = {**weights, "judge": row.get("judge_weight"), "quality": row.get("hpsv3_weight")}
    compared = {str(each.get("reference_id")): _verdict(each) for each in rollout.comparisons}
    for name in map(str, _listed(row.get("references"))):
        compared.setdefault(name, ("open", "not judged"))
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


def spans(code: str) -> list[int]:
    """``[kind, length, kind, length, ...]``, lengths in UTF-16 units as a browser counts; they sum to the code's.

    Highlighting that cannot turn into markup: a sketch stays one string, beside it only kinds and lengths. ``kind`` is
    a position in :data:`KINDS`. ``brush`` marks ``brush`` and the method called on it.
    """
    found: list[int] = []
    last = ""
    for _, token, text in _LEXER.get_tokens_unprocessed(code) if len(code) <= LONGEST else ((0, Token, code),):
        brush = token in Name and (text == "brush" or last == "brush.")
        kind = KINDS.index("brush" if brush else _kind(token))
        length = len(text.encode("utf-16-le", "surrogatepass")) // 2
        if not length:
            continue
        if found and found[-2] == kind:
            found[-1] += length
        else:
            found += [kind, length]
        if text.strip():
            last = last + text if last == "brush" and text == "." else text
    return found


def _kind(token: Token) -> str:
    for name, family in (("comment", Comment), ("keyword", Keyword), ("string", String), ("number", Number)):
        if token in family:
            return name
    return ""


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


def references_of(rollouts: Iterable[tuple[Run, Rollout]], folder: Path | str | None) -> dict[str, dict[str, Any]]:
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
