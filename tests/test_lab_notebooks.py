"""Every notebook in a real JupyterLab and a real browser, run from empty by the menu as a newcomer would run it."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import lab
import nbformat
import pytest
from playwright.sync_api import Locator, Page

from wclib.notebooks import FOLDER, notebooks, tagged

pytestmark = pytest.mark.slow
SCREEN = {"width": 1440, "height": 900}
CODE = "[...window.jupyterapp.shell.currentWidget.content.model.cells].filter(cell => cell.type === 'code')"
#: Every cell has its number, or one of them raised: JupyterLab then runs none of those after it.
ENDED = f"""() => {CODE}.every(cell => cell.executionCount) ||
    {CODE}.some(cell => cell.outputs.toJSON().some(output => output.output_type === 'error'))"""
#: What sticks out of its frame to the right: a line of code, a table, a picture, an answer.
TOO_WIDE = """cells => cells.flatMap((cell, at) =>
    [...cell.querySelectorAll('.cm-scroller, .jp-OutputArea-output, .jp-MarkdownOutput')]
        .filter(box => box.offsetParent && box.scrollWidth > box.clientWidth + 1)
        .map(box => [at, box.className, box.scrollWidth - box.clientWidth]))"""
LOADED = "shown => shown.tagName !== 'IMG' || shown.naturalWidth > 0"
RED = "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error']"


@dataclass
class Walk:
    """A notebook after Run All Cells: the page, and what the browser complained of on the way."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    @property
    def cells(self) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell")

    def model(self) -> nbformat.NotebookNode:
        """The notebook as JupyterLab would save it."""
        return nbformat.from_dict(self.page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON()"))

    def ran(self) -> None:
        """Every code cell has run, in order, without an error, and shows its number unless it is folded."""
        code = [cell for cell in self.model().cells if cell.cell_type == "code"]
        raised = [f"{o.ename}: {o.evalue}" for cell in code for o in cell.outputs if o.output_type == "error"]
        assert raised == []
        assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
        open_cells = [cell for cell in code if not cell.metadata.get("jupyter", {}).get("source_hidden")]
        shown = self.page.locator(".jp-CodeCell .jp-InputArea-prompt").all_inner_texts()
        assert shown == [f"[{cell.execution_count}]:" for cell in open_cells]
        assert self.page.locator(RED).all_inner_texts() == []
        assert self.complaints == []

    def shows(self, committed: nbformat.NotebookNode) -> None:
        """What the committed notebook shows is in the page, nothing sticks out, no bar stopped half way."""
        for at, cell in enumerate(committed.cells):
            kinds = {kind for output in cell.get("outputs", ()) for kind in output.get("data", ())}
            for kind, tag in (("image/", "img"), ("text/html", "table")):
                if any(each.startswith(kind) for each in kinds):
                    there = self.cells.nth(at).locator(f".jp-OutputArea-output {tag}").first
                    there.scroll_into_view_if_needed()
                    lab.wait(lambda there=there: there.evaluate(LOADED), 10, f"cell {at} shows its {tag}")
        assert self.page.locator(".progress-bar-danger").count() == 0
        for answer in self.page.locator("details").all():
            answer.locator("summary").click()
            assert answer.locator("pre").is_visible()
        assert self.cells.evaluate_all(TOO_WIDE) == []


def walk(page: Page, url: str, path: str, seconds: float) -> Walk:
    """Open a notebook, press Run > Run All Cells, wait until it has ended and the status bar says that it is idle."""
    walked = Walk(page)
    page.on("pageerror", lambda error: walked.complaints.append(str(error)))
    page.on("console", lambda line: walked.complaints.append(line.text) if line.type == "error" else None)
    page.goto(f"{url}/lab/tree/{path}?reset")
    idle = page.get_by_text(lab.IDLE).first
    idle.wait_for(timeout=120_000)
    assert not page.locator(".jp-OutputArea-output").count(), "it starts without outputs"
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(ENDED, timeout=1000 * seconds, polling=500)
    idle.wait_for(timeout=60_000)
    return walked


def empty(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook as if it had never run."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """For each notebook a folder that holds them all, empty, and what they read beside: none sees another's files."""
    home = tmp_path_factory.mktemp("shelf")
    for path in notebooks():
        (home / path.stem / "notebooks").mkdir(parents=True)
        for each in notebooks():
            nbformat.write(empty(nbformat.read(each, as_version=4)), home / path.stem / "notebooks" / each.name)
    for name in ("data", "figures"):
        shutil.copytree(FOLDER.parent / name, home / name)
        for path in notebooks():
            (home / path.stem / name).symlink_to(home / name)
    # Cells out of sight stay in the page, so that what is there can be counted.
    settings = home / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"windowingMode": "none"}))
    return home


@pytest.fixture(scope="module")
def url(home: Path):
    """One JupyterLab for all; its kernels see no variable of the caller's, and know that they are to be short."""
    with pytest.MonkeyPatch.context() as clean:
        for name in list(os.environ):
            if name.startswith("WATERCOLOUR_") and name != "WATERCOLOUR_CHROMIUM" or name == "HF_TOKEN":
                clean.delenv(name)
        clean.setenv("WATERCOLOUR_QUICK", "1")
        clean.setenv("XDG_CACHE_HOME", str(home / "cache"))
        with lab.jupyterlab(home) as url:
            yield url


@pytest.fixture
def page(browser, url):
    page = browser.new_page(viewport=SCREEN)
    yield page
    page.evaluate("window.jupyterapp.serviceManager.sessions.shutdownAll()")
    page.close()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_it_runs_from_empty_and_reads_well(path, page, url):
    walked = walk(page, url, f"{path.stem}/notebooks/{path.name}", 600)
    committed = nbformat.read(path, as_version=4)
    walked.ran()
    walked.shows(committed)
    assert page.locator(".wc:visible").count() == (path.stem == "04_rate_pool"), "the rater, not its picture"
    (check,) = tagged(committed, "check")
    said = walked.cells.nth(committed.cells.index(check))
    assert said.locator(".jp-InputPlaceholder, .jp-Placeholder").is_visible(), "the check is folded"
    assert said.locator(".jp-OutputArea-output").first.inner_text().startswith("not yet:")
    following = f"{int(path.stem[:2]) + 1:02}_"
    last = path == notebooks()[-1]
    text, file = ("open the page", "gallery.html") if last else (following, f"{following}.*ipynb")
    walked.cells.get_by_role("link", name=text).last.click()
    page.get_by_role("tab", name=re.compile(file)).wait_for(timeout=30_000)


@pytest.mark.timeout(300)
def test_a_cell_that_raises_is_seen(page, url, home):
    cells = [nbformat.v4.new_code_cell(source) for source in ("print('before')", "1 / 0", "print('after')")]
    metadata = nbformat.read(notebooks()[0], as_version=4).metadata
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), home / "broken.ipynb")
    with pytest.raises(AssertionError, match="ZeroDivisionError: division by zero"):
        walk(page, url, "broken.ipynb", 60).ran()
