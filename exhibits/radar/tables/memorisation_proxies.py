"""RADAR's causal proxies and the causal quantities, as they were measured once, outside the run."""

from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import PROXIES
from exhibits.report.tables import Table, fixed, signed, signed_interval, with_interval
from mechaware.instruments.radar.names import display_name

READS = {"proxies": "docs/measured/memorisation_proxies.csv"}


def fill(*, proxies: Annotated[pd.DataFrame, PROXIES]) -> Table:
    """One row per proxy: its rank correlation with the causal quantity,
    and the AUROC of seen items by either.
    """
    intervals = map(signed_interval, proxies["low"], proxies["high"])
    shown = pd.DataFrame(
        {
            "Feature": proxies["proxy"].map(display_name),
            "Rank correlation": list(
                map(with_interval, proxies["correlation"].map(signed), intervals)
            ),
            "Recall items": proxies["correlation_recall"].map(signed),
            "Reasoning items": proxies["correlation_reasoning"].map(signed),
            "Within both": proxies["within"].map(signed),
            "n": proxies["n"].astype(str),
            "AUROC: proxy": [fixed(area, 2) for area in proxies["auroc_proxy"]],
            "AUROC: measured": [fixed(area, 2) for area in proxies["auroc_real"]],
        }
    )
    return Table(proxies, shown)
