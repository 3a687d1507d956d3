"""RADAR's accuracy on prompt pairs that hold the same words in another order.

`make matched` copies the table of 400 pairs to docs/measured/radar_matched_800.csv.
"""

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
# The ends of an interval: their names in the workflow's tables, and in this one.
_INTERVAL_NAMES = {"bootstrap_low": "low", "bootstrap_high": "high"}
_SYSTEM_COLUMNS = [
    "protocol",
    "system",
    "accuracy",
    *_INTERVAL_NAMES,
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
_LEADING_COLUMNS = ["slice", "protocol", "system", "label"]


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
    """Write the workflow's accuracies, then those of `held_out_rows`, as one table.

    The latter are of systems fitted with whole kinds of prompts held out, or whole pairs; the kind
    is a prompt's `source`. Each row has the date, the machine and the commit. The commit is taken
    from the record next to `comparison`, which must have been made at one.

    Args:
        prompts: The CSV of a prompt set; its name without suffix is the name of the set.
        features: RADAR's features of its prompts.
        answers: Whether the model answers each prompt rightly.
        comparison: The accuracies of RADAR and simpler systems (`summarise_controls`).
        performance: RADAR's accuracies by slice (`summarise_predictions`).
        answer_counts: How often the model answers rightly (`summarise_predictions`).
        attention_entropy_reduction: The reduction whose rows of `comparison` are taken.
        folds: The folds of a cross-validation.
        spread_seeds: The number of fits with a seed each.
        permutations: The number of permutations of labels in the workflow's tests; a column.
        confidence_level: Of the intervals, such as 0.95.
        bootstrap_resamples: The resamples of an interval.
        seed: The seed of the fits and draws of `held_out_rows`.
        out: The CSV to write.
    """
    prompt_set = prompts.stem
    systems = _system_rows(_rows_of_set(comparison, prompt_set), attention_entropy_reduction)
    on_answered_pairs = _answered_pair_rows(_rows_of_set(performance, prompt_set))
    answer_rates = _answer_rate_rows(_rows_of_set(answer_counts, prompt_set))
    workflow_rows = pd.concat([systems, on_answered_pairs, answer_rates], ignore_index=True)

    prompt_records = read_prompts(prompts)
    table = with_text(pd.read_parquet(features), prompt_records)
    is_right = pd.read_parquet(answers).set_index("id")["right"]
    right_by_row = table["id"].map(is_right)
    both_right = right_by_row.groupby(pairs(table)).transform("all").to_numpy(bool)
    draws = Draws(
        folds=folds,
        seeds=spread_seeds,
        resamples=bootstrap_resamples,
        confidence_level=confidence_level,
        seed=seed,
    )
    held_out = held_out_rows(table, prompt_records, both_right, draws)

    # If both have a row, the workflow's is kept, whose p-values, if any, are of permuted labels.
    keys = ["slice", "protocol", "system"]
    workflow_keys = workflow_rows.set_index(keys).index
    in_workflow = held_out.set_index(keys).index.isin(workflow_keys)
    rows = pd.concat([workflow_rows, held_out[~in_workflow]], ignore_index=True)
    other_columns = [column for column in rows if column not in _LEADING_COLUMNS]
    rows = rows[[*_LEADING_COLUMNS, *other_columns]].assign(permutations=permutations)

    git = json.loads(sidecar(comparison).read_text(encoding="utf-8"))["git"]
    origin = origin_today(git, str(comparison), _COMMAND)
    write_csv(rows.assign(**origin._asdict()), out)


def _system_rows(comparison: pd.DataFrame, reduction: str) -> pd.DataFrame:
    """The accuracy of every system, on all prompts.

    Systems that read no attention entropy have an empty reduction.
    """
    of_reduction = comparison[comparison["reduction"].isin(["", reduction])]
    systems = of_reduction[_SYSTEM_COLUMNS].rename(columns=_INTERVAL_NAMES)
    return systems.assign(slice="overall")


def _answered_pair_rows(performance: pd.DataFrame) -> pd.DataFrame:
    """RADAR's accuracy on the pairs whose two prompts the model answers rightly."""
    answered = performance[performance["slice"] == "answered_pairs"]
    columns = ["slice", "accuracy", *_INTERVAL_NAMES, "n"]
    return (
        answered[columns].rename(columns=_INTERVAL_NAMES).assign(protocol="trained", system="radar")
    )


def _answer_rate_rows(answer_counts: pd.DataFrame) -> pd.DataFrame:
    """The share of prompts that the model answers rightly, by label; a share is an `accuracy`."""
    rates = answer_counts.rename(columns={"share": "accuracy"})
    columns = ["label", "accuracy", "low", "high", "n"]
    return rates[columns].assign(slice="answered", system="model")


def _rows_of_set(path: Path, prompt_set: str) -> pd.DataFrame:
    table = pd.read_parquet(path)
    return table[table["prompt_set"] == prompt_set]
