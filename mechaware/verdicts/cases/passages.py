"""Committed cases of the verdict on a log with passages:
right answers at the boundaries of the decision.
"""

import pandas as pd

from mechaware.instruments.grounding.passages.decision import LABELS, decide
from mechaware.verdicts.procedure import digest

_CONFIDENCE_LEVEL = 0.95
# By case, the number of items right only with their own passage, only with another item's, with
# both, and with neither. Six of six give p = 0.03, five of five 0.06.
_CASES = (
    (6, 0, 0, 0),
    (5, 0, 9, 2),
    (0, 6, 3, 1),
    (12, 3, 20, 5),
    (11, 3, 20, 5),
    (0, 0, 0, 8),
    (0, 0, 8, 0),
)


def passages_decisions() -> str:
    """The digest of what is decided on the committed cases.

    Each case is decided with one item for each passage and with two.
    """
    outcomes = []
    for case in _CASES:
        for per_passage in (1, 2):
            decision = decide(answers_table(*case, per_passage=per_passage), _CONFIDENCE_LEVEL)
            tests = [[test.prompt, test.p, test.remaining] for test in decision.comparisons]
            outcomes.append([decision.status, tests])
    return digest(outcomes)


def answers_table(
    own: int, exchanged: int, both: int, neither: int, *, per_passage: int = 1
) -> pd.DataFrame:
    """Answers to items that are right or wrong as chosen, a row for each item and condition.

    Args:
        own: The number of items that are right only with their own passage.
        exchanged: The number of items that are right only with another item's passage.
        both: The number of items that are right with both passages; the first half of them are
            also right without a passage.
        neither: The number of items that are right with neither passage.
        per_passage: The number of neighbouring items that share a passage.
    """
    kinds = ["own"] * own + ["exchanged"] * exchanged + ["both"] * both + ["neither"] * neither
    rows = []
    for number, kind in enumerate(kinds):
        right = {
            "own": kind in ("own", "both"),
            "exchanged": kind in ("exchanged", "both"),
            "none": kind == "both" and number - own - exchanged < both / 2,
        }
        for condition in LABELS:
            rows.append(
                {
                    "id": f"i{number}",
                    "passage": number // per_passage + 1,
                    "condition": condition,
                    "answer": "yes" if right[condition] else "no",
                    "right": right[condition],
                }
            )
    return pd.DataFrame(rows).assign(logged=float("nan"))
