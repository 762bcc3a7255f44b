"""The HPSv3 scorer's Space: :mod:`wclib.hpsv3_space.app` and the files it is built from.

    python -m wclib publish hpsv3 --dry-run        assemble the folder, upload nothing
    make scorer-lock                               make requirements.txt again from requirements.in

The client is :mod:`wclib.judges.hpsv3`.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent
#: What the Space is made of.
FILES = ("Dockerfile", "README.md", "app.py", "requirements.txt")
