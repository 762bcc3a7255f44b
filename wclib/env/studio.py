"""What all sessions of a server share: one renderer, one pool, one scorer, and their health.

A part that cannot start does not stop the server: it is written down, ``/health`` turns red and
names it, and every step answers "not scored" until it is mended and the server is started again.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from wclib.domains import HIBISCUS, Domain
from wclib.errors import InfrastructureFault, UsageError

if TYPE_CHECKING:
    from wclib.gate import Verdict
    from wclib.render import Render, Renderer
    from wclib.render.ray_renderer import RayRenderer
    from wclib.reward import Reward
    from wclib.scorer import Scorer

DEFAULT_SESSIONS = 64
#: A session without a message for this many seconds is closed and its slot given back.
IDLE_S = 900.0


def check_settings(renderer: str = "local") -> None:
    """Read every setting the scorer will read, so that a wrong one is told before anything starts.

    Raises:
        UsageError: a bad pool, weight, mix or URL; no Ray for the renderer ``ray``.
    """
    from wclib.judges.hpsv3 import hpsv3_from_env
    from wclib.judges.vision import vision_judge_from_env
    from wclib.pool import load_pool, mix_from_env
    from wclib.weights import weights_from_env

    if renderer == "ray":
        from wclib.render.ray_renderer import import_ray

        import_ray()
    for read in (weights_from_env, mix_from_env, vision_judge_from_env, hpsv3_from_env, load_pool):
        read()


class Studio:
    """The shared parts of an environment server. ``open`` before use, ``close`` after.

    Args:
        renderer: ``local`` or ``ray``, see :mod:`wclib.render.ray_renderer`.

    Attributes:
        domain: what is painted here: the pool's, once it is open.
        problems: part -> what is wrong with it and the remedy; empty when all is well.
        sessions: how many sessions are open.
    """

    def __init__(self, renderer: str = "local") -> None:
        self._kind = renderer
        self.domain: Domain = HIBISCUS
        self.problems: dict[str, str] = {}
        self.sessions = 0
        self._renderer: Renderer | RayRenderer | None = None
        self._scorer: Scorer | None = None

    def open(self) -> None:
        """Start the renderer and build the scorer from the environment variables; takes seconds."""
        from wclib.gate import check_source
        from wclib.render.golden import GOLDEN_SKETCH
        from wclib.render.ray_renderer import open_renderer
        from wclib.scorer import scorer_from_env

        try:
            self._renderer = open_renderer(self._kind)
        except (InfrastructureFault, UsageError) as fault:
            self.problems["renderer"] = str(fault)
        try:
            if not (verdict := check_source(GOLDEN_SKETCH)).passed:
                self.problems["gate"] = f"it refuses a sketch known to be good ({', '.join(verdict.codes)})"
        except (InfrastructureFault, UsageError) as fault:
            self.problems["gate"] = str(fault)
        try:
            self._scorer = scorer_from_env(self._renderer)
            self.domain = self._scorer.pool.domain
        except (InfrastructureFault, UsageError) as fault:
            self.problems["scorer"] = str(fault)

    def close(self) -> None:
        """Stop the browsers."""
        if self._renderer is not None:
            self._renderer.close()

    async def admit(self, reply: str, seed: int) -> tuple[Verdict, Render | None]:
        """Check and paint a reply without judging it.

        Raises:
            InfrastructureFault: the renderer failed.
        """
        from wclib.gate import admit

        self._require()
        return await asyncio.to_thread(admit, reply, self._renderer, seed)

    async def score(self, reply: str, seed: int, references: int | None) -> Reward:
        """Check, paint and score a reply.

        Raises:
            InfrastructureFault: some part is not there at all.
        """
        self._require()
        assert self._scorer is not None
        return await self._scorer.score(reply, seed, references)

    def health(self) -> dict[str, Any]:
        """What ``/health`` shows. ``status`` is ``"healthy"`` or ``"unhealthy"``; ``problems`` says why."""
        problems = dict(self.problems)
        scorer = self._scorer
        if scorer is not None and not scorer.pool.folder.is_dir():
            problems["pool"] = "the pool's folder went away since the start; put it back or start the server again"
        identity = scorer.identity() if scorer else {}
        return {
            "status": "unhealthy" if problems else "healthy",
            "problems": problems,
            "domain": self.domain.name,
            "weights": self.weights(),
            "judge": identity.get("judge"),
            "quality": identity.get("quality"),
            "local_judge": identity.get("local_judge", ""),
            "renderer": self._renderer.backend if self._renderer and "renderer" not in problems else None,
            "pool": scorer and {"fingerprint": scorer.pool.fingerprint, "paintings": len(scorer.pool.paintings)},
            "references": identity.get("references"),
            "mix": identity.get("mix"),
            "sessions": {"open": self.sessions},
        }

    def weights(self) -> dict[str, float]:
        """The reward's weights by term; empty while there is no scorer."""
        return asdict(self._scorer.weights) if self._scorer else {}

    def _require(self) -> None:
        for part, problem in self.problems.items():
            raise InfrastructureFault(part, problem)
