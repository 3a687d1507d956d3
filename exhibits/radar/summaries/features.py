"""How well single features separate the classes."""

import pandas as pd

from exhibits.radar.summaries.redundancy import same_order_as
from mechaware.core.stats.effects import bootstrap_cohens_d, cohens_d
from mechaware.core.stats.roc import area_under_roc
from mechaware.instruments.radar.feature_extraction.features import FEATURE_KIND, FEATURES
from mechaware.instruments.radar.identity import pairs

_DISCRIMINATION = [
    "feature",
    "kind",
    "recall_mean",
    "recall_sd",
    "reasoning_mean",
    "reasoning_sd",
    "cohens_d",
    "d_low",
    "d_high",
    "auc",
    "same_order_as",
]


def summarise_features(
    table: pd.DataFrame, *, resamples: int, seed: int, confidence_level: float
) -> pd.DataFrame:
    """Per feature: mean and deviation (n - 1) by class, Cohen's d (recall minus reasoning), area
    under the ROC curve.

    `d_low` and `d_high` are the bootstrap interval of d, which draws pairs whole. `same_order_as`
    names the first feature, often the same one, that orders these prompts alike or in reverse, and
    so separates the classes equally well. No rows for a set with fewer than two prompts of a class.
    """
    is_recall = (table["label"] == "recall").to_numpy()
    if min(is_recall.sum(), (~is_recall).sum()) < 2:
        return pd.DataFrame(columns=_DISCRIMINATION)
    same_order = same_order_as(table)
    groups = pairs(table)
    rows = []
    for feature in FEATURES:
        values = table[feature].to_numpy(float)
        recall = values[is_recall]
        reasoning = values[~is_recall]
        d_interval = bootstrap_cohens_d(
            values,
            is_recall,
            groups,
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        rows.append(
            {
                "feature": feature,
                "kind": FEATURE_KIND[feature],
                "recall_mean": recall.mean(),
                "recall_sd": recall.std(ddof=1),
                "reasoning_mean": reasoning.mean(),
                "reasoning_sd": reasoning.std(ddof=1),
                "cohens_d": cohens_d(recall, reasoning),
                "d_low": d_interval.low,
                "d_high": d_interval.high,
                "auc": area_under_roc(recall, reasoning),
                "same_order_as": same_order[feature],
            }
        )
    return pd.DataFrame(rows, columns=_DISCRIMINATION)
