"""Published things by name: adapters and pools at a pinned commit, rollouts as rows.

    from wclib.hub.load import adapter_folder
    folder = adapter_folder("FineEnvs/NAME", revision="<40 hex digits>")

The publishers' organisation was renamed once (HuggingEnvs, FineEnvs): a name under one is tried under the other. The
endpoint is ``HF_ENDPOINT``'s.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from wclib.errors import UsageError

if TYPE_CHECKING:  # a server that fetches its pool has no pandas
    import pandas as pd

ORGANISATIONS = ("HuggingEnvs", "FineEnvs")
Found = TypeVar("Found")


def _under_either_name(repo: str, commit: str, fetch: Callable[[str], Found]) -> Found:
    """What ``fetch`` finds under ``repo`` or, for the renamed organisation, under its other name."""
    import httpx
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError, RepositoryNotFoundError

    owner, _, name = repo.partition("/")
    names = [repo, *(f"{other}/{name}" for other in ORGANISATIONS if owner in ORGANISATIONS and other != owner)]
    fault: Exception | None = None
    for each in names:
        try:
            return fetch(each)
        except (RepositoryNotFoundError, LocalEntryNotFoundError) as missing:
            fault = missing
        except (httpx.HTTPError, HFValidationError, OSError) as failed:
            fault = failed
            break
    raise UsageError(
        f"{' or '.join(names)}{commit and f' at revision {commit}'} could not be fetched ({type(fault).__name__}): "
        "check the name, the revision and the network, or name a folder"
    ) from fault


def snapshot(repo: str, repo_type: str, revision: str | None, patterns: Sequence[str] = ()) -> Path:
    """A local copy of a repository at a commit; its folder is named by the commit.

    Args:
        repo: ``owner/name``, or ``owner/name@commit``.
        repo_type: ``"model"`` or ``"dataset"``.
        revision: a commit of 40 hex digits.
        patterns: only these files; all when there are none.

    Raises:
        UsageError: no pinned commit, no such repository under either name, or no network.
    """
    from huggingface_hub import snapshot_download

    repo, _, named = repo.partition("@")
    commit = named or revision or ""
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise UsageError(
            f"{repo} is loaded at a pinned commit, or what it holds could change: 40 hex digits, not {commit!r}"
        )

    def fetch(name: str) -> Path:
        found = snapshot_download(
            name,
            repo_type=repo_type,
            revision=commit,
            allow_patterns=list(patterns) or None,
            endpoint=os.environ.get("HF_ENDPOINT") or None,
            cache_dir=os.environ.get("HF_HUB_CACHE") or None,
        )
        return Path(found)

    return _under_either_name(repo, commit, fetch)


def adapter_folder(repo: str, revision: str | None = None) -> Path:
    """The local folder of a published adapter; load it with :func:`wclib.train.launch.guard.load_adapter`.

    Raises:
        UsageError: see :func:`snapshot`; or the repository holds no adapter.
    """
    folder = snapshot(repo, "model", revision, ["*adapter_*", "tokenizer*", "*.jinja"])
    for place in (folder, folder / "adapter"):
        if (place / "adapter_config.json").is_file():
            return place
    raise UsageError(f"{repo} holds no adapter_config.json: it is not an adapter of peft")


def dataset_rows(dataset: str) -> pd.DataFrame:
    """The rows of a rollouts dataset with their line as ``_line``, without pictures.

    Of a folder of pictures with ``metadata.jsonl`` only that file is fetched; Parquet files are streamed.

    Args:
        dataset: ``owner/name``, or ``owner/name@revision``.

    Raises:
        UsageError: no such dataset under either name, no network, or it holds neither.
    """
    import pandas as pd
    from huggingface_hub import HfApi

    from wclib.analysis.tables import read_table

    repo, _, named = dataset.partition("@")
    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)

    def fetch(name: str) -> pd.DataFrame:
        info = api.dataset_info(name, revision=named or "main")
        files = [each.rfilename for each in info.siblings or ()]
        metadata = [file for file in files if Path(file).name == "metadata.jsonl"]
        if metadata:
            where: dict[str, Any] = {
                "repo_type": "dataset",
                "revision": info.sha,
                "cache_dir": os.environ.get("HF_HUB_CACHE") or None,
            }
            tables = [read_table(Path(api.hf_hub_download(name, file, **where))) for file in metadata]
            return pd.concat(tables, ignore_index=True)
        parquet = [f"hf://datasets/{name}@{info.sha}/{file}" for file in files if file.endswith(".parquet")]
        if not parquet:
            raise UsageError(f"{name} holds neither metadata.jsonl nor Parquet files: it is no rollouts dataset")
        return stream_rows(parquet)

    return _under_either_name(repo, named, fetch)


def stream_rows(files: list[str]) -> pd.DataFrame:
    """The rows of Parquet files, streamed, without their pictures and sketches.

    Args:
        files: ``hf://`` addresses or paths.
    """
    import pandas as pd
    from datasets import load_dataset

    from wclib.analysis.tables import LEFT_OUT, LINE

    stream = load_dataset("parquet", data_files=files, split="train", streaming=True)
    frame = pd.DataFrame(list(stream.select_columns([name for name in stream.features if name not in LEFT_OUT])))
    return frame.assign(**{LINE: range(1, len(frame) + 1)})
