"""The laptop's policy: a code model of 0.7 M parameters that writes a sketch when it is given a subject.

What differs from the big run: it reads the user line only, not the system prompt, because everything the prompt
explains it has been taught by example (:mod:`wclib.train.sft`). It is labelled as what it is and claims nothing about
the big one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

from wclib.prompt import user_prompt
from wclib.train.libraries import one_thread


def prompt_text(subject: str) -> str:
    """What the policy is given to continue."""
    return user_prompt(subject) + "\n"


def load(folder: Path) -> tuple[Qwen3ForCausalLM, PreTrainedTokenizerFast]:
    """The model (float32, evaluation mode) and tokenizer of a policy folder."""
    model = Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return model, PreTrainedTokenizerFast.from_pretrained(folder)


def paint(
    model: Any,
    tokenizer: PreTrainedTokenizerFast,
    subjects: Sequence[str],
    seed: int,
    temperature: float = 1.0,
    top_p: float = 0.95,
    max_tokens: int = 256,
) -> list[str]:
    """One sketch a subject, sampled together from ``seed`` as :func:`sample` does."""
    with one_thread():
        return sample(model, tokenizer, [prompt_text(s) for s in subjects], seed, temperature, top_p, 0, max_tokens)


def sample(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[str],
    seed: int,
    temperature: float,
    top_p: float,
    top_k: int,
    max_tokens: int,
    batch: int | None = None,
) -> list[str]:
    """A reply a prompt, sampled from ``seed`` without touching the caller's random state.

    Args:
        model: in evaluation mode, on its device.
        tokenizer: the model's.
        prompts: texts to continue.
        seed: of the sampling.
        temperature, top_p, top_k, max_tokens: of the sampling; top_k 0 is off.
        batch: prompts at a time; None is all together.
    """
    replies: list[str] = []
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())), torch.inference_mode():
        torch.manual_seed(seed)
        for first in range(0, len(prompts), batch or len(prompts)):
            texts = list(prompts[first : first + (batch or len(prompts))])
            given = tokenizer(texts, return_tensors="pt", padding=True, padding_side="left", add_special_tokens=False)
            out = model.generate(
                input_ids=given["input_ids"].to(model.device),
                attention_mask=given["attention_mask"].to(model.device),
                do_sample=True,
                temperature=temperature,
                top_p=top_p,
                top_k=top_k,
                max_new_tokens=max_tokens,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
            )
            replies += tokenizer.batch_decode(out[:, given["input_ids"].shape[1] :], skip_special_tokens=True)
    return replies
