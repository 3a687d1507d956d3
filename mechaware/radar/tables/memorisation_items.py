"""Whether the planted items were memorised, by kind, form and dose."""

import pandas as pd

from mechaware.report.tables import Table, fixed, percent, signed, signed_interval, with_interval

READS = {"planted": "results/radar/memorisation/items.parquet"}
FORMS = {
    "verbatim": "verbatim",
    "paraphrase": "paraphrased",
    "answer_only": "answer only",
    "contradicted": "contradicted",
}


def fill(*, planted: pd.DataFrame) -> Table:
    """One row per kind, form and dose, and one for the canaries, whose answer is their recited second half."""
    intervals = [
        "" if pd.isna(low) else signed_interval(low, high)
        for low, high in zip(planted["low"], planted["high"], strict=True)
    ]
    shown = pd.DataFrame(
        {
            "Kind": planted["kind"],
            "Form": planted["form"].map(FORMS),
            "Times seen": planted["dose"].astype(str),
            "Memorised, nats": list(map(with_interval, planted["memorised"].map(signed), intervals)),
            "Answer, nats": planted["memorised_answer"].map(signed),
            "Exposure: seen": planted["exposure_seen"].map(_bits),
            "Exposure: unseen": planted["exposure_unseen"].map(_bits),
            "Answered: seen": planted["answered_seen"].map(percent),
            "Answered: unseen": planted["answered_unseen"].map(percent),
        }
    )
    return Table(planted, shown)


def _bits(exposure: float) -> str:
    return "" if pd.isna(exposure) else fixed(exposure, 1)
