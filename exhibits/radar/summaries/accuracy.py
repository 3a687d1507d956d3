"""The accuracy of predictions, with two intervals."""

import pandas as pd

from mechaware.core.stats.intervals import bootstrap_mean, clopper_pearson


def accuracy(
    predictions: pd.DataFrame,
    groups: pd.Series,
    *,
    resamples: int,
    seed: int,
    confidence_level: float,
) -> dict[str, float | int]:
    """Correct out of n, with two intervals: Clopper-Pearson (prompts independent) and bootstrap
    (groups drawn whole).

    `predictions` has the columns label, predicted and tie; `groups` holds the group of each row. A
    tie of the vote is predicted, and counted, as reasoning; `ties` is the number of ties.
    """
    correct = (predictions["predicted"] == predictions["label"]).to_numpy()
    exact = clopper_pearson(int(correct.sum()), len(correct), confidence_level)
    bootstrap = bootstrap_mean(
        correct, groups, resamples=resamples, seed=seed, confidence_level=confidence_level
    )
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
