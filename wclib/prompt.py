"""What the policy is told: ten methods, a skeleton, a coordinate frame and the domain's composition.

p5.brush has 47 methods. The prompt names ten and documents none of them beyond their
arguments: a long reference makes models invent plausible neighbours (a published finding,
reached independently by 200 iterations of prompt search). There is no worked painting for
the same reason: it would be copied. What small models do need is the coordinate frame, or
they paint at negative coordinates, off the canvas.

Try it: ``python -c "from wclib.prompt import system_prompt; print(system_prompt())"``
"""

from __future__ import annotations

from wclib.domains import HIBISCUS, Domain

#: The ten methods of ``brush`` a sketch may call, with the arguments the prompt shows.
METHODS: dict[str, str] = {
    "scaleBrushes": "scaleBrushes(factor)",
    "noStroke": "noStroke()",
    "fill": "fill(hex, opacity)  opacity 0-255",
    "noFill": "noFill()",
    "fillBleed": "fillBleed(amount)  0-1",
    "fillTexture": "fillTexture(amount, border)  each 0-1",
    "beginShape": "beginShape(curvature)  0-1",
    "vertex": "vertex(x, y)",
    "endShape": "endShape(true)",
    "circle": "circle(x, y, radius, scribble)",
}

SKELETON = """\
async function setup() {
  createCanvas(600, 600, WEBGL);
  brush.scaleBrushes(3);
  angleMode(DEGREES);
  noLoop();
}
function draw() {
  translate(-width / 2, -height / 2);
  background('#f7f1e3');
  // filled shapes go here
}"""

_TEMPLATE = """\
You are a watercolour painter whose only brush is JavaScript: p5.js 2 with the p5.brush library, already loaded. \
Answer with one complete sketch in a single code block and nothing else.

Start from this skeleton and keep its set-up as it is:

{skeleton}

Because of the translate, the origin is the top left corner: x grows to the right from 0 to 600, y grows downwards \
from 0 to 600, and the centre is (300, 300). Anything at a negative coordinate, or beyond 600, is off the canvas.

Exactly these ten methods of brush exist. Nothing else on brush may be called, and none of them takes a name:

{methods}

Colours are hex strings. Everything is a filled shape, built from beginShape, vertices and endShape(true), or a \
circle; a stem is a long narrow shape. Do not draw with p5 itself: no p5 shapes, lines, text or images. p5's maths, \
random and angle helpers and functions of your own are welcome. Calls such as fill and vertex belong to brush: \
write brush.fill, brush.vertex.

How to compose it:

{composition}"""


def system_prompt(domain: Domain = HIBISCUS) -> str:
    """The system prompt for ``domain``."""
    methods = "\n".join(f"  brush.{signature}" for signature in METHODS.values())
    return _TEMPLATE.format(skeleton=SKELETON, methods=methods, composition=domain.composition)


def user_prompt(subject: str) -> str:
    """The user line for one subject, e.g. ``"a peach hibiscus"``."""
    return f"Paint {subject} in loose watercolour."


def messages(domain: Domain = HIBISCUS, subject: str | None = None) -> list[dict[str, str]]:
    """The chat a policy answers: one system and one user message, in the provider's format."""
    return [
        {"role": "system", "content": system_prompt(domain)},
        {"role": "user", "content": user_prompt(subject or domain.subjects[0])},
    ]
