"""Whether the model answers the prompts, and what RADAR says of those that it does not answer."""

from collections.abc import Mapping

import pandas as pd

from exhibits.report.tables import Table, percent, percent_interval, with_interval

READS = {"counts": "results/radar/{model}/answer_counts.parquet"}


def fill(*, counts: pd.DataFrame, model_labels: Mapping[str, str]) -> Table:
    """One row per model, prompt set and label: right answers,
    and RADAR's verdicts by whether the answer is right.
    """
    intervals = map(percent_interval, counts["low"], counts["high"])
    shown = pd.DataFrame(
        {
            "Model": counts["model"].map(model_labels),
            "Prompts": counts["prompt_set"],
            "Label": counts["label"],
            "With answer": counts["n"].astype(str),
            "Silent": counts["silent"].astype(str),
            "Right": counts["right"].astype(str),
            "Right, %": list(map(with_interval, counts["share"].map(percent), intervals)),
            "Recall if right": _counts_of_totals(counts["recall_if_right"], counts["right"]),
            "Recall if not": _counts_of_totals(counts["recall_if_not"], counts["wrong"]),
        }
    )
    # Text even without rows, where no set has accepted answers.
    return Table(counts, shown.astype(str))


def _counts_of_totals(counts: pd.Series, totals: pd.Series) -> list[str]:
    """A cell for each row, such as `1 of 2`."""
    return [f"{count} of {total}" for count, total in zip(counts, totals, strict=True)]
