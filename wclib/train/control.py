"""The control task, without browser and judge: whether this trainer can learn anything at all.

A policy of 0.45 M parameters is taught sketches of 2 to 14 filled circles and then paid for painting 24 of them:
``exp(-((n_fill - 24) / 10) ** 2)``, with ``n_fill`` the times it writes ``brush.fill(``, and 0 unless the gate would
admit the source. Such a reward costs nothing and cannot be misread: a curve that stays flat here says something about
the trainer's settings, and nothing about rendering or judging. The task is the published recipe's; the policy and the
sizes are ours. The trainer is TRL's GRPO with a PEFT LoRA, as in the big run.

What it says of the trainer's settings: :mod:`wclib.train.studies`.
"""

from __future__ import annotations

import math
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from peft import LoraConfig
from tqdm.auto import tqdm
from transformers import TrainerCallback

from wclib.domains import HIBISCUS
from wclib.gate import check_source
from wclib.train.adapters import ALPHA, RANK
from wclib.train.flower import DRAW, SETUP
from wclib.train.libraries import grpo_arguments, grpo_trainer, one_thread, quiet_libraries
from wclib.train.policy import load, prompt_text
from wclib.train.procedural import PAPERS
from wclib.train.sft import Lessons, SFTConfig, sft
from wclib.train.steps import group_rows

TARGET, WIDTH = 24, 10
COLOURS = ("#f2a07a", "#eed3c4", "#c93184", "#f5c84a", "#e85c48", "#6b9a4d")
FIXED = (SETUP + DRAW, ");\n  brush.noStroke();\n", "  brush.fill(", "  brush.circle(", "0.3);\n", "}\n")


def sketch(seed: int) -> tuple[str, str]:
    """``(subject, source)``: 2 to 14 filled circles, their colours and places from the seed."""
    rng = random.Random(f"control sketch {seed}")

    def place() -> int:
        return rng.randrange(100, 501, 20)

    circles = "".join(
        f"  brush.fill('{rng.choice(COLOURS)}', {rng.randrange(150, 231, 20)});\n"
        f"  brush.circle({place()}, {place()}, {rng.randrange(20, 101, 20)}, 0.3);\n"
        for _ in range(rng.randint(2, 14))
    )
    return rng.choice(HIBISCUS.subjects), f"{FIXED[0]}'{rng.choice(PAPERS)}'{FIXED[1]}{circles}{FIXED[-1]}"


LESSONS = Lessons(sketch, FIXED)


@dataclass(frozen=True)
class ControlConfig:
    """One run; the defaults are those that learn.

    Attributes:
        learning_rate, scheduler, scale_rewards, target_modules: the four settings the recipe changed.
        max_grad_norm: where TRL clips the gradient. At TRL's own 1.0 nothing is clipped here, and at 3e-4 one of three
            seeds broke in a single update (data/runs).
        well_formed: pay only for what the gate admits; without it the reward can be hacked.
        steps: each of ``groups`` prompts, sampled ``rollouts`` times.
    """

    learning_rate: float = 3e-4
    scheduler: str = "constant"
    scale_rewards: str = "none"
    target_modules: str | tuple[str, ...] = "all-linear"
    max_grad_norm: float = 0.1
    well_formed: bool = True
    seed: int = 0
    steps: int = 40
    groups: int = 4
    rollouts: int = 8
    max_tokens: int = 256
    sft: SFTConfig = SFTConfig(steps=300, layers=2, vocabulary=512)


def score(reply: str, well_formed: bool = True, valid: bool | None = None) -> float:
    """The reward of a reply in [0, 1]; ``valid`` is the gate's verdict on it where it is known already."""
    if well_formed and not (check_source(reply).passed if valid is None else valid):
        return 0.0
    return math.exp(-(((reply.count("brush.fill(") - TARGET) / WIDTH) ** 2))


def run_control(
    config: ControlConfig, progress: bool = True, say: Callable[[str], None] = lambda text: None
) -> pd.DataFrame:
    """Train one policy; a row a step.

    Returns:
        ``step``; ``reward``, ``valid_share``, ``n_fill`` and ``length`` (tokens), means over the step's replies; the
        trainer's ``entropy``, ``grad_norm`` and ``learning_rate``; ``cpu_s``, CPU seconds of training up to there.
    """
    rows: list[dict[str, Any]] = []

    def reward(prompts: list[str], completions: list[str], **_: Any) -> list[float]:
        valid = [check_source(reply).passed for reply in completions]
        rewards = [score(reply, config.well_formed, ok) for reply, ok in zip(completions, valid, strict=True)]
        fills = [reply.count("brush.fill(") for reply in completions]
        names = ("reward", "valid_share", "n_fill")
        means = (sum(values) / len(values) for values in (rewards, valid, fills))
        rows.append({"step": len(rows), **dict(zip(names, means, strict=True))})
        return rewards

    class Recorder(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" in logs:
                rows[-1] |= {"length": logs["completions/mean_length"], "cpu_s": time.process_time() - began}
                rows[-1] |= {name: logs[name] for name in ("entropy", "grad_norm", "learning_rate")}
                told = f"reward {rows[-1]['reward']:.3f}, valid {rows[-1]['valid_share']:.0%}"
                bar.set_postfix_str(told, refresh=False)
                bar.update()

    with quiet_libraries(), one_thread(), tempfile.TemporaryDirectory() as folder:
        model, tokenizer = load(sft(config.sft, progress=progress, say=say, lessons=LESSONS))
        arguments = grpo_arguments(
            folder,
            per_device_train_batch_size=config.groups * config.rollouts,
            num_generations=config.rollouts,
            max_steps=config.steps,
            learning_rate=config.learning_rate,
            lr_scheduler_type=config.scheduler,
            scale_rewards=config.scale_rewards,
            max_grad_norm=config.max_grad_norm,
            max_completion_length=config.max_tokens,
            seed=config.seed,
            use_cpu=True,
            save_strategy="no",
        )
        seeds = range(config.steps * config.groups)
        prompts = group_rows(prompt_text, HIBISCUS.subjects, seeds)
        modules = config.target_modules if isinstance(config.target_modules, str) else list(config.target_modules)
        adapter = LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=modules, task_type="CAUSAL_LM")
        torch.manual_seed(config.seed)  # the adapter is made before the trainer seeds itself
        with tqdm(total=config.steps, desc="control", unit="step", disable=not progress) as bar:
            trainer = grpo_trainer(model, tokenizer, reward, prompts, arguments, [Recorder()], adapter)
            began = time.process_time()
            trainer.train()
    return pd.DataFrame(rows)
