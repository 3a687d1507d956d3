"""How the memorisation tables write an AUROC, and a lead in AUROC, with its interval over seeds."""

import pandas as pd

from exhibits.report.tables import fixed, with_interval


def area_with_interval(row: pd.Series) -> str:
    """The AUROC `auroc` with its interval `low` to `high`, which one seed lacks; two decimals."""
    ends = "" if pd.isna(row["low"]) else f"{fixed(row['low'], 2)} to {fixed(row['high'], 2)}"
    return with_interval(fixed(row["auroc"], 2), ends)


def lead_with_interval(row: pd.Series) -> str:
    """The lead `lead` in AUROC with its interval `lead_low` to `lead_high`, if any; three decimals.

    Empty where the lead is missing, as for a score that is compared with no other.
    """
    ends = ""
    if not pd.isna(row["lead_low"]):
        ends = f"{fixed(row['lead_low'], 3)} to {fixed(row['lead_high'], 3)}"
    return with_interval(fixed(row["lead"], 3), ends)
