"""The set-up files agree with each other and name no address."""

import ast
import json
import re
import subprocess
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins() -> set[str]:
    project = pyproject()
    return {*project["dependencies"], *(pin for extra in project["optional-dependencies"].values() for pin in extra)}


def test_environment_yml_lists_the_same_pins_as_pyproject():
    lines = (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()
    listed = [m.group(1) for line in lines if (m := re.fullmatch(r"\s+- ([\w-]+==[\w.]+)", line))]
    assert len(listed) == len(set(listed))
    assert set(listed) == pins()


def test_every_direct_dependency_is_pinned(promised):
    assert [pin for pin in pins() if not re.fullmatch(r"[\w-]+==[\w.]+", pin)] == []
    promised(11, "a look into pyproject.toml", f"{len(pins())} direct dependencies, each pinned")


def test_make_installs_the_torch_that_pyproject_pins_and_installs_it_first():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    torch = re.search(r"^TORCH\s*:= (\S+)$", makefile, re.M).group(1)
    assert torch in pins()
    assert makefile.index("--no-compile $(TORCH)") < makefile.index("-e '.[train")


def test_the_javascript_lock_has_hashes_and_no_addresses(promised):
    lock = json.loads((ROOT / "wclib/js/package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert all("integrity" in entry and "resolved" not in entry for entry in packages.values())
    wanted = json.loads((ROOT / "wclib/js/package.json").read_text(encoding="utf-8"))["dependencies"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert wanted["p5"] == "2.3.2" and wanted["p5.brush"] == "2.2.2"
    promised(11, "a look into the JavaScript lock", f"{len(packages)} packages, each with its hash")


def test_no_tracked_file_names_a_registry():
    hosts = "|".join(("pythonhosted", "npmjs", "pypi"))
    found = subprocess.run(
        ["git", "grep", "-nIE", rf"({hosts})\.(org|com)"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    assert found == ""


def test_a_chromium_that_is_named_and_is_none_is_said_before_anything_is_installed(tmp_path, monkeypatch, capsys):
    from wclib import machine

    monkeypatch.setenv("WATERCOLOUR_CHROMIUM", str(tmp_path / "chromium"))
    monkeypatch.setattr(machine, "mesa_installed", lambda: True)
    monkeypatch.setattr(machine.subprocess, "run", lambda *command, **_: pytest.fail(f"started {command}"))
    assert machine.main() == 1
    assert str(tmp_path / "chromium") in capsys.readouterr().err


def public_functions(body, owner=""):
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield owner + node.name, node


def test_every_public_function_says_what_it_raises():
    silent = []
    for path in sorted(path for path in (ROOT / "wclib").rglob("*.py") if "node_modules" not in path.parts):
        for name, function in public_functions(ast.parse(path.read_text(encoding="utf-8")).body):
            raised = [n.exc for n in ast.walk(function) if isinstance(n, ast.Raise) and n.exc]
            names = {getattr(getattr(exc, "func", exc), "id", "") for exc in raised}
            said = ast.get_docstring(function) or ""
            silent += [f"{path.name} {name}: {n}" for n in names if n[:1].isupper() and n not in said]
    assert silent == []


def imported(node):
    """What is imported when a module is loaded: not for type checking, and not by a function when it is called."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{name.name}" for name in child.names)
        elif isinstance(child, ast.Import):
            yield from (name.name for name in child.names)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and "TYPE_CHECKING" not in ast.unparse(
            child
        ):
            yield from imported(child)


def test_imports_point_one_way():
    files = [path for path in (ROOT / "wclib").rglob("*.py") if "node_modules" not in path.parts]
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    needs = {
        module: {name if name in paths else name.rpartition(".")[0] for name in imported(ast.parse(path.read_text()))}
        for module, path in paths.items()
    }
    list(TopologicalSorter({module: names & paths.keys() for module, names in needs.items()}).static_order())
    below = {module for module in paths if module.startswith(("wclib.analysis", "wclib.judges", "wclib.env"))}
    above = {name for module in below for name in needs[module] if name.startswith(("wclib.train", "wclib.commands"))}
    assert above == set()
