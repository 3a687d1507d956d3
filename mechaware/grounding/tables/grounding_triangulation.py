"""The agreement of noising and ablation with denoising, the symbolic-mechanistic paper's intervention, pair by pair."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.names import MODE_LABELS, run_label
from mechaware.grounding.schemas import TRIANGULATION
from mechaware.report.tables import Table, merge_alike

READS = {"triangulation": "results/grounding/triangulation.csv"}


def fill(*, triangulation: Annotated[pd.DataFrame, TRIANGULATION]) -> Table:
    """Numbers of pairs and the layer that is best for most of them; runs and interventions that agree share a row."""
    in_top = [
        f"{count} of {passing}" for count, passing in zip(triangulation["in_top"], triangulation["both"], strict=True)
    ]
    shown = pd.DataFrame(
        {
            "Model": triangulation["run"].map(run_label),
            "Intervention": triangulation["mode"].map(MODE_LABELS),
            "R2 passes": triangulation["r2"].astype(str),
            "R3 passes": triangulation["r3"].astype(str),
            "Best layer": ["" if pd.isna(layer) else f"{layer:.0f}" for layer in triangulation["most_common"]],
            "Same R2": triangulation["same_r2"].astype(str),
            "Same R3": triangulation["same_r3"].astype(str),
            "Layer agrees": in_top,
            "n": triangulation["n"].astype(str),
        }
    )
    return Table(triangulation, merge_alike(shown, ["Model", "Intervention"]))
