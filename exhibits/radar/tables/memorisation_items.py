"""Whether the planted items were memorised, and how many of them RADAR calls recall, by
kind, form and dose.
"""

from collections.abc import Callable
from functools import partial

import pandas as pd

from exhibits.report.tables import (
    Table,
    fixed,
    p_value,
    percent,
    signed,
    signed_interval,
    with_interval,
)

READS = {"planted": "results/radar/memorisation/items.parquet"}
FORM_LABELS = {
    "verbatim": "verbatim",
    "paraphrase": "paraphrased",
    "answer_only": "answer only",
    "contradicted": "contradicted",
}


def fill(*, planted: pd.DataFrame) -> Table:
    """One row per kind, form and dose, and one for the canaries, as in `planted` (`items_table`).

    Two twins are trained from one clean base, and each item is in the texts of only one of them,
    its seeing twin; the dose is how often that twin reads it. In cells with two numbers the first
    is under the seeing twin, and the second under the other. A canary is a line of names; it is
    answered if its second half is recited from its first.
    """
    forms = planted["form"].map(FORM_LABELS)
    doses = planted["dose"].astype(str)
    shown = pd.DataFrame(
        {
            "Kind": planted["kind"],
            "Form, times seen": forms + ", " + doses,
            "Memorised, nats": _change(planted, "memorised"),
            "Answer, nats": planted["memorised_answer"].map(signed),
            "Exposure, bits": _seen_and_unseen(planted, "exposure", partial(fixed, digits=1)),
            "Answered, %": _seen_and_unseen(planted, "answered", percent),
            "Called recall": _called_recall(planted),
            "P(recall), change": _change(planted, "p_recall_change"),
            "p after Holm": planted["p_recall_holm"].map(p_value),
        }
    )
    return Table(planted, shown)


def _called_recall(planted: pd.DataFrame) -> list[str]:
    """How many of a row's n items RADAR calls recall under the seeing twin and under the other,
    "5 / 3 of 8", for each row; empty for the canaries.
    """
    cells = []
    for row in planted.to_dict("records"):
        if pd.isna(row["called_seen"]):
            cells.append("")
        else:
            cells.append(f"{row['called_seen']} / {row['called_unseen']} of {row['n']}")
    return cells


def _change(planted: pd.DataFrame, column: str) -> list[str]:
    """A quantity under the seeing twin minus under the other, with its interval, for each row."""
    intervals = map(signed_interval, planted[f"{column}_low"], planted[f"{column}_high"])
    return list(map(with_interval, planted[column].map(signed), intervals))


def _seen_and_unseen(
    planted: pd.DataFrame, quantity: str, write: Callable[[float], str]
) -> list[str]:
    """A quantity under the seeing twin and under the other, "3.1 / 1.0", for each row.

    Missing numbers are left out, such as the canaries' exposure.
    """
    seen = planted[f"{quantity}_seen"].map(write)
    unseen = planted[f"{quantity}_unseen"].map(write)
    cells = []
    for both in zip(seen, unseen, strict=True):
        cells.append(" / ".join(text for text in both if text))
    return cells
