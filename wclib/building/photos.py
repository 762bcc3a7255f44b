"""Photographs of the subject, for the painters to look at.

    python -m wclib pool photos --out DIR

From iNaturalist, by pyinaturalist: research-grade observations, photographs under CC0, CC BY or CC BY-SA, the first of
each observation, best-liked first. Licence, attribution and address are written down with the file in
``photos.jsonl`` and travel with every painting made from it. Where a run was stopped, the next goes on: nothing is
fetched twice.

One request a second at most, which is what iNaturalist asks for, with a user agent that says who asks; 429 and 5xx are
retried after the wait the server names. ``WATERCOLOUR_INATURALIST_URL`` points elsewhere, as the tests do.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from wclib.errors import InfrastructureFault, UsageError
from wclib.jsonl import JsonLines, atomic_write, read_rows
from wclib.progress import Bar

if TYPE_CHECKING:
    import pyinaturalist

LICENCES = ("cc0", "cc-by", "cc-by-sa")
TAXON = "Hibiscus rosa-sinensis"
#: What iNaturalist calls its 1024 px version.
SIZE = "large"
_PAGE = 50


@dataclass(frozen=True)
class Photo:
    """One photograph on disk, with what its licence asks to be kept."""

    path: Path
    licence: str
    attribution: str
    url: str

    def columns(self) -> dict[str, str]:
        """The four columns of the published pool that a painting made from it carries."""
        return {
            "reference_photo": self.path.name,
            "reference_photo_licence": self.licence,
            "reference_photo_attribution": self.attribution,
            "reference_photo_url": self.url,
        }


def read_photos(folder: Path) -> list[Photo]:
    """The photographs of a folder that :func:`fetch_photos` filled, in the order they came.

    Raises:
        UsageError: there are none, or one that is listed is not there.
    """
    rows = [row for row in read_rows(folder / "photos.jsonl")[0] if row["file"]]
    if not rows:
        raise UsageError(f"{folder} holds no photographs: python -m wclib pool photos --out {folder}")
    photos = [Photo(folder / row["file"], row["licence"], row["attribution"], row["url"]) for row in rows]
    if lost := [photo.path for photo in photos if not photo.path.is_file()]:
        raise UsageError(f"{lost[0]} is listed in photos.jsonl and not there: restore it or drop its row")
    return photos


def fetch_photos(
    out: Path, taxon: str = TAXON, count: int = 40, per_second: float = 1.0, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Bring a folder up to ``count`` photographs of ``taxon``.

    Args:
        out: made when missing; gets the pictures and ``photos.jsonl``.
        taxon: scientific or common name.
        per_second: requests a second at most.
        say: is told what a person should know.

    Returns:
        ``{"folder", "photos", "new", "failed", "licences"}``: how many there are, how many came now, how many were
        listed and could not be had (their rows say why), and how many there are under each licence.

    Raises:
        UsageError: the folder holds photographs of something else, or ``count`` is under 1.
        InfrastructureFault: iNaturalist cannot be reached, or the disk is full. What was fetched is kept.
    """
    if count < 1:
        raise UsageError(f"--count {count}: at least one photograph is needed")
    out.mkdir(parents=True, exist_ok=True)
    known, _ = read_rows(out / "photos.jsonl")
    if others := sorted({row["taxon"] for row in known} - {taxon}):
        raise UsageError(f"{out} holds photographs of {others[0]}: name another folder for {taxon}")
    have = [row for row in known if row["file"]]
    seen, new, failed = {row["photo_id"] for row in known}, 0, 0
    log = JsonLines(out / "photos.jsonl", say)
    with (
        tempfile.TemporaryDirectory() as scratch,
        Bar(total=count, initial=len(have), desc="photographs") as bar,
    ):
        session = _session(Path(scratch), per_second)
        try:
            for photo, url in _listed(session, taxon) if len(have) < count else ():
                if photo.id in seen:
                    continue
                row = _fetch(session, photo, url, taxon, out)
                log.append([row])
                failed += not row["file"]
                if row["file"]:
                    have.append(row)
                    new += 1
                    bar.update()
                if len(have) >= count:
                    break
        finally:
            log.close()
            session.close()
    if len(have) < count:
        say(f"there are only {len(have)} such photographs of {taxon}")
    licences = dict(Counter(row["licence"] for row in have))
    return {"folder": str(out), "photos": len(have), "new": new, "failed": failed, "licences": licences}


def _session(scratch: Path, per_second: float) -> pyinaturalist.ClientSession:
    from pyinaturalist import ClientSession
    from pyrate_limiter import MemoryListBucket
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    session = ClientSession(
        cache_file=scratch / "cache.db",
        ratelimit_path=None,
        bucket_class=MemoryListBucket,
        per_second=per_second,
        per_minute=0,
        per_day=0,
        burst=1,
        user_agent="wclib (reference photographs for a pool of paintings)",
    )
    retry = Retry(total=4, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504), raise_on_status=False)
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    return session


def _listed(session: pyinaturalist.ClientSession, taxon: str) -> Iterator[tuple[pyinaturalist.Photo, str]]:
    """Photographs with the address of their observation, page after page until there are no more."""
    from pyinaturalist import Observation
    from pyinaturalist.constants import API_V1
    from requests import RequestException
    from urllib3.exceptions import HTTPError

    api = os.environ.get("WATERCOLOUR_INATURALIST_URL") or API_V1
    for page in range(1, 200):
        try:
            answer = session.get(
                f"{api}/observations",
                taxon_name=taxon,
                quality_grade="research",
                photo_license=[licence.upper() for licence in LICENCES],
                order_by="votes",
                per_page=_PAGE,
                page=page,
            ).json()
            results = answer["results"]
        except (RequestException, HTTPError, KeyError, TypeError) as error:
            raise InfrastructureFault(
                "photos", f"iNaturalist did not answer with observations ({type(error).__name__}): try again later"
            ) from error
        for result in results:
            observation = Observation.from_json(result)
            free = [photo for photo in observation.photos if (photo.license_code or "").lower() in LICENCES]
            if free:
                yield free[0], observation.uri
        if len(results) < _PAGE:
            return


def _fetch(
    session: pyinaturalist.ClientSession, photo: pyinaturalist.Photo, url: str, taxon: str, out: Path
) -> dict[str, Any]:
    """Download one photograph; its row, with ``file`` None and the reason when it cannot be had."""
    from requests import RequestException

    row: dict[str, Any] = {
        "file": None,
        "photo_id": photo.id,
        "taxon": taxon,
        "licence": photo.license_code.lower(),
        "attribution": photo.attribution,
        "url": url,
        "failure": "",
    }
    try:
        data = session.get(str(photo.url_size(SIZE)), expire_after=0).content
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            kind = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}[str(image.format)]
    except (RequestException, OSError, SyntaxError, KeyError, Image.DecompressionBombError) as error:
        status = getattr(getattr(error, "response", None), "status_code", None)
        return row | {"failure": f"HTTP {status}" if status else f"no picture came ({type(error).__name__})"}
    row["file"] = f"{photo.id}.{kind}"
    atomic_write(out / row["file"], data)
    return row
