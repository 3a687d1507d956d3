"""Whether the planted items were memorised, and how many of them RADAR calls recall, by kind, form and dose."""

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
FORMS = {
    "verbatim": "verbatim",
    "paraphrase": "paraphrased",
    "answer_only": "answer only",
    "contradicted": "contradicted",
}


def fill(*, planted: pd.DataFrame) -> Table:
    """One row per kind, form and dose, and one for the canaries, whose answer is their recited second half."""
    shown = pd.DataFrame(
        {
            "Kind": planted["kind"],
            "Form, times seen": planted["form"].map(FORMS) + ", " + planted["dose"].astype(str),
            "Memorised, nats": _change(planted, "memorised"),
            "Answer, nats": planted["memorised_answer"].map(signed),
            "Exposure, bits": _seen_and_unseen(planted, "exposure", partial(fixed, digits=1)),
            "Answered, %": _seen_and_unseen(planted, "answered", percent),
            "Called recall": [
                "" if pd.isna(seen) else f"{seen} / {unseen} of {n}"
                for seen, unseen, n in planted[["called_seen", "called_unseen", "n"]].itertuples(
                    index=False
                )
            ],
            "P(recall), change": _change(planted, "p_recall_change"),
            "p after Holm": planted["p_recall_holm"].map(p_value),
        }
    )
    return Table(planted, shown)


def _change(planted: pd.DataFrame, column: str) -> list[str]:
    """A difference between the twins with its interval, for each row."""
    return [
        with_interval(signed(value), signed_interval(low, high))
        for value, low, high in planted[[column, f"{column}_low", f"{column}_high"]].itertuples(
            index=False
        )
    ]


def _seen_and_unseen(
    planted: pd.DataFrame, quantity: str, write: Callable[[float], str]
) -> list[str]:
    sides = planted[f"{quantity}_seen"], planted[f"{quantity}_unseen"]
    return [" / ".join(filter(None, map(write, pair))) for pair in zip(*sides, strict=True)]
