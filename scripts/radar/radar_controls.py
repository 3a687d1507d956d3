"""RADAR beside what it has to beat, on the same splits."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csvs, write_csv
from mechaware.radar.names import PROTOCOLS, system_label
from mechaware.report.tables import bootstrap_interval, p_value, percent, percent_interval, points, write_shown
from scripts.command import run


def main(*, comparison: list[Path], model_labels: dict[str, str], out: Path, tex: Path) -> None:
    """Put the comparisons of all models and prompt sets into one table."""
    table = read_csvs(comparison)
    write_csv(table, out)
    seeds = [
        f"{percent(mean)} ({percent(low)} to {percent(high)})" if count else ""
        for count, mean, low, high in zip(
            table["seeds"], table["seed_mean"], table["seed_min"], table["seed_max"], strict=True
        )
    ]
    shown = pd.DataFrame(
        {
            "Model": table["model"].map(model_labels),
            "Prompts": table["prompt_set"],
            "Protocol": table["protocol"].map(PROTOCOLS),
            "System": list(map(system_label, table["system"], table["reduction"])),
            "Ours": table["accuracy"].map(percent),
            "n": table["n"].astype(str),
            "Interval": list(map(percent_interval, table["exact_low"], table["exact_high"])),
            "Bootstrap": list(map(bootstrap_interval, table["bootstrap_low"], table["bootstrap_high"])),
            "Seeds": seeds,
            "RADAR ahead by": list(map(points, table["radar_lead"], table["radar_lead_low"], table["radar_lead_high"])),
            "p": table["p_against_radar"].map(p_value),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
