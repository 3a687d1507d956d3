"""Whether the planted items were memorised, and how many of them RADAR calls recall, by
kind, form and dose.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

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
FORMS = {
    "verbatim": "verbatim",
    "paraphrase": "paraphrased",
    "answer_only": "answer only",
    "contradicted": "contradicted",
}


def fill(*, planted: pd.DataFrame) -> Table:
    """One row per kind, form and dose, and one for the canaries,
    whose answer is their recited second half.
    """
    shown = pd.DataFrame(
        {
            "Kind": planted["kind"],
            "Form, times seen": planted["form"].map(FORMS) + ", " + planted["dose"].astype(str),
            "Memorised, nats": _change(planted, "memorised"),
            "Answer, nats": planted["memorised_answer"].map(signed),
            "Exposure, bits": _seen_and_unseen(planted, "exposure", partial(fixed, digits=1)),
            "Answered, %": _seen_and_unseen(planted, "answered", percent),
            "Called recall": list(
                map(_called, planted["called_seen"], planted["called_unseen"], planted["n"])
            ),
            "P(recall), change": _change(planted, "p_recall_change"),
            "p after Holm": planted["p_recall_holm"].map(p_value),
        }
    )
    return Table(planted, shown)


def _called(seen: Any, unseen: Any, n: int) -> str:
    """How many items RADAR calls recall under the seeing twin and under the other;
    empty for the canaries.
    """
    if pd.isna(seen):
        return ""
    return f"{seen} / {unseen} of {n}"


def _change(planted: pd.DataFrame, column: str) -> list[str]:
    """A difference between the twins with its interval, for each row."""
    intervals = map(signed_interval, planted[f"{column}_low"], planted[f"{column}_high"])
    return list(map(with_interval, planted[column].map(signed), intervals))


def _seen_and_unseen(
    planted: pd.DataFrame, quantity: str, write: Callable[[float], str]
) -> list[str]:
    """A quantity under the seeing twin and under the other, for each row;
    missing ones are left out.
    """
    seen = planted[f"{quantity}_seen"].map(write)
    unseen = planted[f"{quantity}_unseen"].map(write)
    cells = []
    for both in zip(seen, unseen, strict=True):
        known = [text for text in both if text]
        cells.append(" / ".join(known))
    return cells
