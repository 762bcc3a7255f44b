"""How many source checks a second one process manages.

Run it: ``python -m wclib bench gate``. Every check is of another sketch (its colours and places differ) of about 150
lines, as a whole reply with prose and a fence: extraction, parsing, scopes, value flow and the verdict are all in it.
"""

from __future__ import annotations

import os
import time

import psutil

from wclib import nodeworker
from wclib.gate import check_source
from wclib.train.flower import SETUP

_HEAD = f"""Here is the painting.

```js
// petals, leaves and a stem, each a filled shape
const paper = "#f7f1e3";
let drawn = 0;

{SETUP}
function petal(cx, cy, turn, reach, hue, opacity) {{
  brush.fill(hue, opacity);
  brush.beginShape(0.6);
  for (const [r, d] of [[0.1, -40], [0.7, -26], [1, 0], [0.7, 26], [0.1, 40]]) {{
    brush.vertex(cx + reach * r * cos(turn + d), cy + reach * r * sin(turn + d));
  }}
  brush.endShape(true);
  drawn += 1;
}}

function draw() {{
  translate(-width / 2, -height / 2);
  background(paper);
  brush.noStroke();
  brush.fillBleed(0.25);
  brush.fillTexture(0.4, 0.3);
"""
_LEAF = """
  // leaf {i}
  brush.fill("#{colour:06x}", {opacity});
  brush.beginShape(0.4);
  brush.vertex({x}, {y});
  brush.vertex({x} + 40, {y} - 20);
  brush.vertex({x} + 90 + random(-4, 4), {y});
  brush.vertex({x} + 45, {y} + 22);
  brush.endShape(true);
"""
_PETALS = """
  for (let i = 0; i < 5; i++) {{
    petal(300, 280, i * 72 + {turn}, {reach}, ["#{colour:06x}", "#d96c66", "#e2857a"][i % 3], {opacity});
  }}
"""


def example(seed: int) -> str:
    """A reply with an honest sketch of about 150 lines; another one for each seed."""
    parts = [_HEAD]
    for i in range(11):
        number = seed * 7919 + i * 104729
        parts.append(
            _LEAF.format(
                i=i, colour=number % 0x1000000, opacity=150 + number % 80, x=100 + number % 300, y=100 + number % 400
            )
        )
    for i in range(4):
        number = seed * 6007 + i * 5003
        parts.append(
            _PETALS.format(turn=number % 72, reach=240 - 40 * i, colour=number % 0x1000000, opacity=180 + 10 * i)
        )
    return "".join(parts) + '  brush.fill("#f0c24b", 220);\n  brush.circle(300, 280, 30, 0.4);\n}\n```\n'


def bench_gate(checks: int = 1500, warm_up: int = 200) -> dict:
    """Time source checks, one after the other.

    Returns:
        ``checks_per_s`` (wall), ``checks_per_cpu_s`` (this process and its parser together), ``checks``, ``lines`` (of
        one sketch) and ``cores``.
    """
    replies = [example(seed) for seed in range(warm_up + checks)]
    for reply in replies[:warm_up]:
        check_source(reply)
    parser = psutil.Process(nodeworker.shared.pid)
    cpu = _cpu(parser)
    started = time.perf_counter()
    admitted = sum(check_source(reply).passed for reply in replies[warm_up:])
    seconds = time.perf_counter() - started
    cpu = _cpu(parser) - cpu
    return {
        "checks": checks,
        "admitted": admitted,
        "lines": replies[0].count("\n"),
        "seconds": seconds,
        "checks_per_s": checks / seconds,
        "checks_per_cpu_s": checks / cpu,
        "cores": os.cpu_count(),
    }


def _cpu(parser: psutil.Process) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in (psutil.Process(), parser))
