"""RADAR's causal proxies beside the measured causal quantities, as they were measured once, outside the run."""

from typing import Annotated

import pandas as pd

from mechaware.radar.names import display_name
from mechaware.radar.schemas import PROXIES
from mechaware.report.tables import Table, fixed, signed, signed_interval, with_interval

READS = {"proxies": "docs/measured/memorisation_proxies.csv"}


def fill(*, proxies: Annotated[pd.DataFrame, PROXIES]) -> Table:
    """One row per proxy: its rank correlation with what it stands for, and how well either tells seen from unseen."""
    intervals = [
        "" if pd.isna(low) else signed_interval(low, high)
        for low, high in zip(proxies["low"], proxies["high"], strict=True)
    ]
    shown = pd.DataFrame(
        {
            "Feature": proxies["proxy"].map(display_name),
            "Rank correlation": list(map(with_interval, proxies["correlation"].map(signed), intervals)),
            "Recall items": proxies["correlation_recall"].map(signed),
            "Reasoning items": proxies["correlation_reasoning"].map(signed),
            "Within both": proxies["within"].map(signed),
            "n": proxies["n"].astype(str),
            "AUROC: proxy": proxies["auroc_proxy"].map(_area),
            "AUROC: measured": proxies["auroc_real"].map(_area),
        }
    )
    return Table(proxies, shown)


def _area(value: float) -> str:
    return "" if pd.isna(value) else fixed(value, 2)
