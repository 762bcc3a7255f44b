"""The reward: a number, or None with a reason, and never a number that stands for a failure."""

from __future__ import annotations

import asyncio
import json
import math
import random

import paintings
import pytest
from hypothesis import given
from hypothesis import strategies as st
from provider_server import ProviderServer

from wclib.errors import InfrastructureFault, SketchFault, UsageError
from wclib.judges.hpsv3 import HPSv3Client
from wclib.judges.local import LocalJudge
from wclib.judges.vision import VisionJudge
from wclib.pool import load_pool
from wclib.render import Render
from wclib.render.golden import GOLDEN_SKETCH
from wclib.scorer import Scorer, score_command, scorer_from_env
from wclib.weights import MIXES, TERMS, Weights, combine, length_score, weights_from_env

REPLY = f"```js\n{GOLDEN_SKETCH}```"
BLANK = "function setup() { createCanvas(600, 600, WEBGL); background('#f7f1e3'); }"
UNSEEN = REPLY.replace("#d9566f", "#f7f1e3").replace("#5f8a4f", "#f7f1e3")
BROKEN = REPLY.replace("brush.circle(", "brush.circle((")


class Easel:
    """A renderer that has this painting ready, or this fault, whatever the sketch."""

    def __init__(self, outcome):
        self.outcome = outcome

    async def arender(self, source, seed=0):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return Render(self.outcome, 0.3, True, (), 0.1, 0.1, "easel", seed, "0" * 64, (), {})


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return load_pool(paintings.taste_pool(tmp_path_factory.mktemp("taste") / "pool", paintings.WARM, paintings.COOL))


@pytest.fixture(scope="module")
def local(pool):
    return LocalJudge.fit(pool)


@pytest.fixture
def far_ends():
    with ProviderServer() as chat, ProviderServer() as score:
        yield chat, score


FLOWER = paintings.flower(7, **paintings.WARM)


def score(scorer, reply=REPLY, **settings):
    return asyncio.run(scorer.score(reply, **settings))


def remote(pool, far_ends, weights=Weights(), picture=FLOWER):  # noqa: B008
    chat, quality = far_ends
    return Scorer(
        Easel(picture),
        pool,
        judge=VisionJudge("m", url=chat.chat_url, attempt_s=0.3, deadline_s=3),
        quality=HPSv3Client(quality.url, attempt_s=0.3, deadline_s=3),
        weights=weights,
    )


def test_one_flower_from_reply_to_reward_in_a_real_browser(pool, local, renderer):
    scorer = Scorer(renderer, pool, judge=local, quality=local)
    earned = score(scorer, seed=7)
    again = score(scorer, seed=7)
    blank = score(scorer, UNSEEN)
    assert 0.05 < earned.value < 1 and earned.reason == ""
    assert earned.value == pytest.approx(sum(getattr(Weights(), name) * earned.terms[name] for name in TERMS))
    assert earned.references == [painting.reference_id for painting in pool.draw(7)]
    assert (earned.judge, earned.quality) == ("local judge", "local judge")
    assert again.as_dict() == earned.as_dict()
    assert blank.value == 0 and "blank_canvas" in blank.reason and blank.render is not None


def test_the_terms_are_weighted_and_the_account_of_them_is_json(pool, far_ends):
    earned = score(remote(pool, far_ends), seed=3)
    terms = earned.terms
    assert terms["gate"] == 1 and terms["length"] == length_score(earned.verdict.source)
    expected = 0.05 + 0.05 * terms["length"] + 0.6 * terms["judge"] + 0.3 * terms["quality"]
    assert earned.value == pytest.approx(expected)
    account = json.loads(json.dumps(earned.as_dict(), allow_nan=False))
    assert account["reward"] == earned.value and account["judge"] == "vision judge m" and account["quality"] == "HPSv3"
    judged = account["breakdown"]["judge"]
    assert judged["weight"] == 0.6 and len(judged["comparisons"]) == 4
    assert [one["reference"] for one in judged["comparisons"]] == earned.references


@pytest.mark.parametrize(
    "reply", ["", "I would rather not.", b"\xff\x00\x80" * 50, BROKEN, BLANK.replace("setup", "begin")]
)
def test_a_reply_the_gate_refuses_is_a_true_zero_and_nothing_is_painted_or_asked(pool, far_ends, reply):
    scorer = remote(pool, far_ends)
    scorer.renderer = None
    refused = score(scorer, reply)
    assert refused.value == 0 and refused.reason.startswith("gate: ") and not refused.verdict.passed
    assert refused.terms["gate"] == 0 and refused.terms["judge"] is None
    assert scorer._owned is None and not far_ends[0].requests
    json.dumps(refused.as_dict(), allow_nan=False)


def test_a_sketch_that_hangs_is_a_zero_and_a_browser_that_dies_is_none(pool, local):
    hung = score(Scorer(Easel(SketchFault("timeout", "20 s passed")), pool, judge=local, quality=local))
    assert hung.value == 0 and "timeout" in hung.reason
    died = score(
        Scorer(Easel(InfrastructureFault("renderer", "the browser went away")), pool, judge=local, quality=local)
    )
    assert died.value is None and died.reason == "renderer: the browser went away" and died.terms["gate"] is None


@pytest.mark.parametrize("fault", ["429", "500", "504", "slow", "babble", "not_json", "drop"])
def test_a_lost_judge_makes_the_whole_reward_none(pool, far_ends, fault):
    far_ends[0].always = fault
    lost = score(remote(pool, far_ends))
    assert lost.value is None and lost.reason.startswith("judge: ")
    assert lost.terms["quality"] is not None and lost.terms["judge"] is None


@pytest.mark.parametrize("fault", ["500", "slow", "nan", "infinite", "unavailable", "not_json", "drop"])
def test_a_lost_scorer_makes_the_whole_reward_none(pool, far_ends, fault):
    far_ends[1].always = fault
    lost = score(remote(pool, far_ends))
    assert lost.value is None and lost.reason.startswith("quality: ")
    assert lost.terms["judge"] is not None and lost.terms["quality"] is None


def test_with_judge_weight_nothing_a_missing_verdict_costs_nothing_and_one_that_comes_is_recorded(pool, far_ends):
    scorer = remote(pool, far_ends, MIXES["hps-only"])
    with_verdict = score(scorer)
    assert with_verdict.terms["judge"] is not None and len(with_verdict.comparisons) == 4
    far_ends[0].always = "500"
    without = score(scorer)
    assert without.value == with_verdict.value and without.terms["judge"] is None and "500" in without.faults["judge"]
    scorer.judge = None
    assert score(scorer).value == with_verdict.value


def test_with_quality_weight_nothing_a_missing_score_costs_nothing(pool, far_ends):
    far_ends[1].always = "nan"
    earned = score(remote(pool, far_ends, Weights(judge=0.9, quality=0.0)))
    assert earned.value is not None and earned.terms["quality"] is None


def test_a_wanted_term_that_nobody_can_score_is_none_with_the_remedy(pool, local):
    assert "WATERCOLOUR_DISABLE_JUDGE" in score(Scorer(Easel(FLOWER), pool, quality=local)).reason
    assert "WATERCOLOUR_HPSV3_URL" in score(Scorer(Easel(FLOWER), pool, judge=local)).reason


def test_the_score_is_over_the_pairs_that_were_answered_in_both_orders(pool, far_ends):
    far_ends[0].script.extend(["401", "401"])
    earned = score(remote(pool, far_ends))
    counted = [comparison.score for comparison in earned.comparisons if comparison.score is not None]
    assert 2 <= len(counted) <= 3 and earned.terms["judge"] == sum(counted) / len(counted)
    assert earned.value is not None


def test_a_group_faces_the_same_references_and_their_number_can_be_given(pool, local):
    scorer = Scorer(Easel(FLOWER), pool, judge=local, quality=local)
    assert score(scorer, seed=5).references == score(scorer, seed=5).references != score(scorer, seed=6).references
    assert len(score(scorer, seed=5, references=2).references) == 2


def test_a_pool_picture_that_goes_away_makes_the_reward_none(tmp_path, local):
    pool = load_pool(paintings.write_pool(tmp_path / "pool", {"love": [FLOWER], "okay": [paintings.flower(8)]}))
    (pool.folder / pool.paintings[0].reference_id).unlink()
    lost = score(Scorer(Easel(FLOWER), pool, judge=local, quality=local))
    assert lost.value is None and lost.reason.startswith("pool: ")


def test_a_provider_that_mostly_fails_leaves_rollouts_unscored_and_makes_no_zero(pool):
    kinds = ("429", "500", "504", "drop", "babble", "not_json")
    script = random.Random(1).choices((*kinds, "good"), k=600)

    async def group(judge):
        scorer = Scorer(Easel(FLOWER), pool, judge=judge, weights=Weights(quality=0.0, judge=0.9))
        return await asyncio.gather(*(scorer.score(REPLY, seed) for seed in range(12)))

    with ProviderServer(*script) as chat:
        earned = asyncio.run(group(VisionJudge("m", url=chat.chat_url, attempt_s=1, deadline_s=6)))
    lost = [reward for reward in earned if reward.value is None]
    assert 0 < len(lost) < len(earned) and all(reward.reason.startswith("judge: ") for reward in lost)
    for reward in earned:
        counted = [one.score for one in reward.comparisons if one.score is not None]
        assert reward.terms["judge"] == (sum(counted) / len(counted) if counted else None)
        assert reward.value is None or reward.value >= 0.05


def test_the_length_ramp():
    def of(tokens):
        return length_score("x" * int(4 * tokens))

    assert of(0) == of(149) == of(150) == 0
    assert of(1575) == pytest.approx(0.5) and of(3000) == of(6000) == 1
    assert of(6001) == 0 and 0 < of(151) < of(2999) < 1


@given(
    st.fixed_dictionaries(
        {name: st.none() | st.floats(0, 1) | st.sampled_from([math.nan, math.inf, -1.0]) for name in TERMS}
    ),
    st.sampled_from(sorted(MIXES)),
)
def test_all_terms_or_none_and_never_a_number_that_is_not_one(terms, mix):
    weights = MIXES[mix]
    value, reason = combine(terms, weights, {})
    wanted = [terms[name] for name in TERMS if getattr(weights, name) > 0]
    if all(score is not None and 0 <= score <= 1 for score in wanted):
        assert 0 <= value <= 1 and reason == ""
    else:
        assert value is None and reason


def test_the_three_mixes_and_the_environment_s_weights(pool, monkeypatch):
    assert weights_from_env() == MIXES["judge-led"] == Weights(0.05, 0.05, 0.6, 0.3)
    for name, judge, quality in (("hps-led", "0.3", "0.6"), ("hps-only", "0", "0.9")):
        monkeypatch.setenv("WATERCOLOUR_JUDGE_WEIGHT", judge)
        monkeypatch.setenv("WATERCOLOUR_QUALITY_WEIGHT", quality)
        assert weights_from_env() == MIXES[name]
        assert scorer_from_env(Easel(FLOWER), pool).identity()["weights"] == vars(MIXES[name])


@pytest.mark.parametrize(
    ("judge", "quality", "message"),
    [
        ("0.9", "0.3", "sum to 1, these sum to 1.3"),
        ("0", "0.3", "sum to 1, these sum to 0.4.*judge 0, quality 0.3"),
        ("-0.1", "1.0", "WATERCOLOUR_JUDGE_WEIGHT='-0.1' must be a number from 0 to 1"),
        ("nan", "0.3", "WATERCOLOUR_JUDGE_WEIGHT='nan' must be a number from 0 to 1"),
        ("much", "0.3", "WATERCOLOUR_JUDGE_WEIGHT='much' must be a number"),
    ],
)
def test_impossible_weights_are_refused_by_value(monkeypatch, judge, quality, message):
    monkeypatch.setenv("WATERCOLOUR_JUDGE_WEIGHT", judge)
    monkeypatch.setenv("WATERCOLOUR_QUALITY_WEIGHT", quality)
    with pytest.raises(UsageError, match=message):
        weights_from_env()


def test_without_a_token_the_local_judge_judges_and_says_so(pool, monkeypatch):
    scorer = scorer_from_env(Easel(FLOWER), pool)
    assert isinstance(scorer.judge, LocalJudge) and scorer.quality is scorer.judge
    assert scorer.identity()["judge"] == "local judge" and "pair accuracy" in scorer.identity()["local_judge"]
    monkeypatch.setenv("WATERCOLOUR_JUDGE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WATERCOLOUR_HPSV3_URL", "http://127.0.0.1:9")
    scorer = scorer_from_env(Easel(FLOWER), pool)
    assert scorer.identity()["judge"].startswith("vision judge Qwen/") and scorer.identity()["quality"] == "HPSv3"


def test_disabling_the_judge_leaves_rewards_unscored_until_its_weight_is_nothing(pool, monkeypatch, caplog):
    monkeypatch.setenv("WATERCOLOUR_DISABLE_JUDGE", "1")
    lost = score(scorer_from_env(Easel(FLOWER), pool))
    assert (
        lost.value is None and "WATERCOLOUR_DISABLE_JUDGE" in lost.reason and "no painting can be scored" in caplog.text
    )
    monkeypatch.setenv("WATERCOLOUR_JUDGE_WEIGHT", "0")
    monkeypatch.setenv("WATERCOLOUR_QUALITY_WEIGHT", "0.9")
    earned = score(scorer_from_env(Easel(FLOWER), pool))
    assert earned.value is not None and earned.judge == "none" and earned.comparisons == ()


def test_swapping_the_folder_swaps_the_taste_with_nothing_else_changed(tmp_path, monkeypatch):
    paintings.taste_pool(tmp_path / "warm", paintings.WARM, paintings.COOL)
    paintings.taste_pool(tmp_path / "cool", paintings.COOL, paintings.WARM)
    other = paintings.flower(8, **paintings.COOL)
    earned = {}
    for taste in ("warm", "cool"):
        monkeypatch.setenv("WATERCOLOUR_POOL_DIR", str(tmp_path / taste))
        earned[taste] = [score(scorer_from_env(Easel(picture)), seed=1).value for picture in (FLOWER, other)]
    assert earned["warm"][0] > earned["warm"][1] + 0.2 and earned["cool"][1] > earned["cool"][0] + 0.2


def test_the_score_command_prints_one_json_object_and_refuses_a_pool_that_is_not_there(pool, tmp_path):
    result = score_command(b"no sketch here", seed=2, pool_dir=pool.folder)
    assert result["reward"] == 0 and result["seed"] == 2 and set(result["terms"]) == set(TERMS)
    json.dumps(result, allow_nan=False)
    with pytest.raises(UsageError, match="nowhere"):
        score_command(b"", pool_dir=tmp_path / "nowhere")
