"""A pool from the Hub: fetched at its pinned commit from a local server that answers as the Hub does."""

from __future__ import annotations

import subprocess
import sys

import paintings
import pytest
from hub_server import hub_server

from wclib.errors import UsageError
from wclib.pool import PUBLISHED_DATASET, PUBLISHED_REVISION, RENAMED_DATASET, load_hub_pool, load_pool

DATASET = "someone/flowers"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    root = paintings.write_pool(tmp_path / "there", {"love": [paintings.disc(radius=9)], "okay": [paintings.disc()]})
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    with hub_server() as hub:
        hub.commit, hub.renamed = PUBLISHED_REVISION, {PUBLISHED_DATASET: RENAMED_DATASET}
        hub.files = {("dataset", name): files for name in (DATASET, RENAMED_DATASET)}
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("WATERCOLOUR_POOL_DATASET", DATASET)
        yield hub


def test_a_dataset_is_loaded_at_its_pinned_commit(hub, monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_POOL_REVISION", PUBLISHED_REVISION)
    pool = load_pool()
    assert [painting.tier for painting in pool.paintings] == ["love", "okay"]
    assert pool.revision == PUBLISHED_REVISION
    assert pool.paintings[0].source_path.name == "l0_v0.js"


def test_a_dataset_without_a_pinned_revision_is_refused(hub):
    with pytest.raises(UsageError, match="WATERCOLOUR_POOL_REVISION"):
        load_pool()


def test_a_revision_that_is_not_there_is_named(hub, monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_POOL_REVISION", "0" * 40)
    with pytest.raises(UsageError, match=f"{DATASET} at revision 0000"):
        load_pool()


@pytest.mark.parametrize("dataset", [PUBLISHED_DATASET, RENAMED_DATASET])
def test_the_published_pool_needs_no_revision_under_its_old_name_and_its_new(hub, dataset):
    pool = load_hub_pool(dataset)
    assert pool.revision == PUBLISHED_REVISION and len(pool.paintings) == 2


def test_a_server_that_fetches_its_pool_needs_no_pandas():
    program = "import sys; sys.modules['pandas'] = None; import wclib.hub.load, wclib.pool"
    subprocess.run([sys.executable, "-c", program], check=True)
