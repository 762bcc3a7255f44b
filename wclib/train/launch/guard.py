"""Loading an adapter so that a miss cannot pass for a success.

An adapter trained on the class a config names (``...ForConditionalGeneration``) and loaded on ``AutoModelForCausalLM``
matches no key: peft warns, and the model answers exactly like its base. Every score measured with it is the base's.
So: count the keys, require every ``lora_B`` of the text layers to have moved, and require the logits to change. The
probe, a resumed run and the model card's loading snippet go through :func:`load_adapter` or :func:`check_loaded`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from peft import PeftModel, get_peft_model_state_dict
from safetensors import SafetensorError
from safetensors.torch import load_file
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from wclib.errors import UsageError
from wclib.prompt import user_prompt
from wclib.train.launch.targets import VISION

WEIGHTS = "adapter_model.safetensors"


@dataclass(frozen=True)
class Passed:
    """What the guard saw: keys matched, adapted modules, and the largest change of a logit."""

    keys: int
    modules: int
    logit_change: float

    def __str__(self) -> str:
        change = f"logits change by up to {self.logit_change:.2g}"
        return f"{self.keys} keys matched, {self.modules} lora_B all nonzero, {change}"


def read_adapter(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of a saved adapter.

    Raises:
        UsageError: there is none in the folder, or its file was cut short.
    """
    path = Path(folder) / WEIGHTS
    if not path.is_file():
        raise UsageError(f"{path} is not there: name a folder that save_pretrained of peft wrote")
    try:
        return load_file(path)
    except SafetensorError as error:
        raise UsageError(f"{path} is torn ({error}): take an earlier checkpoint") from None


def check_saved(folder: Path) -> int:
    """The number of adapted modules of a saved adapter, checked without its base model.

    Raises:
        UsageError: no adapter, or a lora_B that is still zero (nothing was trained there).
    """
    return _moved(read_adapter(folder), Path(folder))


def check_loaded(model: PeftModel, folder: Path, input_ids: torch.Tensor | None = None) -> Passed:
    """Check that ``model`` really carries the adapter of ``folder``.

    Args:
        model: the base model with the adapter loaded.
        folder: where the adapter is.
        input_ids: a prompt, ``(1, length)``; a short one of the model's first tokens when None.

    Raises:
        UsageError: as :func:`check_tensors`, and for a lora_B of zeros, or logits that do not change.
    """
    saved = check_tensors(model, folder)
    modules = _moved(saved, Path(folder))
    change = _logit_change(model, input_ids)
    if not change > 0:
        raise UsageError(f"the logits are the same with and without the adapter of {folder}: it has no effect")
    return Passed(len(saved), modules, change)


def check_tensors(model: PeftModel, folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of the adapter in ``folder``, each of which ``model`` carries as it was saved.

    Raises:
        UsageError: keys that match nothing, or tensors that differ.
    """
    saved = read_adapter(folder)
    loaded = get_peft_model_state_dict(model)
    missing, unknown = sorted(set(loaded) - set(saved)), sorted(set(saved) - set(loaded))
    if missing or unknown:
        kind = type(model.get_base_model()).__name__
        raise UsageError(
            f"{len(saved) - len(unknown)} of the {len(saved)} keys of {folder} fit {kind}, {len(missing)} of the "
            f"model's are not in it (the first that does not fit: {(unknown or missing)[0]}). The model would answer "
            "like its base: load the class that the config names, or AutoModelForImageTextToText"
        )
    for name, tensor in saved.items():
        if not torch.equal(tensor.float(), loaded[name].detach().float().cpu()):
            raise UsageError(f"{name} of the model is not what {folder} holds: load the adapter again")
    return saved


def load_adapter(
    base: PreTrainedModel,
    folder: Path,
    tokenizer: PreTrainedTokenizerBase | None = None,
    trainable: bool = False,
) -> tuple[PeftModel, Passed]:
    """Load an adapter on a base model and check it.

    Args:
        base: of the class its config names.
        folder: the adapter's.
        tokenizer: makes the prompt that the logits are compared on.
        trainable: to go on training it.

    Raises:
        UsageError: as :func:`check_loaded`; nothing is returned that has silently missed.
    """
    read_adapter(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft's warning about keys is turned into a refusal below
        model = PeftModel.from_pretrained(base, folder, is_trainable=trainable)
    ids = None
    if tokenizer is not None:
        ids = tokenizer(user_prompt("a peach hibiscus"), return_tensors="pt")["input_ids"]
    return model, check_loaded(model, folder, ids)


def _moved(saved: Mapping[str, torch.Tensor], folder: Path) -> int:
    # Text alone gives the vision tower no gradient: an adapter there stays as it began, and that is no miss.
    second = {name: tensor for name, tensor in saved.items() if "lora_B" in name and not re.match(VISION, name)}
    still = [name for name, tensor in second.items() if not tensor.abs().max() > 0]
    if still or not second:
        raise UsageError(
            f"{len(still)} of the {len(second)} lora_B matrices in {folder} are zero"
            + (f" (the first: {still[0]})" if still else "")
            + ": no gradient reached them, and a zero lora_B changes nothing. Train further, or drop those targets"
        )
    return len(second)


def _logit_change(model: PeftModel, input_ids: torch.Tensor | None) -> float:
    training = model.training
    model.eval()
    try:
        ids = torch.arange(1, 9)[None] if input_ids is None else input_ids
        ids = ids.to(next(model.parameters()).device)
        with torch.inference_mode():
            adapted = model(input_ids=ids).logits
            with model.disable_adapter():
                plain = model(input_ids=ids).logits
        return float((adapted.float() - plain.float()).abs().max())
    finally:
        model.train(training)
