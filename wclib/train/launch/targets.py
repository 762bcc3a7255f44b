"""What of a model an adapter may be put on, by name; plain data, so that the command line need not wait for torch."""

from __future__ import annotations

from typing import Any

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
