"""What goes to the Hub and comes back from it.

python -m wclib publish pool|run|env|hpsv3|gallery --dry-run        write what would be uploaded, upload nothing

space    the environment's Space and HPSv3's        tables   the pool and a run's rollouts as datasets
model    a run's adapter or policy with its card    cards    front matter, snippets, weights, licences
upload   one folder written, checked, committed     load     published adapters, rollouts and pools, pinned
"""

from __future__ import annotations

from wclib.hub.space import ROOT, build_wheel, publish_env

__all__ = ["ROOT", "build_wheel", "publish_env"]
