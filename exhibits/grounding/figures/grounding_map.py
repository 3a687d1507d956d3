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

MAX_NUMBERED = 8  # layers that have room for numbers in their cells


def draw(*, residual_map: pd.DataFrame, control: str, width: float) -> Figure:
    """A panel per model: positions by layer, 100 where the clean state there brings back the whole
    gap.

    A cell is the median over pairs, and the mean over the seeds of the condition `schema`.
    Pretrained models are shown without worked examples.
    """
    panels = _panels(residual_map, control)
    figure, grid = plt.subplots(
        1, len(panels), figsize=(width, 0.28 * width), sharey=True, squeeze=False
    )
    for axes, (title, percents) in zip(grid[0], panels.items(), strict=True):
        few = percents.shape[1] <= MAX_NUMBERED
        step = 1 if few else (percents.shape[1] - 1) // 2
        draw_heat_map(
            axes, percents.round() + 0.0, annot=few, fmt=".0f", xticklabels=step, yticklabels=True
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
    """Percents by position and layer of each panel; missing where no pair of a run has a gap."""
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
        medians = part.pivot_table(
            index="position", columns="layer", values="recovered", dropna=False
        )
        panels[str(title)] = 100 * medians.loc[positions]
    return panels
