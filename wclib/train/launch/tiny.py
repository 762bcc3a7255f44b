"""A Qwen3.5-MoE of random weights, small enough for this machine, to run the whole launch path on.

It is a rehearsal and learns nothing. Its tokenizer knows a handful of words, and some of those words are whole
sketches: random sampling then yields paintings, broken replies and empty ones, so that everything behind the policy
(environment, browser, judges, run folder, checkpoints, adapter) works on real rollouts with different rewards.

    python -m wclib.train.launch.tiny build/tiny        write the model's folder
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from wclib.prompt import SKELETON
from wclib.train.launch.architecture import builtin_config, model_class
from wclib.train.launch.targets import MOE

#: Chat template in the manner of Qwen's: it honours ``enable_thinking``.
TEMPLATE = (
    "{% for message in messages %}{{ message.role }} : {{ message.content }} {% endfor %}"
    "{% if add_generation_prompt %}assistant :{% if enable_thinking is not false %} think{% endif %}{% endif %}"
)
_SPECIAL = ("<pad>", "<end>", "<unk>")
_WORDS = ("user", "assistant", "system", "think", "Paint", "hibiscus", "in", "loose", "watercolour.")
_HUES = ("#d5567f", "#e8925a", "#c23b6b", "#f0b23e")


def sketches() -> list[str]:
    """Eight honest sketches of one flower: four hues, a large and a small one; line breaks keep their fences apart."""
    return [_sketch(hue, reach) for hue in _HUES for reach in (210, 90)]


def _sketch(hue: str, reach: int) -> str:
    shapes = f"""\
  brush.noStroke();
  brush.fillBleed(0.2);
  brush.fill('{hue}', 190);
  for (let i = 0; i < 5; i++) {{
    brush.circle(300 + {reach // 2} * cos(i * 72), 300 + {reach // 2} * sin(i * 72), {reach // 3}, 0.2);
  }}"""
    return "\n```js\n" + SKELETON.replace("  // filled shapes go here", shapes) + "\n```\n"


def tokenizer() -> PreTrainedTokenizerFast:
    """A word a token; what is not in the list reads as ``<unk>``."""
    words = [*_SPECIAL, *_WORDS, *sketches(), "\n```js\nbrush.line(0, 0, 9, 9)\n```\n"]
    inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="<end>", unk_token="<unk>", chat_template=TEMPLATE
    )


def build(folder: Path, layers: int = 4, seed: int = 0, **widths: int) -> Path:
    """Write model and tokenizer; returns the folder.

    Args:
        folder: where to.
        layers: a multiple of four keeps the real ratio of three linear attentions to one attention.
        seed: of the weights.
        widths: of the text config, in place of the tiny ones.
    """
    words = tokenizer()
    config = builtin_config(MOE, tiny=True)
    text = config.text_config
    text.num_hidden_layers, text.layer_types = layers, text.layer_types[:layers]
    for name, value in widths.items():
        setattr(text, name, value)
    config.vision_config.out_hidden_size = text.hidden_size
    text.vocab_size, text.eos_token_id, text.pad_token_id = len(words), words.eos_token_id, words.pad_token_id
    for name in ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id"):
        setattr(config, name, words.unk_token_id)
    torch.manual_seed(seed)
    model = model_class(config)._from_config(config)
    model.generation_config.update(eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return Path(folder)


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
