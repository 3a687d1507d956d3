"""RADAR's causal proxies beside the measured causal quantities."""

from typing import Annotated

import pandas as pd

from mechaware.radar.names import plain
from mechaware.radar.schemas import PROXIES
from mechaware.radar.tables.cells import interval_or_nothing
from mechaware.report.tables import Table, fixed, signed, with_interval

READS = {"proxies": "results/radar/memorisation/proxies.csv"}


def fill(*, proxies: Annotated[pd.DataFrame, PROXIES]) -> Table:
    """One row per proxy: its rank correlation with what it stands for, and how well either tells seen from unseen."""
    intervals = map(interval_or_nothing, proxies["low"], proxies["high"])
    shown = pd.DataFrame(
        {
            "Feature": proxies["proxy"].map(plain),
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
