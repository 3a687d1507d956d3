"""The logit lens over layers: the columns that it reads, and the rows that it is fitted on.

The scores are those of `planted_scores`: noise, except that the loss and the last surface feature
are higher for seen items.
"""

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


def expected_log_odds(
    fitted: pd.DataFrame, tested: pd.DataFrame, classifier: str, truth: str
) -> np.ndarray:
    """The log odds of the rows `tested`, from a regression on the rows `fitted`.

    The regression has the columns of `classifier` and learns the column `truth` (scikit-learn).
    """
    columns = READS[classifier]
    regression = LogisticRegression(C=0.1, max_iter=5000)
    regression.fit(standardised(fitted, columns), fitted[truth])
    return np.asarray(regression.decision_function(standardised(tested, columns)))


def rows_with_fit(scores: pd.DataFrame, fit: str) -> pd.DataFrame:
    return scores[scores["fit"] == fit].reset_index(drop=True)


def auroc(scores: pd.DataFrame, classifier: str) -> float:
    return float(roc_auc_score(scores["seen"], scores[classifier]))


def test_the_eleven_likelihoods_need_no_second_model_and_no_texts_known_to_be_seen() -> None:
    assert len(LIKELIHOODS) == 11
    assert not {"reference", "contrasted_likelihood"} & set(LIKELIHOODS)


def test_the_lens_reads_all_surface_features_besides_the_likelihoods() -> None:
    surface_columns = tuple(f"feature_{name}" for name in SURFACE)
    assert READS["logit_lens"] == (*LIKELIHOODS, *surface_columns)
    # The paper has 16 surface features; a user may have added others.
    assert len(surface_columns) >= 16


@pytest.mark.parametrize("classifier", ["fitted_likelihoods", "logit_lens"])
@pytest.mark.parametrize("prefix", ["", "shuffled_"])
def test_a_seed_of_names_is_scored_by_a_fit_on_both_kinds_of_its_other_seeds(
    classifier: str, prefix: str
) -> None:
    names = planted_scores(3, 4, 7)
    scores = rows_with_fit(score_logit_lens(names, None, seed=1), "other_seeds")
    for seed in (3, 4, 7):
        tested = names[names["seed"] == seed].reset_index(drop=True)
        fitted = names[names["seed"] != seed].reset_index(drop=True)
        expected = expected_log_odds(fitted, tested, classifier, f"{prefix}seen")
        seed_scores = scores.loc[scores["seed"] == seed, f"{prefix}{classifier}"]
        assert seed_scores.tolist() == pytest.approx(expected.tolist())


def test_other_items_are_scored_by_a_fit_on_all_seeds_of_names() -> None:
    names = planted_scores(3, 4)
    docstrings = planted_scores(3, kinds=("docstring",))
    scores = rows_with_fit(score_logit_lens(docstrings, names, seed=1), "names")
    assert scores["id"].tolist() == docstrings["id"].tolist()
    expected = expected_log_odds(names, docstrings, "logit_lens", "seen")
    assert scores["logit_lens"].tolist() == pytest.approx(expected.tolist())


def test_a_layer_that_shows_what_was_seen_helps_within_a_seed_and_on_other_models() -> None:
    names = planted_scores(3, 4, 7)
    scores = score_logit_lens(names, None, seed=1)
    assert sorted(scores["fit"].unique()) == ["other_seeds", "within"]
    for fit in ("other_seeds", "within"):
        rows = rows_with_fit(scores, fit)
        # A lead of 0.05 or less would not count as help.
        assert auroc(rows, "logit_lens") > auroc(rows, "fitted_likelihoods") + 0.05


def test_a_layer_of_opposite_sign_in_other_items_misleads_a_fit_on_names() -> None:
    """The last surface feature is lower for seen docstrings, and higher for seen names.

    A fit within the seed learns the sign of docstrings; a fit on names cannot.
    """
    names = planted_scores(3, 4)
    docstrings = planted_scores(3, kinds=("docstring",), sign=-1.0)
    scores = score_logit_lens(docstrings, names, seed=1)
    fitted_on_names = auroc(rows_with_fit(scores, "names"), "logit_lens")
    fitted_within = auroc(rows_with_fit(scores, "within"), "logit_lens")
    assert fitted_on_names < 0.5 < fitted_within


def test_a_single_seed_has_no_scores_fitted_on_other_seeds() -> None:
    scores = score_logit_lens(planted_scores(3), None, seed=1)
    columns = ["logit_lens", "shuffled_logit_lens"]
    assert rows_with_fit(scores, "other_seeds")[columns].isna().all(axis=None)
    assert rows_with_fit(scores, "within")[columns].notna().all(axis=None)


def test_within_a_seed_an_item_is_scored_by_a_fit_without_its_truth() -> None:
    """With the opposite truth of an item, its own scores stay, and others change."""
    names = planted_scores(3)
    is_item = (names["id"] == "recall-0A").to_numpy()
    assert is_item.sum() == 2  # under both twins
    contradicted = names.copy()
    contradicted.loc[is_item, "seen"] = ~names.loc[is_item, "seen"]

    scores = rows_with_fit(score_logit_lens(names, None, seed=1), "within")["logit_lens"]
    changed = rows_with_fit(score_logit_lens(contradicted, None, seed=1), "within")["logit_lens"]
    assert scores[is_item].tolist() == changed[is_item].tolist()
    assert scores[~is_item].tolist() != changed[~is_item].tolist()
