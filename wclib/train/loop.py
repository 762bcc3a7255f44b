"""A GRPO run in progress, the laptop's and the launch's alike: what trainer, reward and callback share.

One step is one generation: groups of replies that share a prompt, a seed and hence one draw of references. Rollouts,
comparisons and the curve are on the disk before the next step, checkpoints are marked when they are whole, and a
resumed run makes the same draws.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from transformers import TrainerCallback

from wclib.env.local import local_server
from wclib.errors import InfrastructureFault
from wclib.train.keeping import keep_group, last_checkpoint, mark_whole, same_environment
from wclib.train.runlog import RunFolder
from wclib.train.scoring import Sessions
from wclib.train.steps import StepClock, UnscoredWatch, curve_row, generation_jobs

#: How torch says that it could not write a file to its end; safetensors has an exception for that.
_TORN = ("inline_container", "iostream error", "PytorchStreamWriter")


@contextlib.contextmanager
def environment(
    folder: RunFolder, urls: Sequence[str], count: int, references: int, **server: Any
) -> Iterator[Sessions]:
    """Sessions with the environments at ``urls``, or with one that is started (with ``server``) for the block."""
    with contextlib.ExitStack() as stack:
        log = folder.path / f"environment.{len(folder.run['starts'])}.log"
        chosen = urls or [stack.enter_context(local_server(log=log, **server))]
        yield stack.enter_context(Sessions(chosen, max(count, len(chosen)), references))


@contextlib.contextmanager
def kept(folder: RunFolder, again: str) -> Iterator[None]:
    """Close the run's folder, whatever ends the block, and say ``again``: how to go on.

    Raises:
        InfrastructureFault: environment or disk failed.
        KeyboardInterrupt: stopped by hand.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"everything up to the last whole step is kept in {folder.path}. {again}") from None
    except (InfrastructureFault, OSError, SafetensorError, RuntimeError) as fault:
        if isinstance(fault, RuntimeError) and not any(sign in str(fault) for sign in _TORN):
            raise
        part, detail = getattr(fault, "part", "disk"), getattr(fault, "detail", str(fault))
        if isinstance(fault, shutil.Error) and isinstance(fault.args[0], list):  # of copying a folder
            _, path, why = fault.args[0][0]
            detail = f"cannot write {path}: {why}"
        elif not isinstance(fault, InfrastructureFault | OSError):
            detail = f"a checkpoint cannot be written, or read again: {detail}"
        gone = not (folder.path / "run.json").exists()
        left = f"{folder.path} is gone: start the run anew" if gone else f"The run is kept in {folder.path}. {again}"
        raise InfrastructureFault(part, f"{detail}\n{left}") from fault
    finally:
        folder.close()


class Run(TrainerCallback):
    """One run in progress; as the trainer's callback it writes the curve and marks whole checkpoints.

    Args:
        folder: the run's open folder.
        sessions: sessions with the environment.
        say: gets lines for the person watching.
        steps: generations in all.
        rollouts: replies a group.
        updates: optimizer steps on each generation.
        watch: stops a run whose rollouts cannot be scored.
        allow_backend_change: go on although another WebGL backend paints now.
    """

    def __init__(
        self,
        folder: RunFolder,
        sessions: Sessions,
        say: Callable[[str], None],
        steps: int,
        rollouts: int,
        updates: int = 1,
        watch: UnscoredWatch | None = None,
        allow_backend_change: bool = False,
    ):
        self.folder, self.sessions, self.say = folder, sessions, say
        self.steps, self.rollouts, self.updates = steps, rollouts, updates
        self.checkpoints = folder.path / "checkpoints"
        self.watch, self.clock = watch or UnscoredWatch(), StepClock()
        self.step_rows: list[dict[str, Any]] = []
        self.step, self.step_began = 0, 0.0
        self.weights = same_environment(folder, sessions, say, allow_backend_change)

    def stepped(self, row: dict[str, Any], model: Any, tokenizer: Any) -> None:
        """A step is over; ``row`` is its row of the curve, to be written."""
        self.folder.curve_row(row)

    def where(self) -> tuple[Path | None, int]:
        """The checkpoint to go on from and the steps before it; ``(None, 0)`` at the beginning."""
        return last_checkpoint(self.checkpoints)

    def go_on(self) -> tuple[Path | None, int]:
        """As :meth:`where`, after moving the rows of steps that a resumed run does again out of the way."""
        checkpoint, done = self.where()
        if self.folder.run["starts"][-1]["resumed"]:
            moved = self.folder.supersede(done)
            self.say(f"going on after {done} of {self.steps} steps")
            for name, count in moved.items():
                self.say(f"{name}: {count} rows of steps that are done again are now in its .superseded file")
        return checkpoint, done

    async def reward(self, prompts: Any, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """TRL's one reward function: a number, or None, a completion; everything is written down in between.

        Raises:
            InfrastructureFault: too many rollouts of the last steps could not be scored, a group faced different
                references, or the disk failed.
        """
        began = time.monotonic()
        scored = await self.sessions.score_async(generation_jobs(completions, columns, self.step, self.rollouts))
        self.clock = StepClock(generate_s=began - self.step_began).with_scores(scored, time.monotonic() - began)
        self.step_rows = []
        for first in range(0, len(scored), self.rollouts):
            self.step_rows += keep_group(self.folder, scored[first : first + self.rollouts], self.weights)
        self.scored()
        lost = [item for item in scored if item.reward is None]
        self.watch.add(len(lost), len(scored), lost[-1].reason if lost else "")
        return [item.reward for item in scored]

    def scored(self) -> None:
        """A generation is scored and written down."""

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """The clock of a generation starts with the first update on it."""
        if state.global_step % self.updates == 0:
            self.step, self.step_began = state.global_step // self.updates, time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **others: Any) -> None:
        """The trainer's figures of a generation end it."""
        if logs and "loss" in logs:
            took = time.monotonic() - self.step_began
            row = curve_row(self.step, self.step_rows, logs, took) | self.clock.parts(took)
            self.stepped(row, others["model"], others["processing_class"])

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """A checkpoint is marked when it is whole."""
        mark_whole(self.checkpoints / f"checkpoint-{state.global_step}", state.global_step // self.updates)
