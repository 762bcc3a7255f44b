"""Figures of curves, paintings and draws: titles follow the data, gaps stay gaps, captions are kept."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wclib import plots_curves, plots_draws, plots_rollouts
from wclib.analysis import drawcurves
from wclib.analysis.balance import noise_by_way
from wclib.analysis.load import load_curve
from wclib.analysis.paintings import decompose
from wclib.analysis.published import published_curves
from wclib.analysis.simulate import Stated, simulate_rollouts, simulated_pool

PUBLISHED = published_curves()
PAIR = {run: PUBLISHED[run] for run in ("judge-led", "hps-led")}
ROLLOUTS = simulate_rollouts(30, seed=1)


def title(figure):
    return figure.get_suptitle().replace("\n", " ")


def labelled(figure):
    return all(axis.get_xlabel() or axis.get_ylabel() for axis in figure.axes if axis.axison)


def test_a_strangers_csv_takes_three_lines(tmp_path):
    (tmp_path / "theirs.csv").write_text("step,reward\n" + "".join(f"{i},{0.3 + i / 50}\n" for i in range(12)))
    figure = plots_curves.curves({"theirs": load_curve(tmp_path / "theirs.csv")})
    assert title(figure).startswith("theirs rose from 0.33 in its first third to 0.49") and labelled(figure)


@pytest.mark.parametrize(
    ("reward", "said"),
    [
        (np.r_[np.linspace(0.8, 0.2, 12)] + 0.01 * (-1.0) ** np.arange(12), "fell"),
        (0.5 + 0.1 * (-1.0) ** np.arange(12), "did not clearly move"),
        (np.array([0.4]), "too few steps"),
    ],
)
def test_the_title_says_what_the_curve_did(reward, said):
    curve = pd.DataFrame({"step": range(len(reward)), "reward": reward})
    assert said in title(plots_curves.curves({"mine": curve}))


def test_the_three_published_runs_and_their_thirds():
    figure = plots_curves.curves(PUBLISHED, "source")
    assert "All 3 runs learned" in title(figure) and "judge-led +0.27" in title(figure)
    shown = {text.get_text() for axis in figure.axes for text in axis.texts}
    assert {"0.579", "0.710", "0.451", "0.721", "0.573", "0.815"} <= shown


def test_missing_values_are_gaps_and_never_zero():
    curve = PUBLISHED["judge-led"].copy()
    curve.loc[10:20, "reward"] = np.nan
    dots = plots_curves.curves({"judge-led": curve}).axes[0].lines[0].get_ydata()
    assert np.isnan(dots[10:21]).all() and np.nanmin(dots) > 0.1


def test_terms_coverage_and_narrowing_state_their_finding():
    assert "judge-led by the judge" in title(plots_curves.terms(PUBLISHED))
    assert "hps-only by HPSv3" in title(plots_curves.terms(PUBLISHED, quality="HPSv3"))
    assert "judge-led x2.1, hps-led x2.3" in title(plots_curves.coverage(PUBLISHED))
    assert "most in hps-led: sd 0.10" in title(plots_curves.narrowing(PUBLISHED))


def test_a_figure_is_kept_with_its_caption(tmp_path):
    path = plots_curves.keep(plots_curves.coverage(PUBLISHED), tmp_path / "deep" / "coverage", "Paint by step. " * 12)
    assert {each.suffix for each in path.parent.iterdir()} == {".png", ".svg", ".txt"}
    assert max(map(len, path.with_suffix(".txt").read_text().splitlines())) <= 100


def test_the_bars_of_a_rise_and_the_bad_ones():
    parts = decompose(ROLLOUTS, resamples=30)
    figure = plots_rollouts.decomposition({"a": parts, "b": parts})
    assert "a mostly by fewer bad paintings" in title(figure)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == pytest.approx([*parts["value"][:3], *parts["value"][:3]])
    bad = (ROLLOUTS["reward"] < 0.3).sum()
    first, second = map(int, re.findall(r"(\d+) in the", title(plots_rollouts.bad_share(ROLLOUTS))))
    assert first + second == bad and first > second


def test_a_count_that_has_nothing_to_do_with_the_reward_is_said_so():
    figure = plots_rollouts.against_reward(ROLLOUTS, "n_shapes")
    assert (
        "nothing to speak of" in title(figure) and "null: no relation" in figure.axes[0].get_legend_handles_labels()[1]
    )
    assert "within steps" in title(plots_rollouts.against_reward(ROLLOUTS, "n_shapes", within=True))
    assert "can tell nothing" in title(plots_rollouts.against_reward(ROLLOUTS.assign(n_shapes=5.0)))
    assert "among the good ones" in title(plots_rollouts.coverage_against_reward(ROLLOUTS))


def test_figures_of_draws_follow_the_data(tmp_path):
    by_lag, columns = drawcurves.shared_draws(PAIR, permutations=50)
    assert "faced the same draws: r 0.59" in title(plots_draws.shared(by_lag, columns, tuple(PAIR)))
    other = {"judge-led": PUBLISHED["judge-led"], "hps-only": PUBLISHED["hps-only"]}
    assert "show no shared draws" in title(
        plots_draws.shared(*drawcurves.shared_draws(other, permutations=50), tuple(other))
    )
    hard = drawcurves.common_effects(PAIR, "logit")
    figure = plots_draws.difficulty(hard.assign(difficulty=-hard["common"]))
    assert title(figure).startswith("Hardest draws: steps 12") and "logits" in figure.axes[0].get_ylabel()
    step = drawcurves.compare_steps(PAIR, "judge-led", 11, 12)
    assert "about 18% of -0.32, at most 57%" in title(plots_draws.two_steps(step, "judge-led", 11, 12))
    placebo = drawcurves.draw_effects(PUBLISHED["hps-only"], "hps-only")
    assert "Nothing to adjust" in title(plots_draws.adjusted(placebo, "reward", "adjusted", "reward"))
    moved = drawcurves.draw_effects(PUBLISHED["judge-led"], "judge-led")
    assert "moved a step by" in title(plots_draws.adjusted(moved, "reward", "adjusted", "reward"))


def test_hardest_references_and_ways_of_drawing(tmp_path):
    pool = simulated_pool(Stated(love=8, okay=8))
    figure = plots_draws.hardest_references(pool, {"love_000": Path("nowhere.png")}, n=3)
    assert [axis.texts[0].get_text() for axis in figure.axes] == ["no picture"] * 6
    table = noise_by_way(pool, draws=200)
    assert f"{table['steps_saved'].max():.0%} fewer steps" in title(plots_draws.ways(table))
