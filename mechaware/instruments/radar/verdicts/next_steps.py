"""What follows from a verdict for single items: a decision on each item, and a clean subset.

The clean subset leaves out the items that were likeliest seen.
"""

from collections.abc import Collection, Sequence
from math import ceil

import pandas as pd

from mechaware.instruments.radar.benchmark import CORRECT, Benchmark
from mechaware.instruments.radar.verdicts.conformal import ItemTest
from mechaware.instruments.radar.verdicts.decision import Status
from mechaware.instruments.radar.verdicts.share import SeenShare

_ITEM_COLUMNS = ["id", "score", "p", "p_adjusted", "decision"]


def likeliest_seen(items: Sequence[ItemTest], share: SeenShare) -> list[str]:
    """The ids of the items that the clean subset leaves out.

    `items` are sorted, the likeliest seen first. The number left out is the upper end of the
    interval of the seen share, times the number of items, rounded up.
    """
    # Without the subtraction rounding could add an item: 0.07 * 100 is 7.000000000000001 in floats.
    n_left_out = ceil(share.high * len(items) - 1e-9)
    return [item.id for item in items[:n_left_out]]


def item_decisions(items: Sequence[ItemTest], status: Status, significance: float) -> pd.DataFrame:
    """A row per item, the likeliest seen first, as in `items`: id, score, p, p_adjusted, decision.

    The decision is *seen* if the item's p-value, adjusted by Benjamini and Hochberg's procedure, is
    at most `significance`, and else *not shown*. Of the items decided *seen*, on average a share of
    at most `significance` was not seen (the false discovery rate). Under a confounded verdict
    nothing is known of an item, and every decision is *cannot tell*.
    """
    rows = []
    for item in items:
        if status == "confounded":
            decision = "cannot tell"
        elif item.p_adjusted <= significance:
            decision = "seen"
        else:
            decision = "not shown"
        rows.append((item.id, item.score, item.p, item.p_adjusted, decision))
    return pd.DataFrame(rows, columns=_ITEM_COLUMNS)


def clean_items(
    benchmark: Benchmark, measured: Collection[str], left_out: Collection[str]
) -> pd.DataFrame:
    """The clean subset: the `measured` items that are not `left_out`, in the benchmark's order.

    It can be read again as a benchmark. The columns are id, question and answer, and correct where
    it is known; choices are in the question. If no item is left out, there is no row: no part of
    such a benchmark was shown to be cleaner than the whole.
    """
    no_rows = pd.DataFrame(columns=["id", "question", "answer"])
    if not left_out:
        return no_rows

    rows = []
    for item in benchmark.items:
        if item.id in measured and item.id not in left_out:
            row: dict[str, object] = {
                "id": item.id,
                "question": item.line.question,
                "answer": item.line.answer,
            }
            if item.correct is not None:
                row[CORRECT] = item.correct
            rows.append(row)
    return pd.DataFrame(rows) if rows else no_rows
