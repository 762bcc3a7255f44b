"""Execute the notebooks in place and keep them small: ``python -m wclib.notebooks [NAME ...]``.

Each runs top to bottom in a fresh kernel, in its own folder. Saved widget state and timing metadata are
stripped, so a diff shows only what changed. Set ``WATERCOLOUR_QUICK=1`` for the shortened runs CI uses; the
notebooks show where it matters.
"""

from __future__ import annotations

import base64
import io
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from PIL import Image

#: Characters of base64 above which a PNG output is stored as JPEG.
_LARGE = 100_000
FOLDER = Path(__file__).resolve().parent.parent / "notebooks"


def notebooks(names: list[str] | None = None) -> list[Path]:
    """The numbered notebooks in order, or those whose file name starts with one of ``names``."""
    found = sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))
    return [path for path in found if not names or path.name.startswith(tuple(names))]


def execute(path: Path, timeout_s: int = 1200, solved: bool = False) -> nbformat.NotebookNode:
    """Run a notebook in a fresh kernel and return it with its outputs.

    Args:
        path: the notebook; it is not changed on disk.
        timeout_s: seconds one cell may take.
        solved: put the printed answer into the exercise's cell first, as a reader would.

    Raises:
        CellExecutionError: a cell failed; the message holds the cell and the traceback.
    """
    notebook = nbformat.read(path, as_version=4)
    if solved:
        answer = re.search(r"```python\n(.*)\n```", notebook.cells[-1].source, re.S)
        for cell in tagged(notebook, "exercise"):
            cell.source = answer.group(1) if answer else cell.source
    client = NotebookClient(
        notebook,
        timeout=timeout_s,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute()
    return clean(notebook)


def tagged(notebook: nbformat.NotebookNode, tag: str) -> list[nbformat.NotebookNode]:
    """The cells that carry a tag: ``exercise`` is the reader's cell, ``check`` the folded one that answers it."""
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", ())]


def clean(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Drop widget state, timings and progress chatter; keep what a reader without a kernel should see."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [_smaller(output) for output in cell.outputs if not _is_chatter(output)]
    return notebook


def _is_chatter(output: nbformat.NotebookNode) -> bool:
    if output.get("name") == "stderr":
        return True
    # A widget is dead without its kernel: its picture stays, if it brings one.
    view = output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    return view is not None and "image/png" not in output.data


def _smaller(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A sheet of paintings as JPEG: a fifth of the PNG, and nobody measures pixels in a notebook."""
    png = output.get("data", {}).get("image/png", "")
    if len(png) > _LARGE:
        jpeg = io.BytesIO()
        Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB").save(jpeg, "JPEG", quality=85)
        output.data.pop("image/png")
        output.data["image/jpeg"] = base64.b64encode(jpeg.getvalue()).decode()
    return output


def main(names: list[str]) -> int:
    """Execute notebooks in place; 1 when a cell failed (that notebook is left as it was), 2 when there is none such."""
    failed = 0
    if unknown := [name for name in names if not notebooks([name])]:
        there = ", ".join(path.stem for path in notebooks())
        print(f"no notebook's name starts with {unknown[0]!r}; there are: {there}", file=sys.stderr)
        return 2
    for path in notebooks(names):
        started = time.monotonic()
        print(f"{path.name} ...", end=" ", flush=True, file=sys.stderr)
        try:
            nbformat.write(execute(path), path)
        except CellExecutionError as error:
            failed = 1
            print(f"FAILED\n{error}", file=sys.stderr)
        else:
            size = path.stat().st_size // 1024
            print(f"{time.monotonic() - started:.0f} s, {size} KB", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
