"""The numbers of RADAR's tables: accuracies with intervals, separation of the classes, right answers, length.

And how redundant the features are: constants, monotone functions of one another, and the rank of their table.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from mechaware.core.stats import (
    area_under_roc,
    bootstrap_cohens_d,
    bootstrap_mean,
    bootstrap_rank_correlation,
    clopper_pearson,
    cohens_d,
)
from mechaware.instruments.radar.feature_extraction.features import FEATURE_KIND, FEATURES
from mechaware.instruments.radar.feature_extraction.scores import SCORES
from mechaware.instruments.radar.identity import is_paired, pairs
from mechaware.instruments.radar.prompts import LABELS, has_papers_categories

# Two features with at least this absolute rank correlation order the prompts alike; below 1 for rounding in the ranks.
_SAME_ORDER = 1 - 1e-9


def accuracy(
    predictions: pd.DataFrame, groups: pd.Series, *, resamples: int, seed: int, level: float
) -> dict[str, float | int]:
    """Correct out of n, with two intervals: Clopper-Pearson (prompts independent) and bootstrap (groups drawn whole).

    `predictions` has the columns label, predicted and tie; `groups` holds the group of each row. A tie of the vote is
    predicted, and counted, as reasoning; `ties` is the number of ties.
    """
    correct = (predictions["predicted"] == predictions["label"]).to_numpy()
    exact = clopper_pearson(int(correct.sum()), len(correct), level)
    bootstrap = bootstrap_mean(correct, groups, resamples=resamples, seed=seed, level=level)
    return {
        "correct": int(correct.sum()),
        "n": len(correct),
        "accuracy": correct.mean(),
        "exact_low": exact.low,
        "exact_high": exact.high,
        "bootstrap_low": bootstrap.low,
        "bootstrap_high": bootstrap.high,
        "ties": int(predictions["tie"].sum()),
    }


def summarise_performance(
    predictions: pd.DataFrame, answers: pd.DataFrame, *, resamples: int, seed: int, level: float
) -> pd.DataFrame:
    """The rows of Table 1, by `slice`: `overall`, each label's tasks, each category, and `answered_pairs`.

    `predictions` has the columns id, label, category, predicted and tie; `answers` is the table of `answer_prompts`.
    `answered_pairs` are the matched pairs of which the model answers both prompts rightly: only there did it surely
    recall the one and work out the other. Slices without prompts are absent. `always_recall` is the number of prompts
    that the answer "recall" gets right. `papers_kind`: whether the set has the categories of the paper's test set.
    """
    groups = pairs(predictions)
    slices = {"overall": predictions}
    slices |= {f"{label}_tasks": predictions[predictions["label"] == label] for label in LABELS}
    slices |= {
        f"category:{name}": rows for name, rows in predictions.groupby("category", sort=False)
    }
    if is_paired(predictions):
        right = predictions["id"].map(answers.set_index("id")["right"]).astype(bool)
        slices["answered_pairs"] = predictions[right.groupby(groups).transform("all")]
    rows = [
        {"slice": name}
        | accuracy(part, groups[part.index], resamples=resamples, seed=seed, level=level)
        | {"always_recall": int((part["label"] == "recall").sum())}
        for name, part in slices.items()
        if len(part)
    ]
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(predictions["category"]))


def summarise_features(
    table: pd.DataFrame, *, resamples: int, seed: int, level: float
) -> pd.DataFrame:
    """Per feature: mean and deviation (n - 1) by class, Cohen's d (recall minus reasoning), area under the ROC curve.

    `d_low` and `d_high` are the bootstrap interval of d, which draws pairs whole. `same_order_as` names the first
    feature that orders these prompts alike or in reverse, and so separates the classes equally well. No rows
    for a set with fewer than two prompts of a class.
    """
    is_recall = (table["label"] == "recall").to_numpy()
    if min(is_recall.sum(), (~is_recall).sum()) < 2:
        return pd.DataFrame(
            columns=["feature", "kind", *_CLASS_MOMENTS, *_EFFECT, "auc", "same_order_as"]
        )
    same_order, groups = _same_order_as(table), pairs(table)
    rows = []
    for feature in FEATURES:
        values = table[feature].to_numpy(float)
        recall, reasoning = values[is_recall], values[~is_recall]
        moments = (recall.mean(), recall.std(ddof=1), reasoning.mean(), reasoning.std(ddof=1))
        interval = bootstrap_cohens_d(
            values, is_recall, groups, resamples=resamples, seed=seed, level=level
        )
        rows.append(
            {"feature": feature, "kind": FEATURE_KIND[feature]}
            | dict(zip(_CLASS_MOMENTS, moments, strict=True))
            | dict(zip(_EFFECT, (cohens_d(recall, reasoning), *interval), strict=True))
            | {"auc": area_under_roc(recall, reasoning), "same_order_as": same_order[feature]}
        )
    return pd.DataFrame(rows)


def summarise_scores(
    scores: pd.DataFrame, *, resamples: int, seed: int, level: float
) -> pd.DataFrame:
    """Per score and label: the mean with its bootstrap interval, which draws pairs whole, and n.

    `scores` has the columns id, label and category and the four scores. `papers_kind` is as in `summarise_performance`.
    """
    groups, rows = pairs(scores), []
    for score in SCORES:
        for label, part in scores.groupby("label"):
            values = part[score].to_numpy(float)
            interval = bootstrap_mean(
                values, groups[part.index], resamples=resamples, seed=seed, level=level
            )
            rows.append(
                {"score": score, "label": label, "n": len(part), "mean": values.mean()}
                | interval._asdict()
            )
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(scores["category"]))


_CLASS_MOMENTS = ("recall_mean", "recall_sd", "reasoning_mean", "reasoning_sd")
_EFFECT = ("cohens_d", "d_low", "d_high")


def count_answers(
    answers: pd.DataFrame, predictions: pd.DataFrame, *, level: float
) -> pd.DataFrame:
    """Per label: the prompts with an accepted answer, those the model answers rightly, and RADAR's verdicts on both.

    `answers` is the table of `answer_prompts`, `predictions` has the columns id and predicted. `share` is that of right
    answers, with its Clopper-Pearson interval; `silent` counts the prompts after which the model ends the text at once;
    `recall_if_right` and `recall_if_not` count the verdicts "recall". No row for a label without accepted answers.
    """
    table = answers.merge(predictions[["id", "predicted"]], on="id", validate="one_to_one").query(
        "has_answer"
    )
    rows = []
    for label, part in table.groupby("label"):
        right, recall = part["right"].sum(), part["predicted"] == "recall"
        interval = clopper_pearson(int(right), len(part), level)
        rows.append(
            {
                "label": label,
                "n": len(part),
                "silent": (part["decoded"] == "").sum(),
                "right": right,
            }
            | {"share": right / len(part), "low": interval.low, "high": interval.high}
            | {"recall_if_right": (recall & part["right"]).sum()}
            | {"wrong": len(part) - right, "recall_if_not": (recall & ~part["right"]).sum()}
        )
    return pd.DataFrame(rows, columns=_ANSWER_COUNTS)


_ANSWER_COUNTS = [
    "label",
    "n",
    "silent",
    "right",
    "share",
    "low",
    "high",
    "recall_if_right",
    "wrong",
    "recall_if_not",
]


def correlate_length(
    table: pd.DataFrame, column: str, *, resamples: int, seed: int, level: float
) -> dict[str, float | int]:
    """Spearman's correlation of a column with the number of tokens, its bootstrap interval, and n."""
    drawn = bootstrap_rank_correlation(
        table["n_tokens"].to_numpy(float),
        table[column].to_numpy(float),
        pairs(table),
        resamples=resamples,
        seed=seed,
        level=level,
    )
    return {"correlation": drawn.value, "low": drawn.low, "high": drawn.high, "n": len(table)}


class _Redundancy(NamedTuple):
    """Counts over a table of features.

    `features`: all of them. `constant`: those that never vary. `distinct`: groups of the varying ones; features that
    order the prompts alike, or in reverse, share a group. `rank`: linearly independent columns of the standardised
    table, with singular values below 1e-8 of the largest taken as 0. `effective`: the effective rank of the same table,
    exp of the entropy of its principal components' shares of the variance; from 1 to `rank`.
    """

    features: int
    constant: int
    distinct: int
    rank: int
    effective: float


def _rank_correlation(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every two features over the rows of `table`, as a matrix in the order of `FEATURES`.

    Ties share their mean rank. The correlation with a feature that never varies is 0, with itself too.
    """
    ranks = np.apply_along_axis(rankdata, 0, _rounded(table))
    centred = ranks - ranks.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    correlation = pd.DataFrame(unit.T @ unit, index=list(FEATURES), columns=list(FEATURES))
    return correlation.clip(-1, 1)


def correlate_features(table: pd.DataFrame) -> pd.DataFrame:
    """`_rank_correlation` in long form: feature, other, correlation; both orders of a pair, and each with itself."""
    rows = _rank_correlation(table).stack().reset_index()
    rows.columns = pd.Index(["feature", "other", "correlation"])
    return rows


def count_redundancy(table: pd.DataFrame) -> _Redundancy:
    """The counts of `_Redundancy` over the rows of `table`, which has a column for each of `FEATURES`."""
    values = _rounded(table)
    varying = np.ptp(values, axis=0) > 0
    correlation = _rank_correlation(table).to_numpy()[np.ix_(varying, varying)]
    same_order = np.abs(correlation) >= _SAME_ORDER
    standardised = values[:, varying]
    standardised = (standardised - standardised.mean(axis=0)) / standardised.std(axis=0)
    variances = np.linalg.svd(standardised, compute_uv=False) ** 2
    share = variances[variances > 0] / variances.sum()  # 0 log 0 = 0
    return _Redundancy(
        features=len(FEATURES),
        constant=int((~varying).sum()),
        distinct=len({tuple(row) for row in same_order.tolist()}),
        rank=int(np.linalg.matrix_rank(standardised, rtol=1e-8)),
        effective=float(np.exp(-(share * np.log(share)).sum())),
    )


def _same_order_as(table: pd.DataFrame) -> dict[str, str]:
    """For each feature, the first of `FEATURES` that orders the rows of `table` alike or in reverse; often itself.

    A feature that never varies is mapped to itself.
    """
    same = _rank_correlation(table).abs() >= _SAME_ORDER
    return {
        name: next(first for first in FEATURES if first == name or same.loc[first, name])
        for name in FEATURES
    }


def _rounded(table: pd.DataFrame) -> np.ndarray:
    """Feature values to 12 significant digits: two formulas of one quantity may differ in the bits after them."""
    values = table[list(FEATURES)].to_numpy(np.float64)
    magnitude = np.where(
        values == 0, 1.0, 10 ** np.floor(np.log10(np.abs(np.where(values == 0, 1.0, values))))
    )
    return np.round(values / magnitude, 11) * magnitude
