"""The laptop run: the whole loop on two cores, from a bare policy to one that paints what the pool likes.

    environment server  <- real websockets ->  reward function  <-  TRL's GRPOTrainer  <-  SFT-taught tiny policy

What differs from the big run: the policy is 0.7 M parameters and fully fine-tuned (no LoRA), it reads the user line
only, and the judges are local ones fitted on the pool unless the environment is configured otherwise. The trainer, the
reward, the environment, the renderer and the run's folder are the same.

Covered: Ctrl-C and every fault of the machinery end a run with what is kept and how to go on; a resumed run continues
optimizer, random state and reference draws exactly; a run whose rollouts cannot be scored pauses.

Try it: ``python -m wclib train laptop --preset demo --tag first``
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tqdm.auto import tqdm
from transformers import PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from wclib.env.local import local_server
from wclib.errors import InfrastructureFault, UsageError
from wclib.train.adapters import lora, whole
from wclib.train.config import LaptopConfig, preset
from wclib.train.evaluation import Evaluation, evaluate, evaluations
from wclib.train.keeping import keep_group, last_checkpoint, mark_whole, same_environment
from wclib.train.libraries import one_thread, quiet_libraries
from wclib.train.policy import load, sft
from wclib.train.runlog import RunFolder, flatten, open_run
from wclib.train.scoring import Sessions
from wclib.train.steps import StepClock, UnscoredWatch, curve_row, generation_dataset, generation_jobs
from wclib.train.summary import summary, table


def run_laptop(
    config: LaptopConfig | None = None,
    out: Path | str = "runs",
    tag: str | None = None,
    resume: bool = False,
    env_url: str | None = None,
    progress: bool = True,
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    pool: Path | str | None = None,
    allow_backend_change: bool = False,
) -> dict[str, Any]:
    """Train the tiny policy with rewards from the environment, or continue such a run.

    Args:
        config: the settings; None is the laptop preset, or, when resuming, those the run was started with.
        out, tag: the run's folder is ``out/tag``; without a tag it is named after preset, seed and time.
        resume: continue the run of this tag from its last checkpoint.
        env_url: score on this environment; None starts one for the length of the run.
        progress: show bars. ``say`` gets every other line.
        pool: the folder of rated paintings to be rewarded by; None is what the environment variables say.
        allow_backend_change: resume although another WebGL backend paints now.

    Returns:
        The summary described at :func:`summary`.

    Raises:
        UsageError: a bad tag, folder or setting, before any work.
        InfrastructureFault: environment or disk failed, or too many rollouts could not be scored; says how to go on.
        KeyboardInterrupt: stopped by hand; how to go on was said.
    """
    started = time.monotonic()
    if resume and tag is None:
        raise UsageError("resuming needs the tag of the run: --tag NAME --resume")
    if pool and env_url:
        raise UsageError("--pool is for an environment of the run's own; the one at --env-url has its pool already")
    if config is None and not resume:
        config = preset("laptop")
    if tag is None:
        tag = f"{config.preset}-s{config.seed}-{time.strftime('%m%d-%H%M%S')}"
    folder = open_run(out, tag, config and config.as_dict(), resume, say)
    again = f"python -m wclib train laptop --out {shlex.quote(str(out))} --tag {tag} --resume"
    if env_url:
        again += f" --env-url {shlex.quote(env_url)}"
    if pool:
        again += f" --pool {shlex.quote(str(pool))}"
    try:
        config = LaptopConfig.from_dict(folder.run["config"])
        say(f"run {folder.path}: " + ", ".join(f"{k} {v}" for k, v in flatten(config.as_dict()).items()))
        with quiet_libraries(), one_thread(), contextlib.ExitStack() as stack:
            log = folder.path / f"environment.{len(folder.run['starts'])}.log"
            ours = {"WATERCOLOUR_POOL_DIR": str(pool)} if pool else None
            url = env_url or stack.enter_context(local_server(env=ours, log=log, quiet=not progress))
            sessions = stack.enter_context(Sessions(url, min(16, config.groups * config.rollouts), config.references))
            run = LaptopRun(config, folder, sessions, progress, say, allow_backend_change)
            run.train()
        result = summary(folder.path, minutes=(time.monotonic() - started) / 60)
        folder.update(summary=result)
        return result
    except KeyboardInterrupt:
        say(f"stopped; everything up to the last whole step is kept. Go on with: {again}")
        raise
    except (InfrastructureFault, OSError) as fault:
        part, detail = getattr(fault, "part", "disk"), getattr(fault, "detail", str(fault))
        raise InfrastructureFault(part, f"{detail}\nThe run is kept. Go on with: {again}") from fault
    finally:
        folder.close()


class LaptopRun:
    """One run in progress: what the trainer, its reward function and its callback share.

    Args:
        config: the settings.
        folder: the run's open folder.
        sessions: sessions with the environment.
        progress: show bars.
        say: gets lines for the person watching.
        allow_backend_change: go on although another WebGL backend paints now.
    """

    def __init__(
        self,
        config: LaptopConfig,
        folder: RunFolder,
        sessions: Sessions,
        progress: bool,
        say: Callable[[str], None],
        allow_backend_change: bool = False,
    ):
        self.config, self.folder, self.sessions, self.progress, self.say = config, folder, sessions, progress, say
        self.checkpoints = folder.path / "checkpoints"
        self.watch = UnscoredWatch(config.unscored_limit, config.unscored_window)
        self.clock = StepClock()
        self.step_rows: list[dict[str, Any]] = []
        self.step_began = 0.0
        self.weights = same_environment(folder, sessions, say, allow_backend_change)
        self.base = self._base_policy()

    def train(self) -> None:
        """Evaluate, train what is left to train, evaluate."""
        checkpoint, steps = last_checkpoint(self.checkpoints)
        if self.folder.run["starts"][-1]["resumed"]:
            moved = self.folder.supersede(steps)
            self.say(f"going on after {steps} of {self.config.generations} steps")
            for name, count in moved.items():
                self.say(f"{name}: {count} rows of steps that are done again are now in its .superseded file")
        model, tokenizer = load(self.base)
        known = {item.after_steps: item for item in evaluations(self.folder.path)}
        if 0 not in known:
            self._tell(self.evaluate(model, tokenizer, 0))
        if steps >= self.config.generations:
            return
        trainer = self._trainer(model, tokenizer, steps)
        with contextlib.closing(self.bar):
            trainer.train(resume_from_checkpoint=checkpoint and str(checkpoint))

    def evaluate(self, model: Any, tokenizer: Any, after_steps: int) -> Evaluation:
        """Evaluate a policy and keep it, so that the best one can be picked at the end."""
        whole(model).save_pretrained(self.checkpoints / f"policy-{after_steps:04d}")
        tokenizer.save_pretrained(self.checkpoints / f"policy-{after_steps:04d}")
        training = model.training
        result = evaluate(model.eval(), tokenizer, self.sessions, self.folder, self.config, self.weights, after_steps)
        model.train(training)
        return result

    def reward(self, prompts: list[str], completions: list[str], **columns: Any) -> list[float | None]:
        """TRL's reward function: one number, or None, a completion; in between, everything is written down.

        Raises:
            InfrastructureFault: too many rollouts of the last steps could not be scored, or the disk failed.
        """
        began = time.monotonic()
        jobs = generation_jobs(completions, columns)
        scored = self.sessions.score(jobs)
        scoring_s = time.monotonic() - began
        self.clock = StepClock(generate_s=began - self.step_began).with_scores(scored, scoring_s)
        self.step_rows = []
        for group in range(self.config.groups):
            kept = [item for item in scored if item.job.group == group]
            self.step_rows += keep_group(self.folder, kept, self.weights, self.config.rollouts)
        lost = [item for item in scored if item.reward is None]
        self.watch.add(len(lost), len(scored), lost[-1].reason if lost else "")
        return [item.reward for item in scored]

    def _base_policy(self) -> Path:
        base = self.checkpoints / "base"
        if not (base / "sft.json").exists():
            taught = sft(self.config.sft, progress=self.progress, say=self.say)
            shutil.rmtree(base, ignore_errors=True)
            building = base.with_name("base.building")
            shutil.rmtree(building, ignore_errors=True)
            shutil.copytree(taught, building)
            building.rename(base)
        return base

    def _trainer(self, model: Any, tokenizer: Any, done: int) -> GRPOTrainer:
        config = self.config
        arguments = GRPOConfig(
            output_dir=str(self.checkpoints),
            per_device_train_batch_size=config.groups * config.rollouts,
            num_generations=config.rollouts,
            num_iterations=config.updates,
            max_steps=config.generations * config.updates,
            learning_rate=config.learning_rate,
            lr_scheduler_type="constant",
            beta=config.beta,
            adam_beta2=config.adam_beta2,
            max_grad_norm=config.max_grad_norm,
            scale_rewards="none",
            temperature=config.temperature,
            top_p=config.top_p,
            top_k=0,
            max_completion_length=config.max_tokens,
            shuffle_dataset=False,
            seed=config.seed,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            remove_unused_columns=False,
            logging_steps=config.updates,
            save_steps=config.updates,
            save_total_limit=2,
            report_to="none",
            disable_tqdm=True,
        )
        torch.manual_seed(config.seed)  # an adapter is made before the trainer seeds itself
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=self.reward,
            args=arguments,
            train_dataset=generation_dataset(config),
            processing_class=tokenizer,
            peft_config=lora(config.adapter),
            callbacks=[_Recorder(self)],
        )
        trainer.remove_callback(PrinterCallback)
        self.bar = tqdm(
            total=config.generations, initial=done, desc="GRPO", unit="step", disable=not self.progress, smoothing=0.1
        )
        return trainer

    def _tell(self, result: Evaluation) -> None:
        self.say(
            f"evaluation after {result.after_steps} steps: {result.reward:.3f} over {result.scored} of "
            f"{result.samples} paintings"
        )


class _Recorder(TrainerCallback):
    """Turns the trainer's events into the run's curve, checkpoints that are known to be whole, and the progress bar."""

    def __init__(self, run: LaptopRun):
        self.run = run
        self.totals = dict.fromkeys(("generate_s", "render_s", "judge_s", "update_s"), 0.0)

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step % self.run.config.updates == 0:
            self.run.step_began = time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any], **others: Any) -> None:
        run, config = self.run, self.run.config
        if "loss" not in logs:
            return
        took = time.monotonic() - run.step_began
        clock = run.clock
        seconds = {
            "generate_s": clock.generate_s,
            "render_s": clock.render_s,
            "judge_s": clock.judge_s,
            "update_s": took - clock.generate_s - clock.score_s,
        }
        step = state.global_step // config.updates - 1
        result = None
        if (step + 1) % config.eval_every == 0 or step + 1 == config.generations:
            result = run.evaluate(others["model"], others["processing_class"], step + 1)
        row = curve_row(step, run.step_rows, logs, took)
        run.folder.curve_row({**row, **seconds, "evaluation": result and result.reward})
        self._show(row, seconds)
        if result:
            with tqdm.external_write_mode():
                run._tell(result)

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        path = self.run.checkpoints / f"checkpoint-{state.global_step}"
        mark_whole(path, state.global_step // self.run.config.updates)

    def _show(self, row: dict[str, Any], seconds: dict[str, float]) -> None:
        for name, value in seconds.items():
            self.totals[name] += value
        whole = sum(self.totals.values()) or 1.0
        shares = " ".join(f"{name[:-2]} {value / whole:.0%}" for name, value in self.totals.items())
        reward = "none" if row["reward"] is None else f"{row['reward']:.3f}"
        bar = self.run.bar
        bar.set_postfix_str(f"reward {reward}, scored {row['scored_share']:.0%}, {shares}", refresh=False)
        bar.update()


def run_seeds(
    config: LaptopConfig,
    seeds: Sequence[int],
    out: Path | str = "runs",
    tag: str | None = None,
    env_url: str | None = None,
    progress: bool = True,
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    pool: Path | str | None = None,
) -> list[dict[str, Any]]:
    """The same run under several seeds, one after another: the runs' summaries, after telling their table.

    Each run's folder is ``<tag>-s<seed>``. The taught policy and the evaluation set are the same for all.

    Raises:
        UsageError: a seed is given twice or has a run of that tag already, before any work; and as :func:`run_laptop`.
    """
    tag = tag or f"{config.preset}-{time.strftime('%m%d-%H%M%S')}"
    if len(set(seeds)) < len(seeds):
        raise UsageError(f"--seeds {' '.join(map(str, seeds))} names a seed twice; give each once")
    if there := [path for seed in seeds if (path := Path(out) / f"{tag}-s{seed}").exists()]:
        raise UsageError(f"{there[0]} is there already; choose another --tag, or continue it by its own with --resume")
    results = []
    for seed in seeds:
        results.append(
            run_laptop(replace(config, seed=seed), out, f"{tag}-s{seed}", False, env_url, progress, say, pool)
        )
        say(table(results))
    return results
