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
    """Write the rows of all calibrations as one table, each model's names first.

    The other files have, for each model, how far the losses of a kind of text differ, and what share of the tokens was
    planted. `machines` and `commit` are those of the measurements' records, empty where they have none.
    """
    tables = []
    for model, *files, kind, share in zip(models, names, docstrings, kinds, shares, strict=True):
        spreads = _read_text(kind)[["text", "loss_spread"]]
        planted = pd.read_csv(share).groupby("text", as_index=False)["planted_share"].max()
        for file in files:
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
    return str(git["commit"]) + "+" * bool(git["modified"])
