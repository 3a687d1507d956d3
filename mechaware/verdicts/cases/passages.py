"""Committed cases of the verdict on a log with passages: counts of right answers around the
boundaries of the decision.
"""

from math import ceil

import pandas as pd

from mechaware.instruments.grounding.passages.decision import LABELS, decide
from mechaware.verdicts.procedure import digest

_CONFIDENCE_LEVEL = 0.95
# Each case: the number of items right only with their own passage, only with another item's, with
# both, and with neither. p is of the sign test with one item per passage.
_CASES = (
    # 6 to 0 has p = 2 / 2^6 = 0.03, and 5 to 0 has 0.06.
    (6, 0, 0, 0),
    (5, 0, 9, 2),
    # p = 0.03, but in favour of the other items' passages.
    (0, 6, 3, 1),
    # 12 to 3 has p = 0.04, and 11 to 3 has 0.06.
    (12, 3, 20, 5),
    (11, 3, 20, 5),
    # No item is right with its own passage.
    (0, 0, 0, 8),
    # No item differs between the passages.
    (0, 0, 8, 0),
)


def passages_decisions() -> str:
    """The digest of the decisions on the committed cases.

    Each case is decided twice: with one item per passage, and with two.
    """
    outcomes = []
    for own, exchanged, both, neither in _CASES:
        for per_passage in (1, 2):
            answers = answers_table(own, exchanged, both, neither, per_passage=per_passage)
            decision = decide(answers, _CONFIDENCE_LEVEL)
            tests = [[test.prompt, test.p, test.remaining] for test in decision.comparisons]
            outcomes.append([decision.status, tests])
    return digest(outcomes)


def answers_table(
    own: int, exchanged: int, both: int, neither: int, *, per_passage: int = 1
) -> pd.DataFrame:
    """A table of answers as `decide` reads it, with a row for each item and condition.

    Columns: id, passage, condition, answer (`yes` if right, else `no`), right, and logged, which is
    missing: no item has a mark in the log.

    Args:
        own: The number of items that are right only with their own passage.
        exchanged: The number of items that are right only with another item's passage.
        both: The number of items that are right with both passages; the first half of them, rounded
            up, are also right without a passage.
        neither: The number of items that are right with neither passage.
        per_passage: The number of neighbouring items that share a passage.
    """
    only_own = {"own": True, "exchanged": False, "none": False}
    only_exchanged = {"own": False, "exchanged": True, "none": False}
    always = {"own": True, "exchanged": True, "none": True}
    only_with_passage = {"own": True, "exchanged": True, "none": False}
    never = {"own": False, "exchanged": False, "none": False}

    n_always = ceil(both / 2)
    right_by_item = [only_own] * own
    right_by_item += [only_exchanged] * exchanged
    right_by_item += [always] * n_always
    right_by_item += [only_with_passage] * (both - n_always)
    right_by_item += [never] * neither

    rows = []
    for number, right in enumerate(right_by_item):
        for condition in LABELS:
            row = {
                "id": f"i{number}",
                "passage": number // per_passage + 1,
                "condition": condition,
                "answer": "yes" if right[condition] else "no",
                "right": right[condition],
                "logged": float("nan"),
            }
            rows.append(row)
    return pd.DataFrame(rows)
