"""The gallery in a real browser, opened from the disk: all is shown, nothing a sketch holds can act, keys and axe."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from paintings import flower, write_pool
from PIL import Image
from playwright.sync_api import Error

from wclib.cli import main
from wclib.errors import UsageError
from wclib.gallery import frame, gallery, read_runs
from wclib.gallery.shown import KINDS, LONGEST, about_run, spans

HOSTILE = """// </script><script>window.hacked = 'script'</script> <!-- <script> ]]>
brush.fill('#f00', 200); /* <img src=x onerror="window.hacked = 'img'"> {{script}} */
const note = `</pre></dialog>${"<svg onload=alert(1)>"}`; // 🌺 \ud800 end
"""
PLAIN = "brush.fill('#d8577a', 190);\nbrush.circle(300, 300, 90, 0.2); // a petal"


def rollout(step, position, reward, **more):
    row = {
        "run": "first", "step": step, "position_in_group": position, "group": 0, "reward": reward, "code": PLAIN,
        "judge_weight": 0.6, "hpsv3_weight": 0.3, "judge_score": reward, "quality_score": 0.5, "length_score": 0.1,
        "paint_fraction": 0.1 + position / 100, "n_shapes": 1 + position, "gate_passed": True, "violations": [],
        "subject": "a peach hibiscus", "references": ["love_flower-00_s0.png", "okay_flower-00_s0.png"],
        "unscored_reason": "", "reason": "", "image": f"paintings/{step:04}_{position:02}.png",
    }  # fmt: skip
    return row | more


def compared(step, position, tier, first, second):
    return {
        "run": "first", "step": step, "group": 0, "position_in_group": position, "tier": tier,
        "reference_id": f"{tier}_flower-00_s0.png", "verdict_submission_first": first,
        "verdict_reference_first": second,
    }  # fmt: skip


def write_run(folder, rows, comparisons=(), pictures=True):
    (folder / "paintings").mkdir(parents=True)
    for number, row in enumerate(rows):
        if pictures and row["image"]:
            (folder / row["image"]).write_bytes(flower(number))
    (folder / "rollouts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "comparisons.jsonl").write_text("".join(json.dumps(row) + "\n" for row in comparisons))
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run with one of each: won, lost, unscored, rejected and unpainted, hostile; its pool; its page."""
    folder = tmp_path_factory.mktemp("gallery")
    rows = [
        rollout(0, 0, 0.25),
        rollout(0, 1, None, unscored_reason="judge: <b>no answer</b> in three attempts", judge_score=None),
        rollout(0, 2, 0.0, image=None, gate_passed=False, violations=["blank_canvas"], reason="gate: blank_canvas"),
        rollout(1, 0, 0.875, code=HOSTILE, subject='"><img src=x onerror="window.hacked = 1">{{script}}'),
        rollout(1, 1, 0.5, subject="a yellow hibiscus"),
    ]
    verdicts = [
        compared(1, 0, "love", "submission", "submission"),
        compared(1, 0, "okay", "submission", "reference"),
        compared(1, 1, "love", "reference", "reference"),
        compared(1, 1, "okay", "submission", "submission"),
        compared(0, 0, "love", "reference", "reference"),
        compared(0, 0, "okay", None, "submission"),
    ]
    run = write_run(folder / "first", rows, verdicts)
    pool = write_pool(folder / "pool", {"love": [flower(50)], "okay": [flower(51)]})
    gallery([run], folder / "page.html", pool=pool)
    return folder


@pytest.fixture
def show(browser):
    """Open a page from the disk; it may ask for nothing but its own folder's files and must not complain."""
    pages, trouble = [], []

    def open_page(path, **options):
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 860}} | options)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: request.url.startswith(("file:", "data:")) or trouble.append(request.url))
        page.goto(path.as_uri())
        pages.append(page)
        return page

    open_page.trouble = trouble
    yield open_page
    for page in pages:
        page.close()
    assert trouble == []


def rewards(page):
    return page.locator("#wall .caption:nth-child(2) b").all_text_contents()


def test_every_painting_is_there_in_order_with_its_picture(made, show):
    page = show(made / "page.html")
    assert rewards(page) == ["0.25", "unscored", "0.00", "0.88", "0.50"]
    assert page.locator("#count").inner_text() == "5 of 5"
    page.wait_for_function(
        "[...document.querySelectorAll('#wall img')].filter(i => i.naturalWidth === 300).length === 4"
    )
    assert "2 steps" in page.locator("#about").inner_text()  # too few for thirds


def test_a_run_says_what_its_thirds_earned(tmp_path):
    rewards = (0.1, 0.3, None, 0.5, 0.75)
    (run,) = read_runs([write_run(tmp_path / "run", [rollout(i, 0, each) for i, each in enumerate(rewards)])])
    assert "mean reward 0.10 in the first third, 0.75 in the last" in about_run(run)["facts"]


def test_sorting_puts_the_unscored_last_whichever_way_round(made, show):
    page = show(made / "page.html")
    page.select_option("#sort", "reward")
    assert rewards(page) == ["0.88", "0.50", "0.25", "0.00", "unscored"]
    page.click("#direction")
    assert rewards(page) == ["0.00", "0.25", "0.50", "0.88", "unscored"]
    assert page.locator("#sort option").count() == 8


def test_an_unscored_rollout_says_why_and_is_never_a_zero(made, show):
    page = show(made / "page.html")
    page.select_option("#fault", "unscored")
    assert page.locator("#wall li").inner_text().split("\n")[0] == "unscored"
    assert "unscored: judge: <b>no answer</b> in three attempts" in page.locator("#wall li").inner_text()
    page.click(".card")
    text = page.locator("#page").inner_text()
    assert "No reward: judge: <b>no answer</b> in three attempts" in text and "0.000" not in text
    assert page.locator("tr", has_text="judge").locator("td").nth(1).inner_text() == "none"


def test_filters_by_tier_beaten_violation_and_words(made, show):
    page = show(made / "page.html")
    for filter, value, wanted in (
        ("#beaten", "love", ["0.88"]),
        ("#beaten", "okay", ["0.50"]),
        ("#beaten", "none", ["0.25"]),
        ("#beaten", "null", ["unscored", "0.00"]),
        ("#fault", "code:blank_canvas", ["0.00"]),
        ("#fault", "unpainted", ["0.00"]),
        ("#fault", "clean", ["0.25", "0.88", "0.50"]),
    ):
        page.select_option(filter, value)
        assert rewards(page) == wanted, value
        page.select_option(filter, "")
    page.fill("#search", "YELLOW hib")
    assert rewards(page) == ["0.50"]
    page.fill("#search", "onerror=")
    assert rewards(page) == ["0.88"]
    page.fill("#search", "no such words")
    page.click("#clear")
    assert page.locator("#count").inner_text() == "5 of 5"
    assert page.locator("#by-run").is_hidden()


def test_a_painting_shows_its_terms_its_references_and_its_sketch(made, show):
    page = show(made / "page.html")
    page.locator(".card").nth(3).click()
    assert page.locator("#name").inner_text() == "Step 1, painting 0"
    assert "0.875 reward" in page.locator(".score").inner_text()
    assert page.locator("tbody tr").all_inner_texts()[2].split("\t")[:3] == ["judge", "0.6", "0.875"]
    faced = page.locator(".references li")
    assert faced.all_inner_texts() == [
        "✓ won in both orders\n\nlove: flower-00_s0",
        "½ won when shown first, lost when shown second\n\nokay: flower-00_s0",
    ]
    assert faced.locator("img").evaluate_all("all => all.map(image => image.naturalWidth)") == [160, 160]
    assert page.locator(".sketch .brush").all_inner_texts() == ["brush", "fill"]


def test_nothing_a_sketch_or_a_reason_holds_can_act(made, show):
    page = show(made / "page.html")
    page.locator(".card").nth(3).click()
    assert page.locator("pre").evaluate("pre => pre.textContent") == HOSTILE
    assert page.evaluate("window.hacked") is None
    assert page.locator("svg, b b, iframe, [onerror], [onload]").count() == 0
    source = (made / "page.html").read_text()
    assert len(re.findall(r"<script>", source)) == 1 and "<img" not in source
    for attempt in (
        "document.body.innerHTML = '<b>x</b>'",
        "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
        "document.write('<b>x</b>')",
        "document.body.append(Object.assign(document.createElement('script'), { text: 'window.hacked = 2' }))",
    ):
        with pytest.raises(Error, match="Trusted"):
            page.evaluate(f"() => {{ {attempt} }}")
    assert page.evaluate("fetch('https://example.org').catch(error => String(error))") == "TypeError: Failed to fetch"
    assert len(show.trouble) >= 5 and "Content Security Policy" in show.trouble[-1]
    show.trouble.clear()


def test_it_works_with_the_keyboard_alone(made, show):
    page = show(made / "page.html")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.press("Enter")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert page.locator("#name").inner_text() == "Step 1, painting 0"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("#place").inner_text() == "5 of 5"
    for key in ["Tab"] * 7 + ["Shift+Tab"] * 9:
        page.keyboard.press(key)
        assert page.evaluate("painting.contains(document.activeElement)"), "the focus left the dialog"
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.wait_for_function("document.activeElement.innerText.includes('0.50')")  # the close event comes later


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_cut_off(made, show, scheme, width):
    page = show(made / "page.html", viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert Axe().run(page).response["violations"] == []
    page.locator(".card").nth(3).click()
    assert Axe().run(page).response["violations"] == []
    for part in ("document.documentElement", "painting"):
        assert page.evaluate(f"{part}.scrollWidth - {part}.clientWidth") == 0


def test_axe_knows_a_fault_when_it_sees_one(made, show):
    page = show(made / "page.html")
    page.evaluate("document.querySelector('#wall img').removeAttribute('alt')")
    assert [found["id"] for found in Axe().run(page).response["violations"]] == ["image-alt"]


def test_2203_paintings_of_three_runs_keep_only_those_in_view(tmp_path, show):
    folder = tmp_path / "published"
    (folder / "train").mkdir(parents=True)
    for number in range(4):
        Image.new("RGB", (16, 16), (40 * number, 90, 90)).save(folder / "train" / f"{number}.png")
    sizes = {"hps-only": 470, "judge-led": 861, "hps-led": 872}
    with (folder / "train" / "metadata.jsonl").open("w") as table:
        for run, size in sizes.items():
            for i in range(size):
                row = {"run": run, "file_name": f"{i % 4}.png", "step": i // 8, "position_in_group": i % 8}
                table.write(json.dumps(row | {"reward": i / size, "code": "x", "group_judge_mean": 0.25}) + "\n")
    done = gallery([folder], tmp_path / "all.html", side=16)
    assert (done["paintings"], done["runs"], done["without_picture"]) == (2203, list(sizes), 0)
    page = show(tmp_path / "all.html")
    assert page.locator("#wall li").count() < 90
    page.locator(".card").first.focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.parentElement.ariaPosInSet") == "2203"
    assert page.locator("#wall li").count() < 90
    page.keyboard.press("Enter")
    assert "group's mean 0.250" in page.locator("tbody").inner_text()
    page.keyboard.press("Escape")
    page.select_option("#run", "1")
    assert page.locator("#count").inner_text() == "861 of 2203"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#wall li").count() == 861
    assert page.locator("#by-beaten").is_hidden()


def test_a_folder_of_pages_and_pictures_works_from_the_disk_and_is_continued(made, tmp_path, show):
    out = tmp_path / "site"
    gallery([made / "first"], out, pool=made / "pool")
    pictures = sorted((out / "pictures").iterdir())
    stamps = [path.stat().st_mtime_ns for path in pictures]
    pictures[0].unlink()
    assert gallery([made / "first"], out, pool=made / "pool")["bytes"] < 60_000
    assert [path.stat().st_mtime_ns for path in pictures][1:] == stamps[1:]
    page = show(out / "index.html")
    page.wait_for_function("[...document.querySelectorAll('#wall img')].filter(i => i.naturalWidth).length === 4")


def test_colours_of_a_sketch_are_lengths_beside_it_never_markup():
    for code in (HOSTILE, PLAIN, "", "`${", "/*", "\n\n  x = 1\n", "\ufeff'🌺'\x00"):
        lengths = spans(code)[1::2]
        assert sum(lengths) == len(code.encode("utf-16-le", "surrogatepass")) // 2
        assert all(length > 0 for length in lengths)
    assert [KINDS[kind] for kind in spans("const a = 1")[::2]] == ["keyword", "", "number"]
    assert [KINDS[kind] for kind in spans("brush.fill(brush)")[::2]] == ["brush", "", "brush", "", "brush", ""]
    assert spans("1" * (LONGEST + 1)) == [0, LONGEST + 1]


def test_tables_that_are_wrong_are_refused_by_file_line_and_column(tmp_path):
    def refused(text, *told, name="rollouts.jsonl"):
        (tmp_path / name).write_text(text)
        with pytest.raises(UsageError) as error:
            read_runs([tmp_path])
        assert all(word in str(error.value) for word in (name, *told)), error.value

    good = {"step": 0, "position_in_group": 0, "reward": 0.5, "code": ""}
    with pytest.raises(UsageError, match="holds no run"):
        read_runs([tmp_path])
    refused("", "no rows")
    refused(json.dumps(good) + "\n" + json.dumps(good | {"reward": "high"}) + "\n", "line 2", "reward", "'high'")
    refused(json.dumps({"step": 0, "reward": 1, "code": ""}) + "\n", "no column 'position_in_group'")
    refused(json.dumps(good) + "\n" + json.dumps(good | {"step": 0.5}) + "\n", "line 2", "step", "whole number")
    (tmp_path / "rollouts.jsonl").unlink()
    refused('step,position_in_group,reward,code\n0,0,1,"a\nb"\n0,1,x,c\n', "line 4", "reward", name="metadata.csv")
    (tmp_path / "metadata.csv").write_text("step,position_in_group,reward,code\n0,0,,c\n")
    (run,) = read_runs([tmp_path])
    assert run.rollouts[0].reward is None and run.rollouts[0].reason == "no reason was recorded"
    with pytest.raises(UsageError, match="2 runs are called"):
        read_runs([tmp_path, tmp_path])


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("run.json", "[1]", "run.json is not a JSON object"),
        ("comparisons.jsonl", '{"step": [1]}\n', "comparisons.jsonl line 1"),
        (
            "rollouts.jsonl",
            '{"step": 0, "position_in_group": 0, "reward": 1, "code": 5}\n',
            "line 1, column 'code': 5 is not",
        ),
        (
            "rollouts.jsonl",
            f'{{"step": {10**400}, "position_in_group": 0, "reward": 1, "code": ""}}\n',
            "line 1, column 'step'",
        ),
    ],
)
def test_json_of_the_wrong_kind_is_refused_by_file(tmp_path, file, text, said):
    write_run(tmp_path / "run", [rollout(0, 0, 0.5)])
    (tmp_path / "run" / file).write_text(text)
    with pytest.raises(UsageError, match=said):
        read_runs([tmp_path / "run"])
    with pytest.raises(UsageError, match="--side is 1 or more"):
        gallery([tmp_path / "run"], tmp_path / "x.html", side=0)


def test_a_picture_outside_the_run_or_unreadable_is_left_out(tmp_path):
    (tmp_path / "secret.png").write_bytes(flower(1))
    run = write_run(tmp_path / "run", [rollout(0, 0, 0.5, image="../secret.png"), rollout(0, 1, 0.5)], pictures=False)
    (run / "paintings" / "0000_01.png").write_bytes(b"not a picture")
    assert frame(read_runs([run]))["picture"].notna().tolist() == [False, True]
    assert gallery([run], tmp_path / "page.html")["without_picture"] == 2


def test_the_command_answers_in_json_and_keeps_to_its_exit_codes(made, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["gallery", str(made / "first"), "--out", str(out), "--pool", str(made / "pool")]) == 0
    assert json.loads(capsys.readouterr().out)["unscored"] == 1
    assert main(["gallery", str(tmp_path / "nowhere"), "--out", str(out)]) == 2
    assert "holds no run" in capsys.readouterr().err
    assert main(["gallery", str(made / "first"), "--out", str(out / "x.html")]) == 1
    assert main(["gallery", str(made / "first"), "--out", str(made / "pool"), "--pool", str(tmp_path)]) == 2
