"""Where the schema word's information is: the gap that denoising recovers,
by position and layer.
"""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from exhibits.grounding.figures.style import LABELS
from exhibits.report.charts import draw_heat_map
from mechaware.instruments.grounding.names import condition_of
from mechaware.planted.sql.runs import group_of, run_label

READS = {"residual_map": "results/grounding/residual_map.parquet"}
SETTINGS = {
    "width": {"default": 7.0, "$ref": "#/$defs/width"},
    "control": {
        "description": "The control that is shown next to the models.",
        "default": "grounded_2",
        "type": "string",
    },
}

# A panel with more layers than this has no room for numbers in its cells.
MAX_NUMBERED = 8


def draw(*, residual_map: pd.DataFrame, control: str, width: float) -> Figure:
    """A panel per model: positions by layer, 100 where the clean state there brings back the whole
    gap.

    A cell is the gap, in percent, that the clean state recovers when it is patched at this position
    after this layer. It is a median over pairs; for the condition `schema` it is the mean of the
    medians of its seeds. The other panels are the control `control`, and each pretrained model
    without worked examples (`zero-shot`).
    """
    panels = _panels(residual_map, control)
    figure, grid = plt.subplots(
        1, len(panels), figsize=(width, 0.28 * width), sharey=True, squeeze=False
    )
    for axes, (title, percents) in zip(grid[0], panels.items(), strict=True):
        n_layers = percents.shape[1]
        is_numbered = n_layers <= MAX_NUMBERED
        # Every layer has a tick, or three layers do.
        step = 1 if is_numbered else (n_layers - 1) // 2
        # Adding 0.0 turns -0.0, which would be written as "-0", into 0.0.
        rounded = percents.round() + 0.0
        draw_heat_map(
            axes, rounded, annot=is_numbered, fmt=".0f", xticklabels=step, yticklabels=True
        )
        axes.set_title(title)
        axes.tick_params(rotation=0)
    figure.supxlabel("patched after block (0: the embedding)", fontsize=8)
    figure.colorbar(
        grid[0][0].collections[0],
        ax=list(grid[0]),
        label="gap recovered (%)",
        fraction=0.03,
        pad=0.01,
    )
    return figure


def _panels(residual_map: pd.DataFrame, control: str) -> dict[str, pd.DataFrame]:
    """By title, the percents of a panel: positions in their order x layers.

    `residual_map` has a row per run, position and layer: the median over pairs of the share
    `recovered`. A cell is the mean over the runs of its panel, without runs in which no pair has a
    gap; it is missing if all are such runs.
    """
    # The title of each run's panel. The seeds of the condition `schema` share one.
    chosen = {}
    for run in residual_map["run"].unique():
        if condition_of(run) == "schema":
            chosen[run] = LABELS["schema"]
        elif run == control or (group_of(run) == "pretrained" and run.endswith(".zero-shot")):
            chosen[run] = run_label(run).replace(", ", ",\n")
    named = residual_map.assign(panel=residual_map["run"].map(chosen)).dropna(subset="panel")
    positions = list(residual_map["position"].unique())
    panels = {}
    for title, part in named.groupby("panel", sort=False):
        shares = part.pivot_table(
            index="position", columns="layer", values="recovered", aggfunc="mean", dropna=False
        )
        panels[str(title)] = 100 * shares.loc[positions]
    return panels
