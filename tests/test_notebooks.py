"""Every committed notebook runs top to bottom in a fresh kernel, and is committed executed, small and tidy."""

import base64
import io
import re
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from PIL import Image

from wclib.notebooks import clean, execute, main, notebooks, tagged

NOTEBOOKS = notebooks()
SLUGS = {
    "00_start_here",
    "01_prompt_and_gate",
    "02_render",
    "04_rate_pool",
    "03_build_pool",
    "05_judges_and_reward",
    "06_environment",
    "07_control_task",
    "08_laptop_run",
    "09_launch_h200",
    "10_curves",
    "11_what_it_learned",
    "12_reference_draws",
    "13_gallery",
}


def test_the_numbered_notebooks_are_there():
    assert {path.stem for path in NOTEBOOKS} >= SLUGS


@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_in_a_fresh_kernel(path, monkeypatch):
    monkeypatch.setenv("WATERCOLOUR_QUICK", "1")
    ran = execute(path, timeout_s=500, solved=True)
    assert all(cell.execution_count for cell in ran.cells if cell.cell_type == "code")
    if path.stem != "04_rate_pool":  # its exercise is to rate
        (check,) = tagged(ran, "check")
        assert check.outputs[0].text.startswith("right:"), check.outputs[0].text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_committed_executed_and_small(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code), "run `make notebooks` before committing"
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert "widgets" not in notebook.metadata
    assert path.stat().st_size < 1_000_000
    assert max(len(cell.source.splitlines()) for cell in code) <= 25, "machinery belongs in wclib"
    assert max(len(line) for cell in code for line in cell.source.splitlines()) <= 104, "it runs out of the page"
    (check,) = tagged(notebook, "check")
    assert check.metadata.jupyter.source_hidden and check.outputs[0].text.startswith("not yet:")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_opens_with_what_it_teaches_and_holds_asserts(path):
    cells = nbformat.read(path, as_version=4).cells
    opening = cells[0].source
    assert opening.startswith(f"# {path.stem[:2]} · ")
    assert all(word in opening for word in ("You will learn", "Takes", "Token"))
    assert any(re.search(r"^\s*assert ", cell.source, re.M) for cell in cells if cell.cell_type == "code")


def test_outputs_name_no_folder_of_the_machine_they_ran_on():
    homes = re.compile(r"/(?:home|Users|root|work)/\w")
    for path in NOTEBOOKS:
        found = homes.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path.name}: {found}"


def test_clean_keeps_results_and_drops_progress_chatter():
    cell = nbformat.v4.new_code_cell("1")
    cell.outputs = [
        nbformat.v4.new_output("stream", name="stderr", text="50%|#####"),
        nbformat.v4.new_output("stream", name="stdout", text="done"),
        nbformat.v4.new_output("display_data", {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "bar"}),
    ]
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {"state": {}}})
    kept = clean(notebook)
    assert [output.text for output in kept.cells[0].outputs] == ["done"]
    assert "widgets" not in kept.metadata


def test_a_widget_that_brings_a_picture_leaves_it_for_readers_without_a_kernel():
    cell = nbformat.v4.new_code_cell("rater")
    data = {
        "application/vnd.jupyter.widget-view+json": {"model_id": "gone"},
        "image/png": "aaaa",
        "text/plain": "Rater",
    }
    cell.outputs = [nbformat.v4.new_output("display_data", data)]
    kept = clean(nbformat.v4.new_notebook(cells=[cell])).cells[0].outputs
    assert [sorted(output.data) for output in kept] == [["image/png", "text/plain"]]


def test_a_name_that_no_notebook_has_is_said(capsys):
    assert main(["77_nowhere"]) == 2
    assert "77_nowhere" in capsys.readouterr().err


def test_clean_stores_large_pictures_as_jpeg():
    noise = io.BytesIO()
    Image.effect_noise((400, 400), 60).convert("RGB").save(noise, "PNG")
    cell = nbformat.v4.new_code_cell("1")
    cell.outputs = [nbformat.v4.new_output("display_data", {"image/png": base64.b64encode(noise.getvalue()).decode()})]
    data = clean(nbformat.v4.new_notebook(cells=[cell])).cells[0].outputs[0].data
    assert "image/png" not in data and len(data["image/jpeg"]) < len(noise.getvalue())


def test_a_bar_shows_in_a_notebook_and_not_in_a_log():
    code = "from wclib.progress import Bar\nassert list(Bar(range(3), 'paintings')) == [0, 1, 2]"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    (output,) = NotebookClient(notebook).execute().cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in output.data
    clean(notebook)
    assert notebook.cells[0].outputs == []
    logged = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert logged.stdout + logged.stderr == b""
