"""The ensemble's vote and confidence, and the folds, which keep pairs together."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mechaware.instruments.radar.ensemble import Ensemble, assign_folds, is_recall, predict_held_out
from mechaware.instruments.radar.identity import pairs
from tests.unit.instruments.radar.tables import noise

FEATURES = ["a", "b"]
FOLDS = 4
ONE_PROMPT = pd.DataFrame({"a": [0.0], "b": [0.0]})


def two_clouds(n: int, distance: float, seed: int = 0) -> pd.DataFrame:
    """n prompts of each class, recall higher in both features by `distance` standard deviations."""
    values = np.random.default_rng(seed).normal(size=(2 * n, 2))
    values[:n] += distance
    return pd.DataFrame(values, columns=FEATURES).assign(label=["recall"] * n + ["reasoning"] * n)


def constant_voter(label: int) -> DummyClassifier:
    """A classifier that always votes for `label`, 1 for recall and 0 for reasoning.

    Its probability of recall is 1 or 0 as well.
    """
    return DummyClassifier(strategy="constant", constant=label).fit(np.zeros((2, 2)), [0, 1])


def ensemble_of(*voters: DummyClassifier) -> Ensemble:
    """An ensemble of four classifiers that ignore the features."""
    names = ("first", "second", "third", "fourth")
    scaler = StandardScaler().fit(np.zeros((2, 2)))
    return Ensemble(FEATURES, scaler, dict(zip(names, voters, strict=True)))


@pytest.mark.parametrize(
    ("labels", "predicted", "tie", "probability", "confidence"),
    [
        pytest.param([1, 1, 1, 1], "recall", False, 1.0, 1.0, id="four for recall"),
        pytest.param([1, 1, 1, 0], "recall", False, 0.75, 0.75, id="three for recall"),
        pytest.param([1, 1, 0, 0], "reasoning", True, 0.5, 0.5, id="a tie"),
        pytest.param([0, 1, 0, 0], "reasoning", False, 0.25, 0.75, id="one for recall"),
    ],
)
def test_recall_needs_more_than_half_of_the_votes(
    labels: list[int], predicted: str, tie: bool, probability: float, confidence: float
) -> None:
    ensemble = ensemble_of(*map(constant_voter, labels))
    (row,) = ensemble.predict(ONE_PROMPT).itertuples()
    assert row.votes == sum(labels)
    assert row.predicted == predicted
    assert row.tie == tie
    assert row.probability == pytest.approx(probability)
    assert row.confidence == pytest.approx(confidence)


def test_a_confidence_is_below_one_half_where_the_probabilities_contradict_the_votes() -> None:
    """Three voters are for recall with a probability of 4/7, and one is sure of reasoning.

    The mean probability of recall is (3 * 4/7 + 0) / 4 = 3/7.
    """
    # Its probability of recall is the share of recall in its training labels, 4 of 7.
    hesitant = DummyClassifier(strategy="prior").fit(np.zeros((7, 2)), [1, 1, 1, 1, 0, 0, 0])
    ensemble = ensemble_of(hesitant, hesitant, hesitant, constant_voter(0))
    (row,) = ensemble.predict(ONE_PROMPT).itertuples()
    assert (row.votes, row.predicted) == (3, "recall")
    assert row.probability == pytest.approx(3 / 7)
    assert row.confidence == pytest.approx(3 / 7)


def test_the_svm_votes_by_its_own_decision_on_standardised_features() -> None:
    training = two_clouds(30, 0.8)
    table = two_clouds(200, 0.8, seed=3)

    # An SVM by itself, with both tables standardised by the training prompts.
    mean = training[FEATURES].mean()
    deviation = training[FEATURES].std(ddof=0)
    standardised_training = ((training[FEATURES] - mean) / deviation).to_numpy()
    standardised_table = ((table[FEATURES] - mean) / deviation).to_numpy()
    svm = SVC().fit(standardised_training, is_recall(training))
    expected = svm.predict(standardised_table)

    predictions = Ensemble.fit(training, FEATURES, seed=1).predict(table)
    assert predictions["svm_label"].tolist() == expected.tolist()
    # Where the classes overlap, some calibrated probabilities lie on the other side of 1/2: labels
    # do not follow them.
    by_probability = (predictions["svm_probability"] > 0.5).astype(int)
    assert (by_probability != predictions["svm_label"]).any()


def test_features_are_read_by_name_not_by_position() -> None:
    ensemble = Ensemble.fit(two_clouds(20, 2.0), FEATURES, seed=1)
    table = two_clouds(20, 2.0, seed=4)
    pd.testing.assert_frame_equal(
        ensemble.predict(table), ensemble.predict(table[["label", "b", "a"]])
    )


def test_the_same_seed_gives_the_same_ensemble() -> None:
    training = two_clouds(20, 0.5)
    table = two_clouds(50, 0.5, seed=2)
    first = Ensemble.fit(training, FEATURES, seed=1).predict(table)
    again = Ensemble.fit(training, FEATURES, seed=1).predict(table)
    other = Ensemble.fit(training, FEATURES, seed=2).predict(table)
    pd.testing.assert_frame_equal(first, again)
    assert not first["random_forest_probability"].equals(other["random_forest_probability"])


def test_pairs_are_never_split_and_every_prompt_is_held_out_once() -> None:
    table = noise(20, 1, paired=True)
    fold = assign_folds(table, pairs(table), folds=FOLDS, seed=5)
    folds_of_pairs = pd.Series(fold).groupby(pairs(table)).nunique()
    assert (folds_of_pairs == 1).all()
    # 20 pairs of a recall and a reasoning prompt: 40 prompts in 4 folds.
    assert np.bincount(fold).tolist() == [10, 10, 10, 10]
    assert (table.groupby(fold)["label"].value_counts() == 5).all()


def test_folds_are_stratified_without_pairs() -> None:
    table = noise(20, 1)
    fold = assign_folds(table, pairs(table), folds=FOLDS, seed=5)
    assert (table.groupby(fold)["label"].value_counts() == 5).all()


def test_a_held_out_prediction_never_shows_a_system_what_it_predicts() -> None:
    table = noise(8, 1)
    fold = assign_folds(table, pairs(table), folds=FOLDS, seed=5)

    def fit_predict(training: pd.DataFrame, held: pd.DataFrame) -> pd.DataFrame:
        assert len(training) + len(held) == len(table)
        assert set(training["id"]).isdisjoint(held["id"])
        return held[["id"]].assign(predicted="recall")

    predictions = predict_held_out(table, fold, fit_predict)
    assert predictions["id"].tolist() == table["id"].tolist()
