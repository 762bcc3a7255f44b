"""Which choices of a policy moved, and how far: colours, numbers, or the form of the sketch.

Sketches are sampled from the taught policy; at every token the trained policy's distribution is compared with it. The
KL divergence, in nats, is averaged by what was to be chosen there: a colour, a number, or structure (which line comes
next). It needs no browser: about ten seconds a policy.

Try it: ``python -m wclib.train.drift runs/first/checkpoints/policy-0000 runs/first/checkpoints/policy-0010``
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import torch

from wclib.domains import HIBISCUS
from wclib.train.libraries import one_thread, quiet_libraries
from wclib.train.policy import load, paint, prompt_text

KINDS = ("colour", "number", "structure")


def kind(token: str) -> str:
    """What a token of the tiny policy's vocabulary chooses."""
    if re.match(r"'#[0-9a-f]{6}'", token):
        return "colour"
    return "number" if re.match(r"[0-9.]+", token) else "structure"


def drift(base: Path | str, policy: Path | str, samples: int = 40, seed: int = 7) -> dict[str, float]:
    """Mean KL(base || policy) a token by :data:`KINDS`, in nats, over ``samples`` sketches sampled from ``base``."""
    with quiet_libraries(), one_thread(), torch.inference_mode():
        before, tokenizer = load(Path(base))
        after, _ = load(Path(policy))
        subjects = [HIBISCUS.subjects[i % len(HIBISCUS.subjects)] for i in range(samples)]
        total, count = dict.fromkeys(KINDS, 0.0), dict.fromkeys(KINDS, 0)
        for subject, reply in zip(subjects, paint(before, tokenizer, subjects, seed), strict=True):
            start = len(tokenizer(prompt_text(subject))["input_ids"])
            ids = tokenizer(prompt_text(subject) + reply)["input_ids"]
            logs = [model(torch.tensor([ids])).logits[0, start - 1 : -1].log_softmax(-1) for model in (before, after)]
            apart = (logs[0].exp() * (logs[0] - logs[1])).sum(-1)
            for token, value in zip(ids[start:], apart.tolist(), strict=True):
                name = kind(str(tokenizer.decode([token])))
                total[name] += value
                count[name] += 1
    return {name: total[name] / max(1, count[name]) for name in KINDS}


if __name__ == "__main__":
    print(json.dumps(drift(sys.argv[1], sys.argv[2])))
