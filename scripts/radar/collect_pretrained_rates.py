"""Collect the error rates of verdicts on pretrained models, which `config/calibration/pretrained.csv` has."""

import json
from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.core.provenance import machines_of, sidecar
from scripts.command import Output


def main(
    *,
    models: list[str],
    names: list[Path],
    docstrings: list[Path],
    kinds: list[Path],
    shares: list[Path],
    rates: Output,
) -> None:
    """Write the rows of all calibrations as one table; each model's rows on names precede its rows on docstrings.

    Every list has a file for each of `models`: calibrations on `names` and on `docstrings`, how far the losses of a
    kind of text differ (`kinds`), and the share of the tokens that was planted (`shares`). The columns `machines` and
    `commit` are taken from the calibrations' records, and empty if those have none.
    """
    tables = []
    by_model = zip(models, names, docstrings, kinds, shares, strict=True)
    for model, on_names, on_docstrings, kinds_file, shares_file in by_model:
        spreads = _read_text(kinds_file)[["text", "loss_spread"]]
        share_by_seed = pd.read_csv(shares_file)
        planted = share_by_seed.groupby("text", as_index=False)["planted_share"].max()
        for file in (on_names, on_docstrings):
            rows = _read_text(file)
            rows = rows.merge(spreads, how="left", on="text", validate="many_to_one")
            rows = rows.merge(planted, how="left", on="text", validate="many_to_one")
            machines = "; ".join(machines_of(file))
            tables.append(rows.assign(model=model, machines=machines, commit=_commit_of(file)))
    write_csv(pd.concat(tables, ignore_index=True), rates)


def _read_text(file: Path) -> pd.DataFrame:
    # As text: a number keeps its digits.
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def _commit_of(file: Path) -> str:
    """The commit in a file's record, with a plus sign after it where files differed from it."""
    git = json.loads(sidecar(file).read_text(encoding="utf-8"))["git"]
    if git["commit"] is None:
        return ""
    mark = "+" if git["modified"] else ""
    return f"{git['commit']}{mark}"
