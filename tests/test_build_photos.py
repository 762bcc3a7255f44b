"""Photographs, from a local server that answers as iNaturalist does, faults included."""

from __future__ import annotations

import io
import json
import threading
import time
from collections import Counter, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

from wclib.building.photos import LICENCES, fetch_photos, read_photos
from wclib.cli import main
from wclib.errors import InfrastructureFault, UsageError

TAXON = "Hibiscus rosa-sinensis"
#: id -> licence; one observation each, as the API lists them.
PHOTOS = {100 + i: ("cc0", "cc-by", "cc-by-sa", "cc-by-nc", None)[i % 5] for i in range(60)}


def jpeg(number: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), (number % 256, 90, 120)).save(out, "JPEG")
    return out.getvalue()


class Naturalist:
    """``script``: what the next requests meet: an HTTP status, optionally with Retry-After, ``cut`` or ``words``."""

    def __init__(self):
        self.script: deque[str] = deque()
        self.lost: set[int] = set()
        self.seen: list[tuple[str, float]] = []
        self.queries: list[dict] = []
        far_end = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                far_end.seen.append((urlsplit(self.path).path, time.monotonic()))
                status, data, kind, headers = far_end.answer(self.path)
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def answer(self, path):
        parts = urlsplit(path)
        act = self.script.popleft() if self.script else ""
        status, _, wait = act.partition(":")
        if status.isdigit():
            return int(status), b"{}", "application/json", {"Retry-After": wait} if wait else {}
        if parts.path == "/v1/observations":
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            self.queries.append(query)
            first = (int(query["page"]) - 1) * int(query["per_page"])
            page = [self.observation(number) for number in list(PHOTOS)[first : first + int(query["per_page"])]]
            data = b"{}" if act == "words" else json.dumps({"total_results": len(PHOTOS), "results": page}).encode()
            return 200, data[: len(data) // 2] if act == "cut" else data, "application/json", {}
        number = int(parts.path.split("/")[2])
        if number in self.lost:
            return 404, b"gone", "text/html", {}
        return 200, b"words" if act == "words" else jpeg(number), "image/jpeg", {}

    def observation(self, number):
        photo = {
            "id": number,
            "license_code": PHOTOS[number],
            "url": f"{self.url}/photos/{number}/square.jpg",
            "attribution": f"(c) observer {number}, some rights reserved ({PHOTOS[number]})",
        }
        return {
            "id": number * 10,
            "quality_grade": "research",
            "uri": f"https://www.inaturalist.org/observations/{number * 10}",
            "photos": [photo],
        }


@pytest.fixture
def far_end(monkeypatch):
    server = Naturalist()
    monkeypatch.setenv("WATERCOLOUR_INATURALIST_URL", f"{server.url}/v1")
    yield server
    server.http.shutdown()
    server.http.server_close()


def rows(folder):
    return [json.loads(line) for line in (folder / "photos.jsonl").read_text().splitlines()]


def fetch(folder, count, **options):
    return fetch_photos(folder, TAXON, count, per_second=200, **options)


def test_free_research_grade_photographs_come_with_licence_attribution_and_address(far_end, tmp_path):
    result = fetch(tmp_path, 6)
    assert result["photos"] == result["new"] == 6 and set(result["licences"]) == set(LICENCES)
    asked = far_end.queries[0]
    assert asked["quality_grade"] == "research" and asked["taxon_name"] == TAXON
    assert asked["photo_license"].lower() == "cc0,cc-by,cc-by-sa"
    for row, photo in zip(rows(tmp_path), read_photos(tmp_path), strict=True):
        assert PHOTOS[row["photo_id"]] == photo.licence and photo.path.read_bytes() == jpeg(row["photo_id"])
        assert photo.attribution.startswith(f"(c) observer {row['photo_id']}")
        assert photo.columns()["reference_photo_url"].endswith(f"/observations/{row['photo_id'] * 10}")
    assert all("/large." in path for path, _ in far_end.seen if path.startswith("/photos"))


def test_the_next_run_goes_on_where_the_last_stopped(far_end, tmp_path):
    fetch(tmp_path, 4)
    first = {path for path, _ in far_end.seen if path.startswith("/photos")}
    far_end.seen.clear()
    with (tmp_path / "photos.jsonl").open("a") as log:
        log.write('{"file": "torn')
    said = []
    assert fetch(tmp_path, 7, say=said.append)["new"] == 3
    assert not first & {path for path, _ in far_end.seen} and "cut short" in said[0]
    far_end.seen.clear()
    assert fetch(tmp_path, 7)["new"] == 0 and far_end.seen == []


def test_pages_follow_until_there_is_no_more(far_end, tmp_path):
    said = []
    result = fetch(tmp_path, 90, say=said.append)
    assert result["photos"] == 36 and [query["page"] for query in far_end.queries] == ["1", "2"]
    assert said == [f"there are only 36 such photographs of {TAXON}"]


def test_faults_are_waited_out_or_written_down(far_end, tmp_path):
    far_end.script.extend(["cut", "429:1", "503", "", "500", "", "", "words"])
    far_end.lost = {101}
    started = time.monotonic()
    result = fetch(tmp_path, 4)
    assert result["photos"] == 4 and result["failed"] == 2 and time.monotonic() - started >= 1
    failures = {row["photo_id"]: row["failure"] for row in rows(tmp_path) if row["failure"]}
    assert failures.pop(101) == "HTTP 404"
    assert [text for text in failures.values()] == ["no picture came (UnidentifiedImageError)"]


@pytest.mark.parametrize("act", ["words", "404"])
def test_an_answer_that_is_none_ends_it_with_a_reason_and_keeps_what_there_is(far_end, tmp_path, act):
    fetch(tmp_path, 2)
    far_end.script.append(act)
    with pytest.raises(InfrastructureFault, match="iNaturalist did not answer with observations"):
        fetch(tmp_path, 5)
    assert len(read_photos(tmp_path)) == 2


def test_it_asks_no_faster_than_it_was_told(far_end, tmp_path):
    fetch_photos(tmp_path, TAXON, 3, per_second=2)
    times = [when for _, when in far_end.seen]
    assert len(times) == 4 and times[-1] - times[0] >= 0.9


def test_a_folder_keeps_to_one_subject(far_end, tmp_path):
    fetch(tmp_path, 1)
    with pytest.raises(UsageError, match="holds photographs of Hibiscus"):
        fetch_photos(tmp_path, "Citrus limon", 1)


def test_the_command(far_end, tmp_path, capsys):
    assert main(["pool", "photos", "--out", str(tmp_path / "photos"), "--count", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["photos"] == 2
    assert Counter(path.suffix for path in (tmp_path / "photos").iterdir()) == {".jpg": 2, ".jsonl": 1}


def test_a_listed_photograph_that_went_away_is_named(far_end, tmp_path):
    fetch(tmp_path, 2)
    next(tmp_path.glob("*.jpg")).unlink()
    with pytest.raises(UsageError, match="is listed in photos.jsonl"):
        read_photos(tmp_path)
