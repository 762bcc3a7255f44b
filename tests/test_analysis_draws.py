"""The luck of the draw: found where it was put in, not found where it was not, by both methods."""

import json
import math
import time
from pathlib import Path

import numpy as np
import paintings
import pandas as pd
import pytest
from PIL import Image, ImageDraw

from wclib.analysis import drawcurves as draws
from wclib.analysis.balance import WAYS, _ranks, balanced_draw, noise_by_way
from wclib.analysis.corrected import average_win, corrected_curve
from wclib.analysis.drawfit import fit_verdicts, least_squares
from wclib.analysis.load import Run
from wclib.analysis.published import published_curves
from wclib.analysis.report import analyse, told
from wclib.analysis.simulate import Stated, simulate_comparisons, simulate_rollouts
from wclib.analysis.verdicts import connectivity, flips
from wclib.cli import main
from wclib.errors import UsageError
from wclib.weights import MIXES

PUBLISHED = published_curves()
JUDGED = {run: PUBLISHED[run] for run in ("judge-led", "hps-led")}
RUN = Path(__file__).resolve().parents[1] / "data" / "runs" / "laptop-demo" / "seed0"


def made_curve(common, seed, mix="judge-led", steps=110, own=0.05):
    """A curve whose judge mean is a trend, HPSv3's deviation, a draw effect and luck."""
    rng = np.random.default_rng(seed)
    step = np.arange(steps)
    quality = np.clip(0.6 + step / 500 + rng.normal(0, 0.04, steps), 0, 1)
    judge = np.clip(0.3 + step / 500 + (quality - 0.6) + common + rng.normal(0, own, steps), 0.01, 0.99)
    reward = 0.07 + MIXES[mix].judge * judge + MIXES[mix].quality * quality
    return pd.DataFrame({"step": step, "reward": reward, "reward_std": 0.2, "judge_mean": judge,
                         "quality_mean": quality, "length_mean": 0.4,
                         "paint_fraction_mean": rng.uniform(0.1, 0.2, steps),
                         "entropy": rng.uniform(0.2, 0.3, steps)})  # fmt: skip


def test_overdispersion_tells_luck_from_more():
    rng = np.random.default_rng(0)
    step, sd = np.arange(110), 0.24
    luck = 0.4 + step / 400 + rng.normal(0, sd / math.sqrt(8), 110)
    curve = pd.DataFrame({"step": step, "reward": luck, "reward_std": sd})
    only = draws.overdispersion(curve)
    assert only.low < only.ratio < only.high and only.reliability < 0.3
    more = draws.overdispersion(curve.assign(reward=luck + rng.normal(0, 0.09, 110)))
    assert more.ratio > more.high and more.p < 0.01 and more.excess == pytest.approx(0.09, abs=0.025)


def test_the_placebo_run_has_nothing_to_explain_and_keeps_its_curve():
    asked = draws.overdispersion(PUBLISHED["hps-only"])
    assert asked.low < asked.ratio < asked.high and asked.reliability == 0
    table = draws.draw_effects(PUBLISHED["hps-only"], "hps-only")
    assert table["adjusted"].tolist() == table["reward"].tolist()
    assert draws.overdispersion(PUBLISHED["judge-led"]).p < 0.01


def test_a_bad_group_is_not_blamed_on_its_draw():
    curve = made_curve(np.zeros(110), 1, own=0.01)
    hit = curve["step"] == 40
    bad = curve.assign(judge_mean=curve["judge_mean"] - 0.3 * hit, quality_mean=curve["quality_mean"] - 0.3 * hit)
    bad["reward"] = 0.07 + 0.6 * bad["judge_mean"] + 0.3 * bad["quality_mean"]
    assert abs(draws.draw_residual(bad, "judge-led")[40]) < 0.05


def test_shared_draws_are_found_where_they_are_and_only_there():
    common = np.random.default_rng(2).normal(0, 0.12, 110)
    by_lag, columns = draws.shared_draws(
        {"judge-led": made_curve(common, 3), "hps-led": made_curve(common, 4, "hps-led")}, permutations=300
    )
    assert by_lag.loc[by_lag["r"].abs().idxmax(), "lag"] == 0 and columns.loc["judge", "p"] < 0.01
    apart = draws.shared_draws(
        {"judge-led": made_curve(common, 3), "hps-led": made_curve(common[::-1], 4, "hps-led")}, permutations=300
    )[1]
    assert abs(apart.loc["judge", "r"]) < 0.3


def test_the_published_judge_runs_shared_their_draws_and_the_placebo_did_not():
    by_lag, columns = draws.shared_draws(JUDGED, permutations=300)
    assert columns.loc["judge", "r"] == pytest.approx(0.59, abs=0.03) and columns.loc["judge", "p"] < 0.01
    assert by_lag.loc[by_lag["lag"] != 0, "r"].abs().max() < 0.2
    assert columns.drop("judge")["p"].min() > 0.1
    alone = draws.shared_draws(
        {"judge-led": PUBLISHED["judge-led"], "hps-only": PUBLISHED["hps-only"]}, permutations=300
    )[1]
    assert alone.loc["judge", "p"] > 0.1


def test_the_common_part_is_predicted_with_an_honest_error():
    common = np.random.default_rng(5).normal(0, 0.12, 110)
    table = draws.common_effects({"judge-led": made_curve(common, 6), "hps-led": made_curve(common, 7, "hps-led")})
    for column, error in (("common", "sd_common"), ("from_other_judge-led", "sd_other_judge-led")):
        left = table[column] - common
        assert np.corrcoef(table[column], common)[0, 1] > 0.75
        assert 0.6 < left.std() / table.attrs[error] < 1.5
    # From the other run alone nothing of a run's own luck comes in.
    moved = made_curve(common, 6)
    moved.loc[30, "judge_mean"] += 0.2
    moved["reward"] = 0.07 + 0.6 * moved["judge_mean"] + 0.3 * moved["quality_mean"]
    again = draws.common_effects({"judge-led": moved, "hps-led": made_curve(common, 7, "hps-led")})
    assert abs(again["from_other_judge-led"][30] - table["from_other_judge-led"][30]) < 0.02
    assert abs(again["common"][30] - table["common"][30]) > 0.04


def test_step_12_of_judge_led():
    pair = draws.compare_steps(JUDGED, "judge-led", 11, 12)
    assert pair.change == pytest.approx(-0.3195) and sum(pair.terms.values()) == pytest.approx(pair.change)
    assert pair.draw_low < pair.draw < 0 and pair.draw / pair.change < 0.5 and pair.left_high < 0
    assert pair.draw + pair.left == pytest.approx(pair.change) and pair.difficulty_rank == (1, 4)


STATED = Stated()
SIMULATED, POOL, STRENGTH = simulate_comparisons(STATED, seed=1)
FIT = fit_verdicts(SIMULATED)


def truth():
    """The judge's mean with an average draw, rollouts' spread included."""
    love, spread = POOL["tier"].eq("love").to_numpy(), STATED.rollout_sd * np.random.default_rng(0).normal(size=300)
    hard = POOL["difficulty"].to_numpy()
    return np.array([average_win(a + spread, hard, love, STATED.order).mean() for a in STRENGTH])


def test_the_model_finds_what_was_stated():
    both = FIT.references.merge(POOL, on="reference_id", suffixes=("", "_true"))
    assert both["difficulty"].rank().corr(both["difficulty_true"].rank()) > 0.85
    # Rollouts differ in strength, so logits shrink a little.
    assert 0.7 < FIT.sd / STATED.reference_sd < 1.1 and 0.2 < FIT.order < 0.35 and 0.1 < FIT.tier_love < 1.0
    assert np.corrcoef(FIT.strength, STRENGTH)[0, 1] > 0.75
    met = FIT.references["draws"]
    assert FIT.references.loc[met == 1, "se"].mean() > FIT.references.loc[met >= 4, "se"].mean()
    check = least_squares(SIMULATED, FIT)
    assert check.rank().corr(FIT.references.set_index("reference_id")["difficulty"][check.index].rank()) > 0.97


def test_the_corrected_curve_is_nearer_to_the_truth_and_its_intervals_hold_it():
    table = corrected_curve(SIMULATED, FIT, POOL, resamples=40)
    true = truth()
    raw, corrected = (np.sqrt(((table[name] - true) ** 2).mean()) for name in ("raw", "corrected"))
    assert corrected < 0.85 * raw
    inside = ((table["corrected_low"] <= true) & (true <= table["corrected_high"])).mean()
    assert inside > 0.75
    assert (table["effect"] - (table["raw"] - table["corrected"])).abs().max() < 1e-12
    assert table["effect"].corr(table["difficulty"]) < -0.7


def test_without_differences_between_references_nothing_is_corrected():
    same, _, _ = simulate_comparisons(Stated(reference_sd=0.0, tier_love=0.0), seed=3)
    fit = fit_verdicts(same)
    assert fit.sd < 0.35 and corrected_curve(same, fit)["effect"].std() < 0.03


def test_a_policy_that_won_everything_stays_finite_and_is_marked():
    won = SIMULATED[SIMULATED["step"] < 12].copy()
    for name in ("verdict_submission_first", "verdict_reference_first"):
        won[name] = "submission"
    fit = fit_verdicts(won)
    assert fit.bounded.all() and np.isfinite(fit.strength).all() and np.abs(fit.references["delta"]).max() < 1
    assert corrected_curve(won, fit)["corrected"].min() > 0.95


def test_a_lost_call_is_neither_a_loss_nor_a_draw():
    lost = SIMULATED.copy()
    gone = np.random.default_rng(0).random(len(lost)) < 0.3
    lost.loc[gone, "verdict_reference_first"] = None
    fit = fit_verdicts(lost)
    assert np.corrcoef(fit.strength, FIT.strength)[0, 1] > 0.98 and abs(fit.order - FIT.order) < 0.12
    assert flips(lost)["lost_calls"] > 0.3 * len(lost) - 80 and flips(lost)["pairs"] < 0.75 * len(lost)


def test_flips_are_told_by_direction():
    rows = [("submission", "submission")] * 3 + [("submission", "reference")] * 2 + [("reference", "submission")]
    table = pd.DataFrame(rows, columns=["verdict_submission_first", "verdict_reference_first"])
    found = flips(table)
    assert (found["agree"], found["only_first"], found["only_second"]) == pytest.approx((1 / 2, 1 / 3, 1 / 6))


def test_split_graphs_and_references_met_once_are_reported():
    table = pd.DataFrame({"step": [0, 0, 1, 1, 2, 2], "position_in_group": 0, "reference_id": list("ababcd"),
                          "tier": "okay", "verdict_submission_first": "submission",
                          "verdict_reference_first": "submission"})  # fmt: skip
    found = connectivity(table)
    assert found["blocks"] == 2 and found["met_once"] == 2 and found["largest"] == pytest.approx(2 / 3)
    assert found["always_beaten"] == 4
    with pytest.raises(UsageError, match="mixes several runs"):
        fit_verdicts(pd.concat([SIMULATED, SIMULATED.assign(run="another")]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [12, 13])
def test_every_way_takes_every_reference_equally_often(way, n):
    rng = np.random.default_rng(0)
    drawn = [_ranks(n, 2, way, rng) for _ in range(6000)]
    assert all(len(set(ranks)) == 2 for ranks in drawn)
    count = np.bincount(np.concatenate(drawn), minlength=n) / 6000
    assert count == pytest.approx(np.full(n, 2 / n), rel=0.12)


def test_a_draw_is_repeatable_and_half_love():
    for way in WAYS:
        names = balanced_draw(POOL, 7, way)
        assert names == balanced_draw(POOL, 7, way) and len(set(names)) == 4
        assert sum(name.startswith("love") for name in names) == 2
    with pytest.raises(UsageError, match="no way of drawing called 'luck'"):
        balanced_draw(POOL, 0, "luck")
    with pytest.raises(UsageError, match="has 1 love"):
        balanced_draw(POOL.groupby("tier").head(1), 0)


def test_balanced_draws_leave_less_noise():
    table = noise_by_way(POOL, 0.3, 0.3, draws=600)
    assert table["sd_draw"].is_monotonic_decreasing and table["sd_step"].is_monotonic_decreasing
    assert table.loc["strata", "steps_saved"] > 0.2 and table.loc["random", "steps_saved"] == 0


def test_two_runs_on_the_same_draws_face_the_same_references():
    one, _, _ = simulate_comparisons(Stated(steps=5), seed=1, draws_seed=9)
    two, _, _ = simulate_comparisons(Stated(steps=5), seed=2, draws_seed=9)
    assert one["reference_id"].tolist() == two["reference_id"].tolist()
    assert one["verdict_submission_first"].tolist() != two["verdict_submission_first"].tolist()


def test_anchors_are_judged_once_and_the_command_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WATERCOLOUR_JUDGE_MODEL", "local")
    folder = tmp_path / "anchors"
    folder.mkdir()
    for i, (size, colour) in enumerate([(20, "#888888"), (150, "#d8577a"), (230, "#ee9a86")]):
        image = Image.new("RGB", (600, 600), "#f8f2e4")
        ImageDraw.Draw(image).ellipse((300 - size, 300 - size, 300 + size, 300 + size), fill=colour)
        image.save(folder / f"{i}.png")
    pool = paintings.taste_pool(tmp_path / "pool", {"hue": 0.96, "reach": 115}, {"hue": 0.6, "reach": 60})
    out = tmp_path / "out" / "anchors"
    command = ["analyse", "--anchors", str(folder), "--pool", str(pool), "--out", str(out)]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["anchors"]
    log = out.with_suffix(".jsonl")
    assert found["judge"] == "local judge" and found["flips"]["agree"] == 1
    assert len(log.read_text().splitlines()) == 3 * found["references"]
    table = pd.read_csv(out.with_suffix(".csv"))
    assert len(table) == found["references"] and len(balanced_draw(table, 0)) == 4
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:20]) + lines[20][:30])
    assert main(command) == 0
    assert "going on after 20 pairs" in capsys.readouterr().err
    assert sorted(log.read_text().splitlines()) == sorted(line.strip() for line in lines)
    (folder / "0.png").rename(folder / "other.png")
    assert main(command) == 2


def test_the_command_prints_numbers_and_words(tmp_path, capsys):
    assert main(["analyse", str(RUN), str(RUN / "curve.csv"), "--json", "--resamples", "20"]) == 0
    found = json.loads(capsys.readouterr().out)
    whole, curve = found["runs"]
    assert whole["curve"]["reward_thirds"] == pytest.approx([0.4264847, 0.53673, 0.5588961], abs=1e-6)
    assert whole["paintings"]["bad_by_thirds"]["first"]["bad"] == 33 and whole["draws"]["pairs"] == 948
    assert whole["paintings"]["rise"]["rise"]["low"] < whole["paintings"]["rise"]["rise"]["value"]
    assert curve["run"] == "curve" and "paintings" not in curve
    assert main(["analyse", str(RUN)]) == 0 and "fewer bad +0.137" in capsys.readouterr().out
    assert main(["analyse", "--claims"]) == 0 and "contradicted" in capsys.readouterr().out
    assert main(["analyse"]) == 2
    (tmp_path / "x.csv").write_text("step,reward\n0,0.5\n2,0.6\n")
    assert main(["analyse", str(tmp_path / "x.csv")]) == 0
    shown = capsys.readouterr()
    assert "no rows for steps 1" in shown.err and "not defined" in shown.out


def test_the_size_of_a_group_is_the_runs_own():
    fours = simulate_rollouts(6).query("position_in_group < 4")
    counted = [analyse(Run("fours", rollouts=fours, info=info)) for info in ({}, {"config": {"rollouts": 4}})]
    assert [report["paintings"]["unscored"]["unscored"] for report in counted] == [24, 0]


def test_a_run_that_could_never_be_scored_is_told_without_a_fault():
    never = simulate_rollouts(5).assign(reward=np.nan)
    report = analyse(Run("dead", rollouts=never))
    assert report["paintings"]["reward_thirds"] == [None, None, None]
    assert report["paintings"]["unscored"]["rate"] == 1 and "not defined" in told(report)
    alike = analyse(Run("alike", rollouts=simulate_rollouts(5).assign(reward=0.5)))
    assert alike["paintings"]["against_reward"]["n_shapes/pooled/pearson"]["r"] is None
    assert alike["paintings"]["unscored"]["groups_dead"] == 5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_short_runs_are_told_as_far_as_they_go(steps):
    rollouts = simulate_rollouts(steps)
    comparisons, _, _ = simulate_comparisons(Stated(steps=steps))
    run = Run("judge-led", PUBLISHED["judge-led"].head(steps), rollouts, comparisons)
    report = analyse(run, resamples=5)
    assert json.dumps(report, allow_nan=False) and "judge-led" in told(report)
    assert (report["curve"]["reward_thirds"][0] is None) == (steps < 3)


def test_comparisons_without_an_answer_are_said_not_to_fit():
    silent = SIMULATED.assign(verdict_submission_first=None, verdict_reference_first=None)
    with pytest.warns(UserWarning, match="no call of the judge was answered"):
        assert "draws" not in analyse(Run("silent", comparisons=silent))
    with pytest.raises(UsageError, match="nothing to fit"):
        fit_verdicts(silent)


@pytest.mark.slow
def test_a_hundred_thousand_rollouts_take_seconds():
    rollouts = simulate_rollouts(12_500)
    comparisons, _, _ = simulate_comparisons(Stated(steps=12_500), seed=1)
    started = time.process_time()
    analyse(Run("large", rollouts=rollouts, comparisons=comparisons))
    assert time.process_time() - started < 10
