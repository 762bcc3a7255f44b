"""How the libraries under a run behave: quiet, on one thread, and TRL as all our runs use it."""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers

if TYPE_CHECKING:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keep torch on one thread: beside busy browsers two threads were measured to be fifteen times slower."""
    before = torch.get_num_threads()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def quiet_libraries() -> Iterator[None]:
    """Keep the libraries' own bars, advice and per-row warnings out of a run's output; faults still raise."""
    names = ("transformers", "trl", "accelerate", "datasets")
    before = {name: logging.getLogger(name).level for name in names}
    bars = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    for name in names:
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
        if bars:
            transformers.utils.logging.enable_progress_bar()


def grpo_arguments(output: Path | str, **settings: Any) -> GRPOConfig:
    """TRL's settings, over those of all our runs: the order of prompts is data, nothing is reported elsewhere."""
    from trl import GRPOConfig

    ours: dict[str, Any] = {
        "use_cpu": not torch.cuda.is_available(),
        "bf16": False,
        "gradient_checkpointing": False,
        "shuffle_dataset": False,
        "remove_unused_columns": False,
        "logging_steps": 1,
        "report_to": "none",
        "disable_tqdm": True,
    }
    return GRPOConfig(output_dir=str(output), **{**ours, **settings})


def grpo_trainer(
    model: Any,
    tokenizer: Any,
    reward: Any,
    rows: Dataset,
    arguments: GRPOConfig,
    callbacks: Any = (),
    adapter: Any = None,
) -> GRPOTrainer:
    """TRL's trainer without its own printing; ``adapter`` is PEFT's configuration of one that it adds."""
    from trl import GRPOTrainer

    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward,
        args=arguments,
        train_dataset=rows,
        processing_class=tokenizer,
        callbacks=list(callbacks),
        peft_config=adapter,
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer
