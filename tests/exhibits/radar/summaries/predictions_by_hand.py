"""Predictions of a few systems on prompts named by letters, and their comparison."""

import pandas as pd

from exhibits.radar.summaries.comparison import compare_controls

Pairs = dict[str, str] | None


def predictions(
    system: str, right: str, order: str, pairs: Pairs = None, protocol: str = "trained"
) -> pd.DataFrame:
    """A system's predictions of recall prompts that are named by single letters.

    Args:
        system: The system's name, such as radar.
        right: The prompts about which the system is right: "ab" are a and b.
        order: All prompts, in the order of the rows.
        pairs: The pair of each prompt; without it each prompt is alone.
        protocol: trained or cross_validated.
    """
    rows = []
    for name in order:
        group = name if pairs is None else pairs[name]
        predicted = "recall" if name in right else "reasoning"
        rows.append({"id": name, "group": group, "predicted": predicted})
    reduction = "sum" if system == "radar" else ""
    return pd.DataFrame(rows).assign(
        label="recall", protocol=protocol, system=system, reduction=reduction, tie=False
    )


def by_seed(system: str, right: list[str], order: str, protocol: str = "trained") -> pd.DataFrame:
    """Whether a system is right about each prompt of `order` under each seed; `right` are the right prompts by seed."""
    rows = []
    for draw, right_prompts in enumerate(right):
        for name in order:
            rows.append({"draw": draw, "id": name, "right": int(name in right_prompts)})
    return pd.DataFrame(rows).assign(protocol=protocol, system=system, reduction="sum")


# Accuracies under permuted labels, of which there are none.
NO_NULL = pd.DataFrame({"radar": [], "prompt_length": [], "bag_of_words": []})


def compared(
    rows: list[pd.DataFrame], seeds: list[pd.DataFrame], null: pd.DataFrame = NO_NULL
) -> pd.DataFrame:
    """The comparison of these predictions, by system."""
    options = {"reduction": "sum", "resamples": 200, "seed": 3, "confidence_level": 0.95}
    return compare_controls(pd.concat(rows), pd.concat(seeds), null, **options).set_index("system")
