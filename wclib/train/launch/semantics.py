"""Does the installed TRL leave an unscored rollout out of its group? One step of a toy says so.

    python -m wclib.train.launch.semantics          prints {"advantages": [0.5, 0.0, -0.5, 0.0], "right": true}

A group is paid 1, None, 0, None. Right is: the mean is taken over the two that were scored, and the other two get the
advantage 0. A process of its own, because it trains on the CPU whatever the launch uses.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from typing import Any

from wclib.train.launch.environments import Check, checked

REWARDS = (1.0, None, 0.0, None)
RIGHT = [0.5, 0.0, -0.5, 0.0]


@functools.cache
def unscored_rollouts() -> Check:
    """The preflight's check: the toy, run in a process of its own."""
    done = subprocess.run([sys.executable, "-m", __name__], capture_output=True, text=True, timeout=180)
    try:
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return Check("unscored rollouts", False, f"the toy did not train: {last}", "make setup")
    said = f"a group paid 1, None, 0, None got the advantages {found['advantages']}"
    remedy = "this TRL counts them in: install trl==1.12.0"
    return checked("unscored rollouts", said, "" if found["right"] else said, remedy)


def advantages() -> list[float]:
    """The advantages TRL gives a group paid :data:`REWARDS`, with scale_rewards none."""
    from datasets import Dataset

    from wclib.train.launch.tiny import tokenizer
    from wclib.train.libraries import grpo_arguments, grpo_trainer
    from wclib.train.sft import SFTConfig, build_model

    words = tokenizer()
    model = build_model(SFTConfig(hidden=16, layers=1), words)

    async def reward(completions: list[Any], **_: Any) -> list[float | None]:
        return list(REWARDS)

    with tempfile.TemporaryDirectory() as folder:
        settings = grpo_arguments(
            folder, per_device_train_batch_size=4, num_generations=4, max_steps=1, max_completion_length=2,
            scale_rewards="none", use_cpu=True, save_strategy="no",
        )  # fmt: skip
        trainer = grpo_trainer(model, words, reward, Dataset.from_list([{"prompt": "Paint hibiscus"}]), settings)
        trainer.train()
    return [round(float(value), 6) for value in trainer._logs["advantages"]]


if __name__ == "__main__":
    from wclib.train.libraries import quiet_libraries

    with quiet_libraries():
        found = advantages()
    print(json.dumps({"advantages": found, "right": found == RIGHT}))
