"""Which parts of the model an adapter reaches, counted on the real architecture before a GPU is paid for.

Qwen3.5-MoE has 40 layers, and only 10 of them mix tokens by attention; the other 30 do it by a linear recurrence
whose projections have other names. The usual lists of module names therefore put an adapter in every layer (in the
shared expert) and still leave the token mixer of 30 layers frozen. The table here says so by module family and layer.

    python -m wclib.train.launch.coverage [Qwen/Qwen3.5-35B-A3B]

At real widths the model is built on the meta device: parameters are counted, none is allocated.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from peft import PeftModel
from transformers import PreTrainedConfig

from wclib.errors import UsageError
from wclib.train.launch.architecture import meta_model, model_config
from wclib.train.launch.targets import MOE, TARGETS, with_adapter

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


@dataclass(frozen=True)
class Coverage:
    """What an adapter reaches.

    Attributes:
        kinds: family of the token mixer of each text layer.
        mixed: text layers whose token mixer carries an adapter.
        vision: whether the vision tower carries one.
        trainable, total: parameters of the adapter, and of the model without it.
        reached: family -> layers (or single modules) of it with an adapter.
        size: family -> ``(parameters, layers)`` of the model.
    """

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


def measure(model: PeftModel) -> Coverage:
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
    return measure(with_adapter(meta_model(config), targets, rank))


def every_choice(config: PreTrainedConfig) -> dict[str, Coverage]:
    """Coverage of every choice of targets that the model has, at the launch's rank of 16."""
    found = {}
    for targets in TARGETS:
        try:
            found[targets] = coverage(config, targets)
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


def sizes(seen: Coverage) -> pd.DataFrame:
    """Where the parameters are: one row a family with its parameters and share of the whole, largest first."""
    parameters = pd.Series({kind: count for kind, (count, _) in seen.size.items()}).sort_values(ascending=False)
    return pd.DataFrame({"parameters": parameters, "share": parameters / seen.total}).rename_axis("family")


if __name__ == "__main__":
    print(table(every_choice(model_config(sys.argv[1] if len(sys.argv) > 1 else MOE)[0])).T.to_string())
