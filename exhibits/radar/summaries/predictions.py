"""RADAR's votes counted: accuracies by slice, votes on prompts that the model answers rightly, means of the scores."""

import pandas as pd

from exhibits.radar.summaries.accuracy import accuracy
from mechaware.core.stats import bootstrap_mean, clopper_pearson
from mechaware.instruments.radar.feature_extraction.scores import SCORES
from mechaware.instruments.radar.identity import is_paired, pairs
from mechaware.instruments.radar.prompts import LABELS, has_papers_categories

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
    """The rows of Table 1, by `slice`: `overall`, each label's tasks, each category, and `answered_pairs`.

    `predictions` has the columns id, label, category, predicted and tie; `answers` is the table of `answer_prompts`.
    `answered_pairs` are the matched pairs whose two prompts the model answers rightly: only there is it certain to have
    recalled the answer of one prompt and worked out the answer of the other. Slices without prompts are absent.
    `always_recall` is the number of prompts that the answer "recall" gets right. `papers_kind`: whether the set has the
    categories of the paper's test set.
    """
    groups = pairs(predictions)
    slices = {"overall": predictions}
    for label in LABELS:
        slices[f"{label}_tasks"] = predictions[predictions["label"] == label]
    for name, category_rows in predictions.groupby("category", sort=False):
        slices[f"category:{name}"] = category_rows
    if is_paired(predictions):
        right = predictions["id"].map(answers.set_index("id")["right"]).astype(bool)
        slices["answered_pairs"] = predictions[right.groupby(groups).transform("all")]
    rows = []
    for name, part in slices.items():
        if part.empty:
            continue
        groups_of_part = groups[part.index]
        row: dict[str, object] = {"slice": name}
        row |= accuracy(
            part, groups_of_part, resamples=resamples, seed=seed, confidence_level=confidence_level
        )
        row["always_recall"] = int((part["label"] == "recall").sum())
        rows.append(row)
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(predictions["category"]))


def count_answers(
    answers: pd.DataFrame, predictions: pd.DataFrame, *, confidence_level: float
) -> pd.DataFrame:
    """Per label: the prompts with an accepted answer, those the model answers rightly, and RADAR's verdicts on both.

    `answers` is the table of `answer_prompts`, `predictions` has the columns id and predicted. `share` is the share of
    right answers, with its Clopper-Pearson interval; `silent` counts the prompts after which the model ends the text at
    once; `recall_if_right` and `recall_if_not` count the verdicts "recall". No row for a label without accepted
    answers.
    """
    table = answers.merge(predictions[["id", "predicted"]], on="id", validate="one_to_one")
    table = table[table["has_answer"]]
    rows = []
    for label, part in table.groupby("label"):
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
    """Per score and label: the mean with its bootstrap interval, which draws pairs whole, and n.

    `scores` has the columns id, label and category and the four scores. `papers_kind` is as in `summarise_performance`.
    """
    groups = pairs(scores)
    rows = []
    for score in SCORES:
        for label, part in scores.groupby("label"):
            values = part[score].to_numpy(float)
            interval = bootstrap_mean(
                values,
                groups[part.index],
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
