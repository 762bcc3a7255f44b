"""Promise 8: rollouts that cannot be scored are left out and counted, and a run of them pauses.

Beside these: ``tests/test_train_steps.py`` (None within a group, the watch, the curve) and, at full size,
``tests/faults/test_kills.py`` (a judge that goes away pauses a run, which then goes on).
"""

from __future__ import annotations

import math

import pytest
import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from wclib.errors import InfrastructureFault
from wclib.train.libraries import quiet_libraries
from wclib.train.policy import load
from wclib.train.sft import SFTConfig, sft
from wclib.train.steps import UnscoredWatch, curve_row

GROUPS = [[None] * 4, [0.2, None, None, 0.6], [0.1, 0.2, 0.3, 0.9]]


def row(reward: float | None) -> dict:
    scores = dict.fromkeys(("judge_score", "length_score", "paint_fraction", "quality_score"), reward)
    return {"reward": reward, "group": 0, "gate_passed": None, "code": "", "shapes_painted": None, **scores}


def test_a_group_nobody_scored_moves_no_weight_and_is_counted(tmp_path, promised):
    """TRL's real step on groups of which none, some and all rollouts have a reward; no KL term hides what moves."""
    steps, before, watch = [], [], UnscoredWatch(limit=0.4, window=2)

    def reward(completions, **_):
        before.append(snapshot())
        steps.append(GROUPS[len(steps)])
        return steps[-1]

    with quiet_libraries():
        base = sft(SFTConfig(steps=1, batch=2, hidden=32, layers=1), progress=False, say=lambda text: None)
        model, tokenizer = load(base)

        def snapshot() -> torch.Tensor:
            return torch.cat([weight.detach().flatten() for weight in model.parameters()])

        arguments = GRPOConfig(
            output_dir=str(tmp_path), per_device_train_batch_size=4, num_generations=4, max_completion_length=8,
            scale_rewards="none", max_steps=3, beta=0.0, use_cpu=True, bf16=False, gradient_checkpointing=False,
            report_to="none", disable_tqdm=True, save_strategy="no", shuffle_dataset=False, logging_steps=1,
        )  # fmt: skip
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=reward,
            args=arguments,
            train_dataset=Dataset.from_list([{"prompt": "paint", "n": n} for n in range(3)]),
            processing_class=tokenizer,
        )
        trainer.train()
    before.append(snapshot())
    moved = [float((b - a).abs().max()) for a, b in zip(before, before[1:], strict=False)]
    assert moved[0] == 0 and moved[1] > 0 and moved[2] > 0
    assert all(math.isfinite(log["loss"]) for log in trainer.state.log_history if "loss" in log)
    curve = [curve_row(step, [row(reward) for reward in rewards], {}, 1.0) for step, rewards in enumerate(GROUPS)]
    assert [one["scored_share"] for one in curve] == [0, 0.5, 1] and curve[0]["reward"] is None
    assert curve[1]["reward"] == pytest.approx(0.4)
    watch.add(4, 4, "judge: no answer in time")
    with pytest.raises(InfrastructureFault, match="(?s)6 of the last 8.*75%.*judge: HTTP 429.*resume"):
        watch.add(2, 4, "judge: HTTP 429")
    what = "a group without a reward, one with two of four, one whole"
    promised(8, what, "weights stand still; then move; shares 0, .5, 1")
