"""The rounds of a build: a sketch, its gate, its painting, and what to change before the next.

The model writes a sketch (its first message holds a photograph), the source gate reads it, the renderer paints it, and
a vision model writes down what to change. A sketch that fails its gate is told why instead. Models are asked while
others' sketches are painted.

Each model's first candidates are its trial: when fewer than half of them become a painting, or when it fails to answer
three times in a row, it is asked no more and named.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from wclib.building.chat import Chat, NoPictures
from wclib.building.plan import MAX_TOKENS, TEMPERATURE, TRIAL, Candidate, Plan, again
from wclib.building.record import Record
from wclib.env.critique import critique
from wclib.errors import InfrastructureFault, SketchFault
from wclib.gate import check_render, check_source, reject
from wclib.judges.remote import without_thoughts
from wclib.progress import Bar
from wclib.render import Renderer
from wclib.render.ray_renderer import RayRenderer

CRITIQUE_TOKENS = 600
#: A model that fails to answer so often in a row is asked no more.
PATIENCE = 3


class Rounds:
    """One run of a build; ``dropped`` are the models asked no more, ``painting_s`` the seconds spent painting."""

    def __init__(
        self,
        plan: Plan,
        chat: Chat,
        renderer: Renderer | RayRenderer,
        record: Record,
        say: Callable[[str], None],
        bar: Bar,
    ):
        self.plan, self.chat, self.renderer, self.record, self.say, self.bar = plan, chat, renderer, record, say, bar
        self.dropped: dict[str, str] = {}
        self.painting_s = 0.0
        self._at_work, self._since = 0, 0.0
        self._lost_in_a_row: Counter[str] = Counter()
        self._sightless = {row["model"] for row in record.rows if row["event"] == "sketch" and not row["pictured"]}

    async def model(self, name: str) -> None:
        """One model: its trial, then the rest of its candidates."""
        mine = self.plan.candidates(name)
        trial = mine[:TRIAL]
        done = await asyncio.gather(*(self._turn(candidate, 0, ()) for candidate in trial))
        good = sum(bool(painting and painting["file"]) for painting in done)
        if 2 * good < len(trial):
            self._drop(name, f"{good} of its {len(trial)} trial sketches became a painting")
            return
        await asyncio.gather(*(self._candidate(candidate) for candidate in mine))

    async def _candidate(self, candidate: Candidate) -> None:
        history: tuple[dict, ...] = ()
        for turn in range(self.plan.rounds):
            painting = await self._turn(candidate, turn, history)
            if painting is None or turn + 1 == self.plan.rounds:
                return
            words = await self._feedback(candidate, turn, painting)
            wrote = self.record.known("sketch", candidate, turn) or {"reply": ""}
            history += tuple(again(painting["sketch"], wrote["reply"], words))

    async def _turn(self, candidate: Candidate, turn: int, history: tuple[dict, ...]) -> dict[str, Any] | None:
        """Ask for the sketch and paint it; what is known from before is neither asked nor painted again."""
        painting = self.record.known("painting", candidate, turn)
        if painting and (painting["file"] is None or (self.record.out / painting["file"]).is_file()):
            return painting
        reply = self.record.known("sketch", candidate, turn) or await self._sketch(candidate, turn, history)
        if reply is None:
            return None
        try:
            painting = await self._paint(candidate, turn, reply["reply"])
        except InfrastructureFault as fault:
            self.record.add("failure", candidate, turn, model=candidate.model, what="render", reason=str(fault))
            return None
        self.bar.update()
        return painting

    async def _sketch(self, candidate: Candidate, turn: int, history: tuple[dict, ...]) -> dict[str, Any] | None:
        plan, model = self.plan, candidate.model
        while model not in self.dropped:
            pictured = candidate.photo is not None and model not in self._sightless
            messages = [*plan.first(candidate, pictured), *history]
            try:
                reply = await self.chat.ask(model, messages, MAX_TOKENS, TEMPERATURE)
            except NoPictures:
                if model not in self._sightless:
                    self._sightless.add(model)
                    self.say(f"{model} takes no pictures: it is asked without the photograph")
                continue
            except InfrastructureFault as fault:
                self.record.add("failure", candidate, turn, model=model, what="sketch", reason=fault.detail)
                self._lost_in_a_row[model] += 1
                if self._lost_in_a_row[model] >= PATIENCE:
                    self._drop(model, f"it failed {PATIENCE} times in a row, last: {fault.detail}")
                return None
            self._lost_in_a_row[model] = 0
            return self.record.add(
                "sketch", candidate, turn, model=model, reply=reply.text, cut=reply.cut,
                pictured=pictured or candidate.photo is None, prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens, latency_s=reply.latency_s,
            )  # fmt: skip
        return None

    async def _paint(self, candidate: Candidate, turn: int, reply: str) -> dict[str, Any]:
        verdict = await asyncio.to_thread(check_source, reply)
        render, source = None, verdict.source
        if verdict.passed and source is not None:
            self._begin()
            try:
                render = await self.renderer.arender(source, seed=candidate.number)
                verdict = check_render(verdict, render)
            except SketchFault as fault:
                verdict = reject(verdict, fault)
            finally:
                self._end()
        file, measured = None, ""
        if render is not None and source is not None and verdict.passed:
            file = await asyncio.to_thread(self.record.keep, candidate, turn, source, render)
            shapes = render.shapes
            measured = await asyncio.to_thread(critique, render.png, shapes, render.errors)
        return self.record.add(
            "painting", candidate, turn, model=candidate.model, file=file, sketch=source,
            violations=verdict.codes, reason=verdict.remarks(), measured=measured,
            render_s=render.elapsed_s if render else None,
        )  # fmt: skip

    async def _feedback(self, candidate: Candidate, turn: int, painting: dict[str, Any]) -> str:
        """What the painter is told before its next round."""
        if known := self.record.known("critique", candidate, turn):
            return known["words"]
        plan = self.plan
        by, columns = "gate", dict[str, Any]()
        words = f"The gate did not let this sketch through. {painting['reason']}"
        if painting["file"]:
            by, words = "measured", f"Measured on your painting: {painting['measured']}"
            if plan.critic:
                png = (self.record.out / painting["file"]).read_bytes()
                messages = plan.review(candidate, png, painting["sketch"])
                try:
                    reply = await self.chat.ask(plan.critic, messages, CRITIQUE_TOKENS, 0.0)
                except (InfrastructureFault, NoPictures) as fault:
                    reason = fault.detail if isinstance(fault, InfrastructureFault) else "it takes no pictures"
                    self.record.add("failure", candidate, turn, model=plan.critic, what="critique", reason=reason)
                else:
                    by = plan.critic
                    words = f"A teacher says of your painting: {without_thoughts(reply.text).strip()}\n\n{words}"
                    columns = {
                        "prompt_tokens": reply.prompt_tokens,
                        "completion_tokens": reply.completion_tokens,
                        "latency_s": reply.latency_s,
                    }
        self.record.add("critique", candidate, turn, model=by, words=words, **columns)
        return words

    def _drop(self, model: str, reason: str) -> None:
        if model not in self.dropped:
            self.dropped[model] = reason
            self.record.add("dropped", model=model, reason=reason)
            self.say(f"{model} is dropped: {reason}")

    def _begin(self) -> None:
        if self._at_work == 0:
            self._since = time.monotonic()
        self._at_work += 1

    def _end(self) -> None:
        self._at_work -= 1
        if self._at_work == 0:
            self.painting_s += time.monotonic() - self._since
