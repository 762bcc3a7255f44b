"""How far llvmpipe's and SwiftShader's pictures of the same sketch are apart, and what the local judge makes of it.

    python -m wclib bench backends --out data/bench/backends.json

The yardstick is another seed on the same backend: a run sees that much noise between any two of its paintings anyway.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from wclib.judges.local import LocalJudge
from wclib.pool import load_pool
from wclib.progress import Bar
from wclib.render import Render, Renderer
from wclib.render.pixels import decode, difference

SEED = 1
PAIRS = {"backend": ("llvmpipe", "swiftshader"), "seed": ("llvmpipe", "another seed")}


def backends(sketches: int = 24) -> dict[str, Any]:
    """Paint ``sketches`` of the pool's own, spread evenly over it, on both backends and with another seed.

    Returns:
        ``sketches``, ``references`` (pool paintings each is compared with), ``identity`` (renderer strings) and, for
        ``backend`` and ``seed``, a list ``rows`` (``file``; ``max``, ``mean``, ``ssim`` of the pictures;
        ``quality`` of both; ``won`` of both, the share of the pool's paintings the judge puts below it; ``flipped``,
        the share of those comparisons that change) and their ``summary``.

    Raises:
        UsageError, InfrastructureFault: a backend does not start, or there is no pool.
    """
    pool = load_pool()
    judge = LocalJudge.for_pool(pool)
    sources = [painting.source_path for painting in pool.paintings + pool.rejected if painting.source_path]
    chosen = [sources[i] for i in np.linspace(0, len(sources) - 1, min(sketches, len(sources))).astype(int)]
    references = np.array([judge.taste(painting.read()) for painting in pool.paintings])
    texts = [path.read_text(encoding="utf-8") for path in chosen]
    painted: dict[str, list[Render]] = {}
    identity = {}
    for name, backend, seed in (
        ("llvmpipe", "llvmpipe", SEED),
        ("another seed", "llvmpipe", SEED + 1),
        ("swiftshader", "swiftshader", SEED),
    ):
        with Renderer(backend=backend, deadline_s=120) as renderer, ThreadPoolExecutor(renderer.browsers) as threads:
            identity[name] = renderer.backend
            renders = threads.map(renderer.render, texts, [seed] * len(texts))
            painted[name] = list(Bar(renders, desc=name, total=len(texts), unit="painting"))

    def row(path: Path, one: Render, other: Render) -> dict[str, Any]:
        tastes = np.array([judge.taste(render.png) for render in (one, other)])
        beats = tastes[:, None] >= references
        return {
            "file": path.name,
            **difference(decode(one.png), decode(other.png)),
            "quality": [asyncio.run(judge.quality(render.png)) for render in (one, other)],
            "won": beats.mean(axis=1).tolist(),
            "flipped": float((beats[0] != beats[1]).mean()),
        }

    found: dict[str, Any] = {"sketches": len(chosen), "references": len(references), "identity": identity}
    for kind, (one, other) in PAIRS.items():
        rows = [row(*three) for three in zip(chosen, painted[one], painted[other], strict=True)]
        found[kind] = {"rows": rows, "summary": _summary(rows)}
    return found


def _summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    quality, won = (np.array([row[name] for row in rows]) for name in ("quality", "won"))
    return {
        "mean": float(np.mean([row["mean"] for row in rows])),
        "ssim": float(np.mean([row["ssim"] for row in rows])),
        "quality_moves_by": float(np.abs(quality[:, 0] - quality[:, 1]).mean()),
        "quality_moves_at_most": float(np.abs(quality[:, 0] - quality[:, 1]).max()),
        "quality_drift": float((quality[:, 1] - quality[:, 0]).mean()),
        "won_moves_by": float(np.abs(won[:, 0] - won[:, 1]).mean()),
        "won_drift": float((won[:, 1] - won[:, 0]).mean()),
        "comparisons_flipped": float(np.mean([row["flipped"] for row in rows])),
    }
