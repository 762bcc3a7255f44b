"""The model of a launch without its weights: its config, the class it names, and its parameters at their real widths.

The architecture is transformers' own, built from its config class. Its defaults are the published widths of the 35B
checkpoint; what the class leaves open (the vision tower's output width) must equal the text width.
"""

from __future__ import annotations

import os
from typing import Any

import torch
import transformers
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel, Qwen3_5Config, Qwen3_5MoeConfig

from wclib.errors import UsageError
from wclib.train.launch.targets import DENSE, MOE


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
