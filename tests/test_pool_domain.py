"""Another subject is another folder: prompt, criteria, caption and taste change, and no code does."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from test_starter_pool import _SHAPES

from wclib.domains import FILE, HIBISCUS, get_domain, read_domain
from wclib.errors import UsageError
from wclib.gate import check_source
from wclib.jsruntime import JS_DIR, node_executable
from wclib.pool import load_pool
from wclib.pool_files import COLUMNS, read_metadata
from wclib.prompt import messages
from wclib.scorer import scorer_from_env

LEMON = HIBISCUS.pool.with_name("pool_lemon")
REJECTED = LEMON.with_name("pool_lemon_nope")
ROWS = [(folder, row) for folder in (LEMON, REJECTED) for row in read_metadata(folder).values()]


def test_environment_variables_alone_change_subject_and_taste(renderer, monkeypatch):
    """The same two sketches, scored twice: each pool prefers its own subject."""
    sketches = {name: path.read_text() for name, path in {
        "lemon": LEMON / "sources" / "cut-half.js", "hibiscus": HIBISCUS.pool / "sources" / "plain-five-yellow.js"
    }.items()}  # fmt: skip
    rewards = {}
    for subject, folder in (("hibiscus", None), ("lemon", LEMON)):
        if folder is not None:
            monkeypatch.setenv("WATERCOLOUR_POOL_DIR", str(folder))
        scorer = scorer_from_env(renderer)
        assert scorer.identity()["domain"] == subject
        assert subject in messages(scorer.pool.domain)[1]["content"] and scorer.pool.domain.caption
        for name, sketch in sketches.items():
            rewards[subject, name] = asyncio.run(scorer.score(sketch, seed=2)).value
    assert rewards["lemon", "lemon"] > rewards["lemon", "hibiscus"]
    assert rewards["hibiscus", "hibiscus"] > rewards["hibiscus", "lemon"]


def test_judge_scorer_and_prompt_are_given_the_pool_s_own_words(monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_POOL_DIR", str(LEMON))
    monkeypatch.setenv("WATERCOLOUR_JUDGE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("WATERCOLOUR_HPSV3_URL", "http://127.0.0.1:9")
    scorer, told = scorer_from_env(), json.loads((LEMON / FILE).read_text())
    assert told["criteria"] in scorer.judge.question() and HIBISCUS.criteria not in scorer.judge.question()
    assert scorer.quality.caption == told["caption"]
    system = messages(scorer.pool.domain)[0]["content"]
    assert told["composition"] in system and "petal" not in system


def test_the_fingerprint_covers_the_domain(tmp_path):
    import shutil

    folder = shutil.copytree(LEMON, tmp_path / "lemons")
    before = load_pool(folder).fingerprint
    (folder / FILE).write_text((folder / FILE).read_text().replace("cool shadows", "warm shadows"))
    assert load_pool(folder).fingerprint != before
    (folder / FILE).unlink()
    assert load_pool(folder).domain is HIBISCUS


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: "[]", "exactly these fields"),
        (lambda row: "{", "cannot be read as JSON"),
        (lambda row: json.dumps({**row, "extra": 1}), "exactly these fields: name"),
        (lambda row: json.dumps({**row, "caption": ""}), "caption must be text"),
        (lambda row: json.dumps({**row, "subjects": []}), "at least one subject"),
        (lambda row: json.dumps({**row, "subjects": ["a", 3]}), r"subjects\[1\] must be text"),
    ],
)
def test_a_bad_domain_is_named_with_its_field(tmp_path, change, said):
    (tmp_path / FILE).write_text(change(json.loads((LEMON / FILE).read_text())))
    with pytest.raises(UsageError, match=said):
        read_domain(tmp_path / FILE)


def test_a_domain_is_found_by_name_by_file_and_by_folder():
    assert get_domain("hibiscus") is HIBISCUS
    assert get_domain(str(LEMON)) == get_domain(str(LEMON / FILE)) == load_pool(LEMON).domain
    with pytest.raises(UsageError, match="choose hibiscus, or name a domain.json"):
        get_domain("tulip")


def test_the_lemon_pool_is_what_its_card_says():
    tiers = Counter(row["tier"] for _, row in ROWS)
    card = (LEMON / "README.md").read_text(encoding="utf-8")
    assert tiers["love"] + tiers["okay"] >= 16 and tiers["nope"] >= 4
    assert all(f"| `{tier}` | {count} |" in card for tier, count in tiers.items())
    assert {row["subject"] for _, row in ROWS if row["tier"] == "love"} == set(load_pool(LEMON).domain.subjects)
    assert all(list(row) == list(COLUMNS) for _, row in ROWS)
    sources = {path for folder in (LEMON, REJECTED) for path in (folder / "sources").glob("*.js")}
    assert {folder / row["source_file"] for folder, row in ROWS} == sources
    assert all(check_source(path.read_text()).passed for path in sources)
    assert sum(path.stat().st_size for folder in (LEMON, REJECTED) for path in folder.rglob("*")) < 3_000_000


def test_its_programs_have_different_syntax_trees():
    programs = sorted(
        path for folder in (LEMON, REJECTED) for path in (folder / "sources").glob("*.js") if "_" not in path.stem
    )
    answer = subprocess.run(
        [node_executable(), "-e", _SHAPES],
        input=json.dumps([str(path) for path in programs]),
        capture_output=True,
        text=True,
        check=True,
        cwd=JS_DIR,
    )
    assert len(set(json.loads(answer.stdout))) == len(programs) == 15


def test_datasets_reads_it_as_an_imagefolder_from_a_fresh_cache(tmp_path):
    from datasets import load_dataset

    loaded = load_dataset("imagefolder", data_dir=str(LEMON), split="train", cache_dir=str(tmp_path))
    assert len(loaded) == 21 and loaded.column_names == ["image", *list(COLUMNS)[1:]]
    assert Counter(loaded["tier"]) == Counter(row["tier"] for folder, row in ROWS if folder == LEMON)


def test_a_sketch_of_it_paints_its_picture(renderer):
    from wclib.render.pixels import decode

    row = next(row for _, row in ROWS if row["source_file"] == "sources/plain-oval.js")
    render = renderer.render(Path(LEMON / row["source_file"]).read_text(), row["seed"])
    if render.backend == row["backend"]:
        assert (decode(render.png) == decode((LEMON / row["file_name"]).read_bytes())).all()
