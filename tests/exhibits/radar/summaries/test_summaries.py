"""Accuracies, separations, right answers and redundant features against counts worked by hand."""

import numpy as np
import pandas as pd
import pytest

from exhibits.radar.summaries.summaries import (
    _rank_correlation,
    _same_order_as,
    correlate_length,
    count_answers,
    count_redundancy,
    summarise_features,
    summarise_performance,
)
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from tests.unit.instruments.radar.tables import noise

INTERVALS = {"resamples": 200, "seed": 3, "level": 0.95}
NO_ANSWERS = pd.DataFrame({"id": [], "right": []})


def test_performance_counts_overall_by_label_and_by_category() -> None:
    # Worked out by hand: 3 of 5 right, 2 of 3 recall, 1 of 2 reasoning; category a 2 of 2, b 1 of 3; one tie.
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


def test_pairs_of_which_both_prompts_are_answered_rightly_are_a_slice_of_their_own() -> None:
    labels = ["recall", "reasoning"] * 3
    ids = [f"{pair}-{label}" for pair, label in zip("aabbcc", labels, strict=True)]
    # Both prompts of a and of c are answered; RADAR is right on a, and wrong on the recall prompt of c.
    answers = pd.DataFrame({"id": ids[::-1], "right": [True, True, False, True, True, True]})
    table = pd.DataFrame(
        {"id": ids, "label": labels, "predicted": ["recall", "reasoning"] * 2 + ["reasoning"] * 2}
    )
    rows = summarise_performance(
        table.assign(category="a", tie=False), answers, **INTERVALS
    ).set_index("slice")
    assert rows.loc["answered_pairs", ["correct", "n"]].tolist() == [3, 4]
    none = summarise_performance(
        table.assign(category="a", tie=False), answers.assign(right=False), **INTERVALS
    )
    assert "answered_pairs" not in set(none["slice"])


def test_an_effect_lies_in_its_interval_and_draws_pairs_whole() -> None:
    # Both prompts of a pair have the same features: drawn whole, the classes stay equal; drawn apart, they would not.
    table = noise(20, 2, paired=True)
    table[list(FEATURES)] = table[list(FEATURES)].iloc[::2].to_numpy().repeat(2, axis=0)
    rows = summarise_features(table, **INTERVALS)
    assert rows[["cohens_d", "d_low", "d_high"]].abs().to_numpy().max() < 1e-9
    rows = summarise_features(noise(20, 2), **INTERVALS)
    assert ((rows["d_low"] < rows["cohens_d"]) & (rows["cohens_d"] < rows["d_high"])).all()


def test_moments_of_a_feature_by_class_divide_by_the_number_less_one() -> None:
    """Recall 1, 2 and 6: mean 3, squares 4, 1 and 9 over 2. Reasoning 0, 4, 4 and 8: mean 4, squares 32 over 3."""
    values = [1.0, 2.0, 6.0, 0.0, 4.0, 4.0, 8.0]
    table = noise(4, 1)[:7].assign(label=["recall"] * 3 + ["reasoning"] * 4, mean_confidence=values)
    row = summarise_features(table, **INTERVALS).set_index("feature").loc["mean_confidence"]
    moments = row[["recall_mean", "recall_sd", "reasoning_mean", "reasoning_sd"]].tolist()
    assert moments == pytest.approx([3, 7**0.5, 4, (32 / 3) ** 0.5])
    # Pooled: (2 * 7 + 3 * 32 / 3) / 5.
    assert row["cohens_d"] == pytest.approx(-1 / (46 / 5) ** 0.5)


def test_a_set_of_one_class_has_no_separation() -> None:
    assert summarise_features(
        noise(20, 2).query("label == 'recall'").reset_index(drop=True), **INTERVALS
    ).empty


def test_right_answers_are_counted_where_one_is_accepted() -> None:
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
    rows = count_answers(answers, predictions, level=0.95).set_index("label")
    # Recall: a, b, c have an answer; a and c are right. RADAR says recall of a and b, reasoning of c.
    columns = ["n", "silent", "right", "recall_if_right", "wrong", "recall_if_not"]
    assert rows.loc["recall", columns].tolist() == [3, 1, 2, 1, 1, 1]
    assert rows.loc["reasoning", columns].tolist() == [2, 1, 0, 0, 2, 2]
    # Clopper-Pearson where none of two is right: the upper end is 1 - (0.025)^(1/2).
    assert rows.loc["reasoning", ["share", "low", "high"]].tolist() == [
        0,
        0,
        pytest.approx(1 - 0.025**0.5),
    ]


def test_a_set_without_accepted_answers_has_no_counts() -> None:
    answers = pd.DataFrame(
        {"id": ["a"], "label": "recall", "decoded": "", "has_answer": False, "right": False}
    )
    assert count_answers(
        answers, pd.DataFrame({"id": ["a"], "predicted": "recall"}), level=0.95
    ).empty


def test_attention_entropy_that_grows_with_every_token_correlates_fully_with_length() -> None:
    table = noise(5, 1).assign(n_tokens=range(10), attention_entropy=np.arange(10.0) ** 2)
    assert correlate_length(table, "attention_entropy", **INTERVALS) == pytest.approx(
        {"correlation": 1, "low": 1, "high": 1, "n": 10}
    )


def table_of(columns: dict[str, np.ndarray], n: int) -> pd.DataFrame:
    """Features that are constant, except those given."""
    return pd.DataFrame({name: columns.get(name, np.full(n, 7.0)) for name in FEATURES})


def test_redundancy_counts_constant_distinct_and_independent_features() -> None:
    # Three varying features: x, its square on positive x (same order, yet independent), and -2x + 1 (dependent).
    x = np.random.default_rng(0).random(50) + 0.1
    varying = {"mean_confidence": x, "mean_entropy": x**2, "information_gain": 1 - 2 * x}
    counts = count_redundancy(table_of(varying, 50))
    assert (counts.features, counts.constant) == (len(FEATURES), len(FEATURES) - 3)
    assert (counts.distinct, counts.rank) == (1, 2)


def test_features_of_equal_or_reversed_order_are_named_after_the_first() -> None:
    x = np.random.default_rng(0).random(50) + 0.1
    other = np.random.default_rng(1).random(50)
    varying = {"mean_confidence": x, "mean_entropy": other, "information_gain": 1 - 2 * x}
    same = _same_order_as(table_of(varying, 50))
    assert (same["information_gain"], same["mean_entropy"]) == ("mean_confidence", "mean_entropy")
    assert same["causal_path_length"] == "causal_path_length"  # never varies: in order with nothing


def test_effective_rank_of_two_uncorrelated_features_is_two() -> None:
    varying = {
        "mean_confidence": np.array([1.0, 1, -1, -1]),
        "mean_entropy": np.array([1.0, -1, 1, -1]),
    }
    counts = count_redundancy(table_of(varying, 4))
    assert (counts.distinct, counts.rank) == (2, 2)
    assert counts.effective == pytest.approx(2)


def test_rank_correlation_agrees_with_pandas() -> None:
    values = np.random.default_rng(1).normal(size=(40, len(FEATURES))).round(1)
    table = pd.DataFrame(values, columns=list(FEATURES))
    pd.testing.assert_frame_equal(_rank_correlation(table), table.corr("spearman"))
