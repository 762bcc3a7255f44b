"""The starter pool is what its card says: different programs, matching pictures, honest columns, loadable."""

from __future__ import annotations

import io
import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from wclib.domains import HIBISCUS
from wclib.errors import UsageError
from wclib.gate import check_source
from wclib.jsruntime import JS_DIR, node_executable
from wclib.pool import load_pool
from wclib.pool_files import COLUMNS, read_metadata
from wclib.render.pixels import decode, paint_fraction
from wclib.starter import STARTER_FOLDERS, build

KEPT, REJECTED = STARTER_FOLDERS
ROWS = [(folder, row) for folder in STARTER_FOLDERS for row in read_metadata(folder).values()]
NAMES = [row["file_name"] for _, row in ROWS]
SOURCES = sorted(path for folder in STARTER_FOLDERS for path in (folder / "sources").glob("*.js"))

# The tree of a program without its names, numbers and strings: only what kind of node stands where.
_SHAPES = """
const acorn = require('acorn'), fs = require('fs');
const skipped = new Set(['type', 'start', 'end', 'operator']);
const inner = (value) => (value && typeof value === 'object' ? shape(value) : null);
function shape(node) {
  if (Array.isArray(node)) return node.map(inner);
  if (typeof node.type !== 'string') return null;
  const children = Object.keys(node).filter((key) => !skipped.has(key));
  return [node.type, node.operator ?? null, ...children.map((key) => inner(node[key]))];
}
const tree = (file) => acorn.parse(fs.readFileSync(file, 'utf8'), { ecmaVersion: 2024 });
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, 'utf8')).map((file) => JSON.stringify(shape(tree(file))))));
"""

SKETCH = """
async function setup() { createCanvas(600, 600, WEBGL); brush.scaleBrushes(3); angleMode(DEGREES); noLoop(); }
function draw() {
  translate(-width / 2, -height / 2); background('#f7f1e3'); brush.noStroke(); brush.fillBleed(0.2);
  brush.fill('#d8508c', 200); brush.circle(300, 300, 120, 0.2);
}
"""


def test_counts_and_tiers():
    tiers = Counter(row["tier"] for _, row in ROWS)
    assert tiers["love"] >= 28 and tiers["okay"] >= 28 and tiers["love"] + tiers["okay"] >= 72
    assert tiers["nope"] >= 36
    assert {row["tier"] for row in read_metadata(KEPT).values()} == {"love", "okay"}
    assert {row["tier"] for row in read_metadata(REJECTED).values()} == {"nope"}
    for tier in ("love", "okay"):
        assert {row["subject"] for _, row in ROWS if row["tier"] == tier} == set(HIBISCUS.subjects)


def test_the_cards_give_the_right_counts():
    tiers = Counter(row["tier"] for _, row in ROWS)
    card = (KEPT / "README.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| `(\w+)` \| (\d+) \|", card, re.M)
    assert {tier: int(count) for tier, count in stated} == tiers
    programs = Counter(path.parent.parent for path in SOURCES if "_" not in path.stem)
    assert f"The {programs[KEPT]} programs" in card
    rejected = (REJECTED / "README.md").read_text(encoding="utf-8")
    assert f"{tiers['nope']} paintings by {programs[REJECTED]} programs" in rejected


def test_the_pool_loads_and_every_painting_has_its_sketch():
    pool = load_pool()
    assert len(pool.paintings) + len(pool.rejected) == len(ROWS)
    assert all(painting.source_path for painting in pool.paintings + pool.rejected)


def test_hand_written_programs_have_different_syntax_trees():
    programs = [path for path in SOURCES if "_" not in path.stem]
    answer = subprocess.run(
        [node_executable(), "-e", _SHAPES],
        input=json.dumps([str(path) for path in programs]),
        capture_output=True,
        text=True,
        check=True,
        cwd=JS_DIR,
    )
    shapes: dict[str, Path] = {}
    for path, shape in zip(programs, json.loads(answer.stdout), strict=True):
        assert shape not in shapes, f"{path.name} and {shapes[shape].name} are the same program"
        shapes[shape] = path
    assert sum(path.is_relative_to(KEPT) for path in programs) >= 24


def test_a_variant_stands_beside_the_program_it_varies():
    for path in SOURCES:
        assert (path.parent / f"{path.stem.split('_')[0]}.js").is_file(), path


def test_every_source_is_used():
    assert {str(folder / row["source_file"]) for folder, row in ROWS} == {str(path) for path in SOURCES}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_gate_admits_every_sketch(path):
    verdict = check_source(path.read_text(encoding="utf-8"))
    assert verdict.passed, verdict.codes


@pytest.mark.parametrize(("folder", "row"), ROWS, ids=NAMES)
def test_row_and_picture_agree(folder, row):
    assert list(row) == list(COLUMNS)
    stem = Path(row["source_file"]).stem
    assert re.fullmatch(rf"{row['tier']}_{stem}_s{row['seed']}\.(png|webp)", row["file_name"])
    data = (folder / row["file_name"]).read_bytes()
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.size == (600, 600) and picture.mode == "RGB"
    assert row["paint_coverage"] == round(paint_fraction(decode(data)), 4) >= 0.005


# A few of each tier; all of them take minutes, and `pool build-starter` is the command for that.
_SAMPLE = re.compile("love_(trumpet-coral|two-buds)|okay_(cup|stiff)|nope_(tiny|shards)")


@pytest.mark.parametrize(
    ("folder", "row"),
    [(folder, row) for folder, row in ROWS if _SAMPLE.match(row["file_name"])],
    ids=lambda value: value["file_name"] if isinstance(value, dict) else value.name,
)
def test_a_sketch_paints_its_picture(renderer, folder, row):
    render = renderer.render((folder / row["source_file"]).read_text(encoding="utf-8"), row["seed"])
    apart = np.abs(decode(render.png).astype(int) - decode((folder / row["file_name"]).read_bytes()).astype(int))
    if render.backend == row["backend"]:
        assert apart.max() == 0
    else:
        assert apart.mean() < 4


def test_total_size():
    assert sum(path.stat().st_size for folder in STARTER_FOLDERS for path in folder.rglob("*")) < 15_000_000


@pytest.mark.parametrize("folder", STARTER_FOLDERS, ids=lambda folder: folder.name)
def test_datasets_reads_it_as_an_imagefolder(folder, tmp_path):
    from datasets import load_dataset

    loaded = load_dataset("imagefolder", data_dir=str(folder), split="train", cache_dir=str(tmp_path))
    rows = read_metadata(folder).values()
    assert len(loaded) == len(rows)
    assert loaded.column_names == ["image", *list(COLUMNS)[1:]]
    assert Counter(loaded["tier"]) == Counter(row["tier"] for row in rows)
    assert loaded[0]["image"].size == (600, 600)


def test_building_twice_changes_nothing_the_second_time(tmp_path):
    _folder(tmp_path, SKETCH)
    first = build([tmp_path])
    assert first["painted"] == 1 and first["changed"] == ["okay_disc_s3.webp"]
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    assert build([tmp_path])["changed"] == []
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.*")} == before
    (row,) = read_metadata(tmp_path).values()
    assert row["paint_coverage"] > 0.005 and row["backend"] and row["generator_model"].startswith("hand-written")


@pytest.mark.parametrize(
    ("sketch", "row", "said"),
    [
        (SKETCH, {"seed": None}, "it needs a source_file and a seed"),
        (SKETCH, {"source_file": "sources/lost.js"}, "it needs a source_file and a seed"),
        (SKETCH.replace("brush.noStroke();", "nothing.here();"), {}, "did not finish"),
    ],
    ids=["no seed", "no sketch", "a sketch that throws"],
)
def test_a_bad_row_is_named(tmp_path, sketch, row, said):
    _folder(tmp_path, sketch, **row)
    with pytest.raises(UsageError, match=said):
        build([tmp_path])
    assert not list(tmp_path.glob("*.webp"))


def test_broken_metadata_is_named(tmp_path):
    (tmp_path / "metadata.jsonl").write_text("{")
    with pytest.raises(UsageError, match="metadata.jsonl line 1 is not a JSON row"):
        build([tmp_path])


def _folder(path: Path, sketch: str, **changes: object) -> None:
    (path / "sources").mkdir()
    (path / "sources" / "disc.js").write_text(sketch)
    row = {"file_name": "okay_disc_s3.webp", "source_file": "sources/disc.js", "seed": 3, "tier": "okay"} | changes
    (path / "metadata.jsonl").write_text(json.dumps(row) + "\n")
