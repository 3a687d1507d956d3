"""RADAR's ensemble (section 2.3), and its cross-validation.

Features are standardised; four classifiers vote by hard labels, and their probabilities are
averaged. Label 1 is recall, label 0 is reasoning. RADAR and the systems that it is compared with
share the folds of `assign_folds`, so that all are compared on the same prompts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.identity import pairs, with_identity

# fit_predict(training table, table) -> the columns `predicted` and `tie` for each row of `table`
FitPredict = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True)
class Ensemble:
    """A fitted ensemble.

    - `features`: the names of the columns that it reads, in the order of the scaler's columns.
    - `scaler`: subtracts each feature's mean over the training rows, and divides by its deviation.
    - `classifiers`: the four fitted classifiers by name.
    """

    features: list[str]
    scaler: StandardScaler
    classifiers: dict[str, Any]

    @classmethod
    def fit(cls, table: pd.DataFrame, features: Sequence[str], seed: int) -> "Ensemble":
        """Fit on the rows of `table`, which has the columns `features` and `label`.

        Both labels must occur at least twice: the SVM's probabilities are calibrated by
        cross-validation, in 5 folds or as many as the rarer label has rows. A feature that never
        varies is only centred.
        """
        scaler = StandardScaler()
        scaled = scaler.fit_transform(table[list(features)].to_numpy())
        target = is_recall(table)
        n_of_rarer_label = int(np.bincount(target, minlength=2).min())
        classifiers = _classifiers(seed, calibration_folds=min(5, n_of_rarer_label))
        for classifier in classifiers.values():
            classifier.fit(scaled, target)
        return cls(list(features), scaler, classifiers)

    def predict(self, table: pd.DataFrame) -> pd.DataFrame:
        """A row per row of `table`, with the same index.

        Columns:

        - votes: the number of classifiers that vote for recall.
        - tie: whether two of the four do.
        - predicted: `recall` if more than half of the classifiers vote for it, so a tie is
          `reasoning`.
        - probability: the mean of the classifiers' probabilities of recall.
        - confidence: the mean probability of the predicted label; below 1/2 where votes and
          probabilities disagree.
        - `{classifier}_label` of each classifier: 1 for recall, 0 for reasoning.
        - `{classifier}_probability` of each classifier: its probability of recall.
        """
        scaled = self.scaler.transform(table[self.features].to_numpy())
        labels = {}
        probabilities = {}
        for name, classifier in self.classifiers.items():
            labels[f"{name}_label"] = _hard_labels(classifier, scaled)
            probabilities[f"{name}_probability"] = classifier.predict_proba(scaled)[:, 1]

        votes = np.sum(list(labels.values()), axis=0)
        recall = votes / len(labels) > 0.5  # as the paper states: more than half
        probability = np.mean(list(probabilities.values()), axis=0)
        combined = {
            "votes": votes,
            "tie": 2 * votes == len(labels),
            "predicted": np.where(recall, "recall", "reasoning"),
            "probability": probability,
            "confidence": np.where(recall, probability, 1 - probability),
        }
        return pd.DataFrame(combined | labels | probabilities, index=table.index)


def is_recall(table: pd.DataFrame) -> Int[np.ndarray, " prompt"]:
    """The labels as the numbers of section 2.3: 1 for recall, 0 for reasoning."""
    return (table["label"] == "recall").to_numpy().astype(int)


def assign_folds(
    table: pd.DataFrame, groups: pd.Series, *, folds: int, seed: int
) -> Int[np.ndarray, " prompt"]:
    """The fold, from 0 to folds - 1, in which each row of `table` is held out.

    Folds are stratified by label, and a group is never split. Groups are the matched pairs; in a
    set without pairs every prompt is a group of its own.
    """
    target = is_recall(table)
    options = {"n_splits": folds, "shuffle": True, "random_state": seed}
    # StratifiedGroupKFold assigns groups greedily; without groups StratifiedKFold gives folds of
    # even size.
    if groups.nunique() < len(groups):
        splits = StratifiedGroupKFold(**options).split(table, target, groups)
    else:
        splits = StratifiedKFold(**options).split(table, target)

    fold_of_row = np.empty(len(table), dtype=int)
    for fold, (_, held_out) in enumerate(splits):
        fold_of_row[held_out] = fold
    return fold_of_row


def predict_held_out(
    table: pd.DataFrame,
    fold: Int[np.ndarray, " prompt"],
    fit_predict: FitPredict,
) -> pd.DataFrame:
    """The rows that `fit_predict(training rows, held-out rows)` returns, in the order of `table`.

    It is called once for each fold.

    Args:
        table: A row per prompt; its index has no value twice.
        fold: The fold in which each row is held out.
        fit_predict: Fits on the training rows, and returns a row for each held-out row, with the
            same index.
    """
    parts = []
    for held_out_fold in np.unique(fold):
        is_held_out = fold == held_out_fold
        parts.append(fit_predict(table[~is_held_out], table[is_held_out]))
    return pd.concat(parts).loc[table.index]


def cross_validate(table: pd.DataFrame, *, folds: int, seed: int) -> pd.DataFrame:
    """RADAR's prediction of each row of `table`, by an ensemble fitted on the other folds.

    The columns are `IDENTITY`, the columns of `Ensemble.predict`, and `fold`, in which the row is
    held out. One seed determines both the folds and the ensembles' random draws.
    """

    def fit_predict(training: pd.DataFrame, held_out: pd.DataFrame) -> pd.DataFrame:
        return Ensemble.fit(training, FEATURES, seed).predict(held_out)

    fold = assign_folds(table, pairs(table), folds=folds, seed=seed)
    predictions = predict_held_out(table, fold, fit_predict)
    return with_identity(table, predictions.assign(fold=fold))


def _classifiers(seed: int, calibration_folds: int) -> dict[str, Any]:
    """The four classifiers, unfitted.

    The paper names no hyperparameters, and we tune none: they are scikit-learn's defaults.
    """
    forest_seed = derive_seed(seed, "random_forest")
    boosting_seed = derive_seed(seed, "gradient_boosting")
    return {
        "random_forest": RandomForestClassifier(random_state=forest_seed),
        "gradient_boosting": GradientBoostingClassifier(random_state=boosting_seed),
        "svm": CalibratedClassifierCV(SVC(), cv=calibration_folds, ensemble=False),
        # More iterations than by default, so that the solver converges; the optimum is the same.
        "logistic_regression": LogisticRegression(max_iter=5000),
    }


def _hard_labels(
    classifier: Any, scaled: Float[np.ndarray, "prompt feature"]
) -> Int[np.ndarray, " prompt"]:
    """A classifier's labels: 1 for recall, 0 for reasoning."""
    estimator = classifier
    if isinstance(classifier, CalibratedClassifierCV):
        # The SVM's label is the sign of its decision function. Its calibrated probability may lie
        # on the other side of 1/2.
        estimator = classifier.calibrated_classifiers_[0].estimator
    return np.asarray(estimator.predict(scaled), dtype=int)
