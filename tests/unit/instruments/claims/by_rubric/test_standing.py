"""A paper by any rubric: the vote over runs, how the paper stands, and what a judge is shown."""

import pytest

from mechaware.instruments.claims.by_rubric.judging import (
    JudgedCriterion,
    PaperByRubric,
    judge_by_rubric,
    paper_questions,
    shown_passages,
)
from mechaware.instruments.claims.by_rubric.standing import find_standing, status_by_votes
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.rubric.records import Usage, VoteRule
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric
from mechaware.instruments.claims.votes.voting import voted_status

# Four statuses, in an order that is not that of the alphabet.
STATUSES = ("none", "weak", "fair", "strong")
DEFINITIONS = {"ablation": "Was a head ablated?", "spread": "Is the spread of the scores reported?"}
RUBRIC = Rubric(
    "evidence",
    STATUSES,
    "",
    {code: Criterion(code, code, asks, {}) for code, asks in DEFINITIONS.items()},
)


@pytest.mark.parametrize(
    ("votes", "minimum", "median"),
    [
        (["strong", "weak", "fair"], "weak", "fair"),
        (["strong", "strong", "none"], "none", "strong"),
        # One missing vote of three: two count, and the lower one is their median.
        (["strong", None, "fair"], "fair", "fair"),
        (["strong", "fair", "weak", "strong"], "weak", "fair"),
        ([None, None, "strong"], None, None),
        (["fair", None], None, None),
        (["fair"], "fair", "fair"),
    ],
)
def test_the_vote_is_the_least_status_or_the_median_in_the_rubrics_order(
    votes: list[str | None], minimum: str | None, median: str | None
) -> None:
    assert status_by_votes(votes, RUBRIC, "minimum") == minimum
    assert status_by_votes(votes, RUBRIC, "median") == median


@pytest.mark.parametrize("rule", ["minimum", "median"])
def test_three_statuses_are_voted_as_those_of_the_27_criteria(rule: VoteRule) -> None:
    cvs = Rubric("27", ("NO", "PARTIAL", "YES"), "", {})
    choices = [None, "NO", "PARTIAL", "YES"]
    for first in choices:
        for second in choices:
            for third in choices:
                votes = [first, second, third]
                expected = voted_status(votes, rule)  # type: ignore[arg-type]
                assert status_by_votes(votes, cvs, rule) == expected


def test_a_paper_stands_by_how_many_criteria_are_at_each_status() -> None:
    """By hand: minimum weak and missing, median strong and missing; of two criteria one or none is strong."""
    judged = PaperByRubric(
        judge="j",
        paper="p",
        rubric="evidence",
        claim="",
        passages_searched=3,
        criteria={
            "ablation": JudgedCriterion(
                passages=[], votes=["strong", "weak", "strong"], evidence=["", "", ""]
            ),
            "spread": JudgedCriterion(
                passages=[], votes=["strong", None, None], evidence=["", "", ""]
            ),
        },
        usage=Usage(),
    )

    by_minimum = find_standing(judged, RUBRIC, "minimum")
    by_median = find_standing(judged, RUBRIC, "median")

    assert by_minimum.statuses == {"ablation": "weak", "spread": None}
    assert list(by_minimum.counts.items()) == [("strong", 0), ("fair", 0), ("weak", 1), ("none", 0)]
    assert by_minimum.best == 0
    assert by_minimum.unscored == ["spread"]
    assert by_median.counts["strong"] == 1
    assert by_median.best == 1 / 2


TEXT = (
    "All scores are means over five seeds, and their spread is reported in the table beside them.\n\n"
    "Nothing else in this opening paragraph bears on any of the questions that we ask here.\n\n"
    "Once head 3.1 was ablated, and again when a second head was ablated, the score fell by half."
)


def test_a_judge_is_shown_the_likeliest_passages_in_the_papers_order() -> None:
    """Only the last passage has a word of *ablation*, and the first and the last share `scores` with *spread*."""
    shown = shown_passages(TEXT, RUBRIC, 10)
    assert [passage.text[:9] for passage in shown["ablation"]] == ["Once head"]
    assert [passage.text[:9] for passage in shown["spread"]] == ["All score", "Once head"]
    assert [passage.text[:3] for passage in shown_passages(TEXT, RUBRIC, 1)["spread"]] == ["All"]

    questions = paper_questions(shown, "It copies.", runs=2)
    # Run by run.
    assert [(question.id, run) for question, run in questions] == [
        ("ablation", 0),
        ("spread", 0),
        ("ablation", 1),
        ("spread", 1),
    ]
    asked = {question.criterion: question for question, _ in questions}
    assert asked["spread"].text.splitlines() == [passage.text for passage in shown["spread"]]
    assert (asked["ablation"].claim, asked["ablation"].edit) == ("It copies.", "")


class _Counting:
    """A judge that says fair in its first run and strong later; on the spread it has no reply."""

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        if question.criterion == "spread":
            return Answer(question.id, question.edit, None, "empty")
        return Answer(question.id, question.edit, rubric.statuses[2 + bool(run)], f"run {run}")


def test_each_run_asks_each_criterion_once() -> None:
    judged = judge_by_rubric(
        _Counting(), TEXT, RUBRIC, judge_name="j", paper="p", claim="", passages=10, runs=3
    )
    ablation = judged.criteria["ablation"]
    assert ablation.votes == ["fair", "strong", "strong"]
    assert ablation.evidence == ["run 0", "run 1", "run 2"]
    ((start, end),) = ablation.passages
    assert TEXT[start:end].startswith("Once head 3.1")
    assert judged.criteria["spread"].votes == [None, None, None]
    assert (judged.passages_searched, judged.usage) == (3, Usage())
