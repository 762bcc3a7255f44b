"""A launch's settings as the command line makes them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from wclib import cli
from wclib.train.launch.flags import LaunchConfig, config_of


def parse(line: Sequence[str]) -> tuple[LaunchConfig, argparse.Namespace]:
    """Settings, and the arguments with those of the job, of ``python -m wclib train grpo LINE``."""
    args = cli._parser().parse_args(["train", "grpo", *line])
    return config_of(args), args
