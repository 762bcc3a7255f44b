"""The HPSv3 scorer's Space: :mod:`wclib.hpsv3_space.app` and the files it is built from.

    python -m wclib publish hpsv3 --dry-run        assemble the folder, upload nothing
    make scorer-lock                                make requirements.txt again from requirements.in

The client is :mod:`wclib.judges.hpsv3`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from wclib.errors import UsageError

HERE = Path(__file__).resolve().parent
FILES = ("Dockerfile", "README.md", "app.py", "requirements.txt")


def assemble_hpsv3_space(out_dir: Path) -> list[str]:
    """Write the Space's folder and return its files, sorted.

    A folder that an earlier run wrote is replaced; anything else in the way is left alone.

    Raises:
        UsageError: the folder is in use for something else.
    """
    out = Path(out_dir)
    there = {path.name for path in out.iterdir()} if out.is_dir() else set()
    if (out.exists() and not out.is_dir()) or there - set(FILES):
        raise UsageError(f"{out} is in use for something else: name another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(HERE / name, out / name)
    return sorted(FILES)


def publish_hpsv3(out: Path, dry_run: bool, repo_id: str | None = None) -> dict[str, Any]:
    """Assemble the scorer's Space and upload it unless told not to.

    Args:
        out: folder to write; see :func:`assemble_hpsv3_space`.
        dry_run: upload nothing.
        repo_id: ``owner/name`` of the Space; the token's owner and ``hpsv3-scorer`` when None.

    Returns:
        ``{"out", "files", "bytes", "url"}``; ``url`` is None after a dry run.

    Raises:
        UsageError: the folder is in use for something else, or there is no token.
    """
    from wclib.hub import _upload

    files = assemble_hpsv3_space(out)
    url = None if dry_run else _upload(out, repo_id, "hpsv3-scorer")
    return {"out": str(out), "files": files, "bytes": sum((out / name).stat().st_size for name in files), "url": url}
