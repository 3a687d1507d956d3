"""The numbers of RADAR's tables: accuracies with intervals, separation of the classes, right answers, length."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv
from mechaware.radar.feature_extraction.features import FEATURE_KIND, FEATURES
from mechaware.radar.feature_extraction.redundancy import same_order_as
from mechaware.radar.feature_extraction.scores import SCORES
from mechaware.radar.identity import pairs
from mechaware.radar.prompts import LABELS, has_papers_categories
from mechaware.radar.schemas import PREDICTIONS
from mechaware.stats import (
    area_under_roc,
    bootstrap_cohens_d,
    bootstrap_mean,
    bootstrap_rank_correlation,
    clopper_pearson,
    cohens_d,
)


def read_predictions(path: Path) -> pd.DataFrame:
    """The predictions of a prompt set: a CSV of those out of fold, or the Parquet file of the trained ensemble's."""
    return read_csv(path, PREDICTIONS) if path.suffix == ".csv" else pd.read_parquet(path)


def accuracy(
    predictions: pd.DataFrame, groups: pd.Series, *, resamples: int, seed: int, level: float
) -> dict[str, float | int]:
    """Correct out of n, with two intervals: Clopper-Pearson (prompts independent) and bootstrap (groups drawn whole).

    `predictions` has the columns label, predicted and tie; `groups` holds the group of each row. A tie counts as the
    prediction that the vote made of it, reasoning; `ties` is the number of ties.
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


def performance(predictions: pd.DataFrame, *, resamples: int, seed: int, level: float) -> pd.DataFrame:
    """The rows of Table 1, by `slice`: `overall`, each label's tasks, each category; slices without prompts are absent.

    `predictions` has the columns id, label, category, predicted and tie. `always_recall` is the number of prompts that
    the answer "recall" gets right. `papers_kind`: whether the set has the categories of the paper's test set.
    """
    groups = pairs(predictions)
    slices = {"overall": predictions}
    slices |= {f"{label}_tasks": predictions[predictions["label"] == label] for label in LABELS}
    slices |= {f"category:{name}": rows for name, rows in predictions.groupby("category", sort=False)}
    rows = [
        {"slice": name}
        | accuracy(part, groups[part.index], resamples=resamples, seed=seed, level=level)
        | {"always_recall": int((part["label"] == "recall").sum())}
        for name, part in slices.items()
        if len(part)
    ]
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(predictions["category"]))


def discriminate(table: pd.DataFrame, *, resamples: int, seed: int, level: float) -> pd.DataFrame:
    """Per feature: mean and deviation (n - 1) by class, Cohen's d (recall minus reasoning), area under the ROC curve.

    `d_low` and `d_high` are the bootstrap interval of d, which draws pairs whole. `same_order_as` is the first feature
    that orders these prompts alike or in reverse, and so separates the classes equally well. No rows for a set with
    fewer than two prompts of a class.
    """
    is_recall = (table["label"] == "recall").to_numpy()
    if min(is_recall.sum(), (~is_recall).sum()) < 2:
        return pd.DataFrame(columns=["feature", "kind", *_CLASS_MOMENTS, *_EFFECT, "auc", "same_order_as"])
    same_order, groups = same_order_as(table), pairs(table)
    rows = []
    for feature in FEATURES:
        values = table[feature].to_numpy(float)
        recall, reasoning = values[is_recall], values[~is_recall]
        moments = (recall.mean(), recall.std(ddof=1), reasoning.mean(), reasoning.std(ddof=1))
        interval = bootstrap_cohens_d(values, is_recall, groups, resamples=resamples, seed=seed, level=level)
        rows.append(
            {"feature": feature, "kind": FEATURE_KIND[feature]}
            | dict(zip(_CLASS_MOMENTS, moments, strict=True))
            | dict(zip(_EFFECT, (cohens_d(recall, reasoning), *interval), strict=True))
            | {"auc": area_under_roc(recall, reasoning), "same_order_as": same_order[feature]}
        )
    return pd.DataFrame(rows)


def score_means(scores: pd.DataFrame, *, resamples: int, seed: int, level: float) -> pd.DataFrame:
    """Per score and label: the mean with its bootstrap interval, which draws pairs whole, and n.

    `scores` has the columns id, label and category and the four scores. `papers_kind` is as in `performance`.
    """
    groups, rows = pairs(scores), []
    for score in SCORES:
        for label, part in scores.groupby("label"):
            values = part[score].to_numpy(float)
            interval = bootstrap_mean(values, groups[part.index], resamples=resamples, seed=seed, level=level)
            rows.append({"score": score, "label": label, "n": len(part), "mean": values.mean()} | interval._asdict())
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(scores["category"]))


_CLASS_MOMENTS = ("recall_mean", "recall_sd", "reasoning_mean", "reasoning_sd")
_EFFECT = ("cohens_d", "d_low", "d_high")


def answer_counts(answers: pd.DataFrame, predictions: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """Per label: the prompts with an accepted answer, those the model answers rightly, and RADAR's verdicts on both.

    `answers` is the table of `answer_prompts`, `predictions` has the columns id and predicted. `share` is that of right
    answers, with its Clopper-Pearson interval; `silent` counts the prompts after which the model ends the text at once;
    `recall_if_right` and `recall_if_not` count the verdicts "recall". No row for a label without accepted answers.
    """
    table = answers.merge(predictions[["id", "predicted"]], on="id", validate="one_to_one").query("has_answer")
    rows = []
    for label, part in table.groupby("label"):
        right, recall = part["right"].sum(), part["predicted"] == "recall"
        interval = clopper_pearson(int(right), len(part), level)
        rows.append(
            {"label": label, "n": len(part), "silent": (part["decoded"] == "").sum(), "right": right}
            | {"share": right / len(part), "low": interval.low, "high": interval.high}
            | {"recall_if_right": (recall & part["right"]).sum()}
            | {"wrong": len(part) - right, "recall_if_not": (recall & ~part["right"]).sum()}
        )
    return pd.DataFrame(rows, columns=_ANSWER_COUNTS)


_ANSWER_COUNTS = ["label", "n", "silent", "right", "share", "low", "high", "recall_if_right", "wrong", "recall_if_not"]


def length_correlation(
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
