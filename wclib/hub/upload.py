"""Publishing: a folder is written whole, checked, and uploaded as one commit. The folder stays."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wclib.errors import InfrastructureFault, UsageError

#: Says that a folder was written here and may be written again; it is not uploaded.
MARK = ".wclib-publish"


def publish(
    out: Path,
    write: Callable[[Path], None],
    repo_type: str,
    name: str,
    dry_run: bool,
    *,
    sdk: str = "docker",
    check: Callable[[], dict[str, Any]] = dict,
) -> dict[str, Any]:
    """Let ``write`` fill the folder ``out``, check it, and upload it unless told not to.

    Args:
        out: see :func:`fresh_folder`.
        write: fills a folder.
        repo_type, name, sdk: see :func:`upload`.
        dry_run: upload nothing.
        check: raises when what was written is not right; what it returns is reported.

    Returns:
        ``{"out", "files", "bytes", "url"}`` and what ``check`` returned; ``url`` is None after a dry run.

    Raises:
        UsageError: ``out`` is in use, the check failed, there is no token, or the Hub refused.
        InfrastructureFault: the Hub could not be reached or failed.
    """
    fresh_folder(out, write)
    found = check()
    url = None if dry_run else upload(out, name, repo_type, sdk)
    files = files_of(out)
    return {
        "out": str(out),
        "files": files,
        "bytes": sum((out / file).stat().st_size for file in files),
        "url": url,
    } | found


def fresh_folder(out: Path, write: Callable[[Path], None]) -> Path:
    """Let ``write`` fill a new folder and put it at ``out``; an earlier one of ours is replaced, anything else is left.

    Raises:
        UsageError: ``out`` is in use for something else.
    """
    out = Path(out)
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARK).is_file())):
        raise UsageError(f"{out} is in use for something else: name another folder with --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".publish-", dir=out.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        write(made)
        (made / MARK).touch()
        shutil.rmtree(out, ignore_errors=True)
        made.rename(out)
    return out


def files_of(out: Path) -> list[str]:
    """What would be uploaded from a folder, relative and sorted; our own mark is not."""
    return sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file() and p.name != MARK)


def client(why: str) -> Any:
    """The Hub's client at ``HF_ENDPOINT`` with the token of ``HF_TOKEN`` or the saved login.

    Raises:
        UsageError: there is no token; ``why`` says what it is needed for.
    """
    from huggingface_hub import HfApi, get_token

    token = os.environ.get("HF_TOKEN") or get_token()
    if not token:
        raise UsageError(f"{why} needs HF_TOKEN: set it, or log in with `hf auth login`; --dry-run needs none")
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, token=token)


@contextlib.contextmanager
def hub_answers(doing: str) -> Iterator[None]:
    """What the Hub refuses or fails at within the block, said as what it is.

    Raises:
        UsageError: the Hub refused.
        InfrastructureFault: it failed, or could not be reached.
    """
    import httpx
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except HfHubHTTPError as error:
        if (status := error.response.status_code) >= 500 or status == 429:
            raise InfrastructureFault("hub", f"{doing}: the Hub failed ({status}): try the same again later") from None
        said = f"{doing}: the Hub refused ({status}): {str(error).partition(chr(10))[0]}"
        raise UsageError(f"{said}; check the name, the token's scopes and, for a job, flavour and credit") from None
    except (httpx.HTTPError, OSError) as error:
        detail = f"{doing}: the Hub cannot be reached ({type(error).__name__}: {error})"
        raise InfrastructureFault("hub", detail) from error


def upload(folder: Path, name: str, repo_type: str, sdk: str = "docker") -> str:
    """Upload a folder as one commit and return the page's address; a repository that is not there yet is private.

    Args:
        folder: what to upload, whole.
        name: ``owner/name``, or a name alone for the token's owner.
        repo_type: ``"model"``, ``"dataset"`` or ``"space"``; ``sdk`` is a Space's.

    Raises:
        UsageError: no token, or the Hub refused (said with its status).
        InfrastructureFault: the Hub could not be reached or failed; its client has tried for half a minute by then.
    """
    doing = f"uploading {folder}, which is ready"
    api = client(f"{doing},")
    with hub_answers(doing):
        repo = name if "/" in name else f"{api.whoami()['name']}/{name}"
        card = folder / "README.md"
        if card.is_file():  # its snippets were written before the owner was known
            card.write_text(card.read_text().replace(f"OWNER/{name}", repo))
        more = {"space_sdk": sdk} if repo_type == "space" else {}
        api.create_repo(repo, repo_type=repo_type, private=True, exist_ok=True, **more)
        api.upload_folder(
            repo_id=repo,
            repo_type=repo_type,
            folder_path=folder,
            ignore_patterns=[MARK],
            commit_message="Published by wclib",
        )
    kind = {"model": "", "dataset": "datasets/", "space": "spaces/"}[repo_type]
    return f"{api.endpoint}/{kind}{repo}"
