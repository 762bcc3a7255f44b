"""How the libraries under a run behave: quiet, and on one thread."""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from collections.abc import Iterator

import torch
import transformers


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keep torch on one thread: beside busy browsers two threads were measured to be fifteen times slower."""
    before = torch.get_num_threads()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def quiet_libraries() -> Iterator[None]:
    """Keep the libraries' own bars, advice and per-row warnings out of a run's output; faults still raise."""
    names = ("transformers", "trl", "accelerate", "datasets")
    before = {name: logging.getLogger(name).level for name in names}
    bars = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    for name in names:
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
        if bars:
            transformers.utils.logging.enable_progress_bar()
