"""Published things by name: adapters and pools at a pinned commit, under either name of the organisation.

    from wclib.hub.load import adapter_folder
    folder = adapter_folder("FineEnvs/NAME", revision="<40 hex digits>")

The publishers' organisation was renamed once (HuggingEnvs, FineEnvs): a name under one is tried under the other.
Rollouts by name are :func:`wclib.analysis.hub.hub_rollouts`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from wclib.errors import UsageError

ORGANISATIONS = ("HuggingEnvs", "FineEnvs")


def either_name(repo: str) -> list[str]:
    """``repo`` and, for the renamed organisation, the same under its other name."""
    owner, _, name = repo.partition("/")
    return [repo, *(f"{other}/{name}" for other in ORGANISATIONS if owner in ORGANISATIONS and other != owner)]


def snapshot(repo: str, repo_type: str, revision: str | None, patterns: Sequence[str] | None = None) -> Path:
    """A local copy of a repository at a commit; its folder is named by the commit.

    Args:
        repo: ``owner/name``, or ``owner/name@commit``.
        repo_type: ``"model"`` or ``"dataset"``.
        revision: a commit of 40 hex digits.
        patterns: only these files.

    Raises:
        UsageError: no pinned commit, no such repository under either name, or no network.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    repo, _, named = repo.partition("@")
    commit = named or revision or ""
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise UsageError(
            f"{repo} is loaded at a pinned commit, or what it holds could change: 40 hex digits, not {commit!r}"
        )
    fault: Exception | None = None
    for name in either_name(repo):
        try:
            found = snapshot_download(
                name,
                repo_type=repo_type,
                revision=commit,
                allow_patterns=patterns and list(patterns),
                endpoint=os.environ.get("HF_ENDPOINT") or None,
                cache_dir=os.environ.get("HF_HUB_CACHE") or None,
            )
            return Path(found)
        except RepositoryNotFoundError as missing:
            fault = missing
        except (HfHubHTTPError, LocalEntryNotFoundError, HFValidationError, OSError) as failed:
            fault = failed
            if not isinstance(failed, LocalEntryNotFoundError):
                break
    raise UsageError(
        f"{' or '.join(either_name(repo))} at revision {commit} could not be fetched ({type(fault).__name__}): "
        "check the name, the commit and the network, or name a folder"
    ) from fault


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
