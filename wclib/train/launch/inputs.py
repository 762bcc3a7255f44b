"""What goes into a launch's trainer: the policy with its adapter, the prompts with their draws, TRL's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoTokenizer, PreTrainedTokenizerBase
from trl import GRPOConfig

from wclib.errors import UsageError
from wclib.prompt import messages
from wclib.train.launch.architecture import model_class, model_config
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.guard import load_adapter
from wclib.train.launch.probe import CHAT
from wclib.train.launch.pushing import fetch_adapter
from wclib.train.launch.targets import with_adapter
from wclib.train.libraries import grpo_arguments
from wclib.train.steps import group_rows, group_seed


def load_policy(config: LaunchConfig) -> tuple[Any, PreTrainedTokenizerBase]:
    """Base model of the class its config names, with a fresh or a given adapter, and its tokenizer.

    Raises:
        UsageError: model or adapter cannot be had, or the adapter does not fit.
    """
    try:
        model, tokenizer = load_base(config.model, torch.bfloat16 if config.bf16 else torch.float32)
    except (OSError, ValueError) as error:
        raise UsageError(f"{config.model} cannot be loaded: {str(error).splitlines()[0]}") from None
    torch.manual_seed(config.seed)
    if config.resume_adapter:
        model, _ = load_adapter(model, fetch_adapter(config.resume_adapter), tokenizer, trainable=True)
    elif config.lora:
        model = with_adapter(model, config.targets, config.lora_r, config.alpha)
    return model, tokenizer


def load_base(name: str, dtype: torch.dtype) -> tuple[Any, PreTrainedTokenizerBase]:
    """The model of the class its config names, on the GPU where there is one, and its tokenizer."""
    architecture, _ = model_config(name)
    place = {"": 0} if torch.cuda.is_available() else None
    model = model_class(architecture).from_pretrained(name, dtype=dtype, device_map=place)
    return model, AutoTokenizer.from_pretrained(name)


def episodes(config: LaunchConfig) -> Dataset:
    """The dataset: a row an episode with prompt, subject and the seed that makes its group's draw."""
    seeds = (group_seed(config.seed, i, 0) for i in range(config.n_episodes))
    return group_rows(lambda subject: messages(subject=subject), config.subjects, seeds)


def trainer_arguments(config: LaunchConfig, output: Path) -> GRPOConfig:
    """TRL's settings for a launch."""
    entropy: dict[str, Any] = {}
    if config.entropy_target is not None:
        entropy = {"use_adaptive_entropy": True, "entropy_target": config.entropy_target}
    return grpo_arguments(
        output,
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
        seed=config.seed,
        save_steps=config.save_steps,
        **entropy,
    )
