"""The settings of a laptop run: one object, printed at the start and stored in ``run.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from wclib.errors import UsageError
from wclib.train.adapters import ADAPTERS
from wclib.train.sft import SFTConfig


@dataclass(frozen=True)
class LaptopConfig:
    """GRPO on the tiny policy. Defaults are those measured to work (full fine-tune, see the README).

    Attributes:
        preset: where these settings come from.
        seed: of sampling, reference draws and the sketches' own chance. The taught policy is the same for all seeds.
        generations: steps; each samples ``groups`` prompts ``rollouts`` times.
        groups, rollouts: subjects a step, and replies to each (the G of GRPO).
        updates: optimizer steps on each generation (TRL's ``num_iterations``).
        learning_rate: constant. ``beta``: weight of the KL term against the taught policy.
        adapter: what is trained, a key of :data:`wclib.train.adapters.ADAPTERS`: all weights, or a LoRA.
        temperature, top_p: sampling. A top_p below 1 biases the importance ratio a little: TRL compares probabilities
            of the untruncated distribution. At 1.0 about one sketch in eleven was invalid.
        references: paintings each rollout is compared with.
        eval_samples, eval_every: paintings of the fixed-seed evaluation, and steps between two.
        unscored_limit, unscored_window: the run pauses when more than this share of the rollouts of that many steps
            could not be scored.
        sft: how the policy is taught before.
    """

    preset: str = "laptop"
    seed: int = 0
    generations: int = 24
    groups: int = 2
    rollouts: int = 8
    updates: int = 2
    learning_rate: float = 5e-4
    beta: float = 0.05
    adapter: str = "full"
    adam_beta2: float = 0.95
    max_grad_norm: float = 0.3
    temperature: float = 1.0
    top_p: float = 0.95
    max_tokens: int = 256
    references: int = 4
    eval_samples: int = 24
    eval_every: int = 6
    unscored_limit: float = 0.25
    unscored_window: int = 3
    sft: SFTConfig = field(default_factory=SFTConfig)

    def __post_init__(self) -> None:
        for name, least in (("generations", 1), ("groups", 1), ("rollouts", 2), ("updates", 1), ("eval_samples", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        if self.eval_every < 1 or self.sft.steps < 0:
            raise UsageError("eval_every must be at least 1 and the SFT steps at least 0")
        if self.adapter not in ADAPTERS:
            raise UsageError(f"there is no adapter {self.adapter!r}; choose one of: {', '.join(ADAPTERS)}")
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"seed is {self.seed}; it must be from 0 to {2**32 - 1}")
        if self.learning_rate <= 0 or self.beta < 0 or not 0 < self.top_p <= 1 or self.temperature <= 0:
            raise UsageError("learning_rate and temperature must be above 0, beta not below 0, top_p in (0, 1]")

    def as_dict(self) -> dict[str, Any]:
        """Plain nested settings for ``run.json``."""
        return asdict(self)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> LaptopConfig:
        """The object of stored settings.

        Raises:
            UsageError: there is a name that is not known, or one is missing.
        """
        try:
            if unknown := sorted(set(settings) - {item.name for item in fields(cls)}):
                raise UsageError(
                    f"unknown setting {unknown[0]!r} in the stored configuration; was it written by another version?"
                )
            return cls(**{**settings, "sft": SFTConfig(**settings["sft"])})
        except (KeyError, TypeError) as error:
            raise UsageError(
                f"the stored configuration is not whole ({error}): mend run.json, or start a run with another --tag"
            ) from None


#: ``demo``: the whole story within ten minutes on two quiet cores, SFT included. ``laptop``: about eight minutes.
#: ``overnight``: to see how far it goes, at a lower rate: it was not measured to its end.
PRESETS: dict[str, LaptopConfig] = {
    "demo": LaptopConfig(preset="demo", generations=15, eval_every=5),
    "laptop": LaptopConfig(preset="laptop", generations=24, eval_every=6),
    "overnight": LaptopConfig(preset="overnight", generations=2000, eval_every=50, learning_rate=1e-4),
}


def preset(name: str, **overrides: Any) -> LaptopConfig:
    """A preset with some settings replaced, see :func:`changed`.

    Raises:
        UsageError: there is no such preset.
    """
    if name not in PRESETS:
        raise UsageError(f"there is no preset {name!r}; choose one of: {', '.join(PRESETS)}")
    return changed(PRESETS[name], **overrides)


def changed(config: LaptopConfig, sft_steps: int | None = None, **overrides: Any) -> LaptopConfig:
    """Settings with some replaced; ``sft_steps`` replaces that of the SFT. None keeps what is there."""
    if sft_steps is not None:
        config = replace(config, sft=replace(config.sft, steps=sft_steps))
    return replace(config, **{key: value for key, value in overrides.items() if value is not None})
