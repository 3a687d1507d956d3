"""Accuracies and right answers against counts worked by hand."""

import pandas as pd
import pytest

from exhibits.radar.summaries.predictions import count_answers, summarise_performance

INTERVALS = {"resamples": 200, "seed": 3, "confidence_level": 0.95}
NO_ANSWERS = pd.DataFrame({"id": [], "right": []})


def test_performance_counts_overall_by_label_and_by_category() -> None:
    """3 of 5 right, 2 of 3 recall and 1 of 2 reasoning; of category a 2 of 2, of b 1 of 3; one tie, in b."""
    table = pd.DataFrame(
        {
            "id": list("vwxyz"),
            "label": ["recall", "recall", "recall", "reasoning", "reasoning"],
            "predicted": ["recall", "recall", "reasoning", "reasoning", "recall"],
            "category": list("aabbb"),
            "tie": [False, False, True, False, False],
        }
    )
    rows = summarise_performance(table, NO_ANSWERS, **INTERVALS).set_index("slice")

    assert rows["correct"].to_dict() == {
        "overall": 3,
        "recall_tasks": 2,
        "reasoning_tasks": 1,
        "category:a": 2,
        "category:b": 1,
    }
    assert rows["n"].tolist() == [5, 3, 2, 2, 3]
    assert rows["ties"].tolist() == [1, 1, 0, 0, 1]
    # Clopper-Pearson where all of two are right: the lower end is (0.025)^(1/2).
    assert rows.loc["category:a", "exact_low"] == pytest.approx(0.025**0.5)


def test_always_answering_recall_is_right_on_the_recall_prompts() -> None:
    table = pd.DataFrame(
        {
            "id": list("xyz"),
            "label": ["recall", "recall", "reasoning"],
            "predicted": "recall",
            "tie": False,
        }
    ).assign(category=["a", "b", "b"])
    rows = summarise_performance(table, NO_ANSWERS, **INTERVALS).set_index("slice")

    assert rows.loc[["overall", "category:a", "category:b"], "always_recall"].tolist() == [2, 1, 1]


def test_pairs_whose_two_prompts_are_answered_rightly_are_a_slice_of_their_own() -> None:
    """Both prompts of the pairs a and c are answered rightly; RADAR is right on a, and wrong on one prompt of c."""
    prompts = pd.DataFrame(
        [
            ("a-recall", "recall", "recall", True),
            ("a-reasoning", "reasoning", "reasoning", True),
            ("b-recall", "recall", "recall", True),
            ("b-reasoning", "reasoning", "reasoning", False),
            ("c-recall", "recall", "reasoning", True),
            ("c-reasoning", "reasoning", "reasoning", True),
        ],
        columns=["id", "label", "predicted", "right"],
    )
    table = prompts.drop(columns="right").assign(category="a", tie=False)
    answers = prompts.loc[::-1, ["id", "right"]].reset_index(drop=True)

    rows = summarise_performance(table, answers, **INTERVALS).set_index("slice")
    without_answers = summarise_performance(table, answers.assign(right=False), **INTERVALS)

    assert rows.loc["answered_pairs", ["correct", "n"]].tolist() == [3, 4]
    assert "answered_pairs" not in set(without_answers["slice"])


def test_right_answers_are_counted_on_prompts_with_an_accepted_answer() -> None:
    answers = pd.DataFrame(
        {
            "id": list("abcdef"),
            "label": ["recall"] * 4 + ["reasoning"] * 2,
            "decoded": ["Rome", "", "Paris", "x", "7", ""],
            "has_answer": [True, True, True, False, True, True],
            "right": [True, False, True, False, False, False],
        }
    )
    predictions = pd.DataFrame(
        {"id": list("fedcba"), "predicted": ["recall"] * 3 + ["reasoning", "recall", "recall"]}
    )
    rows = count_answers(answers, predictions, confidence_level=0.95).set_index("label")
    # Recall: a, b, c have an accepted answer; a and c are right. RADAR calls a and b recall, and c reasoning.
    columns = ["n", "silent", "right", "recall_if_right", "wrong", "recall_if_not"]

    assert rows.loc["recall", columns].tolist() == [3, 1, 2, 1, 1, 1]
    assert rows.loc["reasoning", columns].tolist() == [2, 1, 0, 0, 2, 2]
    # Clopper-Pearson where none of two is right: the upper end is 1 - (0.025)^(1/2).
    shares = rows.loc["reasoning", ["share", "low", "high"]].tolist()
    assert shares == [0, 0, pytest.approx(1 - 0.025**0.5)]


def test_a_set_without_accepted_answers_has_no_counts() -> None:
    answers = pd.DataFrame(
        {"id": ["a"], "label": "recall", "decoded": "", "has_answer": False, "right": False}
    )
    predictions = pd.DataFrame({"id": ["a"], "predicted": "recall"})
    assert count_answers(answers, predictions, confidence_level=0.95).empty
