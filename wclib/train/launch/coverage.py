"""Which parts of the model an adapter reaches, counted on the real architecture before a GPU is paid for.

Qwen3.5-MoE has 40 layers, and only 10 of them mix tokens by attention; the other 30 do it by a linear recurrence
whose projections have other names. The usual lists of module names therefore put an adapter in every layer (in the
shared expert) and still leave the token mixer of 30 layers frozen. The table here says so by module family and layer.

    python -m wclib.train.launch.coverage [Qwen/Qwen3.5-35B-A3B]

The architecture is transformers' own, built from its config class. Its defaults are the published widths of the 35B
checkpoint; what the class leaves open (the vision tower's output width) must equal the text width. At real widths the
model is built on the meta device: parameters are counted, none is allocated.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd
import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel, Qwen3_5Config, Qwen3_5MoeConfig

from wclib.errors import UsageError
from wclib.train.launch.targets import DENSE, EXPERTS, MOE, TARGETS, VISION

#: Families in the order of the table; the first pattern that fits a parameter's name decides.
FAMILIES: tuple[tuple[str, str], ...] = (
    ("vision tower", r"\.(visual|vision_tower|vision_model)\."),
    ("linear attention (token mixer)", r"\.linear_attn\."),
    ("attention (token mixer)", r"\.self_attn\."),
    ("routed experts", r"\.mlp\.experts\."),
    ("router", r"\.mlp\.gate\."),
    ("shared expert", r"\.mlp\.shared_expert"),
    ("feed-forward", r"\.mlp\."),
    ("embeddings and head", r"embed_tokens|lm_head"),
    ("norms", r"norm"),
)
MIXERS = ("linear attention (token mixer)", "attention (token mixer)")
_LAYER = re.compile(r"\.(?:layers|blocks)\.(\d+)\.")


def builtin_config(name: str, tiny: bool = False) -> PreTrainedConfig:
    """The config of the 35B mixture or of a dense 4B-class model, without the Hub.

    Args:
        name: :data:`MOE` or :data:`DENSE`.
        tiny: same layers and kinds of layers, widths turned down so that real weights fit anywhere.

    Raises:
        UsageError: another name.
    """
    small = {"hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "vocab_size": 512}
    small |= {"linear_key_head_dim": 16, "linear_value_head_dim": 16}
    small |= {"linear_num_key_heads": 2, "linear_num_value_heads": 2}
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "num_position_embeddings": 16}
    if name == MOE:
        text = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
        text = {**small, **text, "shared_expert_intermediate_size": 16} if tiny else {"hidden_size": 2048}
        kind: Any = Qwen3_5MoeConfig
    elif name == DENSE:
        text = {"hidden_size": 2560, "intermediate_size": 9216, "num_hidden_layers": 32, "tie_word_embeddings": True}
        text |= {**small, "intermediate_size": 128} if tiny else {}
        kind = Qwen3_5Config
        vision = vision if tiny else {"depth": 24, "hidden_size": 1024, "intermediate_size": 4096}
    else:
        raise UsageError(f"no built-in configuration for {name}; there are {MOE} and {DENSE}")
    vision = vision if tiny or name == DENSE else {}
    config = kind(
        text_config=text,
        vision_config={**vision, "out_hidden_size": text["hidden_size"]},
        tie_word_embeddings=text.get("tie_word_embeddings", False),
    )
    config.architectures = [f"{kind.__name__.removesuffix('Config')}ForConditionalGeneration"]
    return config


def model_config(name: str) -> tuple[PreTrainedConfig, str]:
    """A model's config and where it is from: its folder, the local Hub cache, the Hub, or the built-in one.

    Raises:
        UsageError: it cannot be had; says how to go on.
    """
    if os.path.isdir(name):
        return AutoConfig.from_pretrained(name), "its folder"
    try:
        return AutoConfig.from_pretrained(name, local_files_only=True), "the local cache"
    except (OSError, ValueError):
        pass
    if name in (MOE, DENSE):
        return builtin_config(name), "transformers' config class"
    try:
        return AutoConfig.from_pretrained(name), "the Hub"
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the config of {name} cannot be had ({type(error).__name__}): check the name and the network"
        ) from None


def model_class(config: PreTrainedConfig) -> Any:
    """The class the config names, which is the one an adapter must be loaded on."""
    return getattr(transformers, (config.architectures or [""])[0], None) or transformers.AutoModelForImageTextToText


def meta_model(config: PreTrainedConfig) -> PreTrainedModel:
    """The model at its real widths on the meta device: no weights, no memory."""
    with torch.device("meta"):
        return model_class(config)._from_config(config)


def with_adapter(model: PreTrainedModel, targets: str, rank: int = 16, alpha: int = 32) -> PeftModel:
    """``model`` with a fresh LoRA adapter on the named targets.

    Raises:
        UsageError: no such targets, or the model has none of them.
    """
    if targets not in TARGETS:
        raise UsageError(f"--lora-targets {targets!r} is none of {', '.join(TARGETS)}")
    chosen = dict(TARGETS[targets])
    names = [name for name, _ in model.named_parameters()]
    # peft warns about an exclusion that excludes nothing, and refuses parameters that are not there.
    if not any(re.fullmatch(VISION, f".{name}") for name in names):
        chosen.pop("exclude_modules", None)
    if "target_parameters" in chosen and not any(part in name for part in EXPERTS for name in names):
        raise UsageError(f"--lora-targets {targets}: this model has no routed experts; use all-linear")
    settings = LoraConfig(r=rank, lora_alpha=alpha, task_type="CAUSAL_LM", **chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return cast(PeftModel, get_peft_model(model, settings))
        except ValueError as error:
            raise UsageError(f"--lora-targets {targets} finds nothing to adapt: {error}") from None


@dataclass(frozen=True)
class Coverage:
    """What an adapter reaches.

    Attributes:
        targets: the name of the choice.
        kinds: family of the token mixer of each text layer.
        mixed: text layers whose token mixer carries an adapter.
        vision: whether the vision tower carries one.
        trainable, total: parameters of the adapter, and of the model without it.
        reached: family -> layers (or single modules) of it with an adapter.
        size: family -> ``(parameters, layers)`` of the model.
    """

    targets: str
    kinds: tuple[str, ...]
    mixed: frozenset[int]
    vision: bool
    trainable: int
    total: int
    reached: Mapping[str, int]
    size: Mapping[str, tuple[int, int]]

    @property
    def layers(self) -> int:
        """Text layers of the model."""
        return len(self.kinds)

    @property
    def mixers(self) -> int:
        """How many of them have an adapter on their token mixer."""
        return len(self.mixed)


def family(name: str) -> str:
    """The family a parameter belongs to, by its name."""
    return next((label for label, pattern in FAMILIES if re.search(pattern, f".{name}")), "other")


def measure(model: PeftModel, targets: str) -> Coverage:
    """Count what the adapter of a model reaches, by module family and layer."""
    reached: defaultdict[str, set[str]] = defaultdict(set)
    layers: defaultdict[str, set[str]] = defaultdict(set)
    added = 0
    size: Counter[str] = Counter()
    for name, parameter in model.named_parameters():
        kind, layer = family(name), _LAYER.search(f".{name}")
        place = layer[1] if layer else name.split(".lora_")[0]
        if ".lora_" in name:
            reached[kind].add(place)
            added += parameter.numel()
        else:
            layers[kind].add(place)
            size[kind] += parameter.numel()
    kinds = {int(place): kind for kind in MIXERS for place in layers[kind]}

    def count(places: set[str]) -> int:  # a tower's numbered blocks, not what stands before and behind them
        return len({place for place in places if place.isdigit()} or places)

    return Coverage(
        targets=targets,
        kinds=tuple(kinds[layer] for layer in sorted(kinds)),
        mixed=frozenset(int(place) for kind in MIXERS for place in reached[kind]),
        vision=bool(reached["vision tower"]),
        trainable=added,
        total=sum(size.values()),
        reached={kind: count(places) for kind, places in reached.items() if places},
        size={kind: (size[kind], count(layers[kind])) for kind in size},
    )


def coverage(config: PreTrainedConfig, targets: str, rank: int = 16) -> Coverage:
    """Coverage of one choice of targets at the config's widths, on the meta device."""
    model = with_adapter(meta_model(config), targets, rank)
    return measure(model, targets)


def every_choice(config: PreTrainedConfig, rank: int = 16) -> dict[str, Coverage]:
    """Coverage of every choice of targets that the model has."""
    found = {}
    for targets in TARGETS:
        try:
            found[targets] = coverage(config, targets, rank)
        except UsageError:
            continue  # a dense model has no experts
    return found


def table(found: Mapping[str, Coverage]) -> pd.DataFrame:
    """The coverage table: a row a choice of targets, a column a module family (layers reached of layers there).

    Args:
        found: from :func:`every_choice`.

    Returns:
        Columns ``token mixers``, ``adapter``, ``share`` (of all parameters), and one a family.
    """
    rows = {}
    for targets, seen in found.items():
        row = {"token mixers": f"{seen.mixers} of {seen.layers}", "adapter": f"{seen.trainable / 1e6:.1f} M"}
        row["share"] = f"{seen.trainable / seen.total:.3%}"
        for kind, (_, there) in seen.size.items():
            if kind not in ("norms", "other"):
                row[kind] = f"{seen.reached.get(kind, 0)}/{there}"
        rows[targets] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("targets")


def sizes(config: PreTrainedConfig) -> pd.DataFrame:
    """Where the parameters are: one row a family with its parameters and share of the whole, largest first."""
    count: Counter[str] = Counter()
    for name, parameter in meta_model(config).named_parameters():
        count[family(name)] += parameter.numel()
    frame = pd.DataFrame({"parameters": count}).sort_values("parameters", ascending=False)
    return frame.assign(share=frame.parameters / frame.parameters.sum()).rename_axis("family")


if __name__ == "__main__":
    print(table(every_choice(model_config(sys.argv[1] if len(sys.argv) > 1 else MOE)[0])).T.to_string())
