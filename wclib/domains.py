"""A domain is everything about the *subject*: what to paint, how to compose it, what counts as good.

Nothing else in the library knows about flowers. Another subject is data: a pool folder with a ``domain.json`` (the
fields of :class:`Domain` but ``pool``) beside its rated pictures. Whoever points ``WATERCOLOUR_POOL_DIR`` at that
folder gets its prompt, its criteria and its caption with its taste; no code changes. A pool without one is about
hibiscus. ``data/pool_lemon`` is such a pool.

The hibiscus domain's figures (subjects, petals, reach, opacities, number of shapes, the
HPSv3 caption) are those of the published recipe; the wording is ours.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
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

FILE = "domain.json"
_FIELDS = tuple(field.name for field in fields(Domain) if field.name != "pool")


def domain_of(folder: Path) -> Domain:
    """The domain of a pool folder: what its ``domain.json`` says, the hibiscus where it has none.

    Raises:
        UsageError: see :func:`read_domain`.
    """
    return read_domain(folder / FILE) if (folder / FILE).is_file() else HIBISCUS


def get_domain(name: str) -> Domain:
    """The domain called ``name``, or the one in the ``domain.json`` (or the folder holding it) that ``name`` names.

    Raises:
        UsageError: no such domain, or a bad file; the message lists what there is.
    """
    if name == HIBISCUS.name:
        return HIBISCUS
    path = Path(name)
    path = path / FILE if path.is_dir() else path
    if path.is_file():
        return read_domain(path)
    raise UsageError(f"there is no domain {name!r}; choose {HIBISCUS.name}, or name a {FILE} or a folder with one")


def read_domain(path: Path) -> Domain:
    """Read a ``domain.json``; the folder it lies in is the domain's pool.

    Raises:
        UsageError: it is no JSON object with exactly the fields of :class:`Domain` (``pool`` left out), all of them
            text but ``subjects``, a list of texts; names the field.
    """
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON ({error}): mend it") from error
    if not isinstance(row, dict) or set(row) != set(_FIELDS):
        raise UsageError(f"{path} must be an object with exactly these fields: {', '.join(_FIELDS)}")
    subjects = row.pop("subjects")
    named = {**row, **{f"subjects[{i}]": text for i, text in enumerate(subjects if isinstance(subjects, list) else [])}}
    wrong = [name for name, text in named.items() if not isinstance(text, str) or not text.strip()]
    if wrong or len(named) == len(row):
        raise UsageError(f"{path}: {', '.join(wrong) or 'subjects'} must be text, and at least one subject is needed")
    return Domain(**row, subjects=tuple(subjects), pool=path.parent)
