"""Progress where somebody looks: a bar on a terminal, a widget in a notebook, nothing in a log file."""

from __future__ import annotations

from typing import Any

from tqdm.auto import tqdm

# Without importing tqdm.notebook, which loads IPython and ipywidgets into every command.
_NOTEBOOK = any(base.__module__ == "tqdm.notebook" for base in tqdm.__mro__)


class Bar(tqdm):
    """A tqdm bar that is off when standard error is neither a terminal nor a notebook's.

    tqdm's own ``disable=None`` is off in notebooks too, for their standard error is no terminal. A notebook's bar goes
    when its work is done. Arguments are tqdm's; ``disable=True`` keeps it off everywhere. The trainers keep tqdm's own
    bar, which a log shows as well: it would be silent for an hour.
    """

    def __init__(self, *args: Any, disable: bool | None = None, **options: Any):
        if _NOTEBOOK:
            disable = bool(disable)
            options.setdefault("leave", False)
        super().__init__(*args, disable=disable, **options)
