"""The curve on Trackio, beside ``curve.csv`` and never instead of it. Without a token it stays on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wclib.train.launch.flags import LaunchConfig


class Mirror:
    """A context manager; off unless ``--trackio-space`` was given. A fault of Trackio's is said once and ends it."""

    def __init__(self, config: LaunchConfig, say: Callable[[str], None]):
        self._config, self._say = config, say
        self._trackio: Any = None

    def __enter__(self) -> Mirror:
        if space := self._config.trackio_space:
            self._try(lambda: self._start(space))
        return self

    def _start(self, space: str | None) -> None:
        import trackio
        from huggingface_hub import get_token

        if not get_token():
            self._say(f"no HF_TOKEN: the curve is mirrored to this machine (`trackio show`), not to {space}")
            space = None
        trackio.init(
            project="watercolour",
            name=self._config.run_tag,
            space_id=space,
            config=self._config.shaping(),
            resume="allow",
            embed=False,
        )
        self._trackio = trackio

    def log(self, row: dict[str, Any]) -> None:
        """Mirror one row of the curve."""
        if self._trackio is not None:
            values = {name: value for name, value in row.items() if value is not None and name != "step"}
            self._try(lambda: self._trackio.log(values, step=row["step"]))

    def __exit__(self, *_: object) -> None:
        if self._trackio is not None:
            self._try(self._trackio.finish)

    def _try(self, work: Callable[[], Any]) -> None:
        try:
            work()
        except Exception as error:  # a dashboard must not cost a step; the CSV has it all
            self._trackio = None
            self._say(f"Trackio failed ({type(error).__name__}: {error}); the curve goes on in curve.csv alone")
