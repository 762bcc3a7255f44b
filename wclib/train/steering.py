"""Two tastes under the same seeds: whether each pulled its own way, and farther than seeds differ.

Each taste is a pool of its own; two runs with the same seed differ in nothing else. What the best policy of a run
paints on the fixed-seed evaluation is measured (:data:`wclib.train.watch.ATTRIBUTES`), and the tastes are compared seed
by seed.

    python -m wclib pool taste --out build/taste
    for taste in warm cool; do
      python -m wclib train laptop --preset demo --seed 0 --pool build/taste/$taste --tag $taste-s0
    done
    python -m wclib.train.steering runs/warm-s0 runs/cool-s0 --sheet sheet > paintings.csv
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from wclib.errors import UsageError
from wclib.train.evaluation import best, evaluations
from wclib.train.watch import ATTRIBUTES, paintings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def collect(runs: Sequence[Path | str]) -> pd.DataFrame:
    """The evaluation paintings of runs whose folders are named ``<name>-s<seed>``.

    Returns:
        a row a painting: ``taste`` (the name), ``seed``, ``after_steps``, ``sample``, ``best`` (the run's best
        evaluation after training), ``reward``, :data:`ATTRIBUTES` and ``image``, its path within the run.

    Raises:
        UsageError: a folder's name does not say taste and seed.
    """
    tables = []
    for run in map(Path, runs):
        named = re.fullmatch(r"(.+)-s(\d+)", run.name)
        if named is None:
            raise UsageError(f"{run} is not named <taste>-s<seed>, such as warm-s0")
        table = paintings(run, "eval/rollouts.jsonl")
        chosen = table["after_steps"] == best(evaluations(run)).after_steps
        table = table.assign(taste=named[1], seed=int(named[2]), best=chosen)
        tables.append(table[["taste", "seed", "after_steps", "sample", "best", "reward", *ATTRIBUTES, "image"]])
    return pd.concat(tables, ignore_index=True)


def compare(table: pd.DataFrame, first: str = "warm", second: str = "cool") -> pd.DataFrame:
    """What two tastes came to, from :func:`collect`'s table.

    Returns:
        a row an attribute: ``before`` (mean before training), the means of both tastes, ``s<seed>`` for every seed,
        the first taste's mean less the second's, and ``spread``, the standard deviation between seeds of one taste
        (pooled over the two).
    """
    best = table[table["best"]].groupby(["taste", "seed"])[list(ATTRIBUTES)].mean()
    apart = best.loc[first] - best.loc[second]
    out = pd.DataFrame(
        {
            "before": table[table["after_steps"] == 0][list(ATTRIBUTES)].mean(),
            first: best.loc[first].mean(),
            second: best.loc[second].mean(),
        }
    )
    for seed, row in apart.iterrows():
        out[f"s{seed}"] = row
    out["spread"] = np.sqrt((best.loc[first].var() + best.loc[second].var()) / 2)
    return out.rename_axis("attribute")


def sheet(runs: Sequence[Path | str], table: pd.DataFrame, columns: int = 8) -> Figure:
    """The same prompts and seeds down a column: before training, then what the best policy of each run painted."""
    from wclib.plots import contact_sheet
    from wclib.plots_train import parted

    folders = [Path(run) for run in runs]
    taste = table["taste"] + "-s" + table["seed"].astype(str)
    rows = [("before", folders[0], table[(table["after_steps"] == 0) & (taste == folders[0].name)])]
    rows += [(folder.name, folder, table[table["best"] & (taste == folder.name)]) for folder in folders]
    pictures: list[Path | bytes] = []
    captions = []
    for name, folder, part in rows:
        image = dict(zip(part["sample"], part["image"], strict=True))
        pictures += [folder / image[i] if i in image else b"" for i in range(columns)]
        captions += [name, *[""] * (columns - 1)]
    tastes = list(dict.fromkeys(table["taste"]))
    title = "The same prompts and seeds: before, and the best of each run"
    if len(tastes) == 2:
        title = f"The same prompts and seeds: {tastes[0]} above {tastes[1]} in {parted(table, *tastes)}"
    return contact_sheet(pictures, captions, columns, title, cell=1.2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--sheet", metavar="STEM", help="the paintings beside each other, as STEM.png and STEM.svg")
    given = parser.parse_args()
    found = collect(given.runs)
    found.round(4).to_csv(sys.stdout, index=False)
    tastes = list(dict.fromkeys(found["taste"]))
    if len(tastes) == 2:
        print(compare(found, *tastes).round(2).to_string(), file=sys.stderr)
    if given.sheet:
        from wclib.plots import save

        save(sheet(given.runs, found), given.sheet)
