"""The critique names what is to be seen, and nothing else."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from wclib.env.critique import critique, look
from wclib.env.told import without_paths

PAPER = (247, 241, 227)


def png(*boxes: tuple[tuple[int, int, int, int], tuple[int, int, int]], paper: tuple[int, int, int] = PAPER) -> bytes:
    picture = Image.new("RGB", (600, 600), paper)
    draw = ImageDraw.Draw(picture)
    for box, colour in boxes:
        draw.ellipse(box, fill=colour)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def test_measures_of_a_disc() -> None:
    seen = look(png(((150, 150, 450, 450), (200, 60, 90))))
    assert seen.coverage == pytest.approx(3.1416 * 150**2 / 600**2, rel=0.02)
    assert seen.offset == pytest.approx((0, 0), abs=0.01)
    assert seen.extent == pytest.approx((0.48, 0.48), abs=0.03)
    assert (seen.edges, seen.flatness) == (0, 1.0)
    assert seen.palette == (("magenta", 1.0),) or seen.palette == (("red", 1.0),)
    assert seen.paper_lightness == pytest.approx(0.94, abs=0.01)


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (png(), "blank"),
        (png(((250, 250, 350, 350), (200, 60, 90))), "paint larger"),
        (png(((0, 0, 250, 250), (200, 60, 90))), "to the left and 29% above"),
        (png(((350, 350, 600, 600), (200, 60, 90))), "to the right and 29% below"),
        (png(((100, 100, 500, 500), (30, 10, 20))), "dark and heavy"),
        (png(((100, 100, 500, 500), (225, 215, 200))), "pale"),
        (png(((100, 100, 500, 500), (200, 60, 90))), "flat colour"),
        (png(((150, 150, 450, 450), (240, 200, 200)), paper=(20, 20, 40)), "ground is dark"),
        (png(((100, 100, 500, 500), (60, 140, 60))), "green 100%"),
    ],
)
def test_each_fault_is_named(picture: bytes, said: str) -> None:
    assert said in critique(picture, 20)


def test_paint_up_to_every_edge_is_named() -> None:
    picture = Image.new("RGB", (600, 600), (200, 60, 90))
    ImageDraw.Draw(picture).rectangle((150, 150, 580, 580), fill=PAPER)
    ImageDraw.Draw(picture).rectangle((0, 585, 600, 600), fill=(200, 60, 90))
    out = io.BytesIO()
    picture.save(out, "PNG")
    assert "leave paper on every side" in critique(out.getvalue(), 20)


def test_shapes_and_errors_are_named() -> None:
    picture = png(((100, 100, 500, 500), (200, 60, 90)))
    assert "1 filled shape;" in critique(picture, 1)
    assert "washes turn muddy" in critique(picture, 80)
    assert "20 filled shapes. " in critique(picture, 20)
    assert critique(None, errors=("TypeError: no",)) == (
        "The sketch threw while painting: TypeError: no. There is no picture."
    )


def test_no_path_leaves_the_server() -> None:
    assert without_paths("pool: /srv/wc/pool/a.png cannot be read") == "pool: a.png cannot be read"
    assert without_paths("see https://example.org/a/b and 3/4 of it") == "see https://example.org/a/b and 3/4 of it"
