"""What comes out of the renderer: the right size, the same bytes, every frame, at the right moment."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from wclib.bench.render import bench_sketch
from wclib.errors import InfrastructureFault, SketchFault, UsageError
from wclib.jsruntime import LIBRARIES, check_libraries, node_executable
from wclib.render import Renderer
from wclib.render.backends import candidates, find_chromium, short_identity
from wclib.render.golden import GOLDEN_SEED, GOLDEN_SKETCH, check_golden
from wclib.render.pixels import decode, digest, encode, finish, modal_colour, paint_fraction


def sketch(body: str, setup: str = "noLoop();", size: str = "600, 600", head: str = "") -> str:
    return f"""{head}
    let kept;
    async function setup() {{ kept = createCanvas({size}, WEBGL); brush.scaleBrushes(3); angleMode(DEGREES); {setup} }}
    function draw() {{ translate(-width / 2, -height / 2); brush.noStroke(); {body} }}"""


DOT = 'background("#f7f1e3"); brush.fill("#8a1f3d", 230); brush.circle(300, 280, 90, 0.3);'


def test_a_painting_is_a_600_by_600_rgb_picture_with_paint_on_it(renderer):
    render = renderer.render(sketch(DOT))
    rgb = decode(render.png)
    assert rgb.shape == (600, 600, 3) and digest(rgb) == render.sha256
    assert render.finished and render.errors == () and render.tampering == ()
    assert 0.01 < render.paint_fraction == paint_fraction(rgb) < 0.2
    assert render.calls["circle"] == 1 and render.calls["vertex"] == 0
    assert render.cpu_s > 0 and render.elapsed_s > 0 and render.backend == renderer.backend


def test_same_seed_same_bytes_on_every_browser_and_another_seed_differs(renderer):
    with ThreadPoolExecutor(4) as threads:
        first, second, third, other = threads.map(lambda seed: renderer.render(GOLDEN_SKETCH, seed).png, (1, 1, 1, 2))
    assert first == second == third != other
    with Renderer(browsers=1) as restarted:
        assert restarted.render(GOLDEN_SKETCH, 1).png == first


def test_two_sketches_painted_at_once_are_each_what_they_are_alone(renderer):
    sources = (sketch(DOT), bench_sketch(7))
    alone = [renderer.render(source, 2).png for source in sources]
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda source: renderer.render(source, 2).png, sources * 2)) == alone * 2


def test_the_golden_painting_is_the_recorded_one(renderer):
    ok, message = check_golden(renderer)
    assert ok, message


def test_it_renders_inside_a_running_event_loop(renderer):
    async def inside():
        blocking = renderer.render(GOLDEN_SKETCH, GOLDEN_SEED)
        several = await asyncio.gather(*(renderer.arender(GOLDEN_SKETCH, GOLDEN_SEED) for _ in range(2)))
        return {blocking.sha256, *(render.sha256 for render in several)}

    assert len(asyncio.run(inside())) == 1


@pytest.mark.parametrize("size", ["300, 300", "900, 900", "800, 400"])
def test_any_canvas_gives_a_600_by_600_picture(renderer, size):
    render = renderer.render(sketch(DOT.replace("300, 280, 90", "width / 2, height / 2, width / 5"), size=size))
    assert decode(render.png).shape == (600, 600, 3) and render.paint_fraction > 0.005


def test_the_window_of_a_sketch_is_the_canvas_that_is_asked_of_it(renderer):
    assert renderer.render(sketch(DOT, size="windowWidth, windowHeight")).png == renderer.render(sketch(DOT)).png


def test_pixel_density_does_not_change_the_picture(renderer):
    assert renderer.render(sketch(DOT, "pixelDensity(4); noLoop();")).png == renderer.render(sketch(DOT)).png


def test_entry_points_may_be_constants_and_asynchronous(renderer):
    source = f"""const setup = async () => {{ createCanvas(600, 600, WEBGL); await null; noLoop(); }};
    const draw = async () => {{ translate(-300, -300); brush.noStroke(); background("#fff");
      brush.fill("#d0704e", 200); brush.circle(200, 200, 60, 0.3);
      await new Promise((done) => setTimeout(done, 5000)); {DOT.split(";", 1)[1]} }};"""
    render = renderer.render(source)
    assert render.finished and render.calls["circle"] == 2 and render.elapsed_s < 8


def test_all_frames_up_to_noloop_belong_to_the_picture(renderer):
    body = """brush.fill("#b23a48", 195); brush.circle(60 + 70 * frameCount, 300, 40, 0.3);
      if (frameCount >= 7) noLoop();"""
    render = renderer.render(sketch(body, setup='background("#f6f0e4");'))
    assert render.finished and render.calls["circle"] == 7
    columns = np.linalg.norm(decode(render.png) - modal_colour(decode(render.png)), axis=2).max(axis=0) > 25
    assert all(columns[60 + 70 * frame - 15 : 60 + 70 * frame + 15].any() for frame in range(1, 8))


def test_an_endless_draw_is_cut_after_the_same_frame_each_time(renderer):
    body = 'brush.fill("#b23a48", 195); brush.circle(random(600), random(600), 20, 0.3);'
    first, second = (renderer.render(sketch(body, setup='background("#f6f0e4");'), 5) for _ in range(2))
    assert first.finished and first.calls["circle"] == 60 and first.png == second.png


def test_clocks_are_virtual_and_timers_run_in_their_order(renderer):
    body = (
        DOT
        + """
      const order = [];
      await new Promise((done) => {
        setTimeout(() => { order.push("late"); done(); }, 30000); setTimeout(() => order.push("soon"), 10);
      });
      const start = performance.now(); while (performance.now() - start < 200);
      throw new Error([order, new Date().getFullYear(), Math.round(millis() / 1000)].join(" "));"""
    )
    first = renderer.render(sketch(body).replace("function draw", "async function draw"))
    second = renderer.render(sketch(body).replace("function draw", "async function draw"))
    assert first.errors == second.errors == ("Error: soon,late 2026 30",)


def test_errors_after_painting_are_kept_with_the_painting(renderer):
    render = renderer.render(sketch(DOT + "leaves.forEach(() => {});"))
    assert render.errors == ("ReferenceError: leaves is not defined",) and not render.finished
    assert render.paint_fraction == renderer.render(sketch(DOT)).paint_fraction


@pytest.mark.parametrize(
    "source, said",
    [
        ("function setup() { createCanvas(600, 600, WEBGL); noLoop(); missing(); }", "missing is not defined"),
        ("async function setup() { createCanvas(600, 600, WEBGL); await new Promise(() => {}); }", "setup never ends"),
        ("function setup() { brush.circle(", "SyntaxError"),
        ("function setup() { createCanvas(600, 600, WEBGL); noLoop(); Promise.reject(new Error('stray')); }", "stray"),
        ("function setup() { createCanvas(600, 600, WEBGL); noLoop(); setTimeout(() => nope(), 99); }", "nope"),
    ],
)
def test_a_sketch_that_fails_says_how(renderer, source, said):
    render = renderer.render(source)
    assert not render.finished and any(said in error for error in render.errors), render.errors


def test_a_script_end_tag_in_a_sketch_is_text(renderer):
    source = sketch(DOT + ' const s = "</script><script>rect(0,0,9,9)</script>"; // </script>\n')
    assert renderer.render(source).png == renderer.render(sketch(DOT)).png


def test_a_canvas_that_cannot_be_is_the_sketches_fault(renderer):
    for size in ("20000, 20000", "0, 600"):
        with pytest.raises(SketchFault) as caught:
            renderer.render(sketch(DOT, size=size))
        assert caught.value.code == "resource_limit"
        assert caught.value.detail.endswith(f"{size.replace(', ', ' x ')}, is not from 1 to 2400 pixels a side")


def test_paint_fraction_on_pictures_made_by_hand():
    picture = np.full((600, 600, 3), (247, 241, 227), np.uint8)
    assert paint_fraction(picture) == 0
    picture[:60] = (200, 80, 100)
    assert paint_fraction(picture) == pytest.approx(0.1)
    picture[:60] = (247 - 18, 241 - 18, 227 - 18)  # 31.2 away: within the paper's noise
    assert paint_fraction(picture) == 0
    assert np.array_equal(finish(encode(picture)), picture)


def test_a_missing_chromium_is_named_with_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("WATERCOLOUR_CHROMIUM", str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="WATERCOLOUR_CHROMIUM names .*nothing.*apt-get install"):
        Renderer(browsers=1)
    monkeypatch.delenv("WATERCOLOUR_CHROMIUM")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="no Chromium was found"):
        find_chromium(str(tmp_path / "a" / "b" / "c"))


def test_without_webgl_no_renderer_starts():
    with pytest.raises(InfrastructureFault, match="no usable WebGL.*gpu") as caught:
        Renderer(browsers=1, backend="gpu")
    assert caught.value.part == "renderer"


def test_backends_are_chosen_by_name(monkeypatch):
    assert [backend.name for backend in candidates("auto")] == ["llvmpipe", "swiftshader"]
    monkeypatch.setenv("WATERCOLOUR_BACKEND", "swiftshader")
    assert [backend.name for backend in candidates("auto")] == ["swiftshader"]
    with pytest.raises(UsageError, match="'crayon'"):
        candidates("crayon")
    assert (
        short_identity("ANGLE (Mesa, llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5)")
        == "llvmpipe (LLVM 15.0.6, 256 bits)"
    )


def test_swiftshader_paints_too():
    with Renderer(browsers=1, backend="swiftshader") as other:
        assert "SwiftShader" in other.backend
        assert other.render(GOLDEN_SKETCH, 1).paint_fraction > 0.02


def test_the_wrong_p5_is_refused(monkeypatch):
    check_libraries()
    monkeypatch.setitem(LIBRARIES, "p5", ("1.11.0", LIBRARIES["p5"][1]))
    with pytest.raises(UsageError, match="pictures need p5 1.11.0 with p5.brush 2.2.2"):
        Renderer(browsers=1)
    assert node_executable()


@pytest.mark.parametrize("text", ["soon", "-1", "nan"])
def test_a_bad_deadline_is_named(monkeypatch, text):
    monkeypatch.setenv("WATERCOLOUR_RENDER_DEADLINE_S", text)
    with pytest.raises(UsageError, match="WATERCOLOUR_RENDER_DEADLINE_S"):
        Renderer(browsers=1)
