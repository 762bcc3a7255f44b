"""What a build is to make, what each painter and the critic are told, and how many calls that is at most."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wclib.building.photos import Photo
from wclib.domains import Domain
from wclib.errors import UsageError
from wclib.judges.remote import data_url
from wclib.pictures import encoded, shrunk
from wclib.prompt import METHODS, system_prompt, user_prompt

PHOTO_SIDE = 512
#: First candidates of a model that decide whether it is kept.
TRIAL = 2
#: Longest sketch, and the painters' temperature; the critic has 0.
MAX_TOKENS, TEMPERATURE = 8192, 0.8
#: A file system's longest name, less what is put around a candidate's.
LONGEST_NAME = 255 - 35

_LOOK = (
    "The photograph is only for its forms: how the parts grow, overlap and turn. Take colours and composition from "
    "your instructions."
)
_CRITIC = """\
You teach watercolour to a painter whose only brush is JavaScript with p5.brush. You are shown {photo}the painting and \
the sketch that made it. In at most 120 words, say what to change in the next version, the most important first: which \
shapes to lay larger, smaller, softer, darker or elsewhere, which colours, how many washes.
Good here means: {criteria}.
Weak here means: {worse}.
The painter has only these methods: {methods}. Write no code, give no grade, and name nothing that is already right \
unless it must stay."""
_AGAIN = "Paint it again: answer with one complete sketch in a single code block and nothing else."


@dataclass(frozen=True)
class Candidate:
    """One painting on its way through the rounds."""

    model: str
    subject: str
    number: int
    photo: Photo | None

    @property
    def slug(self) -> str:
        """Its name in file names; rounds of one candidate share it, which makes them one sketch family."""
        parts = (self.model.rsplit("/", 1)[-1], self.subject, str(self.number))
        return "-".join(re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts)


@dataclass(frozen=True)
class Plan:
    """A build.

    Attributes:
        domain: what is painted and what counts as good.
        models: who paints, ids as the provider names them.
        photos: what they look at; may be empty.
        each: candidates a model and subject.
        rounds: paintings a candidate, the first and its revisions.
        critic: vision model that writes what to change; None leaves it to what can be measured.

    Raises:
        UsageError: no model, one twice, no candidates or rounds, or a name that cannot be a file's.
    """

    domain: Domain
    models: tuple[str, ...]
    photos: tuple[Photo, ...] = ()
    each: int = 2
    rounds: int = 3
    critic: str | None = None

    def __post_init__(self) -> None:
        if not self.models or len(set(self.models)) < len(self.models):
            raise UsageError("name at least one model with --models, and each of them once")
        if min(self.each, self.rounds) < 1:
            raise UsageError(f"--each {self.each} and --rounds {self.rounds} must be at least 1")
        slugs = [candidate.slug for candidate in self.candidates()]
        if len(set(slugs)) < len(slugs):
            raise UsageError("two models or subjects differ only in signs that file names do not keep: rename one")
        if (longest := max(slugs, key=len)) and len(longest) > LONGEST_NAME:
            raise UsageError(
                f"model and subject make a file name too long for a disk, {longest[:40]}... ({len(longest)} "
                f"characters, at most {LONGEST_NAME}): shorten the subject in the domain"
            )

    def candidates(self, model: str | None = None) -> list[Candidate]:
        """All of them, or one model's; the same number of a subject looks at the same photograph for every model."""
        made = []
        for name in self.models if model is None else (model,):
            for number in range(self.each):
                for place, subject in enumerate(self.domain.subjects):
                    turn = number * len(self.domain.subjects) + place
                    photo = self.photos[turn % len(self.photos)] if self.photos else None
                    made.append(Candidate(name, subject, number, photo))
        return made

    def calls(self) -> dict[str, int]:
        """Calls by model, at most: a sketch that fails its gate needs no critic, a dropped model no more calls."""
        count = len(self.candidates(self.models[0]))
        calls = {model: count * self.rounds for model in self.models}
        if self.critic:
            calls[self.critic] = calls.get(self.critic, 0) + count * len(self.models) * (self.rounds - 1)
        return calls

    def first(self, candidate: Candidate, pictured: bool) -> list[dict[str, Any]]:
        """The messages of round 0, the photograph in the first of the painter's."""
        text: Any = user_prompt(candidate.subject)
        if candidate.photo and pictured:
            text = [{"type": "text", "text": f"{text} {_LOOK}"}, shown(candidate.photo.path.read_bytes())]
        return [{"role": "system", "content": system_prompt(self.domain)}, {"role": "user", "content": text}]

    def review(self, candidate: Candidate, png: bytes, sketch: str) -> list[dict[str, Any]]:
        """What the critic is asked."""
        photo = candidate.photo
        system = _CRITIC.format(
            photo="a photograph of the subject, " if photo else "",
            criteria=self.domain.criteria,
            worse=self.domain.worse,
            methods=", ".join(METHODS),
        )
        content = [
            {"type": "text", "text": f"The subject: {candidate.subject}."},
            *([{"type": "text", "text": "The photograph:"}, shown(photo.path.read_bytes())] if photo else []),
            {"type": "text", "text": "The painting:"},
            shown(png),
            {"type": "text", "text": f"Its sketch:\n```js\n{sketch}\n```"},
        ]
        return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def again(sketch: str | None, said: str, words: str) -> list[dict[str, str]]:
    """The next round's two messages: what the painter wrote, and what to change."""
    wrote = f"```js\n{sketch}\n```" if sketch else said[:2000] or "(nothing)"
    return [{"role": "assistant", "content": wrote}, {"role": "user", "content": f"{words}\n\n{_AGAIN}"}]


def shown(picture: bytes) -> dict[str, Any]:
    """A picture as a part of a message, as JPEG and at most 512 px a side: providers bill pictures by their size."""
    jpeg = encoded(shrunk(picture, PHOTO_SIDE), "JPEG", quality=88)
    return {"type": "image_url", "image_url": {"url": data_url(jpeg)}}


def read_prices(texts: Sequence[str]) -> Mapping[str, tuple[float, float]]:
    """``MODEL=IN/OUT`` in dollars a million tokens, as ``--price`` takes them.

    Raises:
        UsageError: not of that form.
    """
    prices = {}
    for text in texts:
        model, _, numbers = text.rpartition("=")
        try:
            paid, got = (float(number) for number in numbers.split("/"))
        except ValueError:
            paid = got = math.nan
        if not (0 <= paid < math.inf and 0 <= got < math.inf):
            raise UsageError(f"--price {text}: write MODEL=IN/OUT, dollars a million tokens, such as a/b=0.5/2")
        prices[model] = (paid, got)
    return prices
