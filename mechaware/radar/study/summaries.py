"""From predictions to the numbers of RADAR's tables: accuracies with intervals, controls, separation by class."""

import numpy as np
import pandas as pd

from mechaware.radar.features.features import FEATURES, SURFACE
from mechaware.radar.features.redundancy import same_order_as
from mechaware.radar.features.scores import SCORES
from mechaware.stats import area_under_roc, bootstrap_mean, clopper_pearson, cohens_d, paired_sign_flip


def accuracy(
    predictions: pd.DataFrame, groups: pd.Series, *, resamples: int, seed: int, level: float
) -> dict[str, float | int]:
    """Correct out of n with both intervals: Clopper-Pearson (prompts independent), bootstrap (groups drawn whole)."""
    correct = (predictions["predicted"] == predictions["label"]).to_numpy()
    exact = clopper_pearson(int(correct.sum()), len(correct), level)
    drawn = bootstrap_mean(correct, groups, resamples=resamples, seed=seed, level=level)
    return {
        "correct": int(correct.sum()),
        "n": len(correct),
        "accuracy": correct.mean(),
        "exact_low": exact.low,
        "exact_high": exact.high,
        "bootstrap_low": drawn.low,
        "bootstrap_high": drawn.high,
        "ties": int(predictions["tie"].sum()),
    }


def performance(
    predictions: pd.DataFrame, groups: pd.Series, *, resamples: int, seed: int, level: float
) -> pd.DataFrame:
    """The rows of Table 1: `overall`, each label's tasks, each category; `slice` names them."""
    slices = {"overall": predictions}
    slices |= {f"{label}_tasks": predictions[predictions["label"] == label] for label in ("recall", "reasoning")}
    slices |= {f"category:{name}": rows for name, rows in predictions.groupby("category", sort=False)}
    return pd.DataFrame(
        [
            {"slice": name} | accuracy(rows, groups[rows.index], resamples=resamples, seed=seed, level=level)
            for name, rows in slices.items()
            if len(rows)
        ]
    )


def compare_controls(
    predictions: pd.DataFrame, spread: pd.DataFrame, *, reduction: str, resamples: int, seed: int, level: float
) -> pd.DataFrame:
    """One row per protocol, system and reduction: accuracy with intervals, spread over seeds, comparison with RADAR.

    `predictions` is long: protocol, system, reduction, id, group, label, predicted, tie. RADAR is the ensemble under
    the configured `reduction`, on the same prompts: `radar_lead` is its accuracy minus the system's, with a bootstrap
    interval that draws pairs whole; `p_against_radar` is `paired_sign_flip`, by pairs. Neither is corrected for the
    number of rows. `spread` holds the ensemble's accuracy per seed.
    """
    rows = []
    for (protocol, system, used), part in predictions.groupby(["protocol", "system", "reduction"], sort=False):
        radar = predictions.query("protocol == @protocol and system == 'radar' and reduction == @reduction")
        seeds = spread.query("protocol == @protocol and reduction == @used")["accuracy"] if system == "radar" else None
        same = system == "radar" and used == reduction
        rows.append(
            {"protocol": protocol, "system": system, "reduction": used}
            | accuracy(part, part["group"], resamples=resamples, seed=seed, level=level)
            | {
                "seeds": 0 if seeds is None else len(seeds),
                "seed_mean": np.nan if seeds is None else seeds.mean(),
                "seed_min": np.nan if seeds is None else seeds.min(),
                "seed_max": np.nan if seeds is None else seeds.max(),
            }
            | ({} if same else _against_radar(part, radar, resamples=resamples, seed=seed, level=level))
        )
    return pd.DataFrame(rows)


def discriminate(table: pd.DataFrame) -> pd.DataFrame:
    """Per feature: mean and deviation by class, Cohen's d (recall minus reasoning) and the area under the ROC curve.

    `same_order_as` is the first feature that puts these prompts in the same order or in the reverse one: its rows say
    the same. Empty for a set without both classes.
    """
    recall, reasoning = (table[table["label"] == label] for label in ("recall", "reasoning"))
    if len(recall) < 2 or len(reasoning) < 2:
        return pd.DataFrame(columns=["feature", "kind", *_BY_CLASS, "cohens_d", "auc", "same_order_as"])
    same_order = same_order_as(table)
    rows = []
    for feature in FEATURES:
        one, other = recall[feature].to_numpy(float), reasoning[feature].to_numpy(float)
        moments = (one.mean(), one.std(ddof=1), other.mean(), other.std(ddof=1))
        rows.append(
            {"feature": feature, "kind": "surface" if feature in SURFACE else "mechanistic"}
            | dict(zip(_BY_CLASS, moments, strict=True))
            | {"cohens_d": cohens_d(one, other), "auc": area_under_roc(one, other)}
            | {"same_order_as": same_order[feature]}
        )
    return pd.DataFrame(rows)


def score_means(scores: pd.DataFrame, groups: pd.Series, *, resamples: int, seed: int, level: float) -> pd.DataFrame:
    """Per score and label: the mean with its bootstrap interval, and n."""
    rows = []
    for score in SCORES:
        for label, part in scores.groupby("label"):
            values = part[score].to_numpy(float)
            drawn = bootstrap_mean(values, groups[part.index], resamples=resamples, seed=seed, level=level)
            rows.append({"score": score, "label": label, "n": len(part), "mean": values.mean()} | drawn._asdict())
    return pd.DataFrame(rows)


_BY_CLASS = ("recall_mean", "recall_sd", "reasoning_mean", "reasoning_sd")


def _against_radar(
    predictions: pd.DataFrame, radar: pd.DataFrame, *, resamples: int, seed: int, level: float
) -> dict[str, float]:
    """What RADAR is ahead by on the same prompts, matched by id, and the test of the two."""
    theirs, ours = (rows.sort_values("id") for rows in (predictions, radar))
    right, radar_right = ((rows["predicted"] == rows["label"]).to_numpy() for rows in (theirs, ours))
    lead = radar_right.astype(float) - right
    drawn = bootstrap_mean(lead, theirs["group"], resamples=resamples, seed=seed, level=level)
    return {
        "radar_lead": lead.mean(),
        "radar_lead_low": drawn.low,
        "radar_lead_high": drawn.high,
        "p_against_radar": paired_sign_flip(right, radar_right, theirs["group"]),
    }
