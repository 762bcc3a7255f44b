"""How the laptop's policy comes to be: its tokenizer, its architecture, and the SFT that teaches it to write a flower.

The architecture is Qwen3's (the model family of the big run) with the widths turned down: hidden 128, 3 layers. The
tokenizer is a byte-level BPE trained on procedural sketches, in which every line that never varies is one token, so
that a sketch is about fifty tokens and most of them are choices: a colour, an opacity, a reach.

Checkpoints are cached under ``~/.cache/wclib`` by a hash of everything that shapes them and can always be rebuilt.
Not covered: GPUs. The run that wants one starts from a real model.

Try it: ``python -m wclib train sft``
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from tqdm.auto import tqdm
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from wclib.train import procedural
from wclib.train.flower import FIXED_LINES
from wclib.train.libraries import one_thread
from wclib.train.policy import prompt_text

END, PAD = "<end>", "<pad>"
#: A colour or a number with the punctuation behind it, so that a choice is one token and can hardly break the syntax.
ARGUMENT = r"'#[0-9a-f]{6}'(?:, )?|[0-9.]+(?:, |\);\n|;\n)?"


@dataclass(frozen=True)
class Lessons:
    """What a policy is taught: ``sketch(seed)`` is ``(subject, source)``, ``fixed`` the text that never varies."""

    sketch: Callable[[int], tuple[str, str]]
    fixed: tuple[str, ...]


FLOWERS = Lessons(procedural.sketch, FIXED_LINES)


@dataclass(frozen=True)
class SFTConfig:
    """How the policy is built and taught. Rates and sizes are those measured to work on two cores.

    Attributes:
        steps, batch, learning_rate: AdamW, linear warm-up over 50 steps, then cosine to a tenth.
        hidden, layers: width and depth of the Qwen3 model.
        vocabulary: most tokens the BPE may have, fixed lines and specials included.
        seed: of the weights and of the sketches.
    """

    steps: int = 900
    batch: int = 16
    learning_rate: float = 3e-3
    hidden: int = 128
    layers: int = 3
    vocabulary: int = 850
    seed: int = 0


def build_tokenizer(size: int, corpus: int = 2000, lessons: Lessons = FLOWERS) -> PreTrainedTokenizerFast:
    """A byte-level BPE of at most ``size`` tokens, trained on ``corpus`` of the lessons; always the same one."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(ARGUMENT + r"|[^\s,();']+|[\s,();']+"), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    fixed = sorted(lessons.fixed, key=len, reverse=True)
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(fixed),
        special_tokens=[PAD, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )

    def texts() -> Iterator[str]:
        for seed in range(corpus):
            subject, source = lessons.sketch(seed)
            for line in fixed:
                source = source.replace(line, "\0")
            yield from source.split("\0")
            yield prompt_text(subject)

    tokenizer.train_from_iterator(texts(), trainer)
    tokenizer.add_tokens([AddedToken(line, normalized=False) for line in fixed])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, clean_up_tokenization_spaces=False
    )


def build_model(config: SFTConfig, tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """An untrained Qwen3 of the configured width for this tokenizer (float32)."""
    torch.manual_seed(config.seed)
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=config.hidden,
            intermediate_size=3 * config.hidden,
            num_hidden_layers=config.layers,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=config.hidden // 4,
            max_position_embeddings=512,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def _batch(tokenizer: PreTrainedTokenizerFast, seeds: range, lessons: Lessons) -> dict[str, torch.Tensor]:
    """Right-padded token ids of the sketches of ``seeds``; labels are -100 on prompts and padding."""
    rows, labels = [], []
    for seed in seeds:
        subject, source = lessons.sketch(seed)
        prompt = tokenizer(prompt_text(subject))["input_ids"]
        answer = tokenizer(source)["input_ids"] + [tokenizer.eos_token_id]
        rows.append(prompt + answer)
        labels.append([-100] * len(prompt) + answer)
    width = max(map(len, rows))
    pad = tokenizer.pad_token_id
    return {
        "input_ids": torch.tensor([row + [pad] * (width - len(row)) for row in rows]),
        "attention_mask": torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows]),
        "labels": torch.tensor([row + [-100] * (width - len(row)) for row in labels]),
    }


def cache_folder() -> Path:
    """Where built policies are kept: ``$XDG_CACHE_HOME/wclib``, by default ``~/.cache/wclib``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wclib"


def fingerprint(config: SFTConfig, lessons: Lessons = FLOWERS) -> str:
    """Hash of everything that shapes the checkpoint: the settings, the sketches, and the code that learns from them."""
    digest = hashlib.sha256(json.dumps(asdict(config), sort_keys=True).encode())
    for seed in range(200):
        digest.update(lessons.sketch(seed)[1].encode())
    for part in (build_tokenizer, build_model, _batch, sft):
        digest.update(inspect.getsource(part).encode())
    digest.update(ARGUMENT.encode())
    return digest.hexdigest()[:16]


def sft(
    config: SFTConfig | None = None,
    rebuild: bool = False,
    progress: bool = True,
    say: Callable[[str], None] = print,
    lessons: Lessons = FLOWERS,
) -> Path:
    """Build the policy, teach it its lessons, and return its folder (model, tokenizer, ``sft.json``).

    A folder that is already in the cache is returned at once unless ``rebuild``. Every step sees sketches it has not
    seen before: the generator has no end. ``sft.json`` holds the configuration, the loss by step and the seconds.
    """
    config = config or SFTConfig()
    folder = cache_folder() / f"policy-{fingerprint(config, lessons)}"
    if (folder / "sft.json").exists() and not rebuild:
        say(f"policy from the cache: {folder}")
        return folder
    cache_folder().mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    tokenizer = build_tokenizer(config.vocabulary, lessons=lessons)
    model = build_model(config, tokenizer)
    say(f"teaching a policy of {model.num_parameters() / 1e6:.2f} M parameters and {len(tokenizer)} tokens to write")
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate, betas=(0.9, 0.95), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda i: min(1, (i + 1) / 50) * (0.55 + 0.45 * math.cos(math.pi * min(1, i / max(1, config.steps)))),
    )
    losses = []
    with one_thread(), tqdm(total=config.steps, desc="SFT", unit="step", disable=not progress) as bar:
        for step in range(config.steps):
            first = (config.seed * 1000 + 1) * 1_000_000 + step * config.batch
            loss = model(**_batch(tokenizer, range(first, first + config.batch), lessons)).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(round(loss.item(), 4))
            bar.set_postfix(loss=f"{losses[-1]:.2f}", refresh=False)
            bar.update()
    with tempfile.TemporaryDirectory(dir=cache_folder(), prefix="building-") as building:
        target = Path(building) / "policy"
        model.eval().save_pretrained(target)
        tokenizer.save_pretrained(target)
        record = {"config": asdict(config), "seconds": round(time.monotonic() - started, 1), "loss": losses}
        (target / "sft.json").write_text(json.dumps(record))
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # another process may have put the same policy there in the meantime
            target.rename(folder)
    return folder
