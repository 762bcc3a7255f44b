# /// script
# requires-python = ">=3.11,<3.13"
# dependencies = [
#     "wclib[train]",
#     "accelerate==1.14.0",
#     "datasets==5.0.1",
#     "huggingface_hub==1.31.0",
#     "openenv-core==0.3.0",
#     "peft==0.20.0",
#     "torch==2.13.0",
#     "trackio==0.37.0",
#     "transformers==5.16.1",
#     "trl==1.12.0",
# ]
#
# [tool.uv.sources]
# wclib = { path = "../..", editable = true }
# ///
"""The launch: GRPO on a code model whose sketches are painted and scored by the environment.

    python -m wclib train grpo ...          python wclib/train/grpo.py ...
    accelerate launch wclib/train/grpo.py ...          uv run wclib/train/grpo.py ...

The published run, on one H200 (add --flavor h200 --timeout 20h --submit to make it a Hub job, --dry-run to check it):

    python wclib/train/grpo.py --env-url https://OWNER-watercolour.hf.space --model Qwen/Qwen3.5-35B-A3B --lora \\
        --all-linear --bf16 --gradient-checkpointing --references 4 --top-p 0.95 --top-k 20 --lr 5e-5 \\
        --lr-scheduler constant_with_warmup --warmup-steps 5 --scale-rewards none --steps 60 --n-episodes 240 \\
        --num-generations 8 --per-device-batch-size 1 --gradient-accumulation-steps 8 --max-completion-length 8192 \\
        --run-tag first --push-to-hub

Nothing is loaded onto a GPU before the preflight has passed. The same command again goes on from the last checkpoint.
What differs from the article: an unscored rollout leaves its group instead of counting as 0, the vision tower is left
out of all-linear, and the order of prompts is fixed, so that a resumed run makes the very same draws.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

if sys.path and Path(sys.path[0]).resolve() == Path(__file__).resolve().parent:
    del sys.path[0]  # run as a file: the neighbours here must not hide modules of the same names


def main(argv: Sequence[str] | None = None) -> int:
    """The script's entry: as ``python -m wclib train grpo``."""
    from wclib.cli import main as command_line

    return command_line(["train", "grpo", *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    sys.exit(main())
