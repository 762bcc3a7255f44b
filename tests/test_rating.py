"""The rater without a browser: what is shown, what a press does, what the log keeps, what a pool is made of."""

from __future__ import annotations

import hashlib
import json
import math
import shutil

import paintings
import pytest

from wclib.cli import main
from wclib.errors import InfrastructureFault, UsageError
from wclib.pool import load_pool
from wclib.rating import Rater, RatingLog, pack
from wclib.rating.agreement import kappa, summarise
from wclib.rating.candidates import Candidates
from wclib.rating.log import export_csv, import_csv, import_pool, read_log, standing
from wclib.rating.ranking import rank
from wclib.rating.session import PairSession, Session
from wclib.rating.simulate import DEMONSTRATION, simulate
from wclib.starter import STARTER_FOLDERS


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    discs = [paintings.disc(radius=radius) for radius in range(10, 70)]
    folder = tmp_path_factory.mktemp("made") / "pool"
    paintings.write_pool(folder, {"love": discs[:15], "okay": discs[15:30], "nope": discs[30:40]})
    return folder


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path / "pool")
    shutil.copytree(made.with_name("pool_nope"), tmp_path / "pool_nope")
    return tmp_path / "pool"


@pytest.fixture
def both(folder):
    return [folder, folder.with_name("pool_nope")]


@pytest.fixture
def log(tmp_path):
    return tmp_path / "ratings" / "ada.jsonl"


def session(folders, log, rater="ada", **options):
    return Session(Candidates(folders), RatingLog(log), rater, **options)


def rate_all(rating, answer=lambda slot: slot.candidates[0].row["tier"]):
    shown = []
    while slot := rating.current:
        shown.append(slot)
        assert rating.press(slot.id, answer(slot), 1.5)
    return shown


# What is shown


def test_every_painting_is_shown_and_one_in_twelve_comes_back_much_later(both, log):
    shown = rate_all(session(both, log))
    first = [slot.candidates[0].sha256 for slot in shown if not slot.repeat]
    again = [slot.candidates[0].sha256 for slot in shown if slot.repeat]
    assert len(first) == len(set(first)) == 40 and len(again) == 3  # 8% of 40
    for sha in again:
        places = [place for place, slot in enumerate(shown) if slot.candidates[0].sha256 == sha]
        assert places[1] - places[0] >= 4


def test_the_order_is_a_shuffle_that_a_seed_and_a_name_decide(both, log):
    def order(rater, seed):
        return [slot.candidates[0].file for slot in session(both, log, rater, seed=seed).order.slots]

    assert order("ada", 0) == order("ada", 0)
    assert order("ada", 0) != order("ada", 1) and order("ada", 0) != order("bo", 0)
    assert order("ada", 0) != sorted(order("ada", 0))


def test_nothing_a_page_gets_names_the_file_the_tier_or_who_painted_it(both, log):
    from wclib.rating.widget import RaterWidget

    widget = RaterWidget(session(both, log))
    sent = []
    widget.send = lambda message, buffers=None: sent.append(message)
    slot = widget.session.current
    picture = widget.session.order.picture_id(slot.candidates[0])
    for message in ({"type": "ready"}, {"type": "range"}, {"type": "want", "picture": picture}):
        widget._answer(widget, message, [])
    text = json.dumps([{**message, "counts": 0, "answers": 0} for message in sent])
    assert [message["type"] for message in sent] == ["state", "range", "picture"]
    assert not any(word in text for word in ("love", "okay", "nope", ".png", slot.candidates[0].sha256))


def test_the_page_is_told_when_a_press_came_late_or_could_not_be_written(both, log):
    from wclib.rating.widget import RaterWidget

    widget = RaterWidget(session(both, log))
    sent = []
    widget.send = lambda message, buffers=None: sent.append(message)
    press = {"type": "press", "slot": widget.session.current.id, "answer": "love", "shown_s": 2.0}
    for message in (press, press):
        widget._answer(widget, message, [])
    assert [message["done"] for message in sent] == [1, 1] and "no longer shown" in sent[1]["message"]
    log.unlink()
    widget._answer(widget, press | {"slot": widget.session.current.id}, [])
    assert sent[2]["type"] == "fault" and "Not saved" in sent[2]["text"]


def test_a_picture_that_changed_under_the_page_is_not_shown_as_the_old_one(both, log):
    from wclib.rating.widget import RaterWidget

    widget = RaterWidget(session(both, log))
    sent = []
    widget.send = lambda message, buffers=None: sent.append(message)
    item = widget.session.current.candidates[0]
    picture = widget.session.order.picture_id(item)
    item.path.write_bytes(paintings.disc(radius=145))
    widget._answer(widget, {"type": "want", "picture": picture}, [])
    assert sent[0]["type"] == "state" and picture not in sent[0]["slot"]["pictures"]


def test_new_candidates_take_places_among_those_not_shown_and_move_no_other(both, log):
    rating = session(both, log)
    before = [slot.id for slot in rating.order.slots if not slot.repeat]
    current = rating.current
    assert not rating.rescan()
    for number in range(5):
        (both[0] / f"new{number}.png").write_bytes(paintings.disc(radius=100 + number))
    (both[0] / "half-written.png").write_bytes(paintings.disc()[:200])
    assert rating.rescan() and rating.current == current and "5 new" in rating.message
    after = [slot.id for slot in rating.order.slots if not slot.repeat]
    assert [slot for slot in after if slot in set(before)] == before and len(after) == 45
    assert len(rate_all(rating, lambda slot: "okay")) == 45 + round(0.08 * 45)


def test_a_rater_who_is_done_gets_what_comes_later(both, log):
    rating = session(both, log)
    rate_all(rating)
    (both[0] / "late.png").write_bytes(paintings.disc(radius=120))
    rating.rescan()
    assert rating.current.candidates[0].file == "late.png"


def test_filters_keep_to_a_tier_or_a_subject_and_the_arrows_stay_inside(both, log):
    rating = session(both, log)
    rate_all(rating)
    rating.filter(tier="nope")
    seen = {rating.current.candidates[0].row["tier"]}
    for _ in range(12):
        rating.move(1)
        seen.add(rating.current.candidates[0].row["tier"])
    assert seen == {"nope"} and "last" in rating.message
    rating.filter(tier="all", subject=rating.subjects()[0])
    assert all(slot.candidates[0].subject == rating.subjects()[0] for slot, _ in rating.range())
    rating.filter(tier="unrated")
    assert rating.current is None


def test_where_keeps_what_its_row_says_and_copies_are_shown_once(both, log, tmp_path):
    said = []
    shutil.copy(both[0] / "love_flower-00_s0.png", both[0] / "zz.png")
    rater = Rater(both, "ada", log, where=lambda row: row["file_name"][0] in "lz", say=said.append)
    assert len(rater.session.candidates.by_sha) == 15 and "copies" in said[0]
    with pytest.raises(UsageError, match="0 paintings"):
        Rater(both, "ada", log, where=lambda row: False)
    with pytest.raises(UsageError, match="no folder"):
        Rater(tmp_path / "nowhere", "ada", log)


def test_a_runs_paintings_bring_the_rows_of_its_rollouts(tmp_path, log):
    run = tmp_path / "run"
    (run / "paintings").mkdir(parents=True)
    (run / "paintings" / "0000_01.png").write_bytes(paintings.disc())
    (run / "paintings" / "0000_01.js").write_text("setup")
    row = {"image": "paintings/0000_01.png", "subject": "a coral hibiscus", "backend": "llvmpipe"}
    (run / "rollouts.jsonl").write_text(json.dumps(row) + '\n{"image": "pain')
    rating = session(run / "paintings", log)
    item = rating.current.candidates[0]
    assert item.subject == "a coral hibiscus" and item.sketch.name == "0000_01.js"
    rating.press(rating.current.id, "okay", 1.0)
    assert read_log(log)[0]["backend"] == "llvmpipe"


# What a press does


def test_a_press_writes_one_row_with_all_that_a_judge_of_it_needs(both, log):
    rating = session(both, log)
    slot = rating.current
    assert rating.press(slot.id, "love", 1.25)
    (row,) = read_log(log)
    item = slot.candidates[0]
    told = (row["event"], row["rater"], row["tier"], row["sha256"], row["shown_s"], row["repeat"])
    assert told == ("rate", "ada", "love", item.sha256, 1.25, False)
    assert (
        row["time"].endswith("+00:00") and (log.parent / row["folder"] / row["file"]).resolve() == item.path.resolve()
    )
    assert rating.current != slot and rating.message == "Love. 1 of 43."


def test_a_press_for_a_picture_that_is_gone_or_has_only_just_come_is_dropped(both, log):
    rating = session(both, log)
    first = rating.current
    rating.press(first.id, "love", 1.0)
    assert not rating.press(first.id, "love", 1.0) and "no longer shown" in rating.message
    assert not rating.press(rating.current.id, "love", 0.05) and "only just" in rating.message
    assert len(read_log(log)) == 1


def test_undo_is_a_row_of_its_own_and_brings_the_picture_back(both, log):
    rating = session(both, log)
    first = rating.current
    rating.press(first.id, "love", 1.0)
    rating.press(rating.current.id, "nope", 1.0)
    assert rating.undo() and rating.undo() and rating.current == first
    assert [row["event"] for row in read_log(log)] == ["rate", "rate", "undo", "undo"]
    assert not standing(read_log(log)) and rating.progress()[0] == 0
    assert not rating.undo() and "nothing" in rating.message


def test_an_undone_correction_leaves_the_first_answer_standing(both, log):
    rating = session(both, log)
    first = rating.current
    rating.press(first.id, "love", 1.0)
    rating.move(-1)
    rating.press(first.id, "okay", 1.0)
    assert rating.answered()[first.key] == "okay"
    rating.undo()
    assert rating.answered()[first.key] == "love" and rating.progress()[0] == 1


def test_a_restart_goes_on_where_it_was_and_skips_a_torn_line(both, log):
    rating = session(both, log)
    for _ in range(7):
        rating.press(rating.current.id, "okay", 1.0)
    current = rating.current
    rating.log.close()
    with log.open("ab") as handle:
        handle.write(b'{"press": "torn", "event": "ra')
    said = []
    again = Session(Candidates(both), RatingLog(log, said.append), "ada")
    assert again.current == current and again.progress()[0] == 7 and "cut short" in said[0]
    again.press(current.id, "love", 1.0)
    assert len(read_log(log)) == 8


def test_two_raters_share_a_file_and_keep_their_own_places(both, log):
    one = session(both, log)
    one.press(one.current.id, "love", 1.0)
    two = session(both, log, "bo")
    assert two.progress()[0] == 0
    two.press(two.current.id, "nope", 1.0)
    two.undo()
    assert one.progress()[0] == 1 and {row["rater"] for row in read_log(log)} == {"ada", "bo"}


def test_a_press_that_cannot_be_written_moves_nothing(both, log):
    rating = session(both, log)
    slot = rating.current
    log.unlink()
    with pytest.raises(InfrastructureFault, match="deleted"):
        rating.press(slot.id, "love", 1.0)
    assert rating.current == slot and rating.progress()[0] == 0


def test_time_left_follows_the_raters_own_pace(both, log):
    rating = session(both, log)
    assert rating.progress()[2] is None
    for _ in range(3):
        rating.press(rating.current.id, "love", 2.0)
    assert rating.progress() == (3, 43, 80.0)


def test_a_changed_picture_is_a_new_picture_and_its_old_rating_is_said_to_be_stale(both, log):
    rating = session(both, log)
    slot = rating.current
    rating.press(slot.id, "love", 1.0)
    slot.candidates[0].path.write_bytes(paintings.disc(radius=140))
    again = session(both, log)
    assert again.stale == [slot.candidates[0].file] and "changed" in again.message
    assert again.progress()[0] == 0


def test_a_log_with_a_wrong_row_names_the_line(tmp_path):
    path = tmp_path / "log.jsonl"
    row = {"press": "a-0", "event": "rate", "time": "2026", "rater": "ada", "tier": "adore"}
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(UsageError, match="line 1 is no press.*adore"):
        read_log(path)


# Pairs


def test_pairs_show_every_painting_four_times_and_repeats_swap_sides(both, log):
    rating = PairSession(Candidates(both), RatingLog(log), "ada")
    radius = {hashlib.sha256(paintings.disc(radius=radius)).hexdigest(): radius for radius in range(10, 50)}

    def bigger(slot):
        left, right = (radius[item.sha256] for item in slot.candidates)
        return "left" if left > right else "right" if right > left else "same"

    shown = rate_all(rating, bigger)
    firsts = {slot.key[0]: slot for slot in shown if not slot.repeat}
    assert 4 * 20 - 4 <= len(firsts) <= 4 * 20
    swapped = [slot for slot in shown if slot.repeat]
    assert swapped and all(slot.candidates == firsts[slot.key[0]].candidates[::-1] for slot in swapped)
    ranked = rank(read_log(log))
    sizes = [radius[item.sha256] for item in ranked]
    assert len(ranked) == 40 and sum(sizes[:10]) > sum(sizes[10:20]) > sum(sizes[-10:])
    assert all(math.isfinite(item.strength) for item in ranked)
    rating.undo()
    assert rating.current == shown[-1]


def test_strength_is_that_of_the_bradley_terry_model(both, log):
    pair = PairSession(Candidates(both), RatingLog(log), "ada")
    a, b = sorted(pair.candidates.by_sha.values(), key=lambda item: item.file)[:2]
    for winner in ["left"] * 30 + ["right"] * 10 + ["same"] * 20:
        pair.log.append(
            "compare", "ada", winner=winner, **pair.log.reference(a, "left_"), **pair.log.reference(b, "right_")
        )
    best, worst = rank(read_log(log))
    assert best.sha256 == a.sha256 and best.compared == 60
    assert best.strength - worst.strength == pytest.approx(math.log(40 / 20), abs=0.02)  # 40 half-and-whole wins to 20


# Agreement


def test_kappa_matches_the_hand_made_table_and_an_interval_holds_it():
    first = ["love"] * 20 + ["okay"] * 20
    second = ["love"] * 15 + ["okay"] * 5 + ["okay"] * 15 + ["love"] * 5
    found = kappa(first, second)
    assert (found.n, found.agreed) == (40, 0.75) and found.value == pytest.approx(0.5)
    assert found.low < 0.5 < found.high and found.table[0, 0] == 15 and found.shift == 0
    perfect = kappa(first[:9] + first[-3:], first[:9] + first[-3:])
    assert perfect.value == 1 and perfect.low < 0.8  # twelve repeats do not prove a perfect rater
    assert math.isnan(kappa(["love"] * 5, ["love"] * 5).value) and math.isnan(kappa([], []).value)


@pytest.mark.parametrize(("noise", "low", "high"), [(0.0, 0.99, 1.0), (5.0, -0.3, 0.5)])
def test_a_rater_who_only_guesses_agrees_with_nobody(both, tmp_path, noise, low, high):
    for name in ("one", "two"):
        simulate(tmp_path / f"{name}.jsonl", both, rater=name, taste=0, noise=noise)
    summary = summarise(read_log(tmp_path / "one.jsonl") + read_log(tmp_path / "two.jsonl"))
    assert low <= summary.between.value <= high and summary.between.pictures == 40
    assert summary.pairs["one", "two"].n == 40 and "Krippendorff" in str(summary)


def test_a_scale_that_slides_is_seen_and_one_that_holds_is_not(both, tmp_path):
    simulate(tmp_path / "slides.jsonl", both, rater="slides", noise=0.1, bias=-1, drift=2)
    simulate(tmp_path / "holds.jsonl", both, rater="holds", noise=0.1)
    drift = summarise(read_log(tmp_path / "slides.jsonl") + read_log(tmp_path / "holds.jsonl")).drift
    assert drift["slides"].rho > 0.5 and drift["slides"].p < 0.01 and drift["holds"].p > 0.01
    assert drift["slides"].shares[2]["love"] > drift["slides"].shares[0]["love"]


# CSV and pools


def test_ratings_survive_csv_and_back_and_importing_twice_adds_nothing(both, log, tmp_path):
    rating = session(both, log)
    for answer in ("love", "okay", "nope", "meh"):
        rating.press(rating.current.id, answer, 1.5)
    rating.undo()
    table = export_csv(log, tmp_path / "ratings.csv")
    other = RatingLog(log.parent / "other.jsonl")
    assert import_csv(table, other) == 5 and import_csv(table, other) == 0
    kept = [{name: value for name, value in row.items() if value is not None} for row in read_log(log)]
    assert [{name: value for name, value in row.items() if value is not None} for row in other.rows] == kept


def test_a_plain_table_of_files_and_tiers_is_taken_and_a_wrong_line_is_named(folder, log, tmp_path):
    table = tmp_path / "sheet.csv"
    table.write_text("file,tier,rater\nlove_flower-00_s0.png,okay,bo\n")
    log = RatingLog(log)
    assert import_csv(table, log, folder) == 1 and log.rows[0]["rater"] == "bo" and log.rows[0]["tier"] == "okay"
    for line, word in (("love_flower-00_s0.png,adore,bo", "adore"), ("gone.png,love,bo", "gone.png")):
        table.write_text(f"file,tier,rater\n{line}\n")
        with pytest.raises(UsageError, match=f"line 2.*{word}"):
            import_csv(table, log, folder)


def test_packing_a_pools_own_tiers_gives_the_same_pool(folder, log, tmp_path):
    pool = load_pool(folder)
    assert import_pool(folder, RatingLog(log), "authors") == 40
    made = pack(log, tmp_path / "mine")
    mine = load_pool(tmp_path / "mine")
    assert made["fingerprint"] == mine.fingerprint == pool.fingerprint
    sketch = next(painting for painting in mine.paintings if painting.source_path)
    assert sketch.metadata["raters"] == "authors" and mine.by_tier("nope")
    with pytest.raises(UsageError, match="already"):
        pack(log, tmp_path / "mine")


def test_nan_in_a_pools_table_is_refused_with_its_line_and_column_before_anything_is_packed(
    folder, log, tmp_path, capsys
):
    import_pool(folder, RatingLog(log), "authors")
    table = folder / "metadata.jsonl"
    first, second, *rest = [json.loads(line) for line in table.read_text().splitlines()]
    rows = [first, {**second, "hpsv3_mu": math.nan}, *rest]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["pool", "pack", str(log), "--out", str(tmp_path / "mine")]) == 2
    said = capsys.readouterr().err
    assert "pool/metadata.jsonl line 2" in said and "'hpsv3_mu'" in said and "write null" in said
    assert not (tmp_path / "mine").exists()


def test_a_pool_of_loves_is_refused_with_the_wall_named_unless_told(both, log, tmp_path, capsys):
    rating = session(both, log)
    rate_all(rating, lambda slot: "love" if slot.candidates[0].row["tier"] != "nope" else "nope")
    assert main(["pool", "pack", str(log), "--out", str(tmp_path / "wall")]) == 2
    assert "wall" in capsys.readouterr().err and not (tmp_path / "wall").exists()
    assert main(["pool", "pack", str(log), "--out", str(tmp_path / "wall"), "--allow-wall"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["love"], told["okay"], told["nope"], told["fingerprint"]) == (30, 0, 10, None)
    with pytest.raises(UsageError, match="no okay tier"):
        load_pool(tmp_path / "wall")


def test_stale_missing_split_and_meh_are_left_out_and_said(both, log, tmp_path):
    rating = session(both, log)
    rate_all(
        rating,
        lambda slot: "meh" if slot.candidates[0].file == "okay_flower-00_s0.png" else slot.candidates[0].row["tier"],
    )
    (both[0] / "love_flower-01_s1.png").write_bytes(paintings.disc(radius=130))
    (both[0] / "love_flower-02_s2.png").unlink()
    other = session(both, log.with_name("bo.jsonl"), "bo")
    rate_all(
        other,
        lambda slot: (
            "nope" if slot.candidates[0].file == "love_flower-03_s3.png" else slot.candidates[0].row.get("tier", "okay")
        ),
    )
    made = pack([log, log.with_name("bo.jsonl")], tmp_path / "mine")
    left_out = {why: files for why, files in made["left_out"].items()}
    assert left_out["stale"] == ["love_flower-01_s1.png"] and left_out["missing"] == ["love_flower-02_s2.png"]
    assert left_out["split"] == ["love_flower-03_s3.png", "okay_flower-00_s0.png"]
    assert any("changed since" in note for note in made["notes"])
    alone = pack(log, tmp_path / "alone", raters=["ada"])
    assert alone["left_out"]["meh"] == ["okay_flower-00_s0.png"] and alone["raters"] == ["ada"]
    with pytest.raises(UsageError, match="nobody called 'zz' rated here: --rater is one of ada"):
        pack(log, tmp_path / "nobody", raters=["zz"])


def test_another_subject_keeps_its_domain_and_two_are_not_mixed(both, log, tmp_path):
    from wclib.domains import DATA

    lemon = json.loads((DATA / "pool_lemon" / "domain.json").read_text())
    (both[0] / "domain.json").write_text(json.dumps(lemon))
    rate_all(session(both, log))
    pack(log, tmp_path / "mine")
    assert load_pool(tmp_path / "mine").domain.name == lemon["name"]
    (both[1] / "domain.json").write_text(json.dumps(lemon | {"name": "pears"}))
    with pytest.raises(UsageError, match="2 domains"):
        pack(log, tmp_path / "mixed")


def test_comparisons_alone_pack_into_thirds(both, log, tmp_path):
    simulate(log, both, rater="pairs", pairs=True, taste=0, noise=0.05)
    made = pack(log, tmp_path / "mine")
    assert (made["love"], made["okay"], made["nope"]) == (14, 13, 13) and "third" in made["notes"][0]
    names = [painting.reference_id for painting in load_pool(tmp_path / "mine").by_tier("love")]
    assert len(names) == 14


def test_a_packed_pool_loads_with_datasets(both, log, tmp_path, monkeypatch):
    rate_all(session(both, log))
    pack(log, tmp_path / "mine")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    from datasets import load_dataset

    table = load_dataset("imagefolder", data_dir=str(tmp_path / "mine"), split="train", cache_dir=str(tmp_path / "c"))
    assert len(table) == 30 and {"image", "tier", "subject", "raters"} <= set(table.column_names)


def test_the_demonstration_is_what_its_formula_gives_and_fits_the_starter_pool(tmp_path):
    from wclib.domains import DATA

    random_one, options = DEMONSTRATION[0]
    simulate(tmp_path / "again.jsonl", STARTER_FOLDERS, rater=f"simulated-{random_one}", **options)
    stored = read_log(DATA / "ratings" / f"{random_one}.jsonl")
    keep = ("rater", "tier", "sha256", "repeat", "shown_s")
    assert [[row[name] for name in keep] for row in read_log(tmp_path / "again.jsonl")] == [
        [row[name] for name in keep] for row in stored
    ], "the starter pool changed: python -m wclib.rating.simulate data/ratings"
    assert all(row["rater"].startswith("simulated") for row in stored)


def test_a_reader_without_a_kernel_gets_a_picture(both, log):
    import base64
    import io

    from PIL import Image

    bundle = Rater(both, "ada", log)._repr_mimebundle_()
    with Image.open(io.BytesIO(base64.b64decode(bundle["image/png"]))) as picture:
        assert picture.width > 700
    assert "application/vnd.jupyter.widget-view+json" in bundle


@pytest.mark.parametrize("column", ["sha256", "file", "folder"])
def test_a_press_whose_picture_is_no_text_is_refused_by_line(tmp_path, column):
    row = {"press": "p", "event": "rate", "time": "2026-01-01T00:00:00", "rater": "a", "tier": "love"}
    row |= {"sha256": "0", "file": "a.png", "folder": "."} | {column: ["x"]}
    (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(UsageError, match=rf"log.jsonl line 1.*{column} is \['x'\], not text"):
        read_log(tmp_path / "log.jsonl")
