"""Predictions of a few systems, and how they compare."""

import pandas as pd

from exhibits.radar.summaries.comparison import compare_controls

Pairs = dict[str, str] | None


def predictions(
    system: str, right: str, order: str, pairs: Pairs = None, protocol: str = "trained"
) -> pd.DataFrame:
    """Recall prompts named by single letters, of which a system has some right; each alone or in `pairs`."""
    return pd.DataFrame(
        {
            "id": list(order),
            "group": [pairs[name] if pairs else name for name in order],
            "label": "recall",
            "predicted": ["recall" if name in right else "reasoning" for name in order],
            "protocol": protocol,
            "system": system,
            "reduction": "sum" if system == "radar" else "",
            "tie": False,
        }
    )


def by_seed(system: str, right: list[str], order: str, protocol: str = "trained") -> pd.DataFrame:
    """The prompts that a system has right under each seed."""
    rows = [
        {
            "protocol": protocol,
            "system": system,
            "draw": draw,
            "id": name,
            "right": int(name in letters),
        }
        for draw, letters in enumerate(right)
        for name in order
    ]
    return pd.DataFrame(rows).assign(reduction="sum")


NO_NULL = pd.DataFrame({"radar": [], "prompt_length": [], "bag_of_words": []})


def compared(
    rows: list[pd.DataFrame], seeds: list[pd.DataFrame], null: pd.DataFrame = NO_NULL
) -> pd.DataFrame:
    options = {"reduction": "sum", "resamples": 200, "seed": 3, "confidence_level": 0.95}
    return compare_controls(pd.concat(rows), pd.concat(seeds), null, **options).set_index("system")
