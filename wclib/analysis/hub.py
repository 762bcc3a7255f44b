"""Published rollouts, from the Hub, by name: the rows without the pictures.

A published rollouts dataset is a folder of pictures with ``metadata.jsonl``; only that file is fetched. A dataset
kept as Parquet is streamed, and only its columns other than the pictures are read. The organisation was renamed once,
so a name under either is tried under both. Nothing is asked for until a function is called.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from wclib.analysis.load import check_rollouts
from wclib.analysis.tables import LINE, read_table
from wclib.errors import UsageError

ORGANISATIONS = ("HuggingEnvs", "FineEnvs")
PICTURES = ("image", "code")


def published_rollouts(mix: str) -> pd.DataFrame:
    """The rollouts of a published run: ``"hps-only"``, ``"judge-led"`` or ``"hps-led"`` (needs the network)."""
    return hub_rollouts(f"{ORGANISATIONS[0]}/watercolour-rollouts-{mix}")


def hub_rollouts(dataset: str, revision: str = "main") -> pd.DataFrame:
    """A rollouts dataset of the Hub as :func:`wclib.analysis.load.load_rollouts` returns it.

    Args:
        dataset: ``owner/name``, or ``owner/name@revision``.
        revision: branch or commit; the endpoint is ``HF_ENDPOINT``'s.

    Raises:
        UsageError: no such dataset under either name of the organisation, no network, or not a rollouts table.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    dataset, _, named = dataset.partition("@")
    revision = named or revision
    owner, _, name = dataset.partition("/")
    owners = [owner, *(other for other in ORGANISATIONS if owner in ORGANISATIONS and other != owner)]
    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)
    error: Exception | None = None
    for candidate in (f"{owner}/{name}" for owner in owners):
        try:
            info = api.dataset_info(candidate, revision=revision)
            return check_rollouts(
                _rows(api, candidate, info.sha, [each.rfilename for each in info.siblings]), candidate
            )
        except RepositoryNotFoundError as missing:
            error = missing
        except (HfHubHTTPError, HFValidationError, OSError) as failed:
            error = failed
            break
    raise UsageError(
        f"the dataset {' or '.join(f'{owner}/{name}' for owner in owners)} could not be fetched "
        f"({type(error).__name__}): check "
        "its name and the network, or name a local copy's folder"
    ) from error


def _rows(api, dataset: str, commit: str, files: list[str]) -> pd.DataFrame:
    metadata = [name for name in files if Path(name).name == "metadata.jsonl"]
    if metadata:
        fetched = (
            api.hf_hub_download(
                dataset, name, repo_type="dataset", revision=commit, cache_dir=os.environ.get("HF_HUB_CACHE") or None
            )
            for name in metadata
        )
        return pd.concat([read_table(Path(path)) for path in fetched], ignore_index=True)
    parquet = [f"hf://datasets/{dataset}@{commit}/{name}" for name in files if name.endswith(".parquet")]
    if not parquet:
        raise UsageError(f"{dataset} holds neither metadata.jsonl nor Parquet files: it is no rollouts dataset")
    return stream_rows(parquet)


def stream_rows(files: list[str]) -> pd.DataFrame:
    """The rows of Parquet files, streamed, without their pictures and sketches.

    Args:
        files: ``hf://`` addresses or paths.
    """
    from datasets import load_dataset

    stream = load_dataset("parquet", data_files=files, split="train", streaming=True)
    kept = [name for name in stream.features if name not in PICTURES]
    frame = pd.DataFrame(list(stream.select_columns(kept)))
    return frame.assign(**{LINE: range(1, len(frame) + 1)})
