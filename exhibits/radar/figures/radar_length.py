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
_MARKER_SIZE = 12  # square points


def draw(
    *, scores: pd.DataFrame, model_labels: Mapping[str, str], score: str, width: float
) -> Figure:
    """The score against the number of tokens, a panel per model and prompt set,
    with Spearman's rank correlation.

    `score` names a column of `scores`, in the range 0 to 1. `width` is the width of a panel in
    inches (`prompt_panels`).
    """
    figure, panels = prompt_panels(scores, model_labels, width)
    for axes, part in panels:
        scatter_by_label(axes, part, "n_tokens", score, size=_MARKER_SIZE)
        # Room for whole markers at 0 and at 1.
        axes.set(ylim=(-0.03, 1.03))
        axes.set_title(f"{axes.get_title()}\n{_correlation_note(part, score)}")
    figure.supxlabel("prompt length (tokens)", fontsize=8)
    figure.supylabel(display_name(score), fontsize=8)
    return figure


def _correlation_note(part: pd.DataFrame, score: str) -> str:
    """The rank correlation of length and score in words, or why there is none."""
    if part["n_tokens"].nunique() <= 1:
        return "length does not vary"
    if part[score].nunique() <= 1:
        return "score does not vary"
    rho = spearmanr(part["n_tokens"], part[score]).statistic
    return f"rank correlation {fixed(rho, 2)}"
