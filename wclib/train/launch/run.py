"""The launch itself: training between two probes, checkpoints, adapter, pushes; a step is :mod:`wclib.train.loop`'s.

One step is one generation: ``per_device_batch_size * gradient_accumulation_steps`` rollouts in groups that share one
prompt, one seed and hence one draw of references. A kill at any point loses nothing that was written, and the same
command goes on from the last whole checkpoint with the same draws and the same random numbers.

Not covered: several processes. The published run is one H200; the preflight refuses a larger world.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from peft import PeftModel
from transformers import PreTrainedTokenizerBase

from wclib import say
from wclib.errors import UsageError
from wclib.jsonl import read_rows
from wclib.train.launch.coverage import measure
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.guard import check_loaded, check_tensors
from wclib.train.launch.inputs import episodes, load_policy, trainer_arguments
from wclib.train.launch.mirror import Mirror
from wclib.train.launch.probe import probe, told
from wclib.train.launch.pushing import Pushes, fetch_run
from wclib.train.libraries import grpo_trainer, one_thread, quiet_libraries
from wclib.train.loop import Run, environment, kept
from wclib.train.record import flatten
from wclib.train.runlog import RunFolder, open_run
from wclib.train.scoring import Sessions
from wclib.train.summary import shown, thirds

TRUNCATED = (
    "top_p and top_k cut the sampled distribution, and the importance ratio compares probabilities of the whole one: "
    "the gradient is a little biased"
)
AGAIN = "The same command goes on from the last checkpoint"


def run_launch(config: LaunchConfig, say: Callable[[str], None] = say) -> dict[str, Any]:
    """Train, or go on with the run of this tag.

    Returns:
        ``tag``, ``folder``, ``steps``, ``rollouts``, ``unscored``, ``groups_unscored``, ``reward_first_third``,
        ``reward_last_third``, ``probe_before``, ``probe_after``, ``adapter`` (the guard's report), ``not_pushed``,
        ``minutes``.

    Raises:
        UsageError: a setting, folder, adapter or environment that does not fit.
        InfrastructureFault: environment or disk failed, or too many rollouts could not be scored; says how to go on.
    """
    began = time.monotonic()
    path = Path(config.out) / config.run_tag
    if config.resume_from_checkpoint and not (path / "run.json").exists():
        fetch_run(config.resume_from_checkpoint, path, say)
    started = (path / "run.json").exists()
    folder = open_run(config.out, config.run_tag, config.shaping(), started, say, config.longer)
    with kept(folder, AGAIN):
        say(f"run {folder.path}: " + ", ".join(f"{k} {v}" for k, v in flatten(config.shaping()).items()))
        with (
            quiet_libraries(),
            contextlib.nullcontext() if torch.cuda.is_available() else one_thread(),
            environment(folder, config.env_url, config.generation_batch, config.references) as sessions,
            Pushes(config, folder.path, say) as pushes,
            Mirror(config, say) as mirror,
        ):
            found = LaunchRun(config, folder, sessions, pushes, mirror, say).train()
    return {**found, "not_pushed": pushes.left, "minutes": (time.monotonic() - began) / 60}


class LaunchRun(Run):
    """One launch in progress, with its probes, its pushes and its mirror."""

    def __init__(
        self,
        config: LaunchConfig,
        folder: RunFolder,
        sessions: Sessions,
        pushes: Pushes,
        mirror: Mirror,
        say: Callable[[str], None],
    ):
        change = config.allow_backend_change
        super().__init__(folder, sessions, say, config.steps, config.num_generations, allow_backend_change=change)
        self.config, self.pushes, self.mirror = config, pushes, mirror
        self.checkpoint: Path | None = None
        if config.top_p < 1 or config.top_k:
            folder.update(note=TRUNCATED)

    def train(self) -> dict[str, Any]:
        """Probe, train what is left, save and check the adapter, probe; returns the summary."""
        config = self.config
        self.checkpoint, done = self.go_on()
        complete = done >= config.steps
        if complete:  # the policy is that of the checkpoint
            chosen = str(self.checkpoint)
            config = replace(config, resume_adapter=chosen) if config.lora else replace(config, model=chosen)
        model, tokenizer = load_policy(config)
        if isinstance(model, PeftModel):
            seen = measure(model)
            self.say(f"adapter: {config.targets}, token mixers of {seen.mixers} of {seen.layers} layers")
        before = self._probe(model, tokenizer, 0)
        if not complete:
            arguments = trainer_arguments(config, self.checkpoints)
            trainer = grpo_trainer(model, tokenizer, self.reward, episodes(config), arguments, [self])
            trainer.train(resume_from_checkpoint=str(self.checkpoint) if self.checkpoint else None)
        adapter = self._save(model, tokenizer)
        after = self._probe(model, tokenizer, config.steps)
        return self._summary(before, after, adapter)

    def scored(self) -> None:
        """Push the step's rollouts."""
        self.pushes.rollouts(self.step_rows)

    def stepped(self, row: dict[str, Any], model: Any, tokenizer: Any) -> None:
        """Write, mirror and push the step's row, and say how it goes."""
        super().stepped(row, model, tokenizer)
        self.mirror.log(row)
        self.pushes.curve()
        left = (self.steps - self.step - 1) * row["step_time"] / 60
        self.say(
            f"step {self.step + 1}/{self.steps}: reward {shown(row['reward'])}, scored {row['scored_share']:.0%}, "
            f"entropy {shown(row['entropy'])}, {row['step_time']:.1f} s (generate {row['generate_s']:.1f}, render "
            f"{row['render_s']:.1f}), about {left:.0f} minutes left"
        )

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        """A checkpoint's adapter must have been loaded as it was saved.

        Raises:
            UsageError: it was not.
        """
        if self.checkpoint is not None and isinstance(model, PeftModel):
            saved = check_tensors(model, self.checkpoint)
            self.say(f"checkpoint {self.checkpoint.name}: all {len(saved)} adapter tensors loaded as saved")

    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """A whole checkpoint is pushed."""
        super().on_save(args, state, control, **others)
        self.pushes.checkpoint(self.checkpoints / f"checkpoint-{state.global_step}")

    def where(self) -> tuple[Path | None, int]:
        """The checkpoint that was asked for, or the last whole one.

        Raises:
            UsageError: the one that was asked for is not there.
        """
        wanted = self.config.resume_from_checkpoint
        checkpoint, steps = super().where()
        if wanted and Path(wanted).name.startswith("checkpoint-"):
            checkpoint = self.checkpoints / Path(wanted).name
            if not checkpoint.is_dir():
                raise UsageError(f"{wanted} is no whole checkpoint of {self.folder.path}; leave WHERE out for the last")
            steps = int(checkpoint.name.split("-")[1])
            for path in self.checkpoints.glob("checkpoint-*"):  # a branch that is left must not be taken for the run
                if int(path.name.split("-")[1]) > steps:
                    shutil.rmtree(path.with_name(f"superseded-{path.name}"), ignore_errors=True)
                    path.rename(path.with_name(f"superseded-{path.name}"))
        return checkpoint, steps

    def _probe(self, model: Any, tokenizer: PreTrainedTokenizerBase, after_steps: int) -> dict[str, Any] | None:
        if not self.config.probe_samples:
            return None
        training = model.training
        found = probe(model, tokenizer, self.sessions, self.folder, self.config, self.weights, after_steps)
        model.train(training)
        self.say(told(f"after {after_steps} steps", found))
        self.folder.update(probes={**self.folder.run.get("probes", {}), str(after_steps): found})
        return found

    def _save(self, model: Any, tokenizer: PreTrainedTokenizerBase) -> dict[str, Any] | None:
        target = self.folder.path / ("adapter" if isinstance(model, PeftModel) else "policy")
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
        report = None
        if isinstance(model, PeftModel):
            passed = check_loaded(model, target)
            self.say(f"adapter saved and checked: {passed}")
            report = asdict(passed)
        self.folder.update(adapter=report)
        self.pushes.final(target)
        return report

    def _summary(self, before: Any, after: Any, adapter: Any) -> dict[str, Any]:
        rows, _ = read_rows(self.folder.path / "rollouts.jsonl")
        scored = pd.DataFrame(rows).groupby(["step", "group"])["reward"].count()
        found = {
            "tag": self.folder.tag,
            "folder": str(self.folder.path),
            "steps": len({row["step"] for row in rows}),
            "rollouts": len(rows),
            "unscored": len(rows) - int(scored.sum()),
            "groups_unscored": int((scored == 0).sum()),
            **thirds(pd.read_csv(self.folder.path / "curve.csv")["reward"]),
            "probe_before": before,
            "probe_after": after,
            "adapter": adapter,
        }
        self.folder.update(summary=found)
        self.pushes.final(self.folder.path / "run.json")
        return found
