"""Accuracy of the trained models by condition of training and evaluation, with intervals over requests and seeds."""

import pandas as pd

from mechaware.grounding.names import CONDITIONS, condition_of
from mechaware.stats import crossed_interval


def score_by_condition(scores: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """Accuracy per condition of training, condition of evaluation and metric, the mean over the seeds.

    `scores` has one row per run, request and condition of evaluation: run, row, evaluated_with, exact_match,
    names_right, names. Exact match is the share of requests, field accuracy the share of all gold names. Long format:
    trained_with, evaluated_with, metric, value, low, high (`crossed_interval` over requests and seeds, within 0 and
    1), lowest and highest (of the seeds), seeds, n (requests or names of one seed).
    """
    rows = []
    scores = scores.assign(trained_with=scores["run"].map(condition_of), requests=1)
    for trained_with in CONDITIONS:
        for evaluated_with in CONDITIONS:
            part = scores[(scores["trained_with"] == trained_with) & (scores["evaluated_with"] == evaluated_with)]
            for metric, right, asked in (
                ("exact_match", "exact_match", "requests"),
                ("field_accuracy", "names_right", "names"),
            ):
                sums = part.astype({right: float}).pivot(index="row", columns="run", values=right).to_numpy()
                sizes = part.drop_duplicates("row").sort_values("row")[asked].to_numpy(dtype=float)
                low, high = crossed_interval(sums, sizes, level=level)
                by_seed = sums.sum(axis=0) / sizes.sum()
                spread = (
                    by_seed.mean(),
                    max(low, 0),
                    min(high, 1),
                    by_seed.min(),
                    by_seed.max(),
                    len(by_seed),
                    int(sizes.sum()),
                )
                rows.append((trained_with, evaluated_with, metric, *spread))
    columns = ["trained_with", "evaluated_with", "metric", "value", "low", "high", "lowest", "highest", "seeds", "n"]
    return pd.DataFrame(rows, columns=columns)
