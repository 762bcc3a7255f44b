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
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from tqdm.auto import tqdm
from trl import GRPOTrainer

from wclib import say
from wclib.domains import HIBISCUS
from wclib.errors import UsageError
from wclib.train.adapters import lora, whole
from wclib.train.config import LaptopConfig, preset
from wclib.train.evaluation import Evaluation, evaluate, evaluations
from wclib.train.libraries import grpo_arguments, grpo_trainer, one_thread, quiet_libraries
from wclib.train.loop import Run, environment, kept
from wclib.train.policy import load, prompt_text
from wclib.train.record import flatten
from wclib.train.runlog import RunFolder, open_run
from wclib.train.scoring import Sessions
from wclib.train.sft import sft
from wclib.train.steps import PARTS, UnscoredWatch, group_rows, group_seed
from wclib.train.summary import shown, summary, table


def run_laptop(
    config: LaptopConfig | None = None,
    out: Path | str = "runs",
    tag: str | None = None,
    resume: bool = False,
    env_url: str | None = None,
    progress: bool = True,
    say: Callable[[str], None] = say,
    pool: Path | str | None = None,
    allow_backend_change: bool = False,
) -> dict[str, Any]:
    """Train the tiny policy with rewards from the environment, or continue such a run.

    Args:
        config: the settings; None is the laptop preset, or, when resuming, those the run was started with. A resumed
            run may have more ``generations`` than it was started with.
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
        KeyboardInterrupt: stopped by hand; says how to go on.
    """
    started = time.monotonic()
    if resume and tag is None:
        raise UsageError("resuming needs the tag of the run: --tag NAME --resume")
    if pool and env_url:
        raise UsageError("--pool is for an environment of the run's own; the one at --env-url has its pool already")
    fresh = config or preset("laptop")
    tag = tag or f"{fresh.preset}-s{fresh.seed}-{time.strftime('%m%d-%H%M%S')}"
    given = None if resume and config is None else fresh.as_dict()
    folder = open_run(out, tag, given, resume, say, longer="generations")
    again = f"Go on with: python -m wclib train laptop --out {shlex.quote(str(out))} --tag {tag} --resume"
    again += f" --env-url {shlex.quote(env_url)}" if env_url else ""
    again += f" --pool {shlex.quote(str(pool))}" if pool else ""
    with kept(folder, again):
        config = LaptopConfig.from_dict(folder.run["config"])
        say(f"run {folder.path}: " + ", ".join(f"{k} {v}" for k, v in flatten(config.as_dict()).items()))
        count = min(16, config.groups * config.rollouts)
        ours = {"env": {"WATERCOLOUR_POOL_DIR": str(pool)} if pool else None, "quiet": not progress}
        with (
            quiet_libraries(),
            one_thread(),
            environment(folder, [env_url] if env_url else [], count, config.references, **ours) as sessions,
        ):
            LaptopRun(config, folder, sessions, progress, say, allow_backend_change).train()
        result = summary(folder.path, minutes=(time.monotonic() - started) / 60)
        folder.update(summary=result)
    return result


def generation_dataset(config: LaptopConfig) -> Dataset:
    """The prompts of a run with their groups' seeds, see :func:`wclib.train.steps.group_rows`."""
    seeds = (group_seed(config.seed, step, g) for step in range(config.generations) for g in range(config.groups))
    return group_rows(prompt_text, HIBISCUS.subjects, seeds)


class LaptopRun(Run):
    """One run of the tiny policy in progress, with its bar and its evaluations; see :class:`Run`."""

    def __init__(
        self,
        config: LaptopConfig,
        folder: RunFolder,
        sessions: Sessions,
        progress: bool,
        say: Callable[[str], None],
        allow_backend_change: bool,
    ):
        watch = UnscoredWatch(config.unscored_limit, config.unscored_window)
        super().__init__(
            folder, sessions, say, config.generations, config.rollouts, config.updates, watch, allow_backend_change
        )
        self.config, self.progress = config, progress
        self.totals = dict.fromkeys(PARTS, 0.0)
        self.base = self._base_policy()

    def train(self) -> None:
        """Evaluate, train what is left to train, evaluate."""
        checkpoint, done = self.go_on()
        model, tokenizer = load(self.base)
        if not any(item.after_steps == 0 for item in evaluations(self.folder.path)):
            self._tell(self.evaluate(model, tokenizer, 0))
        if done >= self.steps:
            return
        trainer = self._trainer(model, tokenizer)
        self.bar = tqdm(
            total=self.steps, initial=done, desc="GRPO", unit="step", disable=not self.progress, smoothing=0.1
        )
        with contextlib.closing(self.bar):
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)

    def evaluate(self, model: Any, tokenizer: Any, after_steps: int) -> Evaluation:
        """Evaluate a policy and keep it, so that the best one can be picked at the end."""
        whole(model).save_pretrained(self.checkpoints / f"policy-{after_steps:04d}")
        tokenizer.save_pretrained(self.checkpoints / f"policy-{after_steps:04d}")
        training = model.training
        result = evaluate(model.eval(), tokenizer, self.sessions, self.folder, self.config, self.weights, after_steps)
        model.train(training)
        return result

    def stepped(self, row: dict[str, Any], model: Any, tokenizer: Any) -> None:
        """Evaluate when it is time to, write the row, show how it goes."""
        done, result = self.step + 1, None
        if done % self.config.eval_every == 0 or done == self.steps:
            result = self.evaluate(model, tokenizer, done)
        super().stepped(row | {"evaluation": result and result.reward}, model, tokenizer)
        for name in self.totals:
            self.totals[name] += row[name]
        all_s = sum(self.totals.values()) or 1.0
        shares = " ".join(f"{name[:-2]} {value / all_s:.0%}" for name, value in self.totals.items())
        told = f"reward {shown(row['reward'])}, scored {row['scored_share']:.0%}, {shares}"
        self.bar.set_postfix_str(told, refresh=False)
        self.bar.update()
        if result:
            with tqdm.external_write_mode():
                self._tell(result)

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

    def _trainer(self, model: Any, tokenizer: Any) -> GRPOTrainer:
        config = self.config
        arguments = grpo_arguments(
            self.checkpoints,
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
            seed=config.seed,
            use_cpu=True,
            logging_steps=config.updates,
            save_steps=config.updates,
            save_total_limit=2,
        )
        torch.manual_seed(config.seed)  # an adapter is made before the trainer seeds itself
        rows, adapter = generation_dataset(config), lora(config.adapter)
        return grpo_trainer(model, tokenizer, self.reward, rows, arguments, [self], adapter)

    def _tell(self, result: Evaluation) -> None:
        self.say(
            f"evaluation after {result.after_steps} steps: {result.reward:.3f} over {result.scored} of "
            f"{result.samples} paintings"
        )


def run_seeds(
    config: LaptopConfig,
    seeds: Sequence[int],
    out: Path | str = "runs",
    tag: str | None = None,
    env_url: str | None = None,
    progress: bool = True,
    say: Callable[[str], None] = say,
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
