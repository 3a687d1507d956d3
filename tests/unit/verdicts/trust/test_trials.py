"""Trials of a judge: what it is asked about a text, its edits, and what should move."""

from typing import Any
from unittest.mock import Mock, patch

import pandas as pd

from mechaware.instruments.claims.judges.judge import Judge
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Fault, Judgement, PaperText, Run, Usage
from mechaware.verdicts.trust import trials
from mechaware.verdicts.trust.papers import plan_trial_papers
from mechaware.verdicts.trust.trials import judge_trial, plan_trials, planted_trial


def test_every_text_is_judged_on_both_claims_and_the_other_claim_should_stay() -> None:
    # Making the record of a text takes a second for each paper, and is no part of this test.
    about = trials._about("trust", "A text.")
    with patch.object(trials, "_about", return_value=about):
        planted = [planted_trial(paper) for paper in plan_trial_papers(12, 31)]
    for trial in planted:
        for variant in trial.edits:
            assert list(variant.claims) == [0, 1]
            if variant.edited is not None:
                assert variant.expected[1 - variant.edited] == "." * len(CRITERIA)
                # A contradicted claim may also lose V3, C5 and V4.
                n_may_move = 4 if variant.edit == "negated" else 1
                n_should_stay = len(CRITERIA) - n_may_move
                assert variant.expected[variant.edited].count(".") == n_should_stay


def reader(fault: Fault | None = None) -> Mock:
    """A judge with NO in its first run and PARTIAL in its second; with a fault it has no claims."""

    def judge_claims(_text: str, about: PaperText, claims: Any, run: int) -> Run:
        criteria = {code: Judgement(status=("NO", "PARTIAL")[run]) for code in CRITERIA}
        judged = []
        if fault is None:
            judged = [claim.model_copy(update={"criteria": criteria}) for claim in claims]
        return Run(
            judge="reader", paper=about.paper, run=run, claims=judged, usage=Usage(), fault=fault
        )

    judge = Mock(spec=Judge)
    judge.judge_claims = judge_claims
    return judge


def test_each_text_is_judged_once_and_the_unedited_one_twice() -> None:
    (trial,) = plan_trials(12, edits=3, seed=1)
    rows = pd.DataFrame(judge_trial(reader(), trial))
    assert rows["edit"].tolist()[:2] == ["base", "again"]
    assert rows["statuses"].tolist() == ["N" * 27, "P" * 27, "N" * 27, "N" * 27, "N" * 27]


def test_the_statuses_of_a_text_that_a_judge_cannot_read_are_missing() -> None:
    (trial,) = plan_trials(12, edits=1, seed=1)
    rows = pd.DataFrame(judge_trial(reader(Fault(kind="too long", message="too long")), trial))
    assert set(rows["statuses"]) == {"?" * 27}


def test_a_limited_number_of_edits_is_drawn_from_edits_of_the_first_claim() -> None:
    (short,) = plan_trials(12, edits=5, seed=1)
    assert len(short.edits) == 5
    assert all(list(variant.claims) == [0] for variant in [short.base, *short.edits])
    assert all(variant.edited in (0, None) for variant in short.edits)
    assert plan_trials(12, edits=5, seed=1) == [short]
