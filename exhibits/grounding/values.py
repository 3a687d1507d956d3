"""The grounding numbers in the paper's text that are not cells of a table."""

from pathlib import Path

import numpy as np
import pandas as pd

from exhibits.report.values import Value, value
from mechaware.core.stats import ratio_interval


def variant_leads(measured: Path, *, level: float) -> dict[str, Value]:
    """By variant, how many more pairs pass R1 to R3 with the embedding in models trained with the schema than without.

    Args:
        measured: docs/measured/grounding_variants.csv, a row for each variant and model (`schema-s0`, `no_schema-s0`).
        level: The confidence level of the t interval over seeds, each with one model of either kind.

    Returns:
        The mean difference of the shares by `variant_leads/{variant}`, whose n is the number of seeds.
    """
    table = pd.read_csv(measured, dtype={"variant": str, "run": str})
    values = {}
    for variant, rows in table.groupby("variant", sort=False):
        shares = rows.set_index("run")["paper_embedding"]
        seeds = [run.removeprefix("schema-") for run in shares.index if run.startswith("schema-")]

        leads = np.array([shares[f"schema-{seed}"] - shares[f"no_schema-{seed}"] for seed in seeds])
        mean = float(leads.mean())
        low, high = ratio_interval((leads - mean) / len(leads), mean, level)
        values[f"variant_leads/{variant}"] = value(
            mean, file=measured, low=low, high=high, n=len(leads)
        )
    return values
