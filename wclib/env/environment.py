"""One episode: ``reset`` names a subject, ``step`` paints the reply and scores the painting.

By default an episode is one exchange. With ``revisions=n`` it stays open for n more tries: each
painting comes back with a critique of what can be seen in it and no score, and only the last
painting is scored and paid, so a revision has to improve on what it replaces.

Every session has an environment of its own; all of them share one :class:`~wclib.env.studio.Studio`
(renderer, pool, judges). ``step_async`` awaits, so sessions progress side by side.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import random
import re
from typing import Any

from wclib.env.critique import critique
from wclib.env.models import ResetOptions, WatercolourAction, WatercolourObservation, WatercolourState
from wclib.env.studio import Studio
from wclib.env.told import breakdown, feedback, not_scored, seen, without_paths
from wclib.env.wire import Environment, EnvironmentMetadata
from wclib.errors import InfrastructureFault, UsageError
from wclib.prompt import system_prompt, user_prompt

log = logging.getLogger(__name__)


class WatercolourEnvironment(Environment[WatercolourAction, WatercolourObservation, WatercolourState]):
    """An OpenEnv environment that paints p5.brush sketches and scores them.

    Args:
        studio: the renderer and scorer all sessions share.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, studio: Studio):
        super().__init__()
        self._studio = studio
        self._options: ResetOptions | None = None
        self._seed = 0
        self._subject = ""
        self._closed = False
        self._state = WatercolourState()
        studio.sessions += 1

    @property
    def state(self) -> WatercolourState:
        """Where this episode stands."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Name and description, for OpenEnv's ``/metadata``."""
        return EnvironmentMetadata(
            name="watercolour",
            description="Paint in loose watercolour with p5.brush; the painting is rendered and scored.",
            version="1.0.0",
        )

    def close(self) -> None:
        """End the session. OpenEnv calls this for a client that left and for one idle too long."""
        if not self._closed:
            self._closed = True
            self._studio.sessions -= 1

    async def reset_async(self, **options: Any) -> WatercolourObservation:  # type: ignore[override]
        """Start an episode and return the task.

        Args:
            options: those of :class:`~wclib.env.models.ResetOptions`.

        Raises:
            UsageError: an option is unknown or out of range.
        """
        return self.reset(**options)

    def reset(self, **options: Any) -> WatercolourObservation:  # type: ignore[override]
        """As :meth:`reset_async`."""
        self._refuse_if_closed()
        chosen = ResetOptions.parse(options)
        domain = self._studio.domain
        self._seed = random.randrange(2**31) if chosen.seed is None else chosen.seed
        self._subject = chosen.subject or random.Random(self._seed).choice(domain.subjects)
        self._options = chosen
        slug = re.sub(r"[^a-z0-9]+", "-", self._subject.lower()).strip("-")
        self._state = WatercolourState(
            episode_id=chosen.episode_id, step_count=0, task_id=f"{domain.name}/{slug}/{self._seed}"
        )
        return self._observation(
            chosen.request_id,
            prompt=user_prompt(self._subject),
            system_prompt=system_prompt(domain),
            revisions_left=chosen.revisions,
        )

    def step(self, action: WatercolourAction, timeout_s: float | None = None, **kwargs: Any) -> WatercolourObservation:
        """Not for this environment: rendering and judging are awaited. The server calls :meth:`step_async`.

        Raises:
            UsageError: always.
        """
        raise UsageError("call step_async: painting and judging are asynchronous")

    async def step_async(
        self, action: WatercolourAction, timeout_s: float | None = None, **kwargs: Any
    ) -> WatercolourObservation:
        """Paint a reply; score it when it is the episode's last.

        Returns:
            An observation. Its reward is None while revisions are left, and when some part of
            the machinery failed (which also ends the episode).

        Raises:
            UsageError: there is no open episode.
        """
        self._refuse_if_closed()
        if self._options is None:
            raise UsageError("there is no episode yet: call reset first")
        if self._state.submitted:
            raise UsageError("this episode is over: call reset for another")
        request_id = str(action.metadata.get("request_id", ""))[:255]
        self._state.step_count += 1
        left = self._options.revisions - self._state.revisions_used
        try:
            if left > 0:
                return await self._revise(action.response, request_id, left - 1)
            return await self._pay(action.response, request_id)
        except InfrastructureFault as fault:
            return self._unscored(request_id, fault)
        except Exception:
            # Whatever else goes wrong here is a fault of ours, never of the sketch. Its trace is for
            # the server's log; the client gets no path and no stack.
            log.exception("a step failed")
            ours = InfrastructureFault("environment", "the step failed; the server's log has the cause")
            return self._unscored(request_id, ours)

    async def _revise(self, reply: str, request_id: str, left: int) -> WatercolourObservation:
        verdict, render = await self._studio.admit(reply, self._seed)
        self._state.revisions_used += 1
        png = render.png if render else None
        words = await asyncio.to_thread(
            critique, png, render.shapes if render else None, render.errors if render else ()
        )
        remarks = verdict.remarks()
        return self._observation(
            request_id,
            feedback=remarks or "The gate lets this painting through.",
            critique=f"{remarks} {words}".strip(),
            revisions_left=left,
            png=png,
            breakdown={"seed": self._seed, "verdict": verdict.as_dict()},
            **seen(verdict, render),
        )

    async def _pay(self, reply: str, request_id: str) -> WatercolourObservation:
        assert self._options is not None
        reward = await self._studio.score(reply, self._seed, self._options.references)
        self._state.submitted = True
        verdict, render, terms = reward.verdict, reward.render, reward.terms
        png = render.png if render else None
        judge, quality = terms.get("judge"), terms.get("quality")
        return self._observation(
            request_id,
            done=True,
            reward=reward.value,
            feedback=feedback(reward),
            length_score=terms.get("length"),
            judge_score=judge,
            judged=judge is not None,
            quality_score=quality,
            quality_scored=quality is not None,
            render_unavailable=reward.value is None and render is None,
            png=png if self._options.return_image or self._options.revisions else None,
            breakdown={"seed": self._seed, **breakdown(reward)},
            **{**seen(verdict, render), "gate_passed": terms.get("gate") == 1.0},
        )

    def _unscored(self, request_id: str, fault: InfrastructureFault) -> WatercolourObservation:
        self._state.submitted = True
        return self._observation(
            request_id,
            done=True,
            feedback=not_scored(str(fault)),
            render_unavailable=fault.part == "renderer",
            breakdown={"seed": self._seed, "reason": without_paths(str(fault))},
        )

    def _observation(self, request_id: str, png: bytes | None = None, **fields: Any) -> WatercolourObservation:
        return WatercolourObservation(
            request_id=request_id,
            image_png_base64=base64.b64encode(png).decode("ascii") if png else None,
            task_id=self._state.task_id,
            subject=self._subject,
            judge_weight=self._studio.weights().get("judge", 0.0),
            **fields,
        )

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise UsageError("this session was idle too long and was closed: connect again")
