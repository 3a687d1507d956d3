"""Accuracies by slice, and RADAR's predictions by the model's answers, counted by hand."""

import pandas as pd
import pytest

from exhibits.radar.summaries.predictions import count_answers, summarise_performance

INTERVALS = {"resamples": 200, "seed": 3, "confidence_level": 0.95}
NO_ANSWERS = pd.DataFrame({"id": [], "right": []})


def test_performance_counts_overall_by_label_and_by_category() -> None:
    table = pd.DataFrame(
        [
            ("v", "recall", "recall", "a", False),
            ("w", "recall", "recall", "a", False),
            ("x", "recall", "reasoning", "b", True),
            ("y", "reasoning", "reasoning", "b", False),
            ("z", "reasoning", "recall", "b", False),
        ],
        columns=["id", "label", "predicted", "category", "tie"],
    )
    rows = summarise_performance(table, NO_ANSWERS, **INTERVALS).set_index("slice")

    # v, w and y are right.
    assert rows[["correct", "n", "ties"]].to_dict("index") == {
        "overall": {"correct": 3, "n": 5, "ties": 1},
        "recall_tasks": {"correct": 2, "n": 3, "ties": 1},
        "reasoning_tasks": {"correct": 1, "n": 2, "ties": 0},
        "category:a": {"correct": 2, "n": 2, "ties": 0},
        "category:b": {"correct": 1, "n": 3, "ties": 1},
    }
    assert rows.index.tolist() == [
        "overall",
        "recall_tasks",
        "reasoning_tasks",
        "category:a",
        "category:b",
    ]
    # Clopper-Pearson where all of two are right: the lower end is (0.025)^(1/2).
    assert rows.loc["category:a", "exact_low"] == pytest.approx(0.025**0.5)


def test_always_answering_recall_is_right_on_the_recall_prompts() -> None:
    table = pd.DataFrame(
        {
            "id": ["x", "y", "z"],
            "label": ["recall", "recall", "reasoning"],
            "category": ["a", "b", "b"],
            "predicted": "recall",
            "tie": False,
        }
    )
    rows = summarise_performance(table, NO_ANSWERS, **INTERVALS).set_index("slice")

    assert rows.loc[["overall", "category:a", "category:b"], "always_recall"].tolist() == [2, 1, 1]


def test_pairs_both_prompts_of_which_are_answered_rightly_are_a_slice() -> None:
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
    # In another order than the predictions.
    answers = prompts.loc[::-1, ["id", "right"]].reset_index(drop=True)

    rows = summarise_performance(table, answers, **INTERVALS).set_index("slice")
    none_right = summarise_performance(table, answers.assign(right=False), **INTERVALS)

    # The pairs a and c: RADAR is right on both prompts of a, and on one of c.
    assert rows.loc["answered_pairs", ["correct", "n"]].tolist() == [3, 4]
    assert "answered_pairs" not in set(none_right["slice"])

    # A prompt without an answer is not taken for one that is answered.
    with pytest.raises(KeyError):
        summarise_performance(table, answers.drop(index=0), **INTERVALS)


def test_right_answers_are_counted_on_prompts_with_an_accepted_answer() -> None:
    prompts = pd.DataFrame(
        [
            ("a", "recall", "Rome", True, True, "recall"),
            ("b", "recall", "", True, False, "recall"),
            ("c", "recall", "Paris", True, True, "reasoning"),
            ("d", "recall", "x", False, False, "recall"),
            ("e", "reasoning", "7", True, False, "recall"),
            ("f", "reasoning", "", True, False, "recall"),
        ],
        columns=["id", "label", "decoded", "has_answer", "right", "predicted"],
    )
    answers = prompts.drop(columns="predicted")
    # In another order than the answers.
    predictions = prompts.loc[::-1, ["id", "predicted"]].reset_index(drop=True)
    rows = count_answers(answers, predictions, confidence_level=0.95).set_index("label")

    columns = ["n", "silent", "right", "recall_if_right", "wrong", "recall_if_not"]
    # a, b and c; d has no accepted answer.
    assert rows.loc["recall", columns].tolist() == [3, 1, 2, 1, 1, 1]
    # e and f.
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
