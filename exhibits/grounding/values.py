"""The grounding numbers in the paper's text that are not cells of a table."""

from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.report.values import Value, value
from mechaware.core.stats import mean_interval

# The readings of R1 to R3 by which variants are compared: a column of the table, and where its leads are in the values.
_READINGS = {"paper_embedding": "variant_leads", "paper": "variant_leads_by_method"}


def variant_leads(measured: Path, *, confidence_level: float) -> dict[str, Value]:
    """By variant, how many more pairs pass R1 to R3 in models trained with the schema than without.

    Args:
        measured: docs/measured/grounding_variants.csv, a row for each variant and model (`schema-s0`, `no_schema-s0`).
        confidence_level: The confidence level of the t interval over seeds, each with one model of either kind.

    Returns:
        The mean difference of the shares, -1 to 1, whose n is the number of seeds: with the embedding as a layer by
        `variant_leads/{variant}`, and by the method (states after blocks) by `variant_leads_by_method/{variant}`.
    """
    table = pd.read_csv(measured, dtype={"variant": str, "run": str})
    values = {}
    for column, name in _READINGS.items():
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
    """By seed, the share of the model with the schema minus the share of the model without; `shares` is by run."""
    leads = []
    for run, share in shares.items():
        if str(run).startswith("schema-"):
            leads.append(share - shares[f"no_{run}"])
    return np.array(leads)
