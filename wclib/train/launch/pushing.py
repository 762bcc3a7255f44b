"""Which files of a launch go where, and getting a pushed run back onto an empty disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wclib.errors import UsageError
from wclib.hub.upload import client, hub_answers
from wclib.train.keeping import DONE
from wclib.train.launch.flags import LAST, LaunchConfig
from wclib.train.launch.push import Pusher

_RECORD = ("run.json", "curve.csv", "rollouts.jsonl", "comparisons.jsonl", "eval/rollouts.jsonl")


class Pushes:
    """The pushes of one run, a context manager: a model repository for the run, a dataset for the film.

    Attributes:
        left: files that could not be sent, once it is closed.
    """

    def __init__(self, config: LaunchConfig, folder: Path, say: Callable[[str], None]):
        self._folder = folder
        self.left: list[str] = []
        self._run = self._film = None
        if config.push_to_hub is None and config.film is None:
            return
        api = client("pushing a run")
        names = [config.push_to_hub, config.film]
        with hub_answers("looking up whose run it is"):
            owner = api.whoami()["name"] if "" in names else ""
        if config.push_to_hub is not None:
            self._run = Pusher(api, config.push_to_hub or f"{owner}/{config.run_tag}", "model", folder, say)
        if config.film is not None:
            self._film = Pusher(api, config.film or f"{owner}/{config.run_tag}-film", "dataset", folder, say)

    def __enter__(self) -> Pushes:
        return self

    def __exit__(self, *_: object) -> None:
        for pusher in (self._run, self._film):
            if pusher:
                self.left += pusher.close()

    def rollouts(self, rows: Sequence[dict[str, Any]]) -> None:
        """A step's rollouts and paintings."""
        if self._film:
            names = [row[key] for row in rows for key in ("image", "source_file") if row[key]]
            tables = ["rollouts.jsonl", "comparisons.jsonl"]
            self._film.push(self._folder / name for name in [*names, *tables])

    def curve(self) -> None:
        """The run's record after a step."""
        if self._run:
            self._run.push(self._folder / name for name in _RECORD)

    def checkpoint(self, path: Path) -> None:
        """A whole checkpoint, optimizer state included."""
        if self._run:
            self._run.push([path])

    def final(self, path: Path) -> None:
        """The adapter or another last file or folder."""
        if self._run:
            self._run.push([path, *(self._folder / name for name in _RECORD)])


def fetch_run(where: str, target: Path, say: Callable[[str], None]) -> None:
    """Bring a pushed run's record and last whole checkpoint to ``target``, so that it can go on.

    Args:
        where: ``OWNER/NAME`` of the model repository; ``last`` or a checkpoint's folder do nothing here.

    Raises:
        UsageError: it cannot be fetched, or holds no run.
        InfrastructureFault: the Hub failed, or could not be reached.
    """
    if where == LAST or not re.fullmatch(r"[\w.-]+/[\w.-]+", where) or Path(where).exists():
        return
    api = client("fetching a run")
    with hub_answers(f"fetching {where}"):
        files = api.list_repo_files(where)
        marks = (re.fullmatch(rf"checkpoints/checkpoint-(\d+)/{DONE}", name) for name in files)
        whole = [int(found[1]) for found in marks if found]
        wanted = [*_RECORD, *([f"checkpoints/checkpoint-{max(whole)}/*"] if whole else [])]
        # Elsewhere first: a run that came half must not be taken for one that starts from its beginning.
        half = target.with_name(f".{target.name}.fetched")
        api.snapshot_download(where, allow_patterns=wanted, local_dir=half)
    if not (half / "run.json").exists():
        raise UsageError(f"{where} holds no run.json, so it is not a pushed run")
    if target.exists() and any(target.iterdir()):
        raise UsageError(f"{target} is not empty and holds no run; choose another --run-tag, or move what is there")
    half.rename(target)
    say(f"fetched {where}: " + (f"its checkpoint after step {max(whole)}" if whole else "no whole checkpoint yet"))


def fetch_adapter(where: str) -> Path:
    """The folder of an adapter: itself, or a snapshot of ``OWNER/NAME``.

    Raises:
        UsageError: it cannot be had.
    """
    if Path(where).is_dir():
        return Path(where)
    from wclib.hub.load import adapter_folder

    return adapter_folder(where)
