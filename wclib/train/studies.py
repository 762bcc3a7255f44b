"""Studies of the control task: the settings that matter, one change at a time, under several seeds.

``rates`` (3e-4 and 2e-5), ``hacked`` (the well-formed condition left out) and ``changes`` (from the recipe's failing
settings, its four changes one at a time).

Try it: ``python -m wclib train control --study rates --seeds 0``
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd

from wclib.errors import UsageError
from wclib.jsonl import atomic_write
from wclib.train.control import ControlConfig, run_control
from wclib.train.launch.targets import ATTENTION
from wclib.train.record import differences

_FAILING = ControlConfig(
    learning_rate=2e-5, scheduler="linear", scale_rewards="group", target_modules=ATTENTION, max_grad_norm=1.0
)
VARIANTS: dict[str, ControlConfig] = {
    "high": ControlConfig(),
    "low": ControlConfig(learning_rate=2e-5),
    "hacked": ControlConfig(well_formed=False),
    "failing": _FAILING,
    "rate-5e-5": replace(_FAILING, learning_rate=5e-5),
    "rate-3e-4": replace(_FAILING, learning_rate=3e-4),
    "schedule": replace(_FAILING, scheduler="constant"),
    "scale": replace(_FAILING, scale_rewards="none"),
    "modules": replace(_FAILING, target_modules="all-linear"),
}
STUDIES: dict[str, tuple[str, ...]] = {
    "rates": ("high", "low"),
    "hacked": ("hacked",),
    "changes": ("failing", "rate-5e-5", "rate-3e-4", "schedule", "scale", "modules"),
}


def study(
    names: Sequence[str],
    seeds: Sequence[int],
    out: Path | None = None,
    steps: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> list[dict[str, Any]]:
    """Run variants of :data:`VARIANTS` under several seeds; what each came to (:func:`outcome`).

    Args:
        out: where ``<variant>.csv`` (:func:`run_control`'s columns after ``seed``) and the settings of its runs,
            ``<variant>.json``, are kept; a run that is there is not done again, so a killed study goes on.
        steps: override the variants' 40.

    Raises:
        UsageError: a variant's name is not known, ``steps`` is below 1, or ``out`` holds runs of other settings.
    """
    if unknown := [name for name in names if name not in VARIANTS]:
        raise UsageError(f"there is no variant {unknown[0]!r}; choose of: {', '.join(VARIANTS)}")
    if steps is not None and steps < 1:
        raise UsageError(f"--steps is {steps}; it must be at least 1")
    if out:
        out.mkdir(parents=True, exist_ok=True)
    chosen = {name: replace(VARIANTS[name], steps=steps or VARIANTS[name].steps) for name in names}
    tables = {name: kept(out and out / f"{name}.csv", config) for name, config in chosen.items()}
    found = []
    for name, table in tables.items():
        for seed in seeds:
            config = replace(chosen[name], seed=seed)
            curve = table[table["seed"] == seed]
            if len(curve) < config.steps:
                curve = run_control(config, say=say)
                curve.insert(0, "seed", seed)
                table = pd.concat([table[table["seed"] != seed], curve]).astype({"seed": int})
                if out:
                    atomic_write(out / f"{name}.json", json.dumps(settings(config), indent=1) + "\n")
                    atomic_write(out / f"{name}.csv", table.round(6).to_csv(index=False))
            found.append({"variant": name, "seed": seed, **outcome(curve)})
            say(told(found[-1]))
    return found


def settings(config: ControlConfig) -> dict[str, Any]:
    """What shapes the runs of a variant: all settings but the seed."""
    return {name: value for name, value in asdict(config).items() if name != "seed"}


def kept(path: Path | None, config: ControlConfig) -> pd.DataFrame:
    """The runs that are kept at ``path``, none when there is no such file.

    Raises:
        UsageError: they were made with other settings, or nothing says with which.
    """
    if path is None or not path.exists():
        return pd.DataFrame({"seed": []})
    beside = path.with_suffix(".json")
    try:
        changed = differences(json.loads(beside.read_text()), settings(config))
    except (OSError, ValueError, AttributeError) as error:
        changed = f"{beside.name} does not say with which: {error}"
    if changed:
        raise UsageError(f"{path} holds runs of other settings ({changed}); remove it, or choose another --out")
    return pd.read_csv(path)


def outcome(curve: pd.DataFrame) -> dict[str, float]:
    """Start and end of a run: means of its first three and last five steps, and ``factor``, the rise between them."""
    first, last, found = curve.head(3), curve.tail(5), dict[str, float]()
    for name, column in (("reward", "reward"), ("valid", "valid_share"), ("fills", "n_fill")):
        found |= {f"{name}_start": float(first[column].mean()), f"{name}_end": float(last[column].mean())}
    return found | {"factor": found["reward_end"] / found["reward_start"], "cpu_s": float(curve["cpu_s"].iloc[-1])}


def told(result: dict[str, Any]) -> str:
    """One run in a line."""
    text = (
        "{variant:>9} seed {seed}: reward {reward_start:.3f} -> {reward_end:.3f} (x{factor:.2f}), valid "
        "{valid_start:.0%} -> {valid_end:.0%}, fills {fills_start:.1f} -> {fills_end:.1f}, {cpu_s:.0f} CPU s"
    )
    return text.format(**result)
