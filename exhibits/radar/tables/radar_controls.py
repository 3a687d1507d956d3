"""RADAR beside what it has to beat, on the same splits."""

from collections.abc import Mapping

import pandas as pd

from exhibits.report.tables import Table, p_value, percent, percent_interval, points, with_interval
from mechaware.instruments.radar.names import PROTOCOLS, SYSTEMS

READS = {"comparison": "results/radar/{model}/comparison.parquet"}


def fill(*, comparison: pd.DataFrame, model_labels: Mapping[str, str]) -> Table:
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
    leads = map(
        points,
        comparison["radar_lead"],
        comparison["radar_lead_low"],
        comparison["radar_lead_high"],
    )
    intervals = map(percent_interval, comparison["bootstrap_low"], comparison["bootstrap_high"])
    shown = pd.DataFrame(
        {
            "Model": comparison["model"].map(model_labels),
            "Prompts": comparison["prompt_set"],
            "Fitted": comparison["protocol"].map(PROTOCOLS),
            "System": [
                f"{SYSTEMS[system]} ({reduction})" if reduction else SYSTEMS[system]
                for system, reduction in zip(
                    comparison["system"], comparison["reduction"], strict=True
                )
            ],
            "Accuracy, %": list(map(with_interval, comparison["accuracy"].map(percent), intervals)),
            "Mean of seeds, %": seeds,
            "p, guessing": comparison["p_above_guessing"].map(p_value),
            "RADAR ahead by, points": list(leads),
            "p, RADAR": comparison["p_against_radar"].map(p_value),
        }
    )
    return Table(comparison, shown)
