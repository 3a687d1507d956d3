"""Models trained with the schema and without: their accuracy, the two conditions compared over
pairs and seeds, and the models of each seed contrasted over seeds alone.

Every table of measurements holds several runs, named in its column `run`
(mechaware.instruments.grounding.names).
"""

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.frames import Schema
from mechaware.core.seeds import derive_seed
from mechaware.core.stats.intervals import crossed_interval, mean_interval
from mechaware.core.stats.p_values import paired_permutation
from mechaware.instruments.grounding.names import CATEGORIES, CONDITIONS, condition_of

_OVERALL = "overall"
# The columns whose sums give each metric, sum(first) / sum(second).
_METRICS = {
    "exact_match": ("exact_match", "requests"),
    "field_accuracy": ("names_right", "names"),
}
# R1 and R3 are compared in each reading (`rules.paper.apply_readings`).
COMPARED_VERDICTS = (
    "r1",
    "r1_signed",
    "r2",
    "r3",
    "r3_top",
    "r3_signed",
    "r3_embedding",
    "r3_both",
    "grounded",
)
# The verdicts in which `contrast_models` contrasts models: the compared ones, and the two of our
# rules that trained models meet least often.
CONTRASTED_VERDICTS = (*COMPARED_VERDICTS, "g4", "g5")
# The reading on which statements about trained models rest: by the paper's method, where each of R1
# to R3 can fail a pair. Where the embedding counts as a layer (r3_embedding, r3_both), R2 follows
# from R1.
PRIMARY = "r3"
# The columns of text in the tables of the paper's printed numbers
# (config/reported/grounding_*.csv).
REPORTED = Schema(
    text=("trained_with", "evaluated_with", "metric", "category", "quantity", "place")
)


def score_by_condition(scores: pd.DataFrame, *, confidence_level: float) -> pd.DataFrame:
    """Accuracy per condition of training, condition of evaluation and metric, the mean over the
    seeds.

    `scores` has one row per run, request and condition of evaluation: run, row, evaluated_with,
    exact_match, names_right, names (`sql_answers.predict`). Exact match is the share of requests
    that are answered exactly, field accuracy the share of all gold names that the answers have
    right. Long format: trained_with, evaluated_with, metric, value, low, high (`crossed_interval`
    over requests and seeds, within 0 and 1), lowest and highest (of the seeds), seeds (their
    number), n (requests or names of one seed).
    """
    scores = scores.assign(trained_with=scores["run"].map(condition_of), requests=1)
    rows = []
    for trained_with in CONDITIONS:
        for evaluated_with in CONDITIONS:
            is_trained_so = scores["trained_with"] == trained_with
            part = scores[is_trained_so & (scores["evaluated_with"] == evaluated_with)]
            conditions = {"trained_with": trained_with, "evaluated_with": evaluated_with}
            for metric, (right_column, all_column) in _METRICS.items():
                share = _crossed_share(part, right_column, all_column, confidence_level)
                rows.append(conditions | {"metric": metric} | share)
    return pd.DataFrame(rows)


def _crossed_share(
    scores: pd.DataFrame, right_column: str, all_column: str, confidence_level: float
) -> dict[str, float | int]:
    """The mean over runs, which differ in their seeds, of sum(right) / sum(all) over the requests.

    It comes with its interval and the other columns of `score_by_condition` from `value` on.
    """
    by_request_and_run = scores.astype({right_column: float}).pivot(
        index="row", columns="run", values=right_column
    )
    right = by_request_and_run.to_numpy()
    of_requests = scores.drop_duplicates("row").sort_values("row")
    sizes = of_requests[all_column].to_numpy(dtype=float)

    # Requests and seeds are both samples: an interval over only the requests would describe only
    # these models.
    low, high = crossed_interval(right, sizes, confidence_level=confidence_level)
    by_seed = right.sum(axis=0) / sizes.sum()
    return {
        "value": by_seed.mean(),
        "low": max(low, 0),
        "high": min(high, 1),
        "lowest": by_seed.min(),
        "highest": by_seed.max(),
        "seeds": len(by_seed),
        "n": int(sizes.sum()),
    }


def compare_conditions(
    rules: pd.DataFrame, *, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """The mean difference of the two conditions over pairs and seeds, paired by both.

    Long format, a row for each quantity and category (or `overall`): category, quantity (`delta` in
    logits, or a verdict as a share), schema, no_schema, difference, low and high
    (`crossed_interval` over pairs and seeds), lowest and highest (of the seeds), p, seeds, n
    (pairs).

    p is two-sided, by sign flips of the pairs' differences, each the mean over the seeds: a
    statement about these models, not about another seed. It is exact if there are at most
    `resamples` flips (`paired_permutation`).
    """
    seeds = rules["run"].str.rsplit("-s", n=1).str[-1]
    trained = rules.assign(condition=rules["run"].map(condition_of), seed=seeds)
    category = trained.drop_duplicates("pair").set_index("pair")["category"]
    categories = [name for name in CATEGORIES if name in set(category)]

    rows = []
    for quantity in ("delta", *COMPARED_VERDICTS):
        values = trained.assign(value=trained[quantity].astype(float))
        schema = _by_pair_and_seed(values[values["condition"] == "schema"])
        no_schema = _by_pair_and_seed(values[values["condition"] == "no_schema"])
        for name in (*categories, _OVERALL):
            pairs = category.index if name == _OVERALL else category.index[category == name]
            schema_mean = float(schema.loc[pairs].to_numpy().mean())
            no_schema_mean = float(no_schema.loc[pairs].to_numpy().mean())

            difference = (schema.loc[pairs] - no_schema.loc[pairs]).to_numpy()
            by_seed = difference.mean(axis=0)
            low, high = crossed_interval(difference, confidence_level=confidence_level)
            if quantity != "delta":  # a difference of shares
                low = max(low, -1.0)
                high = min(high, 1.0)
            draw_seed = derive_seed(seed, quantity, name)
            p = paired_permutation(difference.mean(axis=1), resamples=resamples, seed=draw_seed)
            row = {
                "category": name,
                "quantity": quantity,
                "schema": schema_mean,
                "no_schema": no_schema_mean,
                "difference": schema_mean - no_schema_mean,
                "low": low,
                "high": high,
                "lowest": by_seed.min(),
                "highest": by_seed.max(),
                "p": p,
                "seeds": len(by_seed),
                "n": len(pairs),
            }
            rows.append(row)
    return pd.DataFrame(rows)


def _by_pair_and_seed(values: pd.DataFrame) -> pd.DataFrame:
    """The column `value` as pair x seed."""
    return values.pivot(index="pair", columns="seed", values="value")


def contrast_models(
    rules: pd.DataFrame, trained: pd.DataFrame, *, confidence_level: float
) -> pd.DataFrame:
    """What training with the schema changes, over seeds: each seed has a model with the schema and
    one without.

    Args:
        rules: A row per run and pair, with the columns `delta` and `CONTRASTED_VERDICTS`.
        trained: A row per trained model: run, condition, seed, met_criterion, exact_match.
        confidence_level: The confidence level of the t intervals over seeds.

    Returns:
        A row per set of models and quantity. `models` is `all`, or `criterion`: the seeds whose
        model with the schema met the criterion. Quantities are `exact_match`, `delta` in logits,
        and each verdict as a share of pairs. Columns: models, quantity, schema and no_schema (means
        over seeds), difference with low and high (of a share, within -1 and 1), lowest and highest
        (of the seeds), smallest and seeds (their number). `smallest` is the least difference that
        these seeds would show: the difference whose interval ends at 0 if seeds differ as much as
        these do, which is the half-width of the interval before it is cut to -1 and 1. With no
        seed all but the number is missing, and with one seed the interval and `smallest`.
    """
    names = ["delta", *CONTRASTED_VERDICTS]
    by_run = rules.astype(dict.fromkeys(names, float)).groupby("run")[names].mean()
    models = trained.set_index("run").join(by_run)
    by_seed = {}
    for condition in CONDITIONS:
        by_seed[condition] = models[models["condition"] == condition].set_index("seed")
    met = by_seed["schema"]["met_criterion"]
    seeds_of_part = {"all": met.index, "criterion": met.index[met]}

    rows = []
    for part, seeds in seeds_of_part.items():
        for quantity in ("exact_match", *names):
            schema = by_seed["schema"].loc[seeds, quantity].to_numpy(float)
            no_schema = by_seed["no_schema"].loc[seeds, quantity].to_numpy(float)
            contrast = _contrast(schema, no_schema, confidence_level, is_share=quantity != "delta")
            rows.append({"models": part, "quantity": quantity, **contrast})
    return pd.DataFrame(rows)


def _contrast(
    schema: Float[np.ndarray, " seed"],
    no_schema: Float[np.ndarray, " seed"],
    confidence_level: float,
    *,
    is_share: bool,
) -> dict[str, float]:
    """The columns of `contrast_models` from `schema` on; NaN where there are too few seeds."""
    missing = float("nan")
    row: dict[str, float] = {
        "schema": missing,
        "no_schema": missing,
        "difference": missing,
        "low": missing,
        "high": missing,
        "lowest": missing,
        "highest": missing,
        "smallest": missing,
        "seeds": len(schema),
    }
    if len(schema) == 0:
        return row

    differences = schema - no_schema
    mean = float(differences.mean())
    row["schema"] = float(schema.mean())
    row["no_schema"] = float(no_schema.mean())
    row["difference"] = mean
    row["lowest"] = float(differences.min())
    row["highest"] = float(differences.max())
    if len(schema) == 1:
        return row

    low, high = mean_interval(differences, confidence_level)
    row["smallest"] = high - mean
    if is_share:  # two shares differ by 1 at most
        low = max(low, -1.0)
        high = min(high, 1.0)
    row["low"] = low
    row["high"] = high
    return row
