"""The numbers of RADAR's tables: accuracies with intervals, comparisons with controls, separation of the classes."""

import numpy as np
import pandas as pd

from mechaware.radar.features.features import FEATURE_KIND, FEATURES
from mechaware.radar.features.redundancy import same_order_as
from mechaware.radar.features.scores import SCORES
from mechaware.radar.identity import pairs
from mechaware.radar.prompts import LABELS, has_papers_categories
from mechaware.stats import area_under_roc, bootstrap_mean, clopper_pearson, cohens_d, paired_sign_flip


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

    `predictions` has the columns id, label, category, predicted and tie. `papers_kind`: whether the set has the
    categories of the paper's test set.
    """
    groups = pairs(predictions)
    slices = {"overall": predictions}
    slices |= {f"{label}_tasks": predictions[predictions["label"] == label] for label in LABELS}
    slices |= {f"category:{name}": rows for name, rows in predictions.groupby("category", sort=False)}
    rows = [
        {"slice": name} | accuracy(part, groups[part.index], resamples=resamples, seed=seed, level=level)
        for name, part in slices.items()
        if len(part)
    ]
    return pd.DataFrame(rows).assign(papers_kind=has_papers_categories(predictions["category"]))


def compare_controls(
    predictions: pd.DataFrame, seed_accuracies: pd.DataFrame, *, reduction: str, resamples: int, seed: int, level: float
) -> pd.DataFrame:
    """One row per protocol, system and reduction: accuracy with intervals, range over seeds, comparison with RADAR.

    `predictions` is long: protocol, system, reduction, id, group, label, predicted, tie. RADAR is the ensemble under
    the configured `reduction`, on the same prompts: `radar_lead` is its accuracy minus the system's, with a bootstrap
    interval that draws pairs whole; `p_against_radar` is `paired_sign_flip`, by pairs. Both are missing in RADAR's own
    row, and neither is corrected for the number of rows. `seed_accuracies` is long: protocol, reduction, accuracy; a
    row per seed of the ensemble.
    """
    rows = []
    for (protocol, system, own_reduction), part in predictions.groupby(["protocol", "system", "reduction"], sort=False):
        radar = predictions.query("protocol == @protocol and system == 'radar' and reduction == @reduction")
        seeds = None
        if system == "radar":
            seeds = seed_accuracies.query("protocol == @protocol and reduction == @own_reduction")["accuracy"]
        is_radar = system == "radar" and own_reduction == reduction
        rows.append(
            {"protocol": protocol, "system": system, "reduction": own_reduction}
            | accuracy(part, part["group"], resamples=resamples, seed=seed, level=level)
            | {
                "seeds": 0 if seeds is None else len(seeds),
                "seed_mean": np.nan if seeds is None else seeds.mean(),
                "seed_min": np.nan if seeds is None else seeds.min(),
                "seed_max": np.nan if seeds is None else seeds.max(),
            }
            | ({} if is_radar else _against_radar(part, radar, resamples=resamples, seed=seed, level=level))
        )
    return pd.DataFrame(rows)


def discriminate(table: pd.DataFrame) -> pd.DataFrame:
    """Per feature: mean and deviation (n - 1) by class, Cohen's d (recall minus reasoning), area under the ROC curve.

    `same_order_as` is the first feature that orders these prompts alike or in reverse, and so separates the classes
    equally well. No rows for a set with fewer than two prompts of a class.
    """
    recall_rows, reasoning_rows = (table[table["label"] == label] for label in LABELS)
    if len(recall_rows) < 2 or len(reasoning_rows) < 2:
        return pd.DataFrame(columns=["feature", "kind", *_CLASS_MOMENTS, "cohens_d", "auc", "same_order_as"])
    same_order = same_order_as(table)
    rows = []
    for feature in FEATURES:
        recall, reasoning = (part[feature].to_numpy(float) for part in (recall_rows, reasoning_rows))
        moments = (recall.mean(), recall.std(ddof=1), reasoning.mean(), reasoning.std(ddof=1))
        rows.append(
            {"feature": feature, "kind": FEATURE_KIND[feature]}
            | dict(zip(_CLASS_MOMENTS, moments, strict=True))
            | {"cohens_d": cohens_d(recall, reasoning), "auc": area_under_roc(recall, reasoning)}
            | {"same_order_as": same_order[feature]}
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


def _against_radar(
    predictions: pd.DataFrame, radar: pd.DataFrame, *, resamples: int, seed: int, level: float
) -> dict[str, float]:
    """RADAR's lead in accuracy on the same prompts, matched by id, and the p-value of the difference."""
    theirs, ours = (rows.sort_values("id") for rows in (predictions, radar))
    right, radar_right = ((rows["predicted"] == rows["label"]).to_numpy() for rows in (theirs, ours))
    lead = radar_right.astype(float) - right
    interval = bootstrap_mean(lead, theirs["group"], resamples=resamples, seed=seed, level=level)
    return {
        "radar_lead": lead.mean(),
        "radar_lead_low": interval.low,
        "radar_lead_high": interval.high,
        "p_against_radar": paired_sign_flip(right, radar_right, theirs["group"]),
    }
