"""Mean RDS, RCI and two more scores by class, as reported and ours."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import REPORTED_SCORES
from exhibits.report.tables import Table
from mechaware.instruments.radar.names import display_name

READS = {
    "means": "results/radar/{model}/score_means.parquet",
    "reported": "config/reported/radar_scores.csv",
}


def fill(
    *,
    means: pd.DataFrame,
    reported: Annotated[pd.DataFrame, REPORTED_SCORES],
    model_labels: Mapping[str, str],
) -> Table:
    """One row per model, prompt set, score and class.

    The class is the prompts' `label`, recall or reasoning. `means` has our means with bootstrap
    intervals, `reported` has the paper's means. The paper prints no formulas of its scores: ours
    are in `feature_extraction.scores`. A printed mean is shown beside ours only where the prompt
    set is of the paper's kind.
    """
    printed = reported.rename(columns={"mean": "reported"}).assign(papers_kind=True)
    table = means.merge(printed, on=["score", "label", "papers_kind"], how="left")
    shown = pd.DataFrame(
        {
            "Model": table["model"].map(model_labels),
            "Prompts": table["prompt_set"],
            "Score": table["score"].map(display_name),
            "Tasks": table["label"],
            "Reported": table["reported"].map(_score),
            "Ours": table["mean"].map(_score),
            "Bootstrap": table["low"].map(_score) + " to " + table["high"].map(_score),
            "n": table["n"].astype(str),
        }
    )
    return Table(table, shown)


def _score(value: float) -> str:
    """A score with three decimals; empty for a score that the paper does not print."""
    return "" if pd.isna(value) else f"{value:.3f}"
