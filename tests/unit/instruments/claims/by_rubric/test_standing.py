"""A paper by any rubric: the vote over runs, the counts of statuses, and what a judge is shown."""

from collections.abc import Sequence

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
from mechaware.instruments.claims.judges.judge import AskedQuestion
from mechaware.instruments.claims.reading.passages import Passage
from mechaware.instruments.claims.rubric.records import Usage, VoteRule
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric
from mechaware.instruments.claims.votes.voting import voted_status

# Four statuses, in an order that is not that of the alphabet.
STATUSES = ("none", "weak", "fair", "strong")
DEFINITIONS = {"ablation": "Was a head ablated?", "spread": "Is the spread of the scores reported?"}
RUBRIC = Rubric(
    name="evidence",
    statuses=STATUSES,
    guidance="",
    criteria={
        code: Criterion(code, code, definition, {}) for code, definition in DEFINITIONS.items()
    },
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
def test_a_rubric_with_the_statuses_of_the_27_criteria_has_their_vote(rule: VoteRule) -> None:
    cvs = Rubric(name="27", statuses=("NO", "PARTIAL", "YES"), guidance="", criteria={})
    choices = [None, "NO", "PARTIAL", "YES"]
    for first in choices:
        for second in choices:
            for third in choices:
                votes = [first, second, third]
                expected = voted_status(votes, rule)  # type: ignore[arg-type]
                assert status_by_votes(votes, cvs, rule) == expected


def test_a_standing_counts_the_criteria_at_each_status_and_the_share_at_the_best() -> None:
    """By hand, the votes on ablation come to weak by the minimum, and to strong by the median.

    Most votes on the spread are missing, so it has no status. So none of the two criteria is strong
    by the minimum, and one by the median.
    """
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
    "All scores are means over five seeds, and their spread is reported in the table beside them."
    "\n\n"
    "Nothing else in this opening paragraph bears on any of the questions that we ask here.\n\n"
    "Once head 3.1 was ablated, and again when a second head was ablated, the score fell by half."
)


def test_a_judge_is_shown_the_likeliest_passages_in_the_papers_order() -> None:
    """Only the last passage has a word of *ablation*.

    The first and the last passage have a word of *spread*.
    """
    at_most_ten = shown_passages(TEXT, RUBRIC, 10)
    at_most_one = shown_passages(TEXT, RUBRIC, 1)

    assert first_words(at_most_ten["ablation"]) == ["Once head"]
    assert first_words(at_most_ten["spread"]) == ["All scores", "Once head"]
    assert first_words(at_most_one["spread"]) == ["All scores"]


def first_words(passages: Sequence[Passage]) -> list[str]:
    """The first two words of each passage."""
    return [" ".join(passage.text.split()[:2]) for passage in passages]


def test_the_questions_of_a_run_are_one_about_each_criterion_with_its_passages() -> None:
    first = Passage(0, 10, "All scores")
    second = Passage(20, 29, "Once head")

    asked = paper_questions({"ablation": [second], "spread": [first, second]}, "It copies.", runs=2)

    about_ablation = Question("ablation", "", "ablation", "It copies.", "Once head")
    about_spread = Question("spread", "", "spread", "It copies.", "All scores\nOnce head")
    assert asked == [
        AskedQuestion(about_ablation, run=0),
        AskedQuestion(about_spread, run=0),
        AskedQuestion(about_ablation, run=1),
        AskedQuestion(about_spread, run=1),
    ]


class _RisingJudge:
    """Gives *ablation* fair in the first run and strong in later ones, and *spread* no status."""

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        if question.criterion == "spread":
            return Answer(question.id, question.edit, None, "empty")
        fair, strong = rubric.statuses[2:]
        status = fair if run == 0 else strong
        return Answer(question.id, question.edit, status, f"run {run}")


def test_each_run_asks_each_criterion_once() -> None:
    judged = judge_by_rubric(
        _RisingJudge(), TEXT, RUBRIC, judge_name="j", paper="p", claim="", n_passages=10, runs=3
    )

    ablation = judged.criteria["ablation"]
    assert ablation.votes == ["fair", "strong", "strong"]
    assert ablation.evidence == ["run 0", "run 1", "run 2"]
    ((start, end),) = ablation.passages
    assert TEXT[start:end].startswith("Once head 3.1")
    assert judged.criteria["spread"].votes == [None, None, None]
    assert judged.passages_searched == 3
    assert judged.usage == Usage()
