"""The launch's flags and the settings they make. Every flag of the published command line is taken as it is.

    python -m wclib train grpo --env-url URL --model Qwen/Qwen3.5-35B-A3B --lora --all-linear --bf16 ... --dry-run

Defaults are those of the published runs: constant rate 5e-5 after 5 steps of warm-up, no scaling of rewards, groups
of eight, completions up to 8,192 tokens. What shapes the result is :meth:`LaunchConfig.shaping`: a run goes on only
with the same, but for :attr:`LaunchConfig.longer`.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from wclib.domains import HIBISCUS
from wclib.errors import UsageError
from wclib.train.launch.targets import MOE, TARGETS
from wclib.train.runlog import checked_tag

SCALES = ("none", "group", "batch")
SCHEDULERS = ("constant_with_warmup", "constant", "linear", "cosine")
LAST = "last"
#: Settings that say where things are, not what comes out; they may differ from start to start.
ELSEWHERE = (
    "env_url", "run_tag", "out", "push_to_hub", "film", "trackio_space", "resume_from_checkpoint",
    "allow_backend_change",
)  # fmt: skip


@dataclass(frozen=True)
class LaunchConfig:
    """What a launch was asked for; one attribute a flag, see :func:`add_flags` for their meanings."""

    env_url: tuple[str, ...] = ()
    model: str = MOE
    lora: bool = False
    all_linear: bool = False
    lora_targets: str | None = None
    lora_r: int = 16
    lora_alpha: int | None = None
    bf16: bool = False
    gradient_checkpointing: bool = False
    subject: str | None = None
    references: int = 4
    temperature: float = 1.0
    top_p: float = 0.95
    top_k: int = 20
    lr: float = 5e-5
    lr_scheduler: str = "constant_with_warmup"
    warmup_steps: int = 5
    scale_rewards: str = "none"
    entropy_target: float | None = None
    steps: int = 110
    n_episodes: int = 240
    num_generations: int = 8
    per_device_batch_size: int = 1
    gradient_accumulation_steps: int = 8
    max_completion_length: int = 8192
    probe_samples: int = 8
    save_steps: int = 10
    seed: int = 0
    run_tag: str = "grpo"
    out: str = "runs"
    push_to_hub: str | None = None
    film: str | None = None
    trackio_space: str | None = None
    resume_from_checkpoint: str | None = None
    resume_adapter: str | None = None
    allow_backend_change: bool = False

    def __post_init__(self) -> None:
        for name, least in (
            ("steps", 1), ("n_episodes", 1), ("num_generations", 2), ("per_device_batch_size", 1), ("save_steps", 1),
            ("gradient_accumulation_steps", 1), ("max_completion_length", 1), ("references", 1), ("lora_r", 1),
            ("warmup_steps", 0), ("probe_samples", 0), ("top_k", 0), ("seed", 0),
        ):  # fmt: skip
            if getattr(self, name) < least:
                raise UsageError(f"--{name.replace('_', '-')} {getattr(self, name)}: it must be at least {least}")
        if not (0 < self.lr < math.inf and 0 < self.top_p <= 1 and 0 < self.temperature < math.inf):
            raise UsageError("--lr and --temperature must be above 0, --top-p in (0, 1]")
        if self.lora_alpha is not None and self.lora_alpha < 1:
            raise UsageError(f"--lora-alpha {self.lora_alpha}: it must be at least 1")
        if self.entropy_target is not None and not 0 < self.entropy_target < math.inf:
            raise UsageError(f"--entropy-target {self.entropy_target}: it must be above 0 (nats a token)")
        if not self.lora and (self.all_linear or self.lora_targets or self.resume_adapter):
            raise UsageError("--all-linear, --lora-targets and --resume-adapter are about an adapter: add --lora")
        if self.all_linear and self.lora_targets not in (None, "all-linear"):
            raise UsageError(f"--all-linear and --lora-targets {self.lora_targets} contradict each other: drop one")
        checked_tag(self.run_tag)
        for flag, text in (("--model", self.model), ("--subject", self.subject), ("--out", self.out)):
            if text is not None and not text.strip():
                raise UsageError(f"{flag} is empty")
        for flag, repo in (("--push-to-hub", self.push_to_hub), ("--film", self.film)):
            if repo and not re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", repo):
                raise UsageError(f"{flag} {repo}: a repository's name is OWNER/NAME, or nothing for your run's tag")
        for url in self.env_url:
            _check_url(url)

    @property
    def targets(self) -> str:
        """The adapter's targets by name: those given, all linear layers, or the usual seven."""
        return self.lora_targets or ("all-linear" if self.all_linear else "seven")

    @property
    def alpha(self) -> int:
        """LoRA's alpha: twice the rank unless given."""
        return self.lora_alpha or 2 * self.lora_r

    @property
    def generation_batch(self) -> int:
        """Rollouts a step on one device."""
        return self.per_device_batch_size * self.gradient_accumulation_steps

    @property
    def subjects(self) -> tuple[str, ...]:
        """What is painted: the one subject given, or the domain's in turn."""
        return (self.subject,) if self.subject else HIBISCUS.subjects

    def shaping(self) -> dict[str, Any]:
        """The settings that shape the result, for ``run.json``; a resumed run must have the same."""
        return {name: value for name, value in asdict(self).items() if name not in ELSEWHERE}

    @property
    def longer(self) -> str:
        """The setting that a resumed run may raise: its steps, unless the rate was planned over all of them."""
        return "steps" if self.lr_scheduler.startswith("constant") else ""


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https", "ws", "wss") and parts.hostname and (parts.port or 1)
    except ValueError:
        whole = False
    if not whole:
        raise UsageError(f"--env-url {url}: it must look like https://HOST or http://HOST:PORT")
    if parts.username is not None or parts.password is not None:
        raise UsageError("--env-url holds a password, which would be printed: set WATERCOLOUR_ENV_TOKEN instead")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the launch's flags; those of a Hub job are :func:`add_job_flags`."""
    default = {item.name: item.default for item in fields(LaunchConfig)}

    def flag(name: str, text: str, kind: type | None = None, metavar: str | None = None, **more: Any) -> None:
        key = name[2:].replace("-", "_")
        shown = "" if default[key] in (None, (), False) else f" (default: {default[key]})"
        parser.add_argument(name, type=kind or str, default=default[key], metavar=metavar, help=text + shown, **more)

    def switch(name: str, text: str) -> None:
        parser.add_argument(name, action="store_true", help=text)

    parser.add_argument(
        "--env-url", action="append", nargs="+", default=None, metavar="URL", help="environment to score on; several "
        "share the rollouts"
    )  # fmt: skip
    flag("--model", "base model: a name on the Hub or a folder")
    switch("--lora", "train an adapter; without it, all weights")
    switch("--all-linear", "adapt every linear layer of the text model, not only the usual seven names")
    flag("--lora-targets", "what to adapt, by name", choices=tuple(TARGETS))
    flag("--lora-r", "rank", int, "R")
    flag("--lora-alpha", "scale; twice the rank by default", int, "A")
    switch("--bf16", "bfloat16 weights and activations; float32 without")
    switch("--gradient-checkpointing", "recompute activations: less memory, more time")
    flag("--subject", "paint this alone; by default the domain's subjects in turn", metavar="TEXT")
    flag("--references", "paintings each rollout is compared with", int, "K")
    flag("--temperature", "sampling", float, "T")
    flag("--top-p", "sampling", float, "P")
    flag("--top-k", "sampling; 0 is off", int, "K")
    flag("--lr", "learning rate", float)
    flag("--lr-scheduler", "its course", choices=SCHEDULERS)
    flag("--warmup-steps", "linear from 0", int, "N")
    flag("--scale-rewards", "what divides the advantages", metavar="|".join(SCALES))
    flag("--entropy-target", "hold the entropy at this by an adaptive bonus (nats a token)", float, "H")
    flag("--steps", "generations", int, "N")
    flag("--n-episodes", "prompts in the dataset, each with its own draw of references", int, "N")
    flag("--num-generations", "rollouts a group", int, "G")
    flag("--per-device-batch-size", "sequences a forward pass", int, "N")
    flag("--gradient-accumulation-steps", "forward passes a step", int, "N")
    flag("--max-completion-length", "tokens", int, "N")
    flag("--probe-samples", "paintings of the probe before and after; 0 is off", int, "N")
    flag("--save-steps", "steps between checkpoints", int, "N")
    flag("--seed", "of sampling, draws and data", int, "N")
    flag("--run-tag", "the run's name")
    flag("--out", "folder of all runs", metavar="DIR")
    for name, text in (
        ("--push-to-hub", "push checkpoints, adapter and run record; REPO is OWNER/NAME, by default your run's tag"),
        ("--film", "push every painting with its sketch as it is made, to a dataset"),
    ):
        parser.add_argument(name, nargs="?", const="", default=None, metavar="REPO", help=text)
    flag("--trackio-space", "mirror the curve to this Space (without a token: to a local Trackio)", metavar="SPACE")
    parser.add_argument(
        "--resume-from-checkpoint", nargs="?", const=LAST, default=None, metavar="WHERE",
        help="the run's last checkpoint (what the same command does anyway), a checkpoint's folder of this run, or "
        "OWNER/NAME of a pushed run",
    )  # fmt: skip
    flag("--resume-adapter", "start from this adapter's weights, with a new optimizer", metavar="DIR|REPO")
    switch("--allow-backend-change", "go on with a run although another WebGL backend paints now")


def add_job_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags about where the launch runs; they are not part of the run's settings."""
    job = parser.add_argument_group("Hub job")
    job.add_argument("--flavor", metavar="NAME", help="hardware of the job, such as h200")
    job.add_argument("--timeout", metavar="TIME", help="the job's time limit, such as 20h; the Hub's own is 30 minutes")
    job.add_argument("--submit", action="store_true", help="start the job; without it everything runs here")
    job.add_argument(
        "--wheel", metavar="URL", help="our code as a wheel at this URL; by default it is built and uploaded"
    )
    job.add_argument("--namespace", metavar="OWNER", help="who runs and pays; by default the token's owner")
    job.add_argument("--image", metavar="IMAGE", help="container image with uv")
    job.add_argument("--detach", action="store_true", help="leave after submitting instead of following the logs")
    job.add_argument("--dry-run", action="store_true", help="print every check and the effective job, start nothing")


def config_of(args: argparse.Namespace) -> LaunchConfig:
    """The settings of parsed flags.

    Raises:
        UsageError: a value that cannot work.
    """
    chosen = {item.name: getattr(args, item.name) for item in fields(LaunchConfig)}
    chosen["env_url"] = tuple(url.rstrip("/") for group in args.env_url or [] for url in group)
    return LaunchConfig(**chosen)


def parse(argv: Sequence[str]) -> tuple[LaunchConfig, argparse.Namespace]:
    """Parse a command line: the settings, and the namespace with the job's flags."""
    parser = argparse.ArgumentParser(prog="grpo", description="Train a model to paint with GRPO.", allow_abbrev=False)
    add_flags(parser)
    add_job_flags(parser)
    args = parser.parse_args(argv)
    return config_of(args), args
