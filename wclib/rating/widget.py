"""The rater's widget: anywidget, so that it gets keys, and messages, so that no picture ends up in the notebook file.

The page asks, the kernel answers; the kernel keeps nothing about a page, so a reload or a second view needs no care.

From the page: ``ready``, ``poll``, ``want`` (a picture), ``thumbs``, ``range``, ``press``, ``undo``, ``move``, ``go``,
``filter``. To the page: ``state``, ``picture``, ``thumb``, ``range``, ``pong``, ``fault``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import ipywidgets

from wclib.errors import InfrastructureFault, UsageError
from wclib.pictures import encoded, square
from wclib.rating.order import Slot
from wclib.rating.plain import PlainView
from wclib.rating.session import Session

_HERE = Path(__file__).parent
THUMB = 128


class RaterWidget(anywidget.AnyWidget):
    """A :class:`~wclib.rating.session.Session` on a page."""

    _esm = _HERE / "widget.js"
    _css = _HERE / "widget.css"

    def __init__(self, session: Session):
        super().__init__()
        self.session = session
        self.on_msg(self._answer)

    def _answer(self, _: Any, message: dict[str, Any], buffers: Any) -> None:
        try:
            self._handle(message)
        except (UsageError, InfrastructureFault, OSError) as error:
            self.send({"type": "fault", "text": f"Not saved: {getattr(error, 'detail', error)}"})

    def _handle(self, message: dict[str, Any]) -> None:
        session = self.session
        match message["type"]:
            case "want":
                return self._picture(message["picture"])
            case "thumbs":
                return self._thumbs(message["pictures"])
            case "range":
                items = [{"id": slot.id, "tier": tier} for slot, tier in session.range()]
                return self.send({"type": "range", "items": items})
            case "poll":
                if not session.rescan():
                    return self.send({"type": "pong"})
            case "press":
                session.press(message["slot"], message["answer"], message["shown_s"])
            case "undo":
                session.undo()
            case "move":
                session.move(message["step"])
            case "go":
                session.go(message["slot"])
            case "filter":
                session.filter(message.get("tier"), message.get("subject"))
        return self.send(self._state())

    def _state(self) -> dict[str, Any]:
        session, slot, ahead = self.session, self.session.current, self.session.after()
        done, total, left = session.progress()
        return {
            "type": "state",
            "mode": session.event,
            "slot": self._slot(slot) if slot else None,
            "ahead": [session.order.picture_id(item) for item in ahead.candidates] if ahead else [],
            "done": done,
            "total": total,
            "left": left,
            "counts": session.counts(),
            "answers": session.answers,
            "filter": {"tier": session.tier, "subject": session.subject, "subjects": session.subjects()},
            "message": session.message,
        }

    def _slot(self, slot: Slot) -> dict[str, Any]:
        return {
            "id": slot.id,
            "pictures": [self.session.order.picture_id(item) for item in slot.candidates],
            "alt": self.session.alt(slot),
            "answer": self.session.answered().get(slot.key),
        }

    def _picture(self, picture: str) -> None:
        """Send a picture's bytes; one that changed since it was found is no candidate any more."""
        candidate = self.session.order.picture(picture)
        data = candidate.read() if candidate else None
        if candidate is None or data is None:
            self.session.rescan()
            self.send(self._state())
        else:
            mime = f"image/{candidate.path.suffix[1:].lower()}"
            self.send({"type": "picture", "picture": picture, "mime": mime}, buffers=[data])

    def _thumbs(self, pictures: list[str]) -> None:
        for picture in pictures:
            if candidate := self.session.order.picture(picture):
                data = encoded(square(candidate.path, THUMB), "JPEG", quality=82)
                self.send({"type": "thumb", "picture": picture}, buffers=[data])


def with_fallback(session: Session) -> ipywidgets.VBox:
    """The widget, and below it an offer of plain buttons, which the widget's own style sheet hides.

    Where the page cannot load custom widgets the style sheet does not come either, and the offer shows after a moment.
    """
    style = "@keyframes wc-offer{to{visibility:visible}} .wc-offer{visibility:hidden;animation:wc-offer 0s 4s forwards}"
    button = ipywidgets.Button(description="The rater did not load here: use plain buttons", layout={"width": "auto"})
    offer = ipywidgets.VBox([ipywidgets.HTML(f"<style>{style}</style>"), button])
    offer.add_class("wc-offer")
    box = ipywidgets.VBox([RaterWidget(session), offer])

    def plain(_: Any) -> None:
        box.children = [PlainView(session).box]

    button.on_click(plain)
    return box
