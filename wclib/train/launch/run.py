"""The launch itself: policy, trainer, one async reward, probes, checkpoints, pushes.

One step is one generation: ``per_device_batch_size * gradient_accumulation_steps`` rollouts in groups that share one
prompt, one seed and hence one draw of references. Rollouts, comparisons and the curve are written by the same code as
the laptop run's, before the step goes on; a kill at any point loses nothing that was written, and the same command
goes on from the last whole checkpoint with the same draws and the same random numbers.

Not covered: several processes. The published run is one H200; the preflight refuses a larger world.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import PeftModel, get_peft_model_state_dict
from transformers import AutoTokenizer, PreTrainedTokenizerBase, PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from wclib.env.local import local_server
from wclib.errors import InfrastructureFault, UsageError
from wclib.jsonl import read_rows
from wclib.prompt import messages
from wclib.train.keeping import keep_group, last_checkpoint, mark_whole, same_environment
from wclib.train.launch.coverage import measure, model_class, model_config, with_adapter
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.guard import check_loaded, load_adapter, read_adapter
from wclib.train.launch.mirror import Mirror
from wclib.train.launch.probe import CHAT, probe, told
from wclib.train.launch.pushing import Pushes, fetch_adapter, fetch_run
from wclib.train.libraries import one_thread, quiet_libraries
from wclib.train.runlog import RunFolder, flatten, open_run
from wclib.train.scoring import Job, Sessions
from wclib.train.steps import StepClock, UnscoredWatch, curve_row, group_seed

TRUNCATED = (
    "top_p and top_k cut the sampled distribution, and the importance ratio compares probabilities of the whole one: "
    "the gradient is a little biased"
)
AGAIN = "Mend the cause and start the same command again: it goes on from the last checkpoint"


def run_launch(config: LaunchConfig, say: Callable[[str], None] = print) -> dict[str, Any]:
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
    folder = open_run(config.out, config.run_tag, config.shaping(), (path / "run.json").exists(), say)
    try:
        say(f"run {folder.path}: " + ", ".join(f"{k} {v}" for k, v in flatten(config.shaping()).items()))
        with quiet_libraries(), contextlib.ExitStack() as stack:
            if not torch.cuda.is_available():
                stack.enter_context(one_thread())
            log = folder.path / f"environment.{len(folder.run['starts'])}.log"
            urls = config.env_url or (stack.enter_context(local_server(log=log)),)
            sessions = stack.enter_context(Sessions(urls, max(config.generation_batch, len(urls)), config.references))
            pushes = stack.enter_context(Pushes(config, folder.path, say))
            mirror = stack.enter_context(Mirror(config, say))
            found = LaunchRun(config, folder, sessions, pushes, mirror, say).train()
        return {**found, "not_pushed": pushes.left, "minutes": (time.monotonic() - began) / 60}
    except (InfrastructureFault, OSError) as fault:
        part, detail = getattr(fault, "part", "disk"), getattr(fault, "detail", str(fault))
        raise InfrastructureFault(part, f"{detail}\nThe run is kept in {folder.path}. {AGAIN}") from fault
    finally:
        folder.close()


def load_policy(config: LaunchConfig) -> tuple[Any, PreTrainedTokenizerBase]:
    """Base model of the class its config names, with a fresh or a given adapter, and its tokenizer.

    Raises:
        UsageError: model or adapter cannot be had, or the adapter does not fit.
    """
    architecture, _ = model_config(config.model)
    place = {"device_map": {"": 0}} if torch.cuda.is_available() else {}
    dtype = torch.bfloat16 if config.bf16 else torch.float32
    try:
        model = model_class(architecture).from_pretrained(config.model, dtype=dtype, **place)
        tokenizer = AutoTokenizer.from_pretrained(config.model)
    except (OSError, ValueError) as error:
        raise UsageError(f"{config.model} cannot be loaded: {str(error).splitlines()[0]}") from None
    torch.manual_seed(config.seed)
    if config.resume_adapter:
        model, _ = load_adapter(model, fetch_adapter(config.resume_adapter), tokenizer, trainable=True)
    elif config.lora:
        model = with_adapter(model, config.targets, config.lora_r, config.alpha)
    return model, tokenizer


def episodes(config: LaunchConfig) -> Dataset:
    """The dataset: a row an episode with prompt, subject and the seed that makes its group's draw."""
    subjects = config.subjects
    rows = []
    for i in range(config.n_episodes):
        subject = subjects[i % len(subjects)]
        rows.append(
            {
                "prompt": messages(subject=subject),
                "subject": subject,
                "seed": group_seed(config.seed, i, 0),
                "episode": i,
            }
        )
    return Dataset.from_list(rows)


def trainer_arguments(config: LaunchConfig, output: Path) -> GRPOConfig:
    """TRL's settings for a launch."""
    entropy = {}
    if config.entropy_target is not None:
        entropy = {"use_adaptive_entropy": True, "entropy_target": config.entropy_target}
    return GRPOConfig(
        output_dir=str(output),
        per_device_train_batch_size=config.per_device_batch_size,
        gradient_accumulation_steps=config.gradient_accumulation_steps,
        num_generations=config.num_generations,
        max_steps=config.steps,
        learning_rate=config.lr,
        lr_scheduler_type=config.lr_scheduler,
        warmup_steps=config.warmup_steps,
        scale_rewards=config.scale_rewards,
        temperature=config.temperature,
        top_p=config.top_p,
        top_k=config.top_k,
        max_completion_length=config.max_completion_length,
        chat_template_kwargs=CHAT,
        bf16=config.bf16,
        gradient_checkpointing=config.gradient_checkpointing,
        shuffle_dataset=False,
        seed=config.seed,
        use_cpu=not torch.cuda.is_available(),
        remove_unused_columns=False,
        logging_steps=1,
        save_steps=config.save_steps,
        report_to="none",
        disable_tqdm=True,
        **entropy,
    )


def _of_checkpoint(config: LaunchConfig, checkpoint: Path | None) -> LaunchConfig:
    """The settings under which the policy is that of a checkpoint."""
    return replace(config, **{"resume_adapter" if config.lora else "model": str(checkpoint)})


class LaunchRun:
    """One launch in progress: what trainer, reward and callback share."""

    def __init__(
        self,
        config: LaunchConfig,
        folder: RunFolder,
        sessions: Sessions,
        pushes: Pushes,
        mirror: Mirror,
        say: Callable[[str], None],
    ):
        self.config, self.folder, self.sessions = config, folder, sessions
        self.pushes, self.mirror, self.say = pushes, mirror, say
        self.checkpoints = folder.path / "checkpoints"
        self.watch, self.clock = UnscoredWatch(), StepClock()
        self.step_rows: list[dict[str, Any]] = []
        self.step_began = 0.0
        self.steps_done = 0
        self.weights = same_environment(folder, sessions, say)
        if config.top_p < 1 or config.top_k:
            folder.update(note=TRUNCATED)

    def train(self) -> dict[str, Any]:
        """Probe, train what is left, save and check the adapter, probe; returns the summary."""
        config = self.config
        checkpoint, self.steps_done = self._where()
        if self.folder.run["starts"][-1]["resumed"]:
            moved = self.folder.supersede(self.steps_done)
            self.say(f"going on after {self.steps_done} of {config.steps} steps")
            for name, count in moved.items():
                self.say(f"{name}: {count} rows of steps that are done again are now in its .superseded file")
        complete = self.steps_done >= config.steps
        model, tokenizer = load_policy(_of_checkpoint(config, checkpoint) if complete else config)
        if isinstance(model, PeftModel):
            seen = measure(model, config.targets)
            self.say(f"adapter: {config.targets}, token mixers of {seen.mixers} of {seen.layers} layers")
        before = self._probe(model, tokenizer, 0)
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=self.reward,
            args=trainer_arguments(config, self.checkpoints),
            train_dataset=episodes(config),
            processing_class=tokenizer,
            callbacks=[_Recorder(self, checkpoint)],
        )
        trainer.remove_callback(PrinterCallback)
        if not complete:
            trainer.train(resume_from_checkpoint=checkpoint and str(checkpoint))
        adapter = self._save(trainer.model, tokenizer)
        after = self._probe(trainer.model, tokenizer, config.steps)
        return self._summary(before, after, adapter)

    async def reward(self, prompts: list[Any], completions: list[Any], **columns: Any) -> list[float | None]:
        """TRL's one reward function: a number, or None, a completion; everything is written down in between.

        Raises:
            InfrastructureFault: too many rollouts of the last steps could not be scored, a group faced different
                references, or the disk failed.
        """
        began = time.monotonic()
        jobs = self._jobs(completions, columns)
        scored = await self.sessions.score_async(jobs)
        self.clock = StepClock(generate_s=began - self.step_began).with_scores(scored, time.monotonic() - began)
        self.step_rows = []
        size = self.config.num_generations
        for first in range(0, len(scored), size):
            self.step_rows += keep_group(self.folder, scored[first : first + size], self.weights, size)
        lost = [item for item in scored if item.reward is None]
        self.pushes.rollouts(self.step_rows)
        self.watch.add(len(lost), len(scored), lost[-1].reason if lost else "")
        return [item.reward for item in scored]

    def _jobs(self, completions: Sequence[Any], columns: dict[str, Sequence[Any]]) -> list[Job]:
        size = self.config.num_generations
        jobs = []
        for i, completion in enumerate(completions):
            text = completion if isinstance(completion, str) else completion[-1]["content"]
            jobs.append(Job(text, columns["subject"][i], columns["seed"][i], self.steps_done, i // size, i % size))
        for first in range(0, len(jobs), size):
            if len({job.seed for job in jobs[first : first + size]}) > 1:
                raise InfrastructureFault(
                    "environment", "the trainer mixed two prompts in one group; nothing was scored"
                )
        return jobs

    def _where(self) -> tuple[Path | None, int]:
        wanted = self.config.resume_from_checkpoint
        checkpoint, steps = last_checkpoint(self.checkpoints)
        if wanted and Path(wanted).name.startswith("checkpoint-"):
            given = self.checkpoints / Path(wanted).name
            if not given.is_dir():
                raise UsageError(f"{wanted} is no whole checkpoint of {self.folder.path}; leave WHERE out for the last")
            steps = int(given.name.split("-")[1])
            for path in self.checkpoints.glob("checkpoint-*"):  # a branch that is left must not be taken for the run
                if int(path.name.split("-")[1]) > steps:
                    shutil.rmtree(path.with_name(f"superseded-{path.name}"), ignore_errors=True)
                    path.rename(path.with_name(f"superseded-{path.name}"))
            return given, steps
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
            report = passed.as_dict()
        self.folder.update(adapter=report)
        self.pushes.final(target)
        return report

    def _summary(self, before: Any, after: Any, adapter: Any) -> dict[str, Any]:
        rows, _ = read_rows(self.folder.path / "rollouts.jsonl")
        steps: dict[int, list[float]] = {}
        groups: dict[tuple[int, int], int] = {}
        for row in rows:
            groups.setdefault((row["step"], row["group"]), 0)
            if row["reward"] is not None:
                steps.setdefault(row["step"], []).append(row["reward"])
                groups[row["step"], row["group"]] += 1
        means = [statistics.fmean(steps[step]) for step in sorted(steps)]
        third = max(1, len(means) // 3)
        found = {
            "tag": self.folder.tag,
            "folder": str(self.folder.path),
            "steps": len({row["step"] for row in rows}),
            "rollouts": len(rows),
            "unscored": sum(row["reward"] is None for row in rows),
            "groups_unscored": sum(not count for count in groups.values()),
            "reward_first_third": statistics.fmean(means[:third]) if means else None,
            "reward_last_third": statistics.fmean(means[-third:]) if means else None,
            "probe_before": before,
            "probe_after": after,
            "adapter": adapter,
        }
        self.folder.update(summary=found)
        self.pushes.final(self.folder.path / "run.json")
        return found


class _Recorder(TrainerCallback):
    """The trainer's events as rows of the curve, whole checkpoints and pushes."""

    def __init__(self, run: LaunchRun, checkpoint: Path | None):
        self.run, self.checkpoint = run, checkpoint

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        if self.checkpoint is None or not isinstance(model, PeftModel):
            return
        saved, loaded = read_adapter(self.checkpoint), get_peft_model_state_dict(model)
        wrong = sorted(set(saved) ^ set(loaded)) or [
            name for name, tensor in saved.items() if not torch.equal(tensor, loaded[name].detach().cpu())
        ]
        if wrong:
            raise UsageError(
                f"{self.checkpoint}: {len(wrong)} tensors did not load (first: {wrong[0]}); nothing is trained"
            )
        self.run.say(f"checkpoint {self.checkpoint.name}: all {len(saved)} adapter tensors loaded as saved")

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.run.step_began, self.run.steps_done = time.monotonic(), state.global_step

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any], **_: Any) -> None:
        run = self.run
        if "loss" not in logs:
            return
        took, step = time.monotonic() - run.step_began, state.global_step - 1
        clock = run.clock
        row = {
            **curve_row(step, run.step_rows, logs, took),
            "generate_s": clock.generate_s,
            "render_s": clock.render_s,
            "judge_s": clock.judge_s,
            "update_s": took - clock.generate_s - clock.score_s,
        }
        run.folder.curve_row(row)
        run.mirror.log(row)
        run.pushes.curve()
        left = (run.config.steps - step - 1) * took / 60
        reward = "none" if row["reward"] is None else f"{row['reward']:.3f}"
        run.say(
            f"step {step + 1}/{run.config.steps}: reward {reward}, scored {row['scored_share']:.0%}, entropy "
            f"{logs.get('entropy', float('nan')):.3f}, {took:.1f} s (generate {clock.generate_s:.1f}, render "
            f"{clock.render_s:.1f}), about {left:.0f} minutes left"
        )

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        path = self.run.checkpoints / f"checkpoint-{state.global_step}"
        mark_whole(path, state.global_step)
        self.run.pushes.checkpoint(path)
