"""What of a model an adapter may be put on, by name, and putting it there.

The command line reads the names: peft is imported by whoever adapts a model.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, cast

from wclib.errors import UsageError

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

#: The model of the published runs, and a dense one for smaller machines.
MOE, DENSE = "Qwen/Qwen3.5-35B-A3B", "Qwen/Qwen3.5-4B"

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
SEVEN = (*ATTENTION, "gate_proj", "up_proj", "down_proj")
VISION = r".*\.(visual|vision_tower|vision_model)\..*"
EXPERTS = ("mlp.experts.gate_up_proj", "mlp.experts.down_proj")

#: What ``--lora-targets`` takes: peft's arguments by name.
TARGETS: dict[str, dict[str, Any]] = {
    "attention": {"target_modules": list(ATTENTION), "exclude_modules": VISION},
    "seven": {"target_modules": list(SEVEN), "exclude_modules": VISION},
    "all-linear+vision": {"target_modules": "all-linear"},
    "all-linear": {"target_modules": "all-linear", "exclude_modules": VISION},
    "all-linear+experts": {
        "target_modules": "all-linear",
        "exclude_modules": VISION,
        "target_parameters": list(EXPERTS),
    },
}


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
    from peft import LoraConfig, get_peft_model

    settings = LoraConfig(r=rank, lora_alpha=alpha, task_type="CAUSAL_LM", **chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return cast("PeftModel", get_peft_model(model, settings))
        except ValueError as error:
            raise UsageError(f"--lora-targets {targets} finds nothing to adapt: {error}") from None
