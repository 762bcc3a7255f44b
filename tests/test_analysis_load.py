"""Tables are read as they are, and what is wrong with one is refused by file, column and physical line."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hub_server import hub_server

from wclib.analysis.drawfit import fit_verdicts
from wclib.analysis.load import load, load_comparisons, load_curve, load_rollouts, load_run
from wclib.analysis.published import RUNS, published_curves, published_rollouts
from wclib.analysis.simulate import Stated, simulate_comparisons, simulate_rollouts
from wclib.analysis.tables import DataNote
from wclib.errors import UsageError
from wclib.hub.load import stream_rows

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / "data" / "runs" / "laptop-demo" / "seed0"
SHARED = ROOT.parent / "shared" / "published"


def csv(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rollout(step=0, position=0, reward=0.5, **more):
    return {"run": "mine", "step": step, "position_in_group": position, "reward": reward, **more}


def pair(reference="love_a", tier="love", first="submission", second="reference", **more):
    row = {"run": "mine", "step": 0, "group": 0, "position_in_group": 0, "reference_id": reference, "tier": tier,
           "verdict_submission_first": first, "verdict_reference_first": second}  # fmt: skip
    return row | more


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("step,loss\n0,1\n", "no column 'reward'"),
        ("step,reward\n", "no rows"),
        ("", "is empty"),
        ("step,reward,reward\n0,1,1\n", "line 1 names the column 'reward' twice"),
        ("step,reward\n0,0.5\n1,good\n", "line 3, column 'reward': 'good' is not a number"),
        ('step,reward,step_time\n0,0.5,"1,447"\n', r"line 2, column 'step_time': '1,447'.*thousands separator.*1447"),
        ("step,reward\n0,1.2\n", "line 2, column 'reward': 1.2 is outside the possible range 0 to 1"),
        ("step,reward\n0,inf\n", "line 2, column 'reward'.*not a number"),
        ("step,reward\n0,0.5\n\n1,0.5\n1,0.6\n", "line 5 repeats line 4 .step 1."),
        ("step,reward\n0.5,0.5\n", "line 2, column 'step': a whole number"),
        ("step,reward\n0,0.5,7\n", "line 2 has 3 cells, the header has 2"),
        ("step,reward\n0,0.5\n1e300,0.5\n", "line 3, column 'step': a whole number"),
        ('step,reward,note\n0,0.5,"torn\n1,0.6,whole\n', "line 2 is not CSV"),
        ("step,reward,reward_std\n0,0.5,-1\n", "line 2, column 'reward_std': -1 is outside"),
        ("step,reward,step_time\n0,0.5,-1\n", "line 2, column 'step_time': -1 is outside"),
    ],
)  # fmt: skip
def test_a_wrong_curve_is_refused_by_line(tmp_path, text, said):
    path = csv(tmp_path / "curve.csv", text)
    with pytest.raises(UsageError, match=said) as told:
        load_curve(path)
    assert str(path) in str(told.value)


def test_a_quoted_line_break_does_not_shift_the_physical_line(tmp_path):
    path = csv(tmp_path / "curve.csv", 'step,reward,remark\n0,0.5,"two\nlines"\n1,bad,x\n')
    with pytest.raises(UsageError, match="line 4, column 'reward'"):
        load_curve(path)


def test_missing_values_stay_missing_and_disorder_is_said(tmp_path):
    path = csv(tmp_path / "curve.csv", "\ufeffstep,reward,extra\n3,0.4,a\n0,None,b\n1,NaN,c\n7,,d\n")
    with pytest.warns(DataNote) as notes:
        curve = load_curve(path)
    assert curve["step"].tolist() == [0, 1, 3, 7] and curve["reward"].isna().tolist() == [True, True, False, True]
    told = " ".join(str(note.message) for note in notes)
    assert "sorted" in told and "steps 2, 4-6" in told
    assert curve["extra"].tolist() == ["b", "c", "a", "d"]


def test_a_curve_that_contradicts_the_mix_in_its_name_is_refused(tmp_path):
    row = "step,reward,length_mean,judge_mean,quality_mean\n0,0.67,0.4,0.2,0.9\n"
    assert len(load_curve(csv(tmp_path / "curve-hps-led.csv", row))) == 1
    assert len(load_curve(csv(tmp_path / "curve-mine.csv", row))) == 1
    with pytest.raises(UsageError, match="line 2, column 'reward'.*weights of judge-led"):
        load_curve(csv(tmp_path / "curve-judge-led.csv", row))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([rollout(), rollout(position=1), rollout()], "line 3 repeats line 1"),
        ([rollout(reward=1.3)], "line 1, column 'reward'.*range 0 to 1"),
        ([rollout(reward="high")], "line 1, column 'reward': 'high'"),
        ([rollout(judge_weight=0.6), rollout(1, judge_weight=0.3)], "line 2, column 'judge_weight'.*began with 0.6"),
        ([rollout(judge_weight=0.3, hpsv3_weight=0.6) | {"run": "judge-led"}], "judge-led means 0.6 and 0.3"),
        ([rollout(reward=0.9, judge_weight=0.0, hpsv3_weight=0.3)], "more than its weights can pay"),
        ([{"step": 0, "reward": 0.5}], "no column 'run'"),
        ([], "no column|no rows"),
        ([rollout(), rollout(1) | {"run": None}], "line 2, column 'run'.*names nothing"),
        ([rollout() | {"run": ["mine"]}], "line 1, column 'run'.*names nothing"),
        ([rollout(n_shapes=10**400)], "line 1, column 'n_shapes'.*not a number"),
    ],
)
def test_wrong_rollouts_are_refused_by_line(tmp_path, rows, said):
    with pytest.raises(UsageError, match=said):
        load_rollouts(jsonl(tmp_path / "rollouts.jsonl", rows))


def test_unscored_rollouts_stay_unscored_and_sketches_stay_on_the_disk(tmp_path):
    rows = [rollout(reward=None, code="x"), rollout(position=1, code="y")]
    frame = load_rollouts(jsonl(tmp_path / "rollouts.jsonl", rows))
    assert frame["reward"].isna().tolist() == [True, False] and "code" not in frame
    with (tmp_path / "rollouts.jsonl").open("a") as handle:
        handle.write('{"run": "mine", "st')
    with pytest.warns(DataNote, match="line 3: a last line that was cut short"):
        assert len(load_rollouts(tmp_path / "rollouts.jsonl")) == 2


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([pair(first="won")], "line 1, column 'verdict_submission_first': 'won' is no verdict"),
        ([pair(), pair(position_in_group=1, first=1)], "line 2, column 'verdict_submission_first': 1 is no verdict"),
        ([pair(reference=None)], "line 1, column 'reference_id'.*names nothing"),
        ([pair(tier="nope")], "'nope' is no tier"),
        (
            [pair(), pair(tier="okay", position_in_group=1)],
            "line 2, column 'tier': love_a is okay here and love before",
        ),
        ([pair(score=1.0)], "line 1, column 'score': 1.0 contradicts its verdicts, which make 0.5"),
        ([pair(first=None, score=0.0)], "contradicts"),
        ([pair(), pair()], "line 2 repeats line 1"),
    ],
)
def test_wrong_comparisons_are_refused_by_line(tmp_path, rows, said):
    with pytest.raises(UsageError, match=said):
        load_comparisons(jsonl(tmp_path / "comparisons.jsonl", rows))


def test_a_lost_call_is_missing(tmp_path):
    rows = [pair(first=None), pair("okay_b", "okay", second="")]
    frame = load_comparisons(jsonl(tmp_path / "comparisons.jsonl", rows))
    assert frame["verdict_submission_first"].isna().tolist() == [True, False]
    assert frame["verdict_reference_first"].isna().tolist() == [False, True]


def test_a_runs_folder_and_its_parts_are_told_apart(tmp_path):
    run = load(RUN)[0]
    assert run.name == "demo-s0-1129-222018" and len(run.rollouts) == 240 and run.info["config"]["seed"] == 0
    assert len(run.curve) == 15 and run.comparisons["reference_id"].nunique() == 59
    assert load(RUN / "curve.csv")[0].rollouts is None
    assert load(RUN / "comparisons.jsonl")[0].comparisons is not None
    with pytest.raises(UsageError, match="holds neither"):
        load_run(tmp_path)
    with pytest.raises(UsageError, match="there is no"):
        load(tmp_path / "nowhere.csv")


def test_a_far_away_step_is_one_gap_and_costs_nothing(tmp_path):
    with pytest.warns(DataNote, match="no rows for steps 1-3, 5-99999999998"):
        assert len(load_curve(csv(tmp_path / "c.csv", "step,reward\n0,0.5\n4,0.5\n99999999999,0.5\n"))) == 3


def test_a_judge_that_answered_in_one_order_only_is_still_fitted(tmp_path):
    table = simulate_comparisons(Stated(steps=8), seed=0)[0].assign(verdict_submission_first=None, score=None)
    assert len(fit_verdicts(table).references) == table["reference_id"].nunique()


def test_a_folder_with_another_runs_comparisons_or_a_list_for_run_json_is_refused(tmp_path):
    jsonl(tmp_path / "rollouts.jsonl", [rollout()])
    jsonl(tmp_path / "comparisons.jsonl", [pair() | {"run": "other"}])
    with pytest.raises(UsageError, match="comparisons.jsonl, column 'run': other is no run of the rollouts"):
        load_run(tmp_path)
    (tmp_path / "comparisons.jsonl").unlink()
    (tmp_path / "run.json").write_text("[1]")
    with pytest.raises(UsageError, match="run.json is not a JSON object"):
        load_run(tmp_path)


@pytest.mark.parametrize("text", ["5\n", "[" * 99999 + "\n"])
def test_a_json_line_that_is_no_row_is_refused(tmp_path, text):
    with pytest.raises(UsageError, match="line 1 is not a JSON object"):
        load(csv(tmp_path / "rows.jsonl", text))


def test_a_table_that_mixes_runs_is_split(tmp_path):
    both = pd.concat([simulate_rollouts(6, run="one"), simulate_rollouts(9, run="two")])
    both.to_csv(tmp_path / "both.csv", index=False)
    runs = load(tmp_path / "both.csv")
    assert [(run.name, len(run.rollouts)) for run in runs] == [("one", 48), ("two", 72)]


def published_layout(folder, run="judge-led"):
    """A small local copy of a published rollouts dataset: metadata.jsonl, images/, sources/."""
    rows = simulate_rollouts(4, run=run).drop(columns="paint_fraction").round(3)
    rows = rows.assign(judge_weight=0.6, hpsv3_weight=0.3, group_paint_mean=0.2, code="x")
    rows["brush_methods_used"] = [["fill"]] * 32
    places = zip(rows["step"], rows["position_in_group"], strict=True)
    rows["file_name"] = [f"images/c{step:04d}_g{place:02d}.png" for step, place in places]
    (folder / "images").mkdir(parents=True)
    for name in rows["file_name"]:
        (folder / name).write_bytes(b"not fetched")
    jsonl(folder / "metadata.jsonl", rows.drop(index=5).to_dict("records"))
    return folder


def test_a_local_copy_of_a_published_dataset_loads(tmp_path):
    run = load(published_layout(tmp_path / "copy"))[0]
    assert run.name == "judge-led" and len(run.rollouts) == 31
    assert run.rollouts["image"].iloc[0] == "images/c0000_g00.png"


def test_parquet_is_streamed_without_its_pictures(tmp_path):
    rows = simulate_rollouts(3).assign(image=[{"bytes": b"x" * 50, "path": "a.png"}] * 24, code="long")
    rows.to_parquet(tmp_path / "train-00000.parquet")
    frame = stream_rows([str(tmp_path / "train-00000.parquet")])
    assert len(frame) == 24 and not {"image", "code"} & set(frame)
    assert len(load(tmp_path)[0].rollouts) == 24


@pytest.fixture
def hub(tmp_path, monkeypatch):
    root = published_layout(tmp_path / "there")
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    with hub_server() as hub:
        hub.repo("dataset", "FineEnvs/watercolour-rollouts-judge-led").update(files)
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
        yield hub


def test_published_rollouts_load_under_either_organisation_without_a_picture(hub):
    frame = published_rollouts("judge-led")
    assert len(frame) == 31 and set(frame["run"]) == {"judge-led"}
    assert any("/HuggingEnvs/" in path for path in hub.asked) and any("/FineEnvs/" in path for path in hub.asked)
    assert not [path for path in hub.asked if path.endswith(".png")]
    with pytest.raises(UsageError, match="someone/else could not be fetched"):
        load("someone/else")


def test_a_hub_that_cannot_be_reached_is_said(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(UsageError, match="watercolour-rollouts-hps-led could not be fetched.*the network"):
        published_rollouts("hps-led")


def test_the_published_table_gives_back_the_three_curves():
    curves = published_curves()
    assert {run: len(curve) for run, curve in curves.items()} == {"hps-only": 60, "judge-led": 110, "hps-led": 110}
    assert curves["hps-only"]["clipped_ratio"].isna().all() and len(curves["hps-led"].columns) == 15


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published CSVs are not beside this checkout")
def test_the_published_table_is_the_published_files():
    curves = published_curves()
    for run in RUNS:
        pd.testing.assert_frame_equal(curves[run], load_curve(SHARED / f"curve-{run}.csv"), check_dtype=False)


def test_comparisons_go_to_a_file_and_back(tmp_path):
    table, _, _ = simulate_comparisons(Stated(steps=6))
    table.to_csv(tmp_path / "comparisons.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = load_comparisons(tmp_path / "comparisons.csv")
    assert np.allclose(again["score"], table["score"], equal_nan=True)
