"""RADAR beside what it has to beat, on the same splits."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from mechaware.radar.names import PROTOCOLS, system_label
from mechaware.radar.schemas import COMPARISON
from mechaware.report.tables import Table, bootstrap_interval, p_value, percent, percent_interval, points

READS = {"comparison": "results/radar/{model}/comparison/{evaluated}.csv"}


def fill(*, comparison: Annotated[pd.DataFrame, COMPARISON], model_labels: Mapping[str, str]) -> Table:
    """One row per model, prompt set, protocol and system: accuracy, its intervals, seeds, tests, RADAR's lead."""
    seeds = [
        f"{percent(mean)} ({percent(low)} to {percent(high)})" if count else ""
        for count, mean, low, high in zip(
            comparison["seeds"],
            comparison["seed_mean"],
            comparison["seed_min"],
            comparison["seed_max"],
            strict=True,
        )
    ]
    leads = map(points, comparison["radar_lead"], comparison["radar_lead_low"], comparison["radar_lead_high"])
    shown = pd.DataFrame(
        {
            "Model": comparison["model"].map(model_labels),
            "Prompts": comparison["prompt_set"],
            "Protocol": comparison["protocol"].map(PROTOCOLS),
            "System": list(map(system_label, comparison["system"], comparison["reduction"])),
            "Ours": comparison["accuracy"].map(percent),
            "n": comparison["n"].astype(str),
            "Interval": list(map(percent_interval, comparison["exact_low"], comparison["exact_high"])),
            "Bootstrap": list(map(bootstrap_interval, comparison["bootstrap_low"], comparison["bootstrap_high"])),
            "Seeds": seeds,
            "p, guessing": comparison["p_above_guessing"].map(p_value),
            "p of mean": comparison["p_of_mean"].map(p_value),
            "RADAR ahead by": list(leads),
            "p, RADAR": comparison["p_against_radar"].map(p_value),
        }
    )
    return Table(comparison, shown)
