"""Collect what is committed of a finished run: headlines with commit and machine,
and the verdicts' error rates.
"""

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
    """Write a row for each test of each headline to `out`, and the error rates to the other files.

    `detectors` are the rates on each kind of planted text. They go into one table, to which `kinds`
    adds how far the losses of a kind differ. All of the inputs must have been made at a commit;
    their records are next to them.
    """
    for measured in (*detectors, kinds, rules, judges):
        commit_of(_git_of(measured), str(measured), "make reported")

    # As text: a number keeps its digits.
    rates = pd.concat([_read_text(path) for path in detectors], ignore_index=True)
    spreads = _read_text(kinds)[["text", "loss_spread"]]
    write_csv(rates.merge(spreads, how="left", on="text", validate="many_to_one"), out_detectors)
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
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def _git_of(file: Path) -> dict[str, Any]:
    """The part `git` of a file's record."""
    git: dict[str, Any] = json.loads(sidecar(file).read_text(encoding="utf-8"))["git"]
    return git
