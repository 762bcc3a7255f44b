"""The prompt names ten real methods, nothing else of p5.brush, and shows no worked painting."""

import re
from dataclasses import replace

import pytest

from wclib.domains import HIBISCUS, get_domain
from wclib.errors import UsageError
from wclib.jsruntime import JS_DIR
from wclib.prompt import METHODS, SKELETON, messages, system_prompt, user_prompt


def library_exports() -> list[str]:
    """What the installed p5.brush exports: its methods and its three classes."""
    bundle = (JS_DIR / "node_modules/p5.brush/dist/p5.brush.esm.js").read_text(encoding="utf-8")
    names = re.search(r"export\{([^}]*)\};", bundle).group(1)
    return [entry.split(" as ")[-1] for entry in names.split(",")]


def test_the_library_has_47_methods_and_ten_are_listed():
    methods = [name for name in library_exports() if not name[0].isupper()]
    assert len(methods) == 47
    assert len(METHODS) == 10
    assert set(METHODS) <= set(methods)


@pytest.mark.parametrize(
    "domain", [HIBISCUS, get_domain(str(HIBISCUS.pool.with_name("pool_lemon")))], ids=lambda domain: domain.name
)
def test_no_other_method_of_the_library_is_named(domain):
    prompt = system_prompt(domain)
    others = set(library_exports()) - set(METHODS)
    assert set(re.findall(r"brush\.(\w+)", prompt)) == set(METHODS)
    # a few names are ordinary English words ("set", "move", "wash"); they must not stand as code
    assert not [name for name in others if re.search(rf"\b{name}\s*\(", prompt)]


def test_the_prompt_holds_no_worked_painting():
    code = system_prompt().split("\n\n")
    drawn = [line for line in SKELETON.splitlines() if "brush." in line]
    assert drawn == ["  brush.scaleBrushes(3);"]
    assert not [part for part in code if "brush.fill('" in part or 'brush.fill("' in part]


def test_the_coordinate_frame_is_spelled_out():
    prompt = system_prompt()
    assert "top left" in prompt and "(300, 300)" in prompt and "negative" in prompt
    assert "WEBGL" in SKELETON and "translate(-width / 2, -height / 2)" in SKELETON


def test_another_domain_changes_the_composition_and_nothing_else():
    pelican = replace(HIBISCUS, composition="- One pelican, wading.")
    assert system_prompt(pelican) == system_prompt(HIBISCUS).replace(HIBISCUS.composition, "- One pelican, wading.")


def test_messages_default_to_the_first_subject():
    system, user = messages()
    assert system == {"role": "system", "content": system_prompt()}
    assert user["content"] == user_prompt("a peach hibiscus") == "Paint a peach hibiscus in loose watercolour."


def test_an_unknown_domain_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="no domain 'tulip'.*hibiscus"):
        get_domain("tulip")
