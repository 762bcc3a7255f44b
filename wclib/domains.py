"""A domain is everything about the *subject*: what to paint, how to compose it, what counts as good.

Nothing else in the library knows about flowers. To teach another subject, write another
:class:`Domain` and rate another pool; no code changes.

The hibiscus domain's figures (subjects, petals, reach, opacities, number of shapes, the
HPSv3 caption) are those of the published recipe; the wording is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wclib.errors import UsageError

DATA = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True)
class Domain:
    """What a policy paints and how it is judged.

    Attributes:
        name: key used on the command line and in ``run.json``.
        subjects: what the user line of the prompt asks for; the first is the default.
        composition: the composition half of the system prompt.
        criteria: what a judge should prefer, in words.
        worse: what a judge should mark down, in words.
        caption: the text HPSv3 compares a picture with. It names the kind of picture and
            not the subject: naming the flower halves HPSv3's range (published finding).
        pool: default folder of the reference pool.
    """

    name: str
    subjects: tuple[str, ...]
    composition: str
    criteria: str
    worse: str
    caption: str
    pool: Path


HIBISCUS = Domain(
    name="hibiscus",
    subjects=(
        "a peach hibiscus",
        "a white hibiscus with a red eye",
        "a magenta hibiscus",
        "a yellow hibiscus",
        "a coral hibiscus",
    ),
    composition="""\
- A single flower sits in the middle and takes up most of the picture, on pale cream paper. \
Paper must still show on every side; the ground is never dark.
- Keep the palette warm: pinks, corals, yellows and magentas for the flower, greens for a stem and some leaves.
- There are five petals, reaching 200 to 240 from the centre.
- Lay every petal down two or three times: one big pass, then a smaller and more opaque one \
inside it, then a small dark one close to the centre.
- The whole painting takes fifteen to thirty filled shapes.
- Opacity never goes under 150; petals want 180 to 230. Keep fillBleed between 0.2 and 0.3.""",
    criteria=(
        "pigment that bleeds and pools, translucent washes laid over one another, edges that dissolve into the paper, "
        "and a composition that holds together"
    ),
    worse="muddy opaque blobs, hard flat edges, scribble, and a nearly empty page",
    caption="a loose watercolour flower",
    pool=DATA / "pool",
)

DOMAINS = {domain.name: domain for domain in (HIBISCUS,)}


def get_domain(name: str) -> Domain:
    """Return the domain called ``name``.

    Raises:
        UsageError: no such domain; the message lists those there are.
    """
    try:
        return DOMAINS[name]
    except KeyError:
        raise UsageError(f"there is no domain {name!r}; choose one of: {', '.join(sorted(DOMAINS))}") from None
