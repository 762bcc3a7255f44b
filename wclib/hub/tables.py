"""The pool and a run's rollouts as datasets: folders that load, with every column of the published ones."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from wclib.errors import UsageError
from wclib.hub.cards import front_matter, named, public_record, rollouts_card
from wclib.hub.upload import publish
from wclib.jsonl import lines_of, read_rows
from wclib.pool_files import COLUMNS

_LISTS = ("brush_methods_used", "violations", "references")
_NUMBERS = (
    "reward", "judge_weight", "hpsv3_weight", "step_group_reward", "group_judge_mean", "group_length_mean",
    "group_paint_mean", "group_quality_mean", "paint_fraction", "length_score", "judge_score", "quality_score",
    "render_s",
)  # fmt: skip


def publish_pool(out: Path, pool: Path | None, dry_run: bool, repo_id: str | None = None) -> dict[str, Any]:
    """Write the pool as an imagefolder dataset, load it back, and upload it unless told not to.

    Returns:
        ``{"out", "files", "bytes", "rows", "fingerprint", "url"}``.

    Raises:
        UsageError: no such pool, ``out`` is in use, or the Hub refused.
    """
    from wclib.pool import load_pool

    found = load_pool(pool)

    def write(folder: Path) -> None:
        rows = []
        for painting in found.paintings:
            name = Path(painting.reference_id).name
            shutil.copy(painting.path, folder / name)
            row = {**dict.fromkeys(COLUMNS), **painting.metadata, "file_name": name, "tier": painting.tier}
            if painting.source_path:
                (folder / "sources").mkdir(exist_ok=True)
                shutil.copy(painting.source_path, folder / "sources" / painting.source_path.name)
                row["source_file"] = f"sources/{painting.source_path.name}"
            rows.append(row)
        (folder / "metadata.jsonl").write_text(lines_of(rows))
        card = _pool_card(found.folder, len(rows), found.fingerprint)
        (folder / "README.md").write_text(named(card, repo_id, "watercolour-reference-pool"))

    def check() -> dict[str, Any]:
        rows = _loads_back(out, len(found.paintings), "imagefolder", data_dir=str(out))
        return {"rows": rows, "fingerprint": found.fingerprint}

    return publish(out, write, "dataset", repo_id or "watercolour-reference-pool", dry_run, check=check)


def publish_rollouts(run: Path, out: Path, dry_run: bool, repo_id: str | None = None) -> dict[str, Any]:
    """Write a run's rollouts as a dataset with its pictures, load it back, and upload it unless told not to.

    Raises:
        UsageError: not a run's folder or one without rollouts, ``out`` is in use, or the Hub refused.
    """
    from wclib.train.record import read_run

    about = read_run(run)
    rows, _ = read_rows(run / "rollouts.jsonl")
    if not rows:
        raise UsageError(f"{run / 'rollouts.jsonl'} has no rows: nothing to publish")
    pairs, _ = read_rows(run / "comparisons.jsonl")

    def write(folder: Path) -> None:
        from datasets import Dataset, Features, Image, List, Value

        table = [{**row, "image": _picture(run, row)} for row in rows]
        inferred = Dataset.from_list([{**row, "image": None} for row in table]).features
        features = {name: kind for name, kind in inferred.items()}
        features.update({name: List(Value("string")) for name in _LISTS if name in features}, image=Image())
        # A column that is empty throughout has no type of its own, and Parquet wants one.
        for name, kind in features.items():
            if getattr(kind, "dtype", "") == "null":
                features[name] = Value("float64" if name in _NUMBERS else "string")
        (folder / "data").mkdir()
        Dataset.from_list(table, features=Features(features)).to_parquet(
            folder / "data" / "train-00000-of-00001.parquet"
        )
        if pairs:
            (folder / "comparisons").mkdir()
            Dataset.from_list(pairs).to_parquet(folder / "comparisons" / "train-00000-of-00001.parquet")
        for row in rows:
            if source := _within(run, row.get("source_file")):
                target = folder / row["source_file"]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        if (run / "curve.csv").is_file():
            shutil.copy(run / "curve.csv", folder / "curve.csv")
        (folder / "run.json").write_text(public_record(about))
        card = rollouts_card(about, len(rows), len(pairs), list(rows[0]))
        (folder / "README.md").write_text(named(card, repo_id, f"{about['tag']}-rollouts"))

    def check() -> dict[str, Any]:
        count = _loads_back(out, len(rows), "parquet", data_files=str(out / "data" / "*.parquet"))
        return {"rows": count, "comparisons": len(pairs)}

    return publish(out, write, "dataset", repo_id or f"{about['tag']}-rollouts", dry_run, check=check)


def _picture(run: Path, row: dict[str, Any]) -> dict[str, Any] | None:
    path = _within(run, row.get("image"))
    return {"bytes": path.read_bytes(), "path": path.name} if path else None


def _within(run: Path, name: str | None) -> Path | None:
    """The file a row names, when it is there; a name that leads out of the run's folder is refused."""
    if not name:
        return None
    path = run / name
    if ".." in Path(name).parts or not path.resolve().is_relative_to(run.resolve()):
        raise UsageError(f"{run / 'rollouts.jsonl'} names {name}, which is outside the run: not published")
    return path if path.is_file() else None


def _loads_back(out: Path, rows: int, kind: str, **where: Any) -> int:
    """``rows``, when as many load from the folder."""
    from datasets import load_dataset

    with tempfile.TemporaryDirectory() as cache:
        count = load_dataset(kind, split="train", cache_dir=cache, **where).num_rows
    if count != rows:
        raise UsageError(f"{out} loads back with {count} rows instead of {rows}; not uploaded")
    return rows


def _pool_card(folder: Path, rows: int, fingerprint: str) -> str:
    given = folder / "README.md"
    if given.is_file() and given.read_text().startswith("---"):
        return given.read_text()
    head = front_matter(
        {
            "license": "cc-by-4.0",
            "pretty_name": "Rated watercolours: a reference pool",
            "task_categories": ["image-classification"],
            "tags": ["reinforcement-learning", "reward-model", "p5js", "watercolour"],
            "size_categories": ["n<1K"],
        }
    )
    return f"""{head}
# A reference pool

{rows} rated paintings, each with its p5.brush sketch. A pool is the reward: every new painting is compared with draws
from it. Fingerprint `{fingerprint}`.

```python
from datasets import load_dataset

pool = load_dataset("OWNER/NAME", split="train")
```

Where a painting started from a photograph, its licence, attribution and address are in the row.
"""
