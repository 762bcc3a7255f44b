"""The procedural sketches are honest, varied and the same every time; the tokenizer gives back what it was given."""

from __future__ import annotations

import json
import random

import pytest
import torch

from wclib.domains import HIBISCUS
from wclib.gate import check_source
from wclib.prompt import METHODS
from wclib.sketch import inventory
from wclib.train import procedural
from wclib.train.flower import FIXED_LINES
from wclib.train.libraries import quiet_libraries
from wclib.train.policy import load, paint, prompt_text
from wclib.train.sft import SFTConfig, build_tokenizer, fingerprint, sft

SEEDS = range(5000, 5060)


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer(SFTConfig().vocabulary)


def test_every_sketch_passes_the_source_gate_with_the_ten_methods_only():
    for seed in SEEDS:
        _, source = procedural.sketch(seed)
        verdict = check_source(source)
        assert verdict.passed, (seed, verdict.codes)
        assert set(inventory(source).brush_methods_used) <= set(METHODS)


def test_the_same_seed_writes_the_same_sketch_and_other_seeds_write_others():
    assert procedural.sketch(7) == procedural.sketch(7)
    assert len({procedural.sketch(seed)[1] for seed in range(300)}) == 300


def test_the_generator_covers_what_reward_can_choose_between():
    rng = random.Random(1)
    flowers = [procedural.draw(rng, rng.choice(HIBISCUS.subjects)) for _ in range(600)]
    assert {habit for flower in flowers for habit in flower.habits} == set(procedural.HABITS)
    assert 0.2 < sum(not flower.habits for flower in flowers) / len(flowers) < 0.5
    assert {flower.petals for flower in flowers} == {3, 4, 5, 6, 7, 8}
    assert {len(flower.washes) for flower in flowers} == {1, 2, 3, 4}
    assert {len(flower.leaves) for flower in flowers} == {0, 1, 2, 3}
    reaches = [wash.reach for flower in flowers for wash in flower.washes]
    assert min(reaches) < 60 and max(reaches) > 280
    colours = {wash.colour for flower in flowers for wash in flower.washes}
    for name, shades in procedural.SHADES.items():
        assert len(colours & set(shades)) >= 5, name


def test_a_subject_mostly_gets_its_own_colours():
    rng = random.Random(2)
    shades = set(procedural.SHADES["magenta"])
    flowers = [procedural.draw(rng, "a magenta hibiscus") for _ in range(200)]
    assert sum(flower.washes[0].colour in shades for flower in flowers) > 100


def test_the_tokenizer_gives_back_every_sketch_and_keeps_it_short(tokenizer):
    lengths = []
    for seed in SEEDS:
        subject, source = procedural.sketch(seed)
        for text in (source, prompt_text(subject)):
            ids = tokenizer(text)["input_ids"]
            assert tokenizer.decode(ids, skip_special_tokens=True) == text
        lengths.append(len(tokenizer(source)["input_ids"]))
    assert sum(lengths) / len(lengths) < 90


def test_the_tokenizer_gives_back_text_it_never_saw(tokenizer):
    for text in ('naïve 花 🌺\n\tbrush.fill("#123456", 7)', "", "  wash('#zzz"):
        assert tokenizer.decode(tokenizer(text)["input_ids"], skip_special_tokens=True) == text


def test_fixed_lines_are_one_token_each(tokenizer):
    for line in FIXED_LINES:
        assert len(tokenizer(line)["input_ids"]) == 1


def test_sft_teaches_caches_and_rebuilds_the_same_policy(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    config = SFTConfig(steps=6, batch=4, hidden=32, layers=1)
    said: list[str] = []
    with quiet_libraries():
        first = sft(config, progress=False, say=said.append)
        losses = json.loads((first / "sft.json").read_text())["loss"]
        assert losses[-1] < losses[0]
        weights = load(first)[0].state_dict()
        assert sft(config, progress=False, say=said.append) == first
        assert "cache" in said[-1]
        again = load(sft(config, rebuild=True, progress=False, say=said.append))[0].state_dict()
    assert all(torch.equal(weights[name], again[name]) for name in weights)
    assert [path.name for path in (tmp_path / "wclib").iterdir()] == [first.name], "no half-built folder is left"
    assert fingerprint(config) != fingerprint(SFTConfig(steps=7, batch=4, hidden=32, layers=1))


def test_sampling_is_repeatable_and_leaves_the_callers_chance_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with quiet_libraries():
        folder = sft(SFTConfig(steps=1, batch=2, hidden=32, layers=1), progress=False, say=lambda text: None)
        model, tokenizer = load(folder)
        torch.manual_seed(3)
        before = torch.get_rng_state()
        one = paint(model, tokenizer, list(HIBISCUS.subjects), seed=5, max_tokens=12)
        assert torch.equal(before, torch.get_rng_state())
        assert one == paint(model, tokenizer, list(HIBISCUS.subjects), seed=5, max_tokens=12)
        assert one != paint(model, tokenizer, list(HIBISCUS.subjects), seed=6, max_tokens=12)
