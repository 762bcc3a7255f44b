"""What of a policy is trained: all of it, or a LoRA with and without the token embeddings.

The tiny policy ties its token embeddings to its output head, as Qwen3's small models do. A LoRA on every linear layer
leaves both frozen (PEFT's ``all-linear`` means all but the output head): it can turn the hidden state, not the rows
that say which colour is likely. ``lora+embeddings`` trains them too, still tied, to see whether that is what matters.

Try it: ``python -m wclib train laptop --adapter lora``
"""

from __future__ import annotations

import copy
from typing import Any

from peft import LoraConfig, PeftModel

RANK, ALPHA = 16, 128
ADAPTERS: dict[str, dict[str, Any] | None] = {
    "full": None,
    "lora": {"target_modules": "all-linear"},
    "lora+embeddings": {
        "target_modules": "all-linear",
        "modules_to_save": ["embed_tokens"],
        "ensure_weight_tying": True,
    },
}


def lora(name: str) -> LoraConfig | None:
    """PEFT's configuration of an adapter of :data:`ADAPTERS`; None for ``full``."""
    settings = ADAPTERS[name]
    if settings is None:
        return None
    return LoraConfig(r=RANK, lora_alpha=ALPHA, task_type="CAUSAL_LM", **settings)


def whole(model: Any) -> Any:
    """The model itself, or a merged copy of one that carries an adapter: a policy that loads without PEFT."""
    return copy.deepcopy(model).merge_and_unload() if isinstance(model, PeftModel) else model
