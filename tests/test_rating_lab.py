"""The rater in a real JupyterLab and a real Chromium: clicks, keys, focus, a killed kernel, no anywidget."""

from __future__ import annotations

import random
import re
import time
from collections import Counter

import lab
import paintings
import pytest
from axe_playwright_python.sync_playwright import Axe

from wclib.rating.log import read_log, standing

CELL = "from wclib.rating import Rater\nrater = Rater('pictures', rater='ada', log='{log}'{options})\nrater"
LEAKS = ("1", "2", "3", "4", "a", "b", "x", "d", "d", "Enter", "Escape", "m", "y", "z", "ArrowUp", "ArrowDown")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("lab")
    for number in range(40):
        path = home / "pictures" / f"p{number:02}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(paintings.flower(number, hue=number / 40))
    return home


@pytest.fixture(scope="module")
def lab_url(home):
    with lab.jupyterlab(home) as url:
        yield url


def open_rater(browser, url, home, name, options=""):
    page = browser.new_page(viewport={"width": 1180, "height": 980})
    page.set_default_timeout(60_000)  # two busy cores; the tests beside this one paint
    return lab.Notebook(page, url, home, name, CELL.format(log=f"{name}.jsonl", options=options))


@pytest.fixture(scope="module")
def notebook(browser, lab_url, home):
    notebook = open_rater(browser, lab_url, home, "main")
    yield notebook
    notebook.page.close()


@pytest.fixture
def rater(notebook):
    """The rater, one picture shown and focused."""
    root = notebook.page.locator(".wc")
    root.focus()
    if root.get_attribute("data-view") == "grid":
        notebook.page.keyboard.press("g")
    notebook.page.locator(".wc[data-view=one][data-shown]").wait_for()
    time.sleep(0.2)
    return root


def shown(root):
    return root.get_attribute("data-shown")


def changed(root, before):
    lab.wait(lambda: shown(root) != before, 30, "another picture shows")
    time.sleep(0.2)  # a person needs longer; less is taken for a press meant for the picture before


def rows(home, name="main"):
    return read_log(home / f"{name}.jsonl")


def violations(page, selector):
    results = Axe().run(page, context=selector)
    return results.generate_report() if results.violations_count else ""


def test_the_whole_range_comes_first_and_nothing_can_be_rated_in_it(notebook, home):
    page, root = notebook.page, notebook.page.locator(".wc")
    page.locator(".wc-thumb img[src]").nth(39).wait_for()
    assert root.get_attribute("data-view") == "grid" and page.locator(".wc-thumb").count() == 40
    root.focus()
    page.keyboard.press("1")
    page.keyboard.press("g")
    page.locator(".wc[data-shown]").wait_for()
    assert rows(home) == [] and root.get_attribute("data-total") == "43"  # three come back


def test_each_key_gives_its_tier_and_the_row_is_on_the_disk_before_the_next_picture(rater, notebook, home):
    for key, tier in zip("1234", ("love", "okay", "nope", "meh"), strict=True):
        before = shown(rater)
        notebook.page.keyboard.press(key)
        changed(rater, before)
        row = rows(home)[-1]
        assert row["tier"] == tier and row["shown_s"] > 0.15
    assert rater.locator(".wc-status").inner_text() == "Meh. 4 of 43."
    assert rater.locator(".wc-count").inner_text() == "4 of 43" and "left" in rater.locator(".wc-time").inner_text()


def test_a_click_rates_and_the_keys_go_on_working(rater, notebook, home):
    have = len(rows(home))
    for press in (lambda: rater.get_by_role("button", name="Okay").click(), lambda: notebook.page.keyboard.press("1")):
        before = shown(rater)
        press()
        changed(rater, before)
    assert [row["tier"] for row in rows(home)[have:]] == ["okay", "love"]


def test_backspace_takes_back_the_last_press_and_shows_that_picture_again(rater, notebook, home):
    before, have = shown(rater), rows(home)
    notebook.page.keyboard.press("3")
    changed(rater, before)
    notebook.page.keyboard.press("Backspace")
    lab.wait(lambda: shown(rater) == before, 30, "the picture comes back")
    assert rows(home)[-1]["event"] == "undo" and standing(rows(home)) == standing(have)


@pytest.mark.parametrize("gap_ms", [0, 15, 45])
def test_two_presses_within_50_ms_are_one(rater, notebook, home, gap_ms):
    before, have = shown(rater), len(rows(home))
    notebook.page.evaluate(
        """gap => { const press = () => document.querySelector('.wc').dispatchEvent(
             new KeyboardEvent('keydown', {key: '2', bubbles: true})); press(); setTimeout(press, gap); }""",
        gap_ms,
    )
    changed(rater, before)
    time.sleep(0.3)
    assert len(rows(home)) == have + 1


def test_keys_never_reach_the_notebook_whatever_was_clicked_before(rater, notebook):
    page, cells = notebook.page, notebook.cells()
    for target in (".wc-stage img", ".wc-answer >> nth=1", ".wc-tool >> nth=0", ".wc-count", ".wc-tool >> nth=3"):
        page.locator(target).click()
        time.sleep(0.3)
        assert page.evaluate("document.querySelector('.wc').contains(document.activeElement)"), target
        for key in LEAKS:
            page.keyboard.press(key)
        assert page.evaluate("document.querySelector('.wc').contains(document.activeElement)"), target
    assert notebook.cells() == cells


def test_arrows_walk_and_the_grid_opens_what_is_chosen(rater, notebook):
    page, here = notebook.page, shown(rater)
    page.keyboard.press("2")
    changed(rater, here)
    here = shown(rater)
    page.keyboard.press("ArrowLeft")
    changed(rater, here)
    assert rater.locator(".wc-answer[aria-pressed=true]").count() == 1  # it has an answer already
    page.keyboard.press("ArrowRight")
    lab.wait(lambda: shown(rater) == here, 30, "back where we were")
    page.keyboard.press("g")
    page.locator(".wc-thumb").first.wait_for()
    page.locator(".wc-thumb .wc-glyph").nth(3).wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    chosen = page.evaluate("document.activeElement.dataset.id")
    page.keyboard.press("Enter")
    lab.wait(lambda: shown(rater) == chosen, 30, "the chosen one shows")


def test_focus_can_be_seen_and_pictures_and_state_can_be_heard(rater, notebook):
    style = "element => getComputedStyle(element).boxShadow"
    rater.focus()
    focused = rater.evaluate(style)
    button = rater.locator(".wc-answer").first
    notebook.page.keyboard.press("Tab")
    notebook.page.keyboard.press("Tab")
    assert notebook.page.evaluate("document.querySelector('.wc').contains(document.activeElement)")
    button.focus()
    assert "rgb" in focused and button.evaluate("e => getComputedStyle(e).outlineStyle") in ("solid", "auto")
    assert re.fullmatch(r"Painting \d+ of 43", rater.locator(".wc-stage img").get_attribute("alt"))
    assert rater.locator("[role=status][aria-live=polite]").count() == 1
    assert rater.get_by_role("progressbar").get_attribute("aria-valuemax") == "43"


def test_axe_finds_nothing_in_the_grid_or_with_one_picture(rater, notebook):
    assert violations(notebook.page, ".wc") == ""
    notebook.page.keyboard.press("g")
    notebook.page.locator(".wc-thumb").first.wait_for()
    assert violations(notebook.page, ".wc") == ""


def test_the_next_picture_is_here_before_it_is_asked_for(rater, notebook):
    lab.wait(lambda: rater.get_attribute("data-ahead") == "here", 30, "the next picture is fetched")


def test_new_candidates_and_filters_show_while_you_rate(rater, notebook, home):
    page, done = notebook.page, int(rater.get_attribute("data-done"))
    (home / "pictures" / "new.png").write_bytes(paintings.flower(99, hue=0.5))
    lab.wait(lambda: rater.get_attribute("data-total") == "44", 30, "the new one is counted")
    rater.get_by_label("show").select_option("love")
    page.keyboard.press("g")
    loves = sum(row["tier"] == "love" for row in {row["sha256"]: row for row in standing(rows(home))}.values())
    lab.wait(lambda: page.locator(".wc-thumb").count() == loves, 30, "only loves show")
    rater.get_by_label("show").select_option("all")
    lab.wait(lambda: page.locator(".wc-thumb").count() == 41, 30, "all show")
    assert int(rater.get_attribute("data-done")) == done


def test_the_notebook_file_holds_one_small_picture_and_no_widget_state(notebook):
    notebook.command("docmanager:save")
    output = notebook.model()["cells"][0]["outputs"][-1]["data"]
    assert "image/png" in output and len(str(output)) < 200_000 and "widgets" not in notebook.model()["metadata"]


def rate_through_deaths(notebook, home, name, presses, kills, rng):
    """Press ``presses`` times, killing the kernel at random moments; the presses a page saw acknowledged."""
    page, root = notebook.page, notebook.page.locator(".wc")
    moments = set(rng.sample(range(3, presses - 2), kills))
    acknowledged = []
    page.locator(".wc[data-view]").wait_for()
    for number in range(presses):
        if root.get_attribute("data-view") == "grid":
            root.focus()
            page.keyboard.press("g")
        page.locator(".wc[data-view=one][data-shown]").wait_for()
        time.sleep(0.18)
        before, key = shown(root), rng.choice("1234")
        root.focus()
        page.keyboard.press(key)
        if number in moments:
            time.sleep(rng.random() * 0.03)
            notebook.kill()
            time.sleep(0.1)
            if shown(root) != before:
                acknowledged.append((before, key))
            notebook.restart()
            page.locator(".wc[data-done]").wait_for()
            assert int(root.get_attribute("data-done")) >= len(acknowledged)
        else:
            changed(root, before)
            acknowledged.append((before, key))
    return acknowledged


def check_deaths(acknowledged, log, kills):
    answers = Counter(row["tier"] for row in log)
    said = Counter({"1": "love", "2": "okay", "3": "nope", "4": "meh"}[key] for _, key in acknowledged)
    assert not said - answers, "an acknowledged press is not in the log"
    assert len(acknowledged) <= len(log) <= len(acknowledged) + kills
    assert len({(row["sha256"], row["repeat"]) for row in log}) == len(log)


def test_a_killed_kernel_loses_no_acknowledged_press(browser, lab_url, home, promised):
    notebook = open_rater(browser, lab_url, home, "deaths")
    acknowledged = rate_through_deaths(notebook, home, "deaths", presses=8, kills=1, rng=random.Random(4))
    check_deaths(acknowledged, rows(home, "deaths"), kills=1)
    notebook.page.close()
    promised(7, "8 presses, kill -9 of the kernel", f"{len(acknowledged)} acknowledged, none lost or doubled")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_hundred_presses_and_eight_kills(browser, lab_url, home, promised):
    for number in range(240):
        (home / "many").mkdir(exist_ok=True)
        (home / "many" / f"{number}.png").write_bytes(paintings.disc(radius=20 + number % 100, colour=(number, 90, 90)))
    cell = CELL.format(log="long.jsonl", options="").replace("'pictures'", "'many'")
    page = browser.new_page(viewport={"width": 1180, "height": 980})
    notebook = lab.Notebook(page, lab_url, home, "long", cell)
    acknowledged = rate_through_deaths(notebook, home, "long", presses=200, kills=8, rng=random.Random(7))
    check_deaths(acknowledged, rows(home, "long"), kills=8)
    page.close()
    promised(7, "200 presses, kill -9 of the kernel 8 times", f"{len(acknowledged)} acknowledged, none lost or doubled")


def test_pairs_are_answered_with_keys_and_axe_finds_nothing(browser, lab_url, home):
    notebook = open_rater(browser, lab_url, home, "pairs", ", mode='pairs'")
    page, root = notebook.page, notebook.page.locator(".wc")
    root.focus()
    page.locator(".wc-thumb").first.wait_for()
    page.keyboard.press("g")
    page.locator(".wc[data-shown]").wait_for()
    assert root.locator(".wc-stage img").count() == 2 and violations(page, ".wc") == ""
    for key, winner in zip("123", ("left", "right", "same"), strict=True):
        time.sleep(0.2)
        before = shown(root)
        page.keyboard.press(key)
        changed(root, before)
        assert rows(home, "pairs")[-1]["winner"] == winner
    page.close()


def test_without_the_custom_widget_plain_buttons_are_offered_and_rate(browser, lab_url, home):
    page = browser.new_page(viewport={"width": 1180, "height": 980})
    page.set_default_timeout(30_000)
    page.route("**/extensions/anywidget/**", lambda route: route.abort())
    notebook = lab.Notebook(page, lab_url, home, "plain", CELL.format(log="plain.jsonl", options=""))
    offer = page.get_by_role("button", name="use plain buttons")
    offer.click()
    page.get_by_role("button", name="Grid").click()
    page.get_by_alt_text("Painting").wait_for()
    time.sleep(0.3)
    page.get_by_role("button", name="Love").dblclick()
    lab.wait(lambda: len(rows(home, "plain")) == 1, 30, "the press is in the log")
    time.sleep(0.5)
    assert [row["tier"] for row in rows(home, "plain")] == ["love"]
    page.get_by_role("button", name="Undo").click()
    lab.wait(lambda: rows(home, "plain")[-1]["event"] == "undo", 30, "the undo is in the log")
    assert violations(page, ".wc-plain") == ""
    assert notebook.cells()
    page.close()
