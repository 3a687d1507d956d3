"""Predictions of RADAR and its controls on prompts named by single letters, and their comparison.

The label of every prompt is recall, so a system is right about a prompt if it predicts recall.
"""

import pandas as pd

from exhibits.radar.summaries.comparison import compare_controls

Pairs = dict[str, str] | None


def predictions(
    system: str, right: str, order: str, pairs: Pairs = None, protocol: str = "trained"
) -> pd.DataFrame:
    """A system's predictions, a row per prompt.

    Args:
        system: The system's name, such as radar.
        right: The prompts about which the system is right, such as "ab" for a and b.
        order: All prompts, in the order of the rows.
        pairs: The matched pair of each prompt (the column `group`); None if no prompts are paired.
        protocol: trained or cross_validated.
    """
    rows = []
    for name in order:
        group = name if pairs is None else pairs[name]
        predicted = "recall" if name in right else "reasoning"
        rows.append({"id": name, "group": group, "predicted": predicted})
    # How RADAR reduces attention maps; empty for the other systems here, which read none.
    reduction = "sum" if system == "radar" else ""
    return pd.DataFrame(rows).assign(
        label="recall", protocol=protocol, system=system, reduction=reduction, tie=False
    )


def by_seed(system: str, right: list[str], order: str, protocol: str = "trained") -> pd.DataFrame:
    """Whether a system is right about each prompt under each seed: a row per seed and prompt.

    `right` has an entry for each seed: the prompts about which the system is then right. The column
    `draw` is the seed's number. `reduction` is "sum" for every system: it is the reduction of the
    RADAR ensemble that had the same folds.
    """
    rows = []
    for draw, right_prompts in enumerate(right):
        for name in order:
            rows.append({"draw": draw, "id": name, "right": int(name in right_prompts)})
    return pd.DataFrame(rows).assign(protocol=protocol, system=system, reduction="sum")


# The table of each system's accuracies under permuted labels, without rows.
NO_NULL = pd.DataFrame({"radar": [], "prompt_length": [], "bag_of_words": []})


def compared(
    rows: list[pd.DataFrame], seeds: list[pd.DataFrame], null: pd.DataFrame = NO_NULL
) -> pd.DataFrame:
    """The table of `compare_controls`, indexed by system.

    `rows` holds a table of `predictions` for each system, `seeds` tables of `by_seed`, and `null`
    each system's accuracies under permuted labels.
    """
    table = compare_controls(
        pd.concat(rows),
        pd.concat(seeds),
        null,
        reduction="sum",
        resamples=200,
        seed=3,
        confidence_level=0.95,
    )
    return table.set_index("system")
