"""What a run pushes to the Hub while it trains: in the background, so that no fault of the network costs a step.

    OWNER/TAG (model)          checkpoints with optimizer state, run.json, curve.csv, rollouts, comparisons, adapter
    OWNER/TAG-film (dataset)   every painting with its sketch, and the rollouts, as they are made

Covered: the Hub away, slow or refusing: files wait, are tried again with growing pauses and told about at the end;
append-only files go up to their last whole line. Not covered: a Hub that stays away until the job's disk vanishes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

#: Seconds before the next try after the first fault; doubled up to the second figure.
PAUSES = (2.0, 300.0)
#: Tries in a row, while closing, after which what is left is left.
LAST_TRIES = 4


class Pusher:
    """Pushes files of one folder to one repository from a thread of its own. Nothing here raises into the caller.

    Args:
        api: the Hub's client.
        repo_id, repo_type: where to; created, private, when it is not there.
        root: the folder; a file keeps its path within it.
        say: gets a line about every fault.
        pauses: first and longest pause after a fault, in seconds.
    """

    def __init__(
        self,
        api: Any,
        repo_id: str,
        repo_type: str,
        root: Path,
        say: Callable[[str], None] = print,
        pauses: tuple[float, float] = PAUSES,
    ):
        self.repo_id, self.repo_type = repo_id, repo_type
        self._api, self._root, self._say, self._pauses = api, root, say, pauses
        self._waiting: dict[str, None] = {}
        self._sending: dict[str, None] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._created = False
        self.faults = 0
        self._thread = threading.Thread(target=self._work, name=f"push to {repo_id}", daemon=True)
        self._thread.start()

    def push(self, paths: Iterable[Path]) -> None:
        """Send these files or folders soon; returns at once."""
        names = [
            path.relative_to(self._root).as_posix()
            for given in paths
            for path in (sorted(given.rglob("*")) if given.is_dir() else [given])
            if path.is_file() and not path.name.startswith(".")
        ]
        with self._changed:
            self._waiting.update(dict.fromkeys(names))
            self._changed.notify()

    def close(self, timeout_s: float = 300.0) -> list[str]:
        """Send what is left, waiting at most ``timeout_s`` seconds; returns what could not be sent."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout_s)
        with self._changed:
            left = list({**self._sending, **self._waiting})
        if left:
            self._say(f"{len(left)} files did not reach {self.repo_id} (first: {left[0]}); they are in {self._root}")
        return left

    def _work(self) -> None:
        pause, failed = self._pauses[0], 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                self._sending, self._waiting = self._waiting, {}
            try:
                self._commit(list(self._sending))
                pause, failed = self._pauses[0], 0
            except Exception as error:  # whatever the network, the Hub or the disk did: the run goes on
                self.faults += 1
                failed += 1
                self._say(f"push to {self.repo_id} failed ({type(error).__name__}: {_line(error)}); it is tried again")
                with self._changed:
                    self._waiting = {**self._sending, **self._waiting}
                    if self._closing and failed >= LAST_TRIES:
                        return
                    if not self._closing:
                        self._changed.wait_for(lambda: self._closing, pause)
                if self._closing:
                    time.sleep(self._pauses[0])
                pause = min(2 * pause, self._pauses[1])
            finally:
                self._sending = {}

    def _commit(self, names: list[str]) -> None:
        from huggingface_hub import CommitOperationAdd

        if not self._created:
            self._api.create_repo(self.repo_id, repo_type=self.repo_type, private=True, exist_ok=True)
            self._created = True
        operations = [
            CommitOperationAdd(name, _whole_lines(path) if path.suffix in (".jsonl", ".csv") else str(path))
            for name in names
            if (path := self._root / name).is_file()  # superseded or removed since: nothing to send
        ]
        if operations:
            self._api.create_commit(
                self.repo_id, operations, repo_type=self.repo_type, commit_message=f"{len(operations)} files of the run"
            )


def _whole_lines(path: Path) -> bytes:
    data = path.read_bytes()
    return data[: data.rfind(b"\n") + 1]


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]
