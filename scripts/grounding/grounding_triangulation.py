"""Agreement of denoising, noising and ablation, pair by pair."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.grounding.names import MODE_LABELS, run_label
from mechaware.report.tables import write_shown
from scripts.command import run


def main(*, triangulation: Path, out: Path, tex: Path) -> None:
    """Write one row per run and intervention."""
    table = read_csv(triangulation)
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Model": table["run"].map(run_label),
            "Intervention": table["mode"].map(MODE_LABELS),
            "R2 passes": table["r2"].astype(str),
            "R3 passes": table["r3"].astype(str),
            "Most common layer": table["most_common"].map(lambda layer: "" if pd.isna(layer) else f"{layer:.0f}"),
            "Same R2 as denoising": table["same_r2"].astype(str),
            "Same R3": table["same_r3"].astype(str),
            "Denoising's layer among the TopLayers": [
                f"{hit} of {both}" for hit, both in zip(table["in_top"], table["both"], strict=True)
            ],
            "n": table["n"].astype(str),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
