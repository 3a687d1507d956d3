"""RADAR's controls: RADAR and simpler systems on the same splits, and under permuted labels.

The systems (`_systems`) are RADAR, its surface and mechanistic halves, prompt length, a bag of
words and the majority class. `evaluate_controls` predicts with each of them, and `right_by_seed`
repeats some of them under several seeds. `permutation_draws` permutes labels, which tests two null
hypotheses: RADAR is no better than guessing, and no feature separates the classes.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from mechaware.core.seeds import derive_seed
from mechaware.core.stats import cohens_d
from mechaware.instruments.radar.ensemble import Ensemble, assign_folds, is_recall, predict_held_out
from mechaware.instruments.radar.feature_extraction.features import FEATURES, MECHANISTIC, SURFACE
from mechaware.instruments.radar.identity import is_paired, pairs

_WORD = r"\w+|[^\w\s]"  # words, numbers and punctuation marks
# The protocols: fitted on the training table, or on the other folds of the set itself.
TRAINED = "trained"
CROSS_VALIDATED = "cross_validated"
# The systems that are repeated over seeds and compared with guessing.
REPEATED = ("radar", "prompt_length", "bag_of_words")
FEATURE_SETS = {"radar": FEATURES, "surface_only": SURFACE, "mechanistic_only": MECHANISTIC}
_DRAW_COLUMNS = ["draw", "largest_effect", *REPEATED]

# fit_predict(training table, table) -> the columns `predicted` and `tie` for each row of `table`
_FitPredict = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


class _System(NamedTuple):
    """A way to predict labels, fitted anew in each call of `fit_predict`.

    Its tables have the features, `n_tokens`, `prompt` and `label`. `reads_attention`: whether the
    system's input depends on the reduction of attention entropies.
    """

    name: str
    reads_attention: bool
    fit_predict: _FitPredict


def _systems(seed: int) -> list[_System]:
    """RADAR's ensemble, its two halves, and three baselines that never see the model.

    `seed` determines the ensembles' random draws; the baselines have none.
    """
    systems = []
    for name, features in FEATURE_SETS.items():
        reads_attention = name != "surface_only"
        fit_predict = _ensemble(features, seed)
        systems.append(_System(name, reads_attention=reads_attention, fit_predict=fit_predict))

    length = make_pipeline(StandardScaler(), LogisticRegression())
    systems.append(
        _System("prompt_length", reads_attention=False, fit_predict=_baseline(length, _lengths))
    )

    # On sparse counts the default of 100 iterations may not converge.
    words = make_pipeline(CountVectorizer(token_pattern=_WORD), LogisticRegression(max_iter=5000))
    systems.append(
        _System("bag_of_words", reads_attention=False, fit_predict=_baseline(words, _texts))
    )

    # On a tie between the classes the majority is reasoning, as in the ensemble's vote.
    majority = make_pipeline(DummyClassifier(strategy="most_frequent"))
    systems.append(
        _System("majority_class", reads_attention=False, fit_predict=_baseline(majority, _nothing))
    )
    return systems


def _ensemble(features: tuple[str, ...], seed: int) -> _FitPredict:
    """RADAR's ensemble of these features."""

    def fit_predict(training: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
        return Ensemble.fit(training, features, seed).predict(table)[["predicted", "tie"]]

    return fit_predict


def _baseline(pipeline: Pipeline, inputs: Callable[[pd.DataFrame], np.ndarray]) -> _FitPredict:
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


def _repeated_systems(seed: int) -> list[_System]:
    """The systems named in `REPEATED`."""
    return [system for system in _systems(seed) if system.name in REPEATED]


def evaluate_controls(
    tables: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]],
    *,
    folds: int,
    seed: int,
    fold_seed: int,
) -> pd.DataFrame:
    """Every system's predictions of a prompt set, under two protocols, as a long table.

    `tables` maps each reduction of attention entropies to two tables whose features have this
    reduction: the training table and the set's own table. A table has the features, `n_tokens`,
    `prompt`, `id` and `label`.

    The protocols are:

    - `trained`: fitted on the training table.
    - `cross_validated`: fitted on the other folds of the set itself, with pairs kept together;
      absent for a set of one class.

    Columns: id, label, group (the pair), protocol, system, reduction, predicted, tie. A system that
    does not read attention appears once, with an empty reduction.
    """
    first_reduction = next(iter(tables))
    rows = []
    for reduction, (training, table) in tables.items():
        for system in _systems(seed):
            if reduction != first_reduction and not system.reads_attention:
                continue
            predictions = _predict_by_protocol(
                system.fit_predict, training, table, folds=folds, fold_seed=fold_seed
            )
            for protocol, predicted in predictions.items():
                identity = table[["id", "label"]].assign(
                    group=pairs(table),
                    protocol=protocol,
                    system=system.name,
                    reduction=reduction if system.reads_attention else "",
                )
                rows.append(pd.concat([identity, predicted], axis=1))
    return pd.concat(rows, ignore_index=True)


def right_by_seed(
    training: pd.DataFrame, table: pd.DataFrame, *, folds: int, seeds: int, seed: int
) -> pd.DataFrame:
    """Whether RADAR and two baselines are right about each prompt of `table` under `seeds` seeds.

    A seed gives other forests and other folds, the same folds for all systems; the prompts stay the
    same. The tables have the columns that `evaluate_controls` lists. One row per protocol, system
    of `REPEATED`, seed and prompt: protocol, system, draw (the seed's number, from 0), id, right (1
    or 0).
    """
    rows = []
    for draw in tqdm(range(seeds), unit="seed"):
        draw_seed = derive_seed(seed, draw)
        for system in _repeated_systems(draw_seed):
            predictions = _predict_by_protocol(
                system.fit_predict, training, table, folds=folds, fold_seed=draw_seed
            )
            for protocol, predicted in predictions.items():
                right = (predicted["predicted"] == table["label"]).astype(int)
                part = table[["id"]].assign(
                    protocol=protocol, system=system.name, draw=draw, right=right
                )
                rows.append(part)
    return pd.concat(rows, ignore_index=True)[["protocol", "system", "draw", "id", "right"]]


def _predict_by_protocol(
    fit_predict: _FitPredict,
    training: pd.DataFrame,
    table: pd.DataFrame,
    *,
    folds: int,
    fold_seed: int,
) -> dict[str, pd.DataFrame]:
    """A system's predictions of `table` by protocol; a set of one class is not cross-validated."""
    predictions = {TRAINED: fit_predict(training, table)}
    if table["label"].nunique() == 2:
        fold = assign_folds(table, pairs(table), folds=folds, seed=fold_seed)
        predictions[CROSS_VALIDATED] = predict_held_out(table, fold, fit_predict)
    return predictions


def permutation_draws(
    table: pd.DataFrame, *, folds: int, permutations: int, seed: int
) -> pd.DataFrame:
    """The statistics of a prompt set under permuted labels, one row per permutation.

    A set of one class has no rows. Labels are permuted within matched pairs, which swaps or keeps
    them with equal probability, and freely among prompts without a pair. `table` has the columns
    that `evaluate_controls` lists.

    Columns:

    - draw: the number of the permutation, from 0.
    - largest_effect: the maximum over features of |Cohen's d| between the labels.
    - each system of `REPEATED`: its cross-validated accuracy, fitted anew to the permuted labels
      with forests and folds of the draw's own seed. Missing if any prompt of the set has no pair.
    """
    if table["label"].nunique() < 2:
        return pd.DataFrame(columns=_DRAW_COLUMNS)

    groups = pairs(table)
    paired = is_paired(table)
    rows = []
    for draw in tqdm(range(permutations), unit="permutation", mininterval=5):
        draw_seed = derive_seed(seed, draw)
        labels = _permute_labels(table["label"], groups, np.random.default_rng(draw_seed))
        permuted = table.assign(label=labels)
        effect = {"draw": draw, "largest_effect": _largest_effect(permuted)}
        accuracies = {}
        if paired:
            accuracies = _refitted_accuracies(permuted, groups, folds=folds, seed=draw_seed)
        rows.append(effect | accuracies)
    return pd.DataFrame(rows, columns=_DRAW_COLUMNS)


def _largest_effect(table: pd.DataFrame) -> float:
    """The maximum over features of |Cohen's d| between the labels.

    Comparing maxima under true and permuted labels corrects for the choice among 37 features.
    """
    recall = is_recall(table) == 1
    effects = []
    for feature in FEATURES:
        values = table[feature].to_numpy(float)
        effects.append(abs(cohens_d(values[recall], values[~recall])))
    return max(effects)


def _permute_labels(
    labels: pd.Series, groups: pd.Series, generator: np.random.Generator
) -> np.ndarray:
    """The labels, permuted within each matched pair and among all prompts without a pair.

    `groups` are the pairs. Each pair is a stratum, and so are the prompts without a pair. Strata
    are permuted in the order of their names, so that the draws do not depend on which pair comes
    first.
    """
    permuted = labels.to_numpy(copy=True)
    has_partner = groups.duplicated(keep=False)
    # A pair's stratum has its name; prompts without a pair have the stratum "".
    stratum = groups.where(has_partner, "")
    rows_of_stratum = stratum.groupby(stratum).indices
    for name in sorted(rows_of_stratum, key=str):
        rows = rows_of_stratum[name]
        permuted[rows] = generator.permutation(permuted[rows])
    return permuted


def _refitted_accuracies(
    table: pd.DataFrame, groups: pd.Series, *, folds: int, seed: int
) -> dict[str, float]:
    """The cross-validated accuracy of each system of `REPEATED`, fitted to permuted labels.

    The labels of `table` are permuted. `groups` are the pairs by the true labels; `pairs(table)`
    would derive wrong pairs from the permuted labels.
    """
    fold = assign_folds(table, groups, folds=folds, seed=seed)
    accuracies = {}
    for system in _repeated_systems(seed):
        predicted = predict_held_out(table, fold, system.fit_predict)["predicted"]
        accuracies[system.name] = float((predicted == table["label"]).mean())
    return accuracies
