"""The logit lens over layers on scores of known truth: which columns it reads, and which rows it is fitted on."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from mechaware.instruments.radar.detectors.logit_lens import (
    LIKELIHOODS,
    READS,
    score_logit_lens,
)
from mechaware.instruments.radar.feature_extraction.features import SURFACE
from tests.unit.instruments.radar.detectors.planted_scores import planted_scores


def standardised(rows: pd.DataFrame, columns: tuple[str, ...]) -> np.ndarray:
    """The columns, standardised in a loop over seeds, twins and kinds, in the order of the rows."""
    standardised_rows = np.zeros((len(rows), len(columns)))
    for seed in rows["seed"].unique():
        for twin in "AB":
            for kind in rows["kind"].unique():
                group = (rows["seed"] == seed) & (rows["twin"] == twin) & (rows["kind"] == kind)
                values = rows.loc[group, list(columns)].to_numpy()
                standardised_rows[group] = (values - values.mean(axis=0)) / values.std(axis=0)
    return standardised_rows


def by_hand(fitted: pd.DataFrame, tested: pd.DataFrame, reader: str, truth: str) -> np.ndarray:
    """The log odds of the rows `tested` by a classifier fitted on the rows `fitted` and their column `truth`."""
    classifier = LogisticRegression(C=0.1, max_iter=5000)
    classifier.fit(standardised(fitted, READS[reader]), fitted[truth])
    return np.asarray(classifier.decision_function(standardised(tested, READS[reader])))


def of_fit(scores: pd.DataFrame, fit: str) -> pd.DataFrame:
    return scores[scores["fit"] == fit].reset_index(drop=True)


def area(scores: pd.DataFrame, reader: str) -> float:
    return float(roc_auc_score(scores["seen"], scores[reader]))


def test_the_likelihoods_need_no_further_model_and_the_lens_adds_all_surface_features() -> None:
    assert len(LIKELIHOODS) == 11
    assert not {"reference", "contrasted_likelihood"} & set(LIKELIHOODS)
    added = READS["logit_lens"][len(LIKELIHOODS) :]
    assert added == tuple(f"feature_{name}" for name in SURFACE)
    # The paper has 16 surface features; a user may have added others.
    assert len(added) >= 16


@pytest.mark.parametrize("reader", ["fitted_likelihoods", "logit_lens"])
@pytest.mark.parametrize("prefix", ["", "shuffled_"])
def test_a_seed_of_names_is_scored_by_a_fit_on_both_kinds_of_its_other_seeds(
    reader: str, prefix: str
) -> None:
    names = planted_scores(3, 4, 7)
    scores = of_fit(score_logit_lens(names, None, seed=1), "other_seeds")
    for seed in (3, 4, 7):
        tested = names[names["seed"] == seed].reset_index(drop=True)
        fitted = names[names["seed"] != seed].reset_index(drop=True)
        expected = by_hand(fitted, tested, reader, f"{prefix}seen")
        seed_scores = scores.loc[scores["seed"] == seed, f"{prefix}{reader}"]
        assert seed_scores.tolist() == pytest.approx(expected.tolist())


def test_other_items_are_scored_by_a_fit_on_all_seeds_of_names() -> None:
    names = planted_scores(3, 4)
    docstrings = planted_scores(3, kinds=("docstring",))
    scores = of_fit(score_logit_lens(docstrings, names, seed=1), "names")
    assert scores["id"].tolist() == docstrings["id"].tolist()
    expected = by_hand(names, docstrings, "logit_lens", "seen")
    assert scores["logit_lens"].tolist() == pytest.approx(expected.tolist())


def test_a_layer_that_shows_what_was_seen_helps_within_a_seed_and_on_other_models() -> None:
    names = planted_scores(3, 4, 7)
    scores = score_logit_lens(names, None, seed=1)
    assert sorted(scores["fit"].unique()) == ["other_seeds", "within"]
    for fit in ("other_seeds", "within"):
        rows = of_fit(scores, fit)
        assert area(rows, "logit_lens") > area(rows, "fitted_likelihoods") + 0.05


def test_a_layer_of_opposite_sign_in_other_items_misleads_a_fit_on_names() -> None:
    """The feature is lower for seen docstrings, as a fit within the seed learns and a fit on names cannot."""
    names = planted_scores(3, 4)
    docstrings = planted_scores(3, kinds=("docstring",), sign=-1.0)
    scores = score_logit_lens(docstrings, names, seed=1)
    fitted_on_names = area(of_fit(scores, "names"), "logit_lens")
    assert fitted_on_names < 0.5 < area(of_fit(scores, "within"), "logit_lens")


def test_one_seed_has_no_scores_of_other_seeds() -> None:
    scores = score_logit_lens(planted_scores(3), None, seed=1)
    columns = ["logit_lens", "shuffled_logit_lens"]
    assert of_fit(scores, "other_seeds")[columns].isna().all(axis=None)
    assert of_fit(scores, "within")[columns].notna().all(axis=None)


def test_within_a_seed_an_item_is_scored_by_a_fit_without_its_truth() -> None:
    names = planted_scores(3)
    other = names.copy()
    is_item = names["id"] == "recall-0A"
    other.loc[is_item, "seen"] = ~names.loc[is_item, "seen"]
    before = of_fit(score_logit_lens(names, None, seed=1), "within")
    after = of_fit(score_logit_lens(other, None, seed=1), "within")
    own = is_item.to_numpy()
    assert own.sum() == 2
    assert before.loc[own, "logit_lens"].tolist() == after.loc[own, "logit_lens"].tolist()
    assert before.loc[~own, "logit_lens"].tolist() != after.loc[~own, "logit_lens"].tolist()
