"""What follows from a verdict for single items: a decision on each, and the benchmark without the likeliest seen."""

from collections.abc import Collection, Sequence
from math import ceil

import pandas as pd

from mechaware.instruments.radar.benchmark import CORRECT, Benchmark
from mechaware.instruments.radar.verdicts.decision import ItemTest, Status
from mechaware.instruments.radar.verdicts.share import SeenShare

_ITEM_COLUMNS = ["id", "score", "p", "p_adjusted", "decision"]


def likeliest_seen(items: Sequence[ItemTest], share: SeenShare) -> list[str]:
    """The ids of the items that a clean subset leaves out: as many of the likeliest as the upper end of the share."""
    # 0.07 * 100 is 7.000000000000001, whose ceiling is 8.
    n = ceil(share.high * len(items) - 1e-9)
    return [item.id for item in items[:n]]


def item_decisions(items: Sequence[ItemTest], status: Status, significance: float) -> pd.DataFrame:
    """A row per item, the likeliest seen first: id, score, p, p_adjusted and decision.

    An item is decided *seen* if its p-value, adjusted by Benjamini and Hochberg's procedure, is at
    most `significance`: of the items with this decision a share of at most `significance` was not
    seen, on average. Under a confounded verdict nothing is known of an item.
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
    """The items without those `left_out`, in the order of the benchmark, as a file of items that can be read again.

    The columns are id, question and answer, and correct where it is known; choices are in the
    question. Without an item to leave out there is no row: no part of such a benchmark was shown to
    be cleaner than the whole.
    """
    columns = ["id", "question", "answer"]
    if not left_out:
        return pd.DataFrame(columns=columns)

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
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)
