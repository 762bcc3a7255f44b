"""For a machine with a CUDA GPU: the launch in bf16 with gradient checkpointing, in under six minutes.

    python -m wclib.train.cuda_check              writes data/runs/cuda-check/cuda_check.json and the run beside it

What it shows: that model, LoRA on all linear layers, TRL, checkpoint, resume and guard work on the GPU, how much
memory they take and how many tokens a second are sampled. What it does not: **the renderer is a stub** (no Chromium is
needed), so rewards are made up from the reply's text and mean nothing, and the model is a Qwen3.5-MoE of random
weights. It needs the Python packages of the launch and Node, as every run's log does.
Without a GPU it runs smaller, on the CPU, and its log says so: a rehearsal of the check.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from wclib import say
from wclib.jsonl import read_rows
from wclib.prompt import messages
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.inputs import load_base
from wclib.train.launch.mirror import Mirror
from wclib.train.launch.probe import CHAT
from wclib.train.launch.pushing import Pushes
from wclib.train.launch.run import LaunchRun
from wclib.train.launch.tiny import build
from wclib.train.libraries import one_thread, quiet_libraries
from wclib.train.record import identity
from wclib.train.runlog import open_run
from wclib.train.scoring import Job, Scored

OUT = Path("data/runs/cuda-check")
STUB = "STUB: no renderer, no judge; the reward counts brush calls in the reply"
STEPS = 4


class StubSessions:
    """In place of the environment's sessions. Its rewards are made up and labelled so in every row's reason."""

    def health(self) -> dict[str, Any]:
        """Says what it is."""
        weights = {"gate": 0.0, "length": 0.0, "judge": 0.0, "quality": 0.0}
        return {"judge": STUB, "quality": STUB, "weights": weights, "pool": {"paintings": 0}, "renderer": STUB}

    async def score_async(self, jobs: Sequence[Job]) -> list[Scored]:
        """A number made up from each reply's text."""
        return [Scored(job, min(1.0, job.reply.count("brush.") / 20), STUB, None, 0.0) for job in jobs]


def check(out: Path = OUT) -> dict[str, Any]:
    """Run the check and write ``cuda_check.json``; returns what is in it."""
    cuda, began = torch.cuda.is_available(), time.monotonic()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    widths = {"hidden_size": 1024, "num_experts": 32, "moe_intermediate_size": 256} if cuda else {}
    model = build(out / "model", layers=8 if cuda else 4, **widths)
    config = LaunchConfig(
        model=str(model), lora=True, all_linear=True, bf16=True, gradient_checkpointing=True, lr=1e-3, warmup_steps=1,
        steps=STEPS, n_episodes=STEPS, max_completion_length=64 if cuda else 4, probe_samples=0, save_steps=2,
        run_tag="run", out=str(out), num_generations=8 if cuda else 4, gradient_accumulation_steps=8 if cuda else 4,
    )  # fmt: skip
    found: dict[str, Any] = {"device": torch.cuda.get_device_name(0) if cuda else "cpu (a rehearsal)", "rewards": STUB}
    found["at"] = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    found |= identity()
    with quiet_libraries(), one_thread():
        found["tokens_per_second"] = _sampling(model, config, cuda)
        if cuda:
            torch.cuda.reset_peak_memory_stats()
        found["launch"] = _train(config)
        shutil.rmtree(out / "run" / "checkpoints" / f"checkpoint-{STEPS}")  # as if killed in the last steps
        found["resumed"] = _train(config)
        found["resumed_equal"] = _equal(out / "run")
    if cuda:
        found["peak_memory_gb"] = torch.cuda.max_memory_allocated() / 1e9
        found["memory_gb"] = torch.cuda.get_device_properties(0).total_memory / 1e9
    shutil.rmtree(out / "model")
    found["seconds"] = time.monotonic() - began
    (out / "cuda_check.json").write_text(json.dumps(found, indent=1))
    return found


def _sampling(folder: Path, config: LaunchConfig, cuda: bool) -> float:
    """Tokens a second over one group, sampled to a fixed length."""
    model, tokenizer = load_base(str(folder), torch.bfloat16)
    length = 256 if cuda else 8
    prompt = tokenizer.apply_chat_template(messages(), add_generation_prompt=True, tokenize=False, **CHAT)
    prompts = tokenizer([prompt] * config.num_generations, return_tensors="pt", add_special_tokens=False)
    prompts = prompts.to(model.eval().device)
    with torch.inference_mode():
        model.generate(**prompts, do_sample=True, max_new_tokens=2)  # kernels are built on first use
        began = time.monotonic()
        out = model.generate(**prompts, do_sample=True, min_new_tokens=length, max_new_tokens=length)
        if cuda:
            torch.cuda.synchronize()
    return (out.shape[1] - prompts["input_ids"].shape[1]) * len(out) / (time.monotonic() - began)


def _train(config: LaunchConfig) -> dict[str, Any]:
    """Train, or go on; returns the seconds of each step and the guard's report."""
    began = time.monotonic()
    started = (Path(config.out) / config.run_tag / "run.json").exists()
    folder = open_run(config.out, config.run_tag, config.shaping(), started, say)
    try:
        with Pushes(config, folder.path, say) as pushes, Mirror(config, say) as mirror:
            run = LaunchRun(config, folder, StubSessions(), pushes, mirror, say)  # type: ignore[arg-type]
            found = run.train()
    finally:
        folder.close()
    steps = pd.read_csv(folder.path / "curve.csv")["step_time"]
    return {"seconds": time.monotonic() - began, "step_seconds": list(steps), "adapter": found["adapter"]}


def _equal(folder: Path) -> bool:
    """Whether the steps that were done again sampled the very same replies."""
    before, _ = read_rows(folder / "rollouts.superseded.jsonl")
    now = [row for row in read_rows(folder / "rollouts.jsonl")[0] if row["step"] >= 2]
    return len(before) == len(now) and all(a["code"] == b["code"] for a, b in zip(before, now, strict=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=str(OUT), metavar="DIR")
    print(json.dumps(check(Path(parser.parse_args().out))))
