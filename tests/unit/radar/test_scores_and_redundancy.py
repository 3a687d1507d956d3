"""The four scores, the redundancy of the features, and what the printed numbers imply."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.errors import UserError
from mechaware.radar.features.features import FEATURES
from mechaware.radar.features.redundancy import count_redundancy, rank_correlation, same_order_as
from mechaware.radar.features.scores import SCORES, read_weights, score_table
from mechaware.radar.study.implied import ClassCounts, implied_numbers, solve_class_counts

CONFIG = Path(__file__).resolve().parents[3] / "config"


def equal_weights(**weights: float) -> pd.DataFrame:
    """The same weighted sum for all four scores."""
    rows = [(score, feature, weight) for score in SCORES for feature, weight in weights.items()]
    return pd.DataFrame(rows, columns=["score", "feature", "weight"])


def test_a_score_is_the_logistic_of_a_weighted_sum_of_standardised_features() -> None:
    # Training values 0 and 2 have mean 1 and deviation 1. A prompt with features 3 and 1 has z = 2 and 0;
    # weights 1.5 and -4 give 3, and the logistic of 3 is 1 / (1 + e^-3).
    training = pd.DataFrame({name: [0.0, 2.0] for name in FEATURES})
    table = pd.DataFrame({name: [3.0 if name == "mean_confidence" else 1.0] for name in FEATURES})
    weights = equal_weights(mean_confidence=1.5, mean_entropy=-4)
    scores = score_table(training, table, weights)
    assert scores.iloc[0].tolist() == pytest.approx([1 / (1 + np.exp(-3))] * 4)


def test_a_feature_that_never_varies_in_training_does_not_move_a_score() -> None:
    training = pd.DataFrame({name: [30.0, 30.0] for name in FEATURES})
    assert score_table(training, training, equal_weights(effective_circuit_depth=1)).to_numpy() == pytest.approx(0.5)


def test_the_weights_of_the_config_name_known_scores_and_features() -> None:
    weights = read_weights(CONFIG / "radar_scores.csv")
    assert set(weights["score"]) == set(SCORES)
    assert not weights.duplicated(["score", "feature"]).any()


def test_an_unknown_feature_among_the_weights_is_refused_by_row(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("score,feature,weight,reason\nmechanistic_score,mean_entropi,1,x\n")
    with pytest.raises(UserError, match=r"w.csv, row 2: feature 'mean_entropi'; known: mean_confidence"):
        read_weights(path)


@pytest.mark.parametrize("weight", ["", "nan", "one", "inf"])
def test_a_weight_that_is_no_number_is_refused_by_row(tmp_path: Path, weight: str) -> None:
    path = tmp_path / "w.csv"
    path.write_text(f"score,feature,weight,reason\nmechanistic_score,mean_entropy,{weight},x\n")
    with pytest.raises(UserError, match=r"w.csv, row 2: weight is not a number; correct or remove the row"):
        read_weights(path)


def table_of(columns: dict[str, np.ndarray], n: int) -> pd.DataFrame:
    """Features that are constant, except those given."""
    return pd.DataFrame({name: columns.get(name, np.full(n, 7.0)) for name in FEATURES})


def test_redundancy_counts_constant_distinct_and_independent_features() -> None:
    # Three varying features: x, its square on positive x (same order, yet independent), and -2x + 1 (dependent).
    x = np.random.default_rng(0).random(50) + 0.1
    varying = {"mean_confidence": x, "mean_entropy": x**2, "information_gain": 1 - 2 * x}
    counts = count_redundancy(table_of(varying, 50))
    assert (counts.features, counts.constant, counts.distinct, counts.rank) == (37, 34, 1, 2)


def test_features_of_equal_or_reversed_order_are_named_after_the_first() -> None:
    x = np.random.default_rng(0).random(50) + 0.1
    other = np.random.default_rng(1).random(50)
    varying = {"mean_confidence": x, "mean_entropy": other, "information_gain": 1 - 2 * x}
    same = same_order_as(table_of(varying, 50))
    assert (same["information_gain"], same["mean_entropy"]) == ("mean_confidence", "mean_entropy")
    assert same["causal_path_length"] == "causal_path_length"  # never varies: in order with nothing


def test_effective_rank_of_two_uncorrelated_features_is_two() -> None:
    varying = {"mean_confidence": np.array([1.0, 1, -1, -1]), "mean_entropy": np.array([1.0, -1, 1, -1])}
    counts = count_redundancy(table_of(varying, 4))
    assert (counts.distinct, counts.rank) == (2, 2)
    assert counts.effective == pytest.approx(2)


def test_rank_correlation_agrees_with_pandas() -> None:
    values = np.random.default_rng(1).normal(size=(40, len(FEATURES))).round(1)
    table = pd.DataFrame(values, columns=list(FEATURES))
    pd.testing.assert_frame_equal(rank_correlation(table), table.corr("spearman"))


def test_the_printed_accuracies_have_one_solution() -> None:
    assert solve_class_counts(100, 93, 97.7, 89.3) == [ClassCounts(43, 44, 50, 56)]


def test_radar_answered_no_challenging_reasoning_prompt_correctly() -> None:
    table = implied_numbers(pd.read_csv(CONFIG / "reported/radar_performance.csv").set_index("slice"))
    implied = table.set_index("quantity")["implied"]
    assert implied["classes of the test set"] == "43 of 44 recall, 50 of 56 reasoning"
    assert implied["challenging prompts by class"] == "23 of 24 recall, 0 of 6 reasoning"
    assert implied["always answering recall, on the challenging prompts"] == "80.0%"  # 24 of 30
    assert implied["entropy of a head with uniform causal attention over six tokens"].startswith("6.58 nats")  # ln 720
    assert implied["interval on challenging reasoning"] == "0.0% to 45.9%"  # 1 - 0.025^(1/6)
