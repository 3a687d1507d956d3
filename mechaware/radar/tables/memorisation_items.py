"""Whether the planted items were memorised, by kind, form and dose."""

from typing import Annotated

import pandas as pd

from mechaware.radar.schemas import MEMORISED_ITEMS
from mechaware.radar.study.detector_names import FORMS
from mechaware.radar.tables.cells import interval_or_nothing
from mechaware.report.tables import Table, fixed, percent, signed

READS = {"planted": "results/radar/memorisation/items.csv"}


def fill(*, planted: Annotated[pd.DataFrame, MEMORISED_ITEMS]) -> Table:
    """One row per kind, form and dose, and one for the canaries, whose answer is their recited second half."""
    shown = pd.DataFrame(
        {
            "Kind": planted["kind"],
            "Form": planted["form"].map(FORMS),
            "Dose": planted["dose"].astype(str),
            "n": planted["n"].astype(str),
            "Memorised": planted["memorised"].map(signed),
            "Interval": list(map(interval_or_nothing, planted["low"], planted["high"])),
            "Answer": planted["memorised_answer"].map(signed),
            "Exposure, seen": planted["exposure_seen"].map(_bits),
            "unseen": planted["exposure_unseen"].map(_bits),
            "Answered, seen": planted["answered_seen"].map(percent),
            "not seen": planted["answered_unseen"].map(percent),
            "by C": planted["answered_base"].map(percent),
        }
    )
    return Table(planted, shown)


def _bits(exposure: float) -> str:
    return "" if pd.isna(exposure) else fixed(exposure, 1)
