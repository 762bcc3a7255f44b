"""The pairwise method: both orders, what counts, and what a lost call does."""

from __future__ import annotations

import asyncio

import paintings
import pytest

from wclib.errors import InfrastructureFault
from wclib.judges.pairwise import compare_all, judge_score
from wclib.pool import load_pool

SUBMISSION = paintings.disc(radius=50)


class Answers:
    """A judge that answers from a rule on (submission shown first, which reference)."""

    name = "rule"

    def __init__(self, rule):
        self.rule = rule

    async def verdict(self, first, second):
        submission_first = first == SUBMISSION
        won = self.rule(submission_first, second if submission_first else first)
        if won is None:
            raise InfrastructureFault("judge", "no answer")
        return "first" if (won == "submission") == submission_first else "second"


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    pictures = [paintings.disc(radius=radius) for radius in (60, 70)]
    folder = paintings.write_pool(tmp_path_factory.mktemp("p") / "pool", {"love": pictures, "okay": pictures})
    return load_pool(folder).paintings


def compare(rule, references):
    return asyncio.run(compare_all(SUBMISSION, references, Answers(rule)))


def test_winning_both_orders_is_one_losing_both_is_nothing_and_a_split_is_a_half(references):
    won = compare(lambda first, reference: "submission", references)
    assert [one.score for one in won] == [1.0] * 4
    lost = compare(lambda first, reference: "reference", references)
    assert [one.score for one in lost] == [0.0] * 4 and judge_score(lost) == 0.0
    biased = compare(lambda first, reference: "submission" if first else "reference", references)
    assert [one.score for one in biased] == [0.5] * 4
    assert biased[0].verdict_submission_first == "submission" and biased[0].verdict_reference_first == "reference"


def test_a_pair_counts_only_when_both_orders_answered(references):
    lost = references[0].png()
    some = compare(lambda first, reference: None if first and reference == lost else "submission", references)
    assert [one.score for one in some] == [None, 1.0, None, 1.0]
    assert some[0].verdict_reference_first == "submission" and "no answer" in some[0].faults[0]
    assert judge_score(some) == 1.0


def test_without_any_counted_pair_there_is_no_score_rather_than_nothing_won(references):
    assert judge_score(compare(lambda first, reference: None, references)) is None
    assert judge_score(compare(lambda first, reference: None if first else "reference", references)) is None
    assert judge_score([]) is None


def test_comparisons_keep_the_references_order_and_tiers(references):
    comparisons = compare(lambda first, reference: "reference", references)
    assert [(one.reference_id, one.tier) for one in comparisons] == [(p.reference_id, p.tier) for p in references]
