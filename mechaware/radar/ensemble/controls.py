"""What RADAR has to beat on the same splits: the majority class, prompt length, words, and parts of RADAR itself."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from mechaware.radar.ensemble.classifier import Ensemble, is_recall
from mechaware.radar.ensemble.splits import cross_predict, fold_of_each
from mechaware.radar.features.features import FEATURES, MECHANISTIC, SURFACE
from mechaware.radar.frames import pairs
from mechaware.seeds import derive_seed

WORD = r"\w+|[^\w\s]"  # words, numbers and punctuation marks
TRAINED, CROSS_VALIDATED = "trained", "cross_validated"
FEATURE_SETS = {"radar": FEATURES, "surface_only": SURFACE, "mechanistic_only": MECHANISTIC}


class System(NamedTuple):
    """A way to predict labels: `fit_predict(training table, table)` returns a frame with the column `predicted`.

    A table has the 37 features, `n_tokens`, `prompt` and `label`. `reads_attention` tells whether the reduction of
    attention entropies changes what the system sees.
    """

    name: str
    reads_attention: bool
    fit_predict: Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


def systems(seed: int) -> list[System]:
    """RADAR's ensemble, its surface and mechanistic halves, and the three baselines that know nothing of the model."""
    ensembles = [
        System(name, name != "surface_only", _ensemble(features, seed)) for name, features in FEATURE_SETS.items()
    ]
    # On a tie between the classes the majority is reasoning, as in the ensemble's vote.
    majority = make_pipeline(DummyClassifier(strategy="most_frequent"))
    length = make_pipeline(StandardScaler(), LogisticRegression())
    words = make_pipeline(CountVectorizer(token_pattern=WORD), LogisticRegression(max_iter=5000))
    return [
        *ensembles,
        System("prompt_length", False, _baseline(length, lambda table: table[["n_tokens"]].to_numpy(float))),
        System("bag_of_words", False, _baseline(words, lambda table: table["prompt"].to_numpy())),
        System("majority_class", False, _baseline(majority, lambda table: np.zeros((len(table), 1)))),
    ]


def _ensemble(features: tuple[str, ...], seed: int) -> Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]:
    def fit_predict(training: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
        return Ensemble.fit(training, features, seed).predict(table)[["predicted", "tie"]]

    return fit_predict


def _baseline(
    pipeline: Pipeline, inputs: Callable[[pd.DataFrame], np.ndarray]
) -> Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]:
    def fit_predict(training: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
        recall = pipeline.fit(inputs(training), is_recall(training)).predict(inputs(table))
        return pd.DataFrame(
            {"predicted": np.where(recall == 1, "recall", "reasoning"), "tie": False}, index=table.index
        )

    return fit_predict


def evaluate(
    tables: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]], *, folds: int, seed: int, fold_seed: int
) -> pd.DataFrame:
    """Every system's predictions of a prompt set, under two protocols: long table protocol, system, reduction, id, ....

    `tables` gives, per reduction, the training table and the table of the set. `trained`: fitted on the training
    table. `cross_validated`: fitted on the other folds of the set itself, pairs kept together; left out where a class
    is absent.
    """
    rows = []
    for position, (reduction, (training, table)) in enumerate(tables.items()):
        group = pairs(table)
        for system in systems(seed):
            if position > 0 and not system.reads_attention:
                continue
            predictions = {TRAINED: system.fit_predict(training, table)}
            if table["label"].nunique() == 2:
                fold = fold_of_each(table, group, folds=folds, seed=fold_seed)
                predictions[CROSS_VALIDATED] = cross_predict(table, fold, system.fit_predict)
            used = reduction if system.reads_attention else ""
            for protocol, predicted in predictions.items():
                identity = table[["id", "label"]].assign(
                    group=group, protocol=protocol, system=system.name, reduction=used
                )
                rows.append(pd.concat([identity, predicted], axis=1))
    return pd.concat(rows, ignore_index=True)


def accuracy_by_seed(training: pd.DataFrame, table: pd.DataFrame, *, folds: int, seeds: int, seed: int) -> pd.DataFrame:
    """The ensemble's accuracy on `table` per protocol and seed: other forests, other folds, the same prompts."""
    rows = []
    for draw in range(seeds):
        draw_seed = derive_seed(seed, draw)
        fit_predict = _ensemble(FEATURES, draw_seed)
        predictions = {TRAINED: fit_predict(training, table)}
        if table["label"].nunique() == 2:
            fold = fold_of_each(table, pairs(table), folds=folds, seed=draw_seed)
            predictions[CROSS_VALIDATED] = cross_predict(table, fold, fit_predict)
        for protocol, predicted in predictions.items():
            right = (predicted["predicted"] == table["label"]).mean()
            rows.append({"protocol": protocol, "draw": draw, "accuracy": right})
    return pd.DataFrame(rows)
