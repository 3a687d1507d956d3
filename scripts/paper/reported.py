"""Collect the results of the reported run that are committed: headlines and error rates."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from exhibits.report.reported import commit_of, reported_rows
from mechaware.core.frames import write_csv
from mechaware.core.provenance import machines_of, sidecar
from scripts.command import Output


def main(
    *,
    headlines: Path,
    detectors: list[Path],
    kinds: Path,
    rules: Path,
    judges: Path,
    planted_seeds: int,
    grounding_seeds: int,
    out: Output,
    out_detectors: Output,
    out_rules: Output,
    out_judges: Output,
) -> None:
    """Write a row for each test and control of each headline to `out`, and the error rates to the
    other files.

    - `headlines`: the headlines of the run. Their rows name the run's commit and machines.
    - `detectors`: error rates, one table for each kind of planted text. They become one table.
    - `kinds`: a row for each kind of planted text. Its column `loss_spread` is added to the table
      of detectors.
    - `rules`, `judges`: error rates, which are copied.
    - `planted_seeds`, `grounding_seeds`: how many seeds the run had.

    Raises `UserError` if the record next to an input names no commit, or if files differed from it.
    """
    # Raises for an input that was made at no commit; `reported_rows` checks `headlines`.
    for table in (*detectors, kinds, rules, judges):
        commit_of(_git_of(table), str(table), "make reported")

    rates = pd.concat([_read_text(path) for path in detectors], ignore_index=True)
    spreads = _read_text(kinds)[["text", "loss_spread"]]
    rates_and_spreads = rates.merge(spreads, how="left", on="text", validate="many_to_one")
    write_csv(rates_and_spreads, out_detectors)
    shutil.copyfile(rules, out_rules)
    shutil.copyfile(judges, out_judges)

    rows = reported_rows(
        json.loads(headlines.read_text(encoding="utf-8")),
        _git_of(headlines),
        seeds=f"{planted_seeds} planted, {grounding_seeds} of grounding",
        machine="; ".join(machines_of(headlines)),
    )
    write_csv(rows, out)


def _read_text(file: Path) -> pd.DataFrame:
    """A CSV file with every cell as text: a number keeps its digits, and nothing is missing."""
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def _git_of(file: Path) -> dict[str, Any]:
    """The part `git` of a file's provenance record: its commit, and whether files differed."""
    git: dict[str, Any] = json.loads(sidecar(file).read_text(encoding="utf-8"))["git"]
    return git
