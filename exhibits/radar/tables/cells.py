"""How the memorisation tables write an AUROC, and a difference of two,
with the interval over seeds.
"""

import pandas as pd

from exhibits.report.tables import fixed, with_interval


def area_with_interval(row: pd.Series) -> str:
    """The AUROC `auroc` with its interval `low` to `high`, which one seed lacks; two decimals."""
    ends = "" if pd.isna(row["low"]) else f"{fixed(row['low'], 2)} to {fixed(row['high'], 2)}"
    return with_interval(fixed(row["auroc"], 2), ends)


def difference_with_interval(row: pd.Series, name: str = "lead") -> str:
    """The difference `name` of two AUROCs with its interval over seeds, if any; three decimals.

    Empty where it is missing, as the lead of a score is that is compared with no other.
    """
    low = row[f"{name}_low"]
    high = row[f"{name}_high"]
    ends = "" if pd.isna(low) else f"{fixed(low, 3)} to {fixed(high, 3)}"
    return with_interval(fixed(row[name], 3), ends)
