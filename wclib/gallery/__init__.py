"""Every painting of a run on one page that needs nothing but a browser: no server, no network, no library.

``gallery(["runs/mine"], "gallery.html")`` writes one self-contained file; a name without ``.html`` makes a folder
of a page and its pictures, for runs of many thousands. A run is a folder of ours or a rollouts data set in
imagefolder layout (:mod:`wclib.gallery.read`).

The page shows what untrusted models wrote. Covered, each by a test in ``tests/test_gallery.py``: sketches, reasons
and names reach the page as JSON whose ``<`` is escaped and get onto it as text nodes, never as markup; a
Content-Security-Policy admits one style sheet and one script by their hashes and no connection of any kind; trusted
types turn every way of writing markup from a string off. A reward that is missing is shown as "unscored" with its
reason and sorts last, never as 0.

Run it: ``python -m wclib gallery data/runs/laptop-demo/seed0 --out gallery.html``
"""

from wclib.gallery.build import gallery, look
from wclib.gallery.read import Rollout, Run, frame, newest_run, read_runs

__all__ = ["Rollout", "Run", "frame", "gallery", "look", "newest_run", "read_runs"]
