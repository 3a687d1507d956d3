"""A score of every prompt against the prompt's length."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import spearmanr

from exhibits.radar.figures.radar_scores import prompt_panels, scatter_by_label
from exhibits.report.tables import fixed
from mechaware.instruments.radar.names import display_name

READS = {"scores": "results/radar/{model}/scores/{evaluated}.parquet"}
SETTINGS = {
    "score": {
        "default": "recall_detection_score",
        "description": "The score drawn against prompt length.",
        "enum": [
            "recall_detection_score",
            "reasoning_complexity_index",
            "mechanistic_score",
            "circuit_complexity_score",
        ],
    },
    "width": {"default": 1.65, "$ref": "#/$defs/width"},
}


def draw(
    *, scores: pd.DataFrame, model_labels: Mapping[str, str], score: str, width: float
) -> Figure:
    """The score against the number of tokens, a panel per model and prompt set,
    with Spearman's rank correlation.
    """
    figure, panels = prompt_panels(scores, model_labels, width)
    for axes, part in panels:
        scatter_by_label(axes, part, "n_tokens", score, size=12)
        axes.set(ylim=(-0.03, 1.03))
        note = "length does not vary"
        if part["n_tokens"].nunique() > 1 and part[score].nunique() > 1:
            rho = spearmanr(part["n_tokens"], part[score]).statistic
            note = f"rank correlation {fixed(rho, 2)}"
        axes.set_title(f"{axes.get_title()}\n{note}")
    figure.supxlabel("prompt length (tokens)", fontsize=8)
    figure.supylabel(display_name(score), fontsize=8)
    return figure
