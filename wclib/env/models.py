"""What travels between client and server; the only module the two share.

Field names are those of the published watercolour environment, so a client of either talks to
a server of the other. Ours adds ``request_id``: OpenEnv 0.3.0 pairs replies with requests by
their order alone, so the client sends an id with every message and accepts no reply that does
not return it. It travels as the reset option ``request_id`` and as ``request_id`` in the
action's ``metadata``, both of which other servers ignore, and comes back as a field of the
observation (0.3.0 drops an observation's own metadata).
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wclib.env.wire import Action, Observation, State
from wclib.errors import UsageError

#: More revisions or references than these are a mistake, and a costly one.
MAX_REVISIONS = 8
MAX_REFERENCES = 64


class ResetOptions(BaseModel):
    """What a client may ask of an episode.

    Attributes:
        seed: draws the subject (when none is given), the references and the sketch's own random
            numbers. One seed a group gives all its rollouts the same references. Drawn by the
            server when absent.
        subject: what to paint, e.g. ``"a peach hibiscus"``.
        references: how many paintings of the pool to compare with; the server's default when absent.
        return_image: send the painting back as base64 PNG.
        revisions: how many times the painter may look at its painting and try again.
        request_id: returned as it is in the observation.
        episode_id: OpenEnv's own name for an episode; kept in the state.
    """

    model_config = ConfigDict(extra="forbid")

    seed: int | None = Field(default=None, ge=0, lt=2**53)
    subject: str | None = Field(default=None, min_length=1, max_length=200)
    references: int | None = Field(default=None, ge=1, le=MAX_REFERENCES)
    return_image: bool = False
    revisions: int = Field(default=0, ge=0, le=MAX_REVISIONS)
    request_id: str = Field(default="", max_length=255)
    episode_id: str | None = Field(default=None, max_length=255)

    @classmethod
    def parse(cls, options: dict[str, Any]) -> ResetOptions:
        """Check what a client asked for.

        Raises:
            UsageError: an option is unknown or out of range; the message names it.
        """
        if unknown := sorted(set(options) - set(cls.model_fields)):
            raise UsageError(f"reset has no option {unknown[0]!r}; it has {', '.join(cls.model_fields)}")
        try:
            return cls(**options)
        except ValidationError as refused:
            first = refused.errors(include_url=False, include_input=False)[0]
            raise UsageError(f"reset option {first['loc'][0]!r}: {first['msg']}") from None


class WatercolourAction(Action):
    """A policy's whole reply; the sketch is found in it on the server.

    ``metadata["request_id"]``, where given, comes back in the observation.
    """

    response: str


class WatercolourObservation(Observation):
    """The task after ``reset``; after ``step``, a record of why the painting was paid what it was.

    Two fields of OpenEnv's travel beside these: ``done``, and ``reward``, which is a number in
    [0, 1], or None while the episode is open and whenever some part of the machinery failed.

    Attributes:
        request_id: the id the client sent with the message this answers.
        prompt, system_prompt, task_id, subject: the task; prompts only after ``reset``.
        feedback: why the painting was paid, refused or not scored, in a sentence.
        gate_passed: the sketch ran, painted and did not cheat.
        violations: verdict codes, empty when the gate passed.
        js_errors: what the sketch threw while painting.
        length_score, judge_score, quality_score: terms in [0, 1], None where not scored.
        judged, quality_scored: whether that term was really obtained; zero is not "nobody looked".
        judge_weight: the judge's share of this server's reward. At 0 a missing verdict costs nothing.
        render_unavailable: the renderer failed, so there is no painting to speak about.
        paint_fraction: share of the canvas painted, in [0, 1].
        finished: the sketch ended by itself, in time, and threw nothing.
        critique: what can be seen in the painting, for the next revision. Never score, references or tiers.
        revisions_left: how many more tries may be looked at before the one that is paid.
        breakdown: seed, weights, terms, judge.comparisons (one entry a reference), the gate's details.
        image_png_base64: the painting, 600 x 600, when asked for or when it may be revised.
    """

    request_id: str = ""
    prompt: str = ""
    system_prompt: str = ""
    task_id: str = ""
    subject: str = ""
    feedback: str = ""
    gate_passed: bool = False
    violations: list[str] = Field(default_factory=list)
    js_errors: list[str] = Field(default_factory=list)
    length_score: float | None = None
    judge_score: float | None = None
    judged: bool = False
    judge_weight: float = 0.0
    quality_score: float | None = None
    quality_scored: bool = False
    render_unavailable: bool = False
    paint_fraction: float = 0.0
    finished: bool = False
    critique: str = ""
    revisions_left: int = 0
    breakdown: dict[str, Any] = Field(default_factory=dict)
    image_png_base64: str | None = None


class WatercolourState(State):
    """Where an episode stands: OpenEnv's ``episode_id`` and ``step_count``, and these."""

    task_id: str = ""
    submitted: bool = False
    revisions_used: int = 0
