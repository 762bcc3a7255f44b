"""Rating in the notebook: the taste a pool is made of, kept press by press.

    from wclib.rating import Rater
    Rater("build/candidates", rater="me", log="ratings/me.jsonl")      # in a notebook cell

One painting at a time, blind (no model, score or file name), shuffled by a seed; keys 1 love, 2 okay, 3 nope, 4 meh.
Every press is on the disk before the next picture shows. What each module holds:

=============  =======================================================================================
candidates     the pictures that can be rated: pools, builds, runs; found again while you rate
log            the append-only file of presses, and what stands after every undo
order          the shuffle: what comes where, and what comes back
session        what is shown next and what a press does; no widgets
rater          the notebook's object: widget, summary, ranking
widget, plain  the two faces: anywidget (keys, grid, prefetch) and ordinary buttons
agreement      how far ratings can be trusted: repeats, several raters, drift
ranking        pairwise answers to an order, by the Bradley-Terry model
pack           ratings to a pool folder
simulate       raters that are a formula, and say so: for the notebook and the tests
=============  =======================================================================================

Not covered: two kernels that write the same rater's file at once; give every rater a file.
"""

from wclib.rating.log import RatingLog
from wclib.rating.pack import pack
from wclib.rating.rater import Rater

__all__ = ["Rater", "RatingLog", "pack"]
