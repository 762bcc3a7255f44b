"""Cards: what each published thing is, how it is loaded, and the figures of this run, never a default."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_THANKS = """\
## Thanks and licences

The idea is Surya Narreddi's, the recipe and the published pool are by Sergio Paniego (Hugging Face). p5.brush is by
Alejandro Campos Uribe. {licence}
"""


def named(card: str, repo_id: str | None, name: str) -> str:
    """The card with the repository's name in its snippets; the owner stays open in a dry run without one."""
    return card.replace("OWNER/NAME", repo_id if repo_id and "/" in repo_id else f"OWNER/{repo_id or name}")


def public_record(run: Mapping[str, Any]) -> str:
    """``run.json`` as it may be shown: where things lie on this machine is cut down to their names."""
    from wclib.env.told import without_paths

    return without_paths(json.dumps(run, indent=1, ensure_ascii=False))


def front_matter(fields: Mapping[str, Any]) -> str:
    """A card's YAML header. Every value is written as JSON, which YAML reads."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items() if value is not None]
    return "---\n" + "\n".join(lines) + "\n---\n"


def run_facts(run: Mapping[str, Any]) -> str:
    """A table of what the run was: weights, judges, pool, renderer, commit; read from its ``run.json``."""
    seen, start = run.get("environment") or {}, (run.get("starts") or [{}])[-1]
    weights = ", ".join(f"{name} {value:g}" for name, value in (seen.get("weights") or {}).items())
    pool = seen.get("pool") or {}
    pool_said = f"{pool.get('paintings')} paintings, fingerprint `{pool.get('fingerprint')}`"
    if pool.get("revision"):
        pool_said += f", revision `{pool['revision']}`"
    rows = {
        "reward weights": weights or "not recorded",
        "judge": seen.get("judge"),
        "quality": seen.get("quality"),
        "reference pool": pool_said if pool else "not recorded",
        "renderer": seen.get("renderer"),
        "code": f"commit {start.get('commit')}" if start.get("commit") else None,
        "versions": ", ".join(f"{name} {value}" for name, value in (start.get("packages") or {}).items() if value),
    }
    lines = [f"| {name} | {value} |" for name, value in rows.items() if value]
    return "\n".join(["| | |", "|---|---|", *lines])


def rollouts_card(run: Mapping[str, Any], rows: int, pairs: int, columns: Sequence[str]) -> str:
    """The card of a run's rollouts."""
    configs = [{"config_name": "rollouts", "data_files": "data/*.parquet", "default": True}]
    if pairs:
        configs.append({"config_name": "comparisons", "data_files": "comparisons/*.parquet"})
    head = front_matter(
        {
            "license": "cc-by-4.0",
            "pretty_name": f"Watercolour rollouts of {run['tag']}",
            "tags": ["reinforcement-learning", "grpo", "openenv", "p5js", "watercolour"],
            "size_categories": ["n<1K" if rows < 1000 else "1K<n<10K"],
            "configs": configs,
        }
    )
    return f"""{head}
# Rollouts of `{run["tag"]}`

{rows} paintings and failures of one GRPO run, one row a rollout: the sketch, its picture, its reward and every term.
An unscored rollout has no reward, and says why in `unscored_reason`; a failed sketch has 0 and its `violations`.

```python
from datasets import load_dataset

rollouts = load_dataset("OWNER/NAME", "rollouts", split="train")
```

{run_facts(run)}

Columns: {", ".join(f"`{name}`" for name in columns)}. `comparisons` has {pairs} judged pairs.

{_THANKS.format(licence="Paintings and sketches: CC BY 4.0.")}"""


def adapter_snippet(kind: str, base: str) -> str:
    """Code that loads an adapter on the right class, and refuses a silent miss."""
    return f"""\
from pathlib import Path
from huggingface_hub import snapshot_download
from transformers import AutoTokenizer, {kind}
from wclib.train.launch.guard import load_adapter

folder = Path(snapshot_download("OWNER/NAME"))
tokenizer = AutoTokenizer.from_pretrained(folder)
base = {kind}.from_pretrained("{base}", dtype="auto")
model, seen = load_adapter(base, folder, tokenizer)   # raises when keys miss, lora_B is zero or logits do not change
print(seen)
"""


def model_card(
    run: Mapping[str, Any], base: str, kind: str, modules: int | None, coverage: str, rehearsal: bool = False
) -> str:
    """The card of an adapter (``modules`` given) or of a whole policy."""
    adapter = modules is not None
    head = front_matter(
        {
            "library_name": "peft" if adapter else "transformers",
            "base_model": base if adapter and not rehearsal else None,
            "license": "other" if adapter else "mit",
            "license_name": "as-the-base-model" if adapter else None,
            "tags": ["grpo", "openenv", "p5js", "watercolour", *(["lora"] if adapter else [])],
        }
    )
    note = "\n**A rehearsal on random weights: it has learned nothing.**\n" if rehearsal else ""
    if adapter:
        body = f"""A LoRA adapter for `{base}` ({coverage}; {modules} adapted modules).

Load it on the class its base's config names. On `AutoModelForCausalLM` no key may match, and the model then answers
like its base with only a warning.

```python
{adapter_snippet(kind, base)}```"""
    else:
        body = f"""A small policy of its own ({base}); it reads the user line only.

```python
from transformers import AutoTokenizer, {kind}

model = {kind}.from_pretrained("OWNER/NAME")
tokenizer = AutoTokenizer.from_pretrained("OWNER/NAME")
```"""
    return f"""{head}
# `{run["tag"]}`: a model that paints watercolours in p5.brush
{note}
{body}

{run_facts(run)}

{_figures(run)}

{_THANKS.format(licence="Code: MIT. Weights: " + ("as the base model's licence says." if adapter else "MIT."))}"""


def _figures(run: Mapping[str, Any]) -> str:
    found = run.get("summary") or {}
    if "evaluation_before" in found:
        return (
            f"Fixed-seed evaluation: {found['evaluation_before']:.3f} before, {found['evaluation_best']:.3f} at its "
            f"best (after {found['best_after_steps']} steps), {found['judge']}."
        )
    lines = []
    for name in ("probe_before", "probe_after"):
        seen = found.get(name)
        if seen and seen["reward"]["mean"] is not None:
            mean = seen["reward"]
            lines.append(
                f"{name.replace('_', ' ')}: reward {mean['mean']:.3f} (95% interval {mean['low']:.3f}-"
                f"{mean['high']:.3f}, n {mean['n']}), {seen['gate_failures']} failed the gate"
            )
    return "Probe, fixed seeds. " + "; ".join(lines) + "." if lines else "No evaluation was made."
