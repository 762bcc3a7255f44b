"""Publishing over real requests to a server that answers as the Hub does, faults included; and what comes back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import datasets
import pytest
from hub_server import COMMIT, TOKEN, Hub, hub_server
from PIL import Image

from wclib.errors import InfrastructureFault, UsageError
from wclib.hub.load import adapter_folder, snapshot
from wclib.hub.space import publish_gallery, publish_hpsv3
from wclib.hub.tables import publish_pool, publish_rollouts
from wclib.pool import load_pool
from wclib.pool_files import COLUMNS
from wclib.train.runlog import PUBLISHED_CURVE, open_run


@pytest.fixture
def hub(monkeypatch, tmp_path):
    with hub_server() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub-cache"))
        yield server


@pytest.fixture
def run(tmp_path) -> Path:
    """A run of two groups: a painting, a failure, an unscored rollout; weights that are no default."""
    folder = open_run(
        tmp_path / "runs", "mine", {"model": str(tmp_path / "model")}, resume=False, say=lambda text: None
    )
    weights = {"gate": 0.05, "length": 0.05, "judge": 0.11, "quality": 0.79}
    pool = {"fingerprint": "f" * 64, "paintings": 74, "revision": "a" * 40}
    folder.update(environment={"weights": weights, "judge": "local judge", "quality": "local judge", "pool": pool})
    png = io.BytesIO()
    Image.new("RGB", (60, 60), "#d5567f").save(png, "PNG")
    rows = []
    for i, (reward, reason) in enumerate([(0.7, ""), (0.0, ""), (None, "judge: no answer")]):
        image = folder.painting(f"paintings/0000_{i:02d}", "// a sketch", png.getvalue() if i != 1 else None)
        rows.append(
            {
                "image": image, "source_file": image and image.replace(".png", ".js"), "run": "mine",
                "judge_weight": 0.11,
                "hpsv3_weight": 0.79, "step": 0, "position_in_group": i, "reward": reward, "code": "// a sketch",
                "brush_methods_used": ["fill"] if i == 0 else [], "violations": [], "references": [],
                "group_judge_mean": None, "unscored_reason": reason,
            }
        )  # fmt: skip
    folder.rollouts.append(rows)
    folder.comparisons.append([{"run": "mine", "step": 0, "reference_id": "okay_a.png", "score": 0.5}])
    folder.curve_row({name: 0 for name in PUBLISHED_CURVE})
    folder.close()
    return folder.path


def test_a_pool_goes_up_whole_and_comes_back_as_a_pool_at_its_commit(hub: Hub, tmp_path):
    out = tmp_path / "out"
    report = publish_pool(out, None, dry_run=False)
    stored = hub.files["dataset", "painter/watercolour-reference-pool"]
    assert sorted(stored) == report["files"] and hub.private["dataset", "painter/watercolour-reference-pool"]
    assert all(stored[name] == (out / name).read_bytes() for name in stored)
    rows = datasets.load_dataset("imagefolder", data_dir=str(out), split="train", cache_dir=str(tmp_path / "c"))
    ours = load_pool()
    assert rows.num_rows == len(ours.paintings) == report["rows"]
    assert set(COLUMNS) - {"file_name"} <= set(rows.column_names) and {"seed", "backend"} <= set(rows.column_names)
    back = load_pool(snapshot("painter/watercolour-reference-pool", "dataset", COMMIT))
    assert [p.reference_id for p in back.paintings] == [p.reference_id for p in ours.paintings]
    assert all(p.source_path for p in back.paintings)


def test_a_runs_rollouts_load_back_with_pictures_nulls_and_its_own_weights(run: Path, tmp_path):
    out = tmp_path / "out"
    report = publish_rollouts(run, out, dry_run=True)
    assert report["url"] is None and report["rows"] == 3
    found = datasets.load_dataset(str(out), "rollouts", split="train", cache_dir=str(tmp_path / "c"))
    assert found["reward"] == [0.7, 0.0, None] and found["unscored_reason"][2] == "judge: no answer"
    assert found[0]["image"].size == (60, 60) and found[1]["image"] is None
    assert found[0]["brush_methods_used"] == ["fill"] and found[1]["violations"] == []
    assert datasets.load_dataset(str(out), "comparisons", split="train", cache_dir=str(tmp_path / "c")).num_rows == 1
    assert (out / found[0]["source_file"]).read_text() == "// a sketch"
    card = (out / "README.md").read_text()
    assert "judge 0.11, quality 0.79" in card and 'load_dataset("OWNER/mine-rollouts"' in card
    assert str(tmp_path) not in (out / "run.json").read_text()
    assert "f" * 64 in card and "f" * 64 in card and "a" * 40 in card


def test_a_folder_in_use_is_left_alone_and_an_earlier_one_of_ours_is_replaced(run: Path, tmp_path):
    taken = tmp_path / "thesis"
    taken.mkdir()
    (taken / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="--out"):
        publish_rollouts(run, taken, dry_run=True)
    assert [path.name for path in taken.iterdir()] == ["thesis.tex"]
    out = tmp_path / "out"
    publish_hpsv3(out, dry_run=True)
    (out / "stale").touch()
    assert "stale" not in publish_hpsv3(out, dry_run=True)["files"]


def test_an_upload_survives_passing_faults_and_says_lasting_ones(hub: Hub, run: Path, tmp_path, monkeypatch):
    hub.faults = [503]
    report = publish_rollouts(run, tmp_path / "a", dry_run=False, repo_id="guild/mine")
    assert report["url"].endswith("/datasets/guild/mine") and not hub.faults
    assert sorted(hub.files["dataset", "guild/mine"]) == report["files"]
    hub.faults = [403]
    with pytest.raises(UsageError, match="is ready: the Hub refused .403."):
        publish_rollouts(run, tmp_path / "b", dry_run=False)
    hub.faults = [507]
    with pytest.raises(InfrastructureFault, match="is ready"):
        publish_rollouts(run, tmp_path / "c", dry_run=False)
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "none"))
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    with pytest.raises(UsageError, match="HF_TOKEN"):
        publish_rollouts(run, tmp_path / "d", dry_run=False)
    assert (tmp_path / "d" / "README.md").exists()


@pytest.mark.parametrize("column", ["image", "source_file"])
@pytest.mark.parametrize("name", ["../secret.png", "{parent}/secret.png", "paintings/link.png"])
def test_a_row_that_names_a_file_outside_the_run_is_not_published(run: Path, tmp_path, column, name):
    secret = tmp_path / "runs" / "secret.png"
    secret.write_bytes(b"not yours")
    (run / "paintings" / "link.png").symlink_to(secret)
    rows = [json.loads(line) for line in (run / "rollouts.jsonl").read_text().splitlines()]
    rows[0][column] = name.format(parent=secret.parent)
    (run / "rollouts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(UsageError, match="outside the run"):
        publish_rollouts(run, tmp_path / "out", dry_run=True)
    assert not (tmp_path / "out").exists()


def test_the_uploaded_cards_snippet_names_the_owner(hub: Hub, run: Path, tmp_path):
    publish_rollouts(run, tmp_path / "out", dry_run=False)
    card = hub.files["dataset", "painter/mine-rollouts"]["README.md"].decode()
    assert 'load_dataset("painter/mine-rollouts"' in card and "OWNER/" not in card


def test_a_gallery_is_a_static_space(run: Path, hub: Hub, tmp_path):
    report = publish_gallery([run], tmp_path / "out", dry_run=False)
    stored = hub.files["space", "painter/watercolour-gallery"]
    assert "index.html" in stored and b'sdk: "static"' in stored["README.md"] and report["paintings"] == 3


def test_an_adapter_is_found_under_either_name_of_the_organisation_and_only_pinned(hub: Hub):
    hub.repo("model", "FineEnvs/painter-lora").update({"adapter_config.json": b"{}", "adapter_model.safetensors": b"x"})
    folder = adapter_folder("HuggingEnvs/painter-lora", COMMIT)
    assert (folder / "adapter_model.safetensors").read_bytes() == b"x" and folder.name == COMMIT
    with pytest.raises(UsageError, match="40 hex digits"):
        adapter_folder("FineEnvs/painter-lora", "main")
    with pytest.raises(UsageError, match="FineEnvs/nothing or HuggingEnvs/nothing"):
        adapter_folder(f"FineEnvs/nothing@{COMMIT}")
    hub.repo("model", "painter/empty")["README.md"] = json.dumps({}).encode()
    with pytest.raises(UsageError, match="adapter_config"):
        adapter_folder("painter/empty", COMMIT)
