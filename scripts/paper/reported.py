"""Collect what is committed of a finished run: headlines with commit and machine, and the verdicts' error rates."""

import json
import shutil
from pathlib import Path
from typing import Any

from exhibits.report.reported import commit_of, reported_rows, this_machine
from mechaware.core.frames import write_csv
from mechaware.core.provenance import sidecar
from scripts.command import Output


def main(
    *,
    headlines: Path,
    error_rates: list[Path],
    planted_seeds: int,
    grounding_seeds: int,
    out: Output,
    out_error_rates: list[Output],
) -> None:
    """Write a row for each test of each headline to `out`, and copy `error_rates` to `out_error_rates`, in their order.

    All of them must have been made at a commit; their records lie beside them.
    """
    for measured, copy in zip(error_rates, out_error_rates, strict=True):
        commit_of(_git_of(measured), str(measured), "make reported")
        shutil.copyfile(measured, copy)

    rows = reported_rows(
        json.loads(headlines.read_text(encoding="utf-8")),
        _git_of(headlines),
        seeds=f"{planted_seeds} planted, {grounding_seeds} of grounding",
        machine=this_machine(),
    )
    write_csv(rows, out)


def _git_of(file: Path) -> dict[str, Any]:
    """The part `git` of a file's record."""
    git: dict[str, Any] = json.loads(sidecar(file).read_text(encoding="utf-8"))["git"]
    return git
