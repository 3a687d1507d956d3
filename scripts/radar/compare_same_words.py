"""RADAR on pairs of the same words in another order: the table of docs/measured."""

import json
from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.kinds_held_out import Draws, held_out_rows
from exhibits.report.origin import origin_today
from mechaware.core.frames import write_csv
from mechaware.core.provenance import sidecar
from mechaware.instruments.radar.identity import pairs, with_text
from mechaware.instruments.radar.prompts import read_prompts
from scripts.command import Output

_COMMAND = "make matched"
_IN_CONTROLS = {"bootstrap_low": "low", "bootstrap_high": "high"}
_FIRST = ["slice", "protocol", "system", "label"]


def main(
    *,
    prompts: Path,
    features: Path,
    answers: Path,
    comparison: Path,
    performance: Path,
    answer_counts: Path,
    attention_entropy_reduction: str,
    folds: int,
    spread_seeds: int,
    permutations: int,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write the accuracies of the run and those with kinds held out, with date, machine and commit.

    The results must have been made at a commit; their records are next to them.
    """
    name = prompts.stem
    of_run = _rows_of_run(name, comparison, performance, answer_counts, attention_entropy_reduction)

    read = read_prompts(prompts)
    table = with_text(pd.read_parquet(features), read)
    right = pd.read_parquet(answers).set_index("id")["right"]
    answered = table["id"].map(right).groupby(pairs(table)).transform("all").to_numpy(bool)
    draws = Draws(folds, spread_seeds, bootstrap_resamples, confidence_level, seed)
    held_out = held_out_rows(table, read, answered, draws)

    # Where both have a system, the run's row has a test under permuted labels, and the other one RADAR's lead.
    keys = ["slice", "protocol", "system"]
    also_in_run = held_out.set_index(keys).index.isin(of_run.set_index(keys).index)
    rows = pd.concat([of_run, held_out[~also_in_run]], ignore_index=True)
    others = [column for column in rows if column not in _FIRST]
    rows = rows[[*_FIRST, *others]].assign(permutations=permutations)

    git = json.loads(sidecar(comparison).read_text(encoding="utf-8"))["git"]
    origin = origin_today(git, str(comparison), _COMMAND)
    write_csv(rows.assign(**origin._asdict()), out)


def _rows_of_run(
    name: str, comparison: Path, performance: Path, answer_counts: Path, reduction: str
) -> pd.DataFrame:
    """Every system's accuracy, RADAR's where the model answers both prompts, and how often the model answers."""
    controls = _rows_of(comparison, name)
    controls = controls[controls["reduction"].isin(["", reduction])]
    columns = [
        "protocol",
        "system",
        "accuracy",
        *_IN_CONTROLS,
        "n",
        "seeds",
        "seed_mean",
        "seed_min",
        "seed_max",
        "p_above_guessing",
        "p_of_mean",
        "radar_lead",
        "radar_lead_low",
        "radar_lead_high",
        "p_against_radar",
    ]
    systems = controls[columns].rename(columns=_IN_CONTROLS).assign(slice="overall")

    slices = _rows_of(performance, name)
    slices = slices[slices["slice"] == "answered_pairs"]
    slices = slices[["slice", "accuracy", *_IN_CONTROLS, "n"]].rename(columns=_IN_CONTROLS)

    counts = _rows_of(answer_counts, name).rename(columns={"share": "accuracy"})
    counts = counts[["label", "accuracy", "low", "high", "n"]]
    return pd.concat(
        [
            systems,
            slices.assign(protocol="trained", system="radar"),
            counts.assign(slice="answered", system="model"),
        ],
        ignore_index=True,
    )


def _rows_of(file: Path, prompt_set: str) -> pd.DataFrame:
    table = pd.read_parquet(file)
    return table[table["prompt_set"] == prompt_set]
