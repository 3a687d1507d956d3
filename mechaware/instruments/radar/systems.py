"""The systems whose predictions are compared: RADAR and simpler readers of the same prompts.

They are RADAR, its surface and mechanistic halves, prompt length, a bag of words and the majority
class.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from mechaware.instruments.radar.ensemble import Ensemble, FitPredict, is_recall
from mechaware.instruments.radar.feature_extraction.features import FEATURES, MECHANISTIC, SURFACE

# The systems that are repeated over seeds and compared with guessing.
REPEATED = ("radar", "prompt_length", "bag_of_words")
FEATURE_SETS = {"radar": FEATURES, "surface_only": SURFACE, "mechanistic_only": MECHANISTIC}

_WORD = r"\w+|[^\w\s]"  # words, numbers and punctuation marks


class System(NamedTuple):
    """A way to predict labels, fitted anew in each call of `fit_predict`.

    Its tables have the features, `n_tokens`, `prompt` and `label`. `reads_attention`: whether the
    system's input depends on the reduction of attention entropies.
    """

    name: str
    reads_attention: bool
    fit_predict: FitPredict


def all_systems(seed: int) -> list[System]:
    """RADAR's ensemble, its two halves, and three baselines that never see the model.

    `seed` determines the ensembles' random draws; the baselines have none.
    """
    systems = []
    for name, features in FEATURE_SETS.items():
        reads_attention = name != "surface_only"
        fit_predict = _ensemble(features, seed)
        systems.append(System(name, reads_attention=reads_attention, fit_predict=fit_predict))

    length = make_pipeline(StandardScaler(), LogisticRegression())
    systems.append(
        System("prompt_length", reads_attention=False, fit_predict=_baseline(length, _lengths))
    )

    # On sparse counts the default of 100 iterations may not converge.
    words = make_pipeline(CountVectorizer(token_pattern=_WORD), LogisticRegression(max_iter=5000))
    systems.append(
        System("bag_of_words", reads_attention=False, fit_predict=_baseline(words, _texts))
    )

    # On a tie between the classes the majority is reasoning, as in the ensemble's vote.
    majority = make_pipeline(DummyClassifier(strategy="most_frequent"))
    systems.append(
        System("majority_class", reads_attention=False, fit_predict=_baseline(majority, _nothing))
    )
    return systems


def _ensemble(features: tuple[str, ...], seed: int) -> FitPredict:
    """RADAR's ensemble of these features."""

    def fit_predict(training: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
        return Ensemble.fit(training, features, seed).predict(table)[["predicted", "tie"]]

    return fit_predict


def _baseline(pipeline: Pipeline, inputs: Callable[[pd.DataFrame], np.ndarray]) -> FitPredict:
    """A scikit-learn classifier that reads `inputs(table)`; it predicts without ties."""

    def fit_predict(training: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
        pipeline.fit(inputs(training), is_recall(training))
        recall = pipeline.predict(inputs(table))
        labels = np.where(recall == 1, "recall", "reasoning")
        return pd.DataFrame({"predicted": labels, "tie": False}, index=table.index)

    return fit_predict


def _lengths(table: pd.DataFrame) -> np.ndarray:
    """The number of tokens of each prompt, as a column."""
    return table[["n_tokens"]].to_numpy(float)


def _texts(table: pd.DataFrame) -> np.ndarray:
    """The text of each prompt."""
    return table["prompt"].to_numpy()


def _nothing(table: pd.DataFrame) -> np.ndarray:
    """An input that is the same for every prompt: the majority class needs none."""
    return np.zeros((len(table), 1))


def repeated_systems(seed: int) -> list[System]:
    """The systems named in `REPEATED`."""
    return [system for system in all_systems(seed) if system.name in REPEATED]
