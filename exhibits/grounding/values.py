"""The grounding numbers in the paper's text that are not cells of a table."""

from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.report.values import Value, value
from mechaware.core.stats.intervals import mean_interval

# Two versions of R1 to R3: the column of the table, and how the names of its values begin. With
# `paper_embedding` the embedding counts as a layer; with `paper` only states after blocks do, as in
# the method of the source paper.
_RULES = {"paper_embedding": "variant_leads", "paper": "variant_leads_by_method"}


def variant_leads(measured: Path, *, confidence_level: float) -> dict[str, Value]:
    """By variant, how many more pairs pass R1 to R3 in models trained with the schema than without.

    Args:
        measured: docs/measured/grounding_variants.csv. It has a row for each variant and model,
            with the shares of pairs that pass. Models are named in the column `run`: `schema-s0`
            and `no_schema-s0` are the models of seed 0.
        confidence_level: The confidence level of the t interval over seeds.

    Returns:
        The mean over seeds of the difference of the two shares, -1 to 1, whose n is the number of
        seeds. The values are named `variant_leads/{variant}` with the embedding as a layer, and
        `variant_leads_by_method/{variant}` without.
    """
    table = pd.read_csv(measured, dtype={"variant": str, "run": str})
    values = {}
    for column, name in _RULES.items():
        for variant, rows in table.groupby("variant", sort=False):
            shares = rows.set_index("run")[column]
            leads = _leads_by_seed(shares)
            interval = mean_interval(leads, confidence_level)
            values[f"{name}/{variant}"] = value(
                float(leads.mean()),
                file=measured,
                # Two shares differ by 1 at most.
                low=max(interval.low, -1.0),
                high=min(interval.high, 1.0),
                n=len(leads),
            )
    return values


def _leads_by_seed(shares: pd.Series) -> Float[np.ndarray, " seed"]:
    """By seed, the share of the model `schema-s{seed}` minus the share of `no_schema-s{seed}`.

    `shares` is indexed by run; runs of other names are not used.
    """
    leads = []
    for run, share in shares.items():
        if str(run).startswith("schema-"):
            leads.append(share - shares[f"no_{run}"])
    return np.array(leads)
