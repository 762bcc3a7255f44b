"""Figures state what the data say, keep missing values missing, and draw what is not there as absent."""

import io

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from wclib import plots


def picture(path, colour):
    Image.new("RGB", (60, 60), colour).save(path)
    return path


def test_smoothing_keeps_the_ends_and_leaves_gaps_out():
    assert plots.smooth([1.0, 2.0, 3.0, 4.0, 5.0]).tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    gap = plots.smooth([1.0, float("nan"), 3.0])
    assert gap.tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(plots.smooth([float("nan")])).all()


def test_a_run_without_thirds_has_no_finding():
    curve = pd.DataFrame({"step": [0, 1], "reward": [0.2, 0.9], "reward_std": 0.1})
    assert plots.reward_curve(curve).get_suptitle() == "Too few steps to say whether the reward moved"


@pytest.mark.parametrize(("last", "verb"), [(0.9, "rose"), (0.1, "fell"), (0.41, "hardly moved,")])
def test_the_curves_title_states_the_finding(last, verb):
    reward = np.r_[np.full(4, 0.4), np.full(4, 0.5), np.full(4, last)]
    curve = pd.DataFrame({"step": range(12), "reward": reward, "reward_std": 0.1, "judge_mean": np.nan})
    figure = plots.reward_curve(curve, source="made up")
    assert f"Reward {verb} from 0.40" in figure.get_suptitle() and f"to {last:.2f}" in figure.get_suptitle()
    left, right = figure.axes
    assert left.get_xlabel() and left.get_ylabel()
    assert right.lines == [] or all(line.get_label() != "pairwise judge" for line in right.lines)


def test_a_painting_that_is_missing_keeps_its_place(tmp_path):
    for side in ("before", "after"):
        (tmp_path / side).mkdir()
    before = [picture(tmp_path / "before" / f"{i}.png", "red") for i in range(3)]
    after = [picture(tmp_path / "after" / f"{i}.png", "blue") for i in (0, 2)]
    figure = plots.before_after(before, after, "title", columns=3)
    halves = figure.subfigs
    assert [len(axis.images) for axis in halves[0].axes] == [1, 1, 1]
    assert [len(axis.images) for axis in halves[1].axes] == [1, 0, 1]
    assert halves[1].axes[1].texts[0].get_text() == "no picture"


def test_a_contact_sheet_and_its_files(tmp_path):
    sheet = plots.contact_sheet([picture(tmp_path / "a.png", "red"), b"not a picture"], ["one", "two"], columns=2)
    path = plots.save(sheet, tmp_path / "figures" / "sheet")
    assert path.suffix == ".png" and path.with_suffix(".svg").is_file()
    assert Image.open(path).width > 200


def test_a_thumbnail_is_small():
    out = io.BytesIO()
    Image.effect_noise((600, 600), 60).convert("RGB").save(out, "PNG")
    assert len(plots.thumbnail(out.getvalue(), side=200).data) < 40_000
