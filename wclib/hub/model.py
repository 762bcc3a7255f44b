"""What a run has trained, as a Hub model: an adapter checked by the guard, or a whole policy, with its card."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from wclib.errors import UsageError
from wclib.hub.cards import model_card, named, public_record
from wclib.hub.upload import publish


def publish_model(run: Path, out: Path, dry_run: bool, repo_id: str | None = None) -> dict[str, Any]:
    """Write a run's adapter or best policy with its card, and upload it unless told not to.

    An adapter's keys are counted and its lora_B checked; where the base model is at hand, it is loaded and its logits
    must change.

    Returns:
        ``{"out", "files", "bytes", "guard", "url"}``; ``guard`` says what was checked.

    Raises:
        UsageError: the run holds nothing trained, the guard refuses, ``out`` is in use, or the Hub refused.
    """
    from wclib.train.record import read_run

    about = read_run(run)
    trained = _trained(run, about)
    adapter = (trained / "adapter_config.json").is_file()
    guard, base, kind, modules, coverage = _check(trained) if adapter else _policy(trained)

    def write(folder: Path) -> None:
        for path in sorted(trained.iterdir()):
            if path.is_file() and path.name not in ("README.md", "training_args.bin") and not path.name.startswith("."):
                shutil.copy(path, folder / path.name)
        (folder / "run.json").write_text(public_record(about))
        card = model_card(about, base, kind, modules, coverage, rehearsal=adapter and Path(base).is_dir())
        (folder / "README.md").write_text(named(card, repo_id, about["tag"]))

    return publish(out, write, "model", repo_id or about["tag"], dry_run, check=lambda: {"guard": guard})


def _trained(run: Path, about: dict[str, Any]) -> Path:
    best = (about.get("summary") or {}).get("best_policy")
    places = [run / "adapter", run / "policy", *([run / "checkpoints" / Path(best).name] if best else [])]
    for place in places:
        if place.is_dir():
            return place
    raise UsageError(
        f"{run} holds no adapter or policy (looked for {', '.join(p.name for p in places)}): train to the end"
    )


def _check(folder: Path) -> tuple[str, str, str, int, str]:
    from transformers import AutoTokenizer

    from wclib.train.launch.architecture import model_class, model_config
    from wclib.train.launch.guard import check_saved, load_adapter

    try:
        settings = json.loads((folder / "adapter_config.json").read_text())
        base, _, _ = settings["base_model_name_or_path"], settings["r"], settings["lora_alpha"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder / 'adapter_config.json'} is not whole ({error}): save the adapter again") from None
    modules = check_saved(folder)
    config, source = model_config(base)
    kind = model_class(config)
    coverage = f"rank {settings['r']}, alpha {settings['lora_alpha']}"
    if source == "its folder":
        _, seen = load_adapter(kind.from_pretrained(base), folder, AutoTokenizer.from_pretrained(base))
        return str(seen), base, kind.__name__, modules, coverage
    said = f"{modules} lora_B all nonzero; the base model is not on this machine, so logits were not compared"
    return said, base, kind.__name__, modules, coverage


def _policy(folder: Path) -> tuple[str, str, str, None, str]:
    config = json.loads((folder / "config.json").read_text())
    kind = config["architectures"][0]
    return "a whole policy, no adapter", f"a {kind} of our own", kind, None, ""
