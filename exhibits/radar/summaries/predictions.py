"""Summaries of RADAR's predictions: accuracies, counts by the model's answers, mean scores."""

import pandas as pd

from exhibits.radar.summaries.accuracy import accuracy
from mechaware.core.stats.intervals import bootstrap_mean, clopper_pearson
from mechaware.instruments.radar.feature_extraction.scores import SCORES
from mechaware.instruments.radar.identity import is_paired, pairs
from mechaware.instruments.radar.prompts import LABELS, has_papers_categories

# The columns of `count_answers`, also where it has no rows.
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


def summarise_performance(
    predictions: pd.DataFrame,
    answers: pd.DataFrame,
    *,
    resamples: int,
    seed: int,
    confidence_level: float,
) -> pd.DataFrame:
    """The rows of Table 1: RADAR's accuracy by slice of the prompts.

    The slices are `overall`, `recall_tasks`, `reasoning_tasks`, `category:{name}` for each
    category, and, in a set of matched pairs, `answered_pairs`: the pairs in which the model answers
    both prompts rightly. Only in these pairs can the model have recalled one answer and worked out
    the other: a wrong answer was neither. Slices without prompts are absent.

    Args:
        predictions: A row per prompt: id, label, category, predicted, and tie, whether the votes of
            RADAR's ensemble are equal.
        answers: The table of `answer_prompts`, with all prompts of `predictions`.
        resamples: Of the bootstrap, which draws matched pairs whole.
        seed: Of the bootstrap.
        confidence_level: Of an accuracy's two intervals, Clopper-Pearson and bootstrap.

    Returns:
        The column `slice`, and for each slice

        - the columns of `accuracy`;
        - always_recall: how many predictions would be right if all were recall, the number of
          prompts with that label;
        - papers_kind: whether the set has the categories of the paper's test set.

    Raises:
        KeyError: `answers` lacks a prompt of a set of matched pairs.
    """
    pair_ids = pairs(predictions)
    slices = {"overall": predictions}
    for label in LABELS:
        slices[f"{label}_tasks"] = predictions[predictions["label"] == label]
    for name, category_rows in predictions.groupby("category", sort=False):
        slices[f"category:{name}"] = category_rows
    if is_paired(predictions):
        # `loc`, unlike `map`, raises an error for a prompt without an answer.
        right = answers.set_index("id")["right"].astype(bool).loc[predictions["id"]]
        right_in_order = pd.Series(right.to_numpy(), index=predictions.index)
        both_are_right = right_in_order.groupby(pair_ids).transform("all")
        slices["answered_pairs"] = predictions[both_are_right]

    rows = []
    for name, part in slices.items():
        if part.empty:
            continue
        accuracies = accuracy(
            part,
            pair_ids[part.index],
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        n_recall = int((part["label"] == "recall").sum())
        rows.append({"slice": name, **accuracies, "always_recall": n_recall})
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(predictions["category"]))


def count_answers(
    answers: pd.DataFrame, predictions: pd.DataFrame, *, confidence_level: float
) -> pd.DataFrame:
    """How often the model answers rightly, and what RADAR then predicts: a row per label.

    `answers` is the table of `answer_prompts`; `predictions` has the columns id and predicted.
    Prompts for which the set lists no accepted answer are left out; a label that has only such
    prompts has no row. The columns:

    - label
    - n: the number of prompts
    - silent: after how many of them the model ends the text at once
    - right, wrong: how many of the n the model answers rightly, and how many not
    - share: right / n, with its Clopper-Pearson interval (low, high)
    - recall_if_right, recall_if_not: of the right and of the wrong ones, how many RADAR calls
      recall
    """
    table = answers.merge(predictions[["id", "predicted"]], on="id", validate="one_to_one")
    with_answer = table[table["has_answer"]]
    rows = []
    for label, part in with_answer.groupby("label"):
        is_right = part["right"]
        is_recall = part["predicted"] == "recall"
        n_right = is_right.sum()
        interval = clopper_pearson(int(n_right), len(part), confidence_level)
        rows.append(
            {
                "label": label,
                "n": len(part),
                "silent": (part["decoded"] == "").sum(),
                "right": n_right,
                "share": n_right / len(part),
                "low": interval.low,
                "high": interval.high,
                "recall_if_right": (is_recall & is_right).sum(),
                "wrong": len(part) - n_right,
                "recall_if_not": (is_recall & ~is_right).sum(),
            }
        )
    return pd.DataFrame(rows, columns=_ANSWER_COUNTS)


def summarise_scores(
    scores: pd.DataFrame, *, resamples: int, seed: int, confidence_level: float
) -> pd.DataFrame:
    """The mean of each score over the prompts of each label, a row per score and label.

    `scores` has the columns id, label, category and `SCORES`. Columns: score, label, n, mean, low,
    high, and papers_kind as in `summarise_performance`. `low` and `high` are the ends of a
    bootstrap interval that draws matched pairs whole.
    """
    pair_ids = pairs(scores)
    rows = []
    for score in SCORES:
        for label, part in scores.groupby("label"):
            values = part[score].to_numpy(float)
            interval = bootstrap_mean(
                values,
                pair_ids[part.index],
                resamples=resamples,
                seed=seed,
                confidence_level=confidence_level,
            )
            rows.append(
                {
                    "score": score,
                    "label": label,
                    "n": len(part),
                    "mean": values.mean(),
                    "low": interval.low,
                    "high": interval.high,
                }
            )
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(scores["category"]))
