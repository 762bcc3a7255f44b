"""The rater in ordinary buttons, for front ends where custom widgets do not load. No keys, the same log."""

from __future__ import annotations

import base64
import html
import time
from typing import Any

import ipywidgets

from wclib.errors import InfrastructureFault
from wclib.pictures import sheet
from wclib.rating.session import Session


class PlainView:
    """Buttons for a :class:`~wclib.rating.session.Session`; show its ``box``."""

    def __init__(self, session: Session):
        self.session = session
        self._looking = True  # at the whole range, before the first picture
        self._shown: tuple[str | None, float] = (None, 0.0)
        self._picture, self._status = ipywidgets.HTML(), ipywidgets.HTML()
        answers = [self._button(label, what, self._press, answer) for answer, _, label, what in session.answers]
        others = [
            self._button("Back", "the one before", self._do, lambda: session.move(-1)),
            self._button("Next", "the one after, without an answer", self._do, lambda: session.move(1)),
            self._button("Undo", "take back the last answer", self._do, session.undo),
            self._button("Grid", "see the whole range, or go back to one picture", self._grid),
        ]
        tier = ipywidgets.Dropdown(options=["all", "unrated", *(answer for answer, *_ in session.answers)])
        subject = ipywidgets.Dropdown(options=["all", *session.subjects()])
        tier.description, subject.description = "Show", "Subject"
        tier.observe(lambda change: self._do(lambda: session.filter(tier=change["new"])), "value")
        subject.observe(lambda change: self._do(lambda: session.filter(subject=change["new"])), "value")
        rows = [answers, others, [tier, subject]]
        self.box = ipywidgets.VBox([self._status, self._picture, *map(ipywidgets.HBox, rows)])
        self.box.add_class("wc-plain")
        self._update()

    @staticmethod
    def _button(label: str, what: str, act: Any, *arguments: Any) -> ipywidgets.Button:
        button = ipywidgets.Button(description=label, tooltip=what)
        button.on_click(lambda _: act(*arguments))
        return button

    def _press(self, answer: str) -> None:
        if self._looking:
            return self._grid()
        slot, since = self._shown
        return self._do(lambda: slot and self.session.press(slot, answer, time.monotonic() - since))

    def _grid(self) -> None:
        self._looking = not self._looking
        self._update()

    def _do(self, act: Any) -> None:
        self._looking = False
        try:
            act()
            self.session.rescan()
        except InfrastructureFault as fault:
            self.session.message = f"Not saved: {fault.detail}"
        self._update()

    def _update(self) -> None:
        session, slot = self.session, self.session.current
        done, total, left = session.progress()
        minutes = f", about {max(1, round(left / 60))} min left" if left else ""
        said = html.escape(session.message)
        self._status.value = f'<div role="status"><b>{done} of {total}</b>{minutes}. {said}</div>'
        if self._looking:
            paths = [each.candidates[0].path for each, _ in session.range()]
            self._picture.value = _img(sheet(paths, most=200), "png", f"The whole range: {len(paths)} paintings", 786)
        elif slot is None:
            self._picture.value = "<p>Every painting here has an answer. New ones appear when you press Next.</p>"
        elif slot.id != self._shown[0]:
            data = [item.read() for item in slot.candidates]
            if None in data:
                session.rescan()
            kinds = [item.path.suffix[1:].lower() for item in slot.candidates]
            width = 600 if len(data) == 1 else 380
            shown = zip(data, kinds, session.alt(slot), strict=True)
            self._picture.value = "".join(_img(each or b"", kind, alt, width) for each, kind, alt in shown)
        now = None if self._looking or slot is None else slot.id
        if now != self._shown[0]:
            self._shown = (now, time.monotonic())


def _img(data: bytes, kind: str, alt: str, width: int) -> str:
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    return f'<img alt="{html.escape(alt)}" width="{width}" style="max-width:100%" src="{source}">'
