"""Collect the headlines of a finished run with its commit and machine, for docs/measured/headlines.csv."""

import json
from pathlib import Path

from exhibits.report.reported import reported_rows, this_machine
from mechaware.core.frames import write_csv
from scripts.command import Output


def main(
    *,
    headlines: Path,
    record: Path,
    planted_seeds: int,
    grounding_seeds: int,
    out: Output,
) -> None:
    """Write a row for each test of each headline."""
    rows = reported_rows(
        json.loads(headlines.read_text(encoding="utf-8")),
        json.loads(record.read_text(encoding="utf-8"))["git"],
        seeds=f"{planted_seeds} planted, {grounding_seeds} of grounding",
        machine=this_machine(),
    )
    write_csv(rows, out)
