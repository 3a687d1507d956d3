"""RADAR and what it has to beat, on the same splits."""

from collections.abc import Mapping

import pandas as pd

from exhibits.report.tables import Table, p_value, percent, percent_interval, points, with_interval
from mechaware.instruments.radar.names import PROTOCOLS, SYSTEMS

READS = {"comparison": "results/radar/{model}/comparison.parquet"}


def fill(*, comparison: pd.DataFrame, model_labels: Mapping[str, str]) -> Table:
    """One row per model, prompt set, protocol, system and reduction.

    A row has the accuracy with its bootstrap interval, the mean accuracy over seeds with its range,
    the p-values against guessing and against RADAR, and RADAR's lead with its interval.
    """
    of_seeds = map(
        _range_over_seeds,
        comparison["seeds"],
        comparison["seed_mean"],
        comparison["seed_min"],
        comparison["seed_max"],
    )
    leads = map(
        points,
        comparison["radar_lead"],
        comparison["radar_lead_low"],
        comparison["radar_lead_high"],
    )
    intervals = map(percent_interval, comparison["bootstrap_low"], comparison["bootstrap_high"])
    systems = map(_system, comparison["system"], comparison["reduction"])
    shown = pd.DataFrame(
        {
            "Model": comparison["model"].map(model_labels),
            "Prompts": comparison["prompt_set"],
            "Fitted": comparison["protocol"].map(PROTOCOLS),
            "System": list(systems),
            "Accuracy, %": list(map(with_interval, comparison["accuracy"].map(percent), intervals)),
            "Mean of seeds, %": list(of_seeds),
            "p, guessing": comparison["p_above_guessing"].map(p_value),
            "RADAR ahead by, points": list(leads),
            "p, RADAR": comparison["p_against_radar"].map(p_value),
        }
    )
    return Table(comparison, shown)


def _range_over_seeds(n_seeds: int, mean: float, low: float, high: float) -> str:
    """The mean accuracy over seeds with its range; empty for a system that was fitted once."""
    if not n_seeds:
        return ""
    return f"{percent(mean)} ({percent(low)} to {percent(high)})"


def _system(system: str, reduction: str) -> str:
    """A system's label, with the reduction of attention entropies if the system reads attention."""
    if not reduction:
        return SYSTEMS[system]
    return f"{SYSTEMS[system]} ({reduction})"
