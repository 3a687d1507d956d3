"""Every trained model: how long it was trained, how well it does its task,
and the pairs that pass each rule.
"""

import numpy as np
import pandas as pd
from scipy.stats import norm

from exhibits.report.tables import Table, percent
from mechaware.instruments.grounding.rules.registry import RULE_SETS
from mechaware.planted.sql.runs import run_label

READS = {"rules": "results/grounding/rules.parquet", "trained": "results/grounding/trained.parquet"}
CONFIG = {"tau": "grounding/tau"}

# `r2` includes R1, and `r3` both; `r3_embedding` is `r3` with the embedding as a layer.
SHARES = ("r1", "r2", "r3", "r3_embedding", "grounded")


def fill(*, rules: pd.DataFrame, trained: pd.DataFrame, tau: float) -> Table:
    """One row per model. `r1_if_normal`: what R1 would pass if gaps were normal,
    with the model's mean and spread.
    """
    of_models = rules[rules["run"].isin(trained["run"])]
    by_run = of_models.astype(dict.fromkeys(SHARES, float)).groupby("run")
    shares = by_run[list(SHARES)].mean()
    gaps = by_run["delta"].agg(["mean", "std", "size"])
    shares["r1_if_normal"] = _share_of_normal(gaps["mean"], gaps["std"], tau)
    shares["pairs"] = gaps["size"]
    numbers = trained.join(shares, on="run")
    ended = numbers["met_criterion"].map({True: ", met", False: ", not met"})
    shown = pd.DataFrame(
        {
            "Model": numbers["run"].map(run_label),
            "Steps, criterion": numbers["steps"].astype(str) + ended,
            "Exact match": numbers["exact_match"].map(percent),
            "R1": numbers["r1"].map(percent),
            "R1, normal gaps": numbers["r1_if_normal"].map(percent),
            "R1 and R2": numbers["r2"].map(percent),
            RULE_SETS["paper"]: numbers["r3"].map(percent),
            "with the embedding": numbers["r3_embedding"].map(percent),
            RULE_SETS["grounded"]: numbers["grounded"].map(percent),
        }
    )
    return Table(numbers, shown)


def _share_of_normal(mean: pd.Series, deviation: pd.Series, tau: float) -> np.ndarray:
    """P(|gap| >= tau) of normal gaps."""
    above = norm.sf(tau, mean, deviation)
    below = norm.cdf(-tau, mean, deviation)
    return np.asarray(above + below)
