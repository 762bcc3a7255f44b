"""One rated painting: its picture, its tier, the sketch it came from."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from wclib.errors import InfrastructureFault
from wclib.pictures import encoded

#: Tiers from best to worst; the first two are the ones judges draw from.
TIERS = ("love", "okay", "nope")
DRAWN = TIERS[:2]


@dataclass(frozen=True)
class Painting:
    """One rated picture.

    Attributes:
        reference_id: its file name, as comparisons are logged.
        path: where the picture is.
        tier: ``"love"``, ``"okay"`` or ``"nope"``.
        subject: what was asked for.
        source_path: its sketch, or None when the pool does not hold it.
        metadata: the whole metadata row.
    """

    reference_id: str
    path: Path
    tier: str
    subject: str
    source_path: Path | None
    metadata: Mapping[str, Any] = field(hash=False, compare=False)

    @property
    def family(self) -> str:
        """The sketch it was made by: the stem of ``source_file`` up to the first ``_``.

        Variations of one sketch share a family, so that a cross-validation can keep them together.
        """
        source = self.metadata.get("source_file") or self.reference_id
        return Path(str(source)).stem.split("_", 1)[0]

    def read(self) -> bytes:
        """The picture's file as it is, PNG or WebP: what judges are shown.

        Raises:
            InfrastructureFault: the file went away since the pool was loaded.
        """
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise InfrastructureFault("pool", f"{self.path} cannot be read ({error}): put it back") from error

    def png(self) -> bytes:
        """The picture as PNG bytes; a WebP is converted, which takes 50 ms.

        Raises:
            InfrastructureFault: the file went away or turned unreadable since the pool was loaded.
        """
        data = self.read()
        if self.path.suffix.lower() == ".png":
            return data
        try:
            return encoded(Image.open(io.BytesIO(data)).convert("RGB"), "PNG")
        except OSError as error:
            raise InfrastructureFault("pool", f"{self.path} cannot be read ({error}): put it back") from error
