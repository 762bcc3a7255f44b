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
from dataclasses import asdict, dataclass, field, fields
from typing import Any, get_args, get_type_hints
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


def _flag(text: str, default: Any = None, metavar: str | None = None, **more: Any) -> Any:
    """A setting and its flag: the help, the default, and what else argparse is told."""
    return field(default=default, metadata={"help": text, "metavar": metavar, **more})


@dataclass(frozen=True)
class LaunchConfig:
    """What a launch was asked for; one attribute a flag, with its help."""

    env_url: tuple[str, ...] = _flag(
        "environment to score on; several share the rollouts", (), "URL", action="append", nargs="+"
    )
    model: str = _flag("base model: a name on the Hub or a folder", MOE)
    lora: bool = _flag("train an adapter; without it, all weights", False)
    all_linear: bool = _flag("adapt every linear layer of the text model, not only the usual seven names", False)
    lora_targets: str | None = _flag("what to adapt, by name", choices=tuple(TARGETS))
    lora_r: int = _flag("rank", 16, "R")
    lora_alpha: int | None = _flag("scale; twice the rank by default", None, "A")
    bf16: bool = _flag("bfloat16 weights and activations; float32 without", False)
    gradient_checkpointing: bool = _flag("recompute activations: less memory, more time", False)
    subject: str | None = _flag("paint this alone; by default the domain's subjects in turn", None, "TEXT")
    references: int = _flag("paintings each rollout is compared with", 4, "K")
    temperature: float = _flag("sampling", 1.0, "T")
    top_p: float = _flag("sampling", 0.95, "P")
    top_k: int = _flag("sampling; 0 is off", 20, "K")
    lr: float = _flag("learning rate", 5e-5)
    lr_scheduler: str = _flag("its course", "constant_with_warmup", choices=SCHEDULERS)
    warmup_steps: int = _flag("linear from 0", 5, "N")
    scale_rewards: str = _flag("what divides the advantages", "none", "|".join(SCALES))
    entropy_target: float | None = _flag("hold the entropy at this by an adaptive bonus (nats a token)", None, "H")
    steps: int = _flag("generations; a run at a constant rate may go on with more", 110, "N")
    n_episodes: int = _flag("prompts in the dataset, each with its own draw of references", 240, "N")
    num_generations: int = _flag("rollouts a group", 8, "G")
    per_device_batch_size: int = _flag("sequences a forward pass", 1, "N")
    gradient_accumulation_steps: int = _flag("forward passes a step", 8, "N")
    max_completion_length: int = _flag("tokens", 8192, "N")
    probe_samples: int = _flag("paintings of the probe before and after; 0 is off", 8, "N")
    save_steps: int = _flag("steps between checkpoints", 10, "N")
    seed: int = _flag("of sampling, draws and data", 0, "N")
    run_tag: str = _flag("the run's name", "grpo")
    out: str = _flag("folder of all runs", "runs", "DIR")
    push_to_hub: str | None = _flag(
        "push checkpoints, adapter and run record; REPO is OWNER/NAME, by default your run's tag",
        None, "REPO", nargs="?", const="",
    )  # fmt: skip
    film: str | None = _flag(
        "push every painting with its sketch as it is made, to a dataset", None, "REPO", nargs="?", const=""
    )
    trackio_space: str | None = _flag(
        "mirror the curve to this Space (without a token: to a local Trackio)", None, "SPACE"
    )
    resume_from_checkpoint: str | None = _flag(
        "the run's last checkpoint (what the same command does anyway), a checkpoint's folder of this run, or "
        "OWNER/NAME of a pushed run", None, "WHERE", nargs="?", const=LAST,
    )  # fmt: skip
    resume_adapter: str | None = _flag("start from this adapter's weights, with a new optimizer", None, "DIR|REPO")
    allow_backend_change: bool = _flag("go on with a run although another WebGL backend paints now", False)

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
    kinds = get_type_hints(LaunchConfig)
    for item in fields(LaunchConfig):
        name, more = "--" + item.name.replace("_", "-"), dict(item.metadata)
        if kinds[item.name] is bool:
            parser.add_argument(name, action="store_true", help=more["help"])
            continue
        kind = next((kind for kind in (int, float) if kind in (kinds[item.name], *get_args(kinds[item.name]))), str)
        default = None if item.default == () else item.default
        if default is not None:
            more["help"] += f" (default: {default})"
        parser.add_argument(name, type=kind, default=default, **more)


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
