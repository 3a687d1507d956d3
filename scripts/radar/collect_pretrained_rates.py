"""Collect the error rates of verdicts on pretrained models in one table.

The table is committed as config/calibration/pretrained.csv.
"""

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
    """Write the rows of all calibrations as one table.

    The models keep their order; of each model, the rows on names come before those on docstrings.

    Each list of files has one file for each of `models`:

    - `names`, `docstrings`: the calibrations on invented names and on docstrings.
    - `kinds`: the kinds of text, with the relative standard deviation of their losses
      (`loss_spread`).
    - `shares`: by kind of text and seed, the planted share of the tokens that the twins read. The
      largest share over the seeds is written.

    The columns `machines` and `commit` come from each calibration's provenance record, and are
    empty where the record names no machine or no commit.
    """
    tables = []
    by_model = zip(models, names, docstrings, kinds, shares, strict=True)
    for model, on_names, on_docstrings, kinds_file, shares_file in by_model:
        loss_spreads = _read_text(kinds_file)[["text", "loss_spread"]]
        share_by_seed = pd.read_csv(shares_file)
        largest_share = share_by_seed.groupby("text", as_index=False)["planted_share"].max()
        for file in (on_names, on_docstrings):
            rows = _read_text(file)
            rows = rows.merge(loss_spreads, how="left", on="text", validate="many_to_one")
            rows = rows.merge(largest_share, how="left", on="text", validate="many_to_one")
            machines = "; ".join(machines_of(file))
            tables.append(rows.assign(model=model, machines=machines, commit=_commit_of(file)))
    write_csv(pd.concat(tables, ignore_index=True), rates)


def _read_text(file: Path) -> pd.DataFrame:
    """A CSV with every cell as text: numbers keep their digits, and an empty cell stays empty."""
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def _commit_of(file: Path) -> str:
    """The commit at which a file was made, from its provenance record; empty if none is recorded.

    A plus sign after the commit means that tracked files differed from it.
    """
    git = json.loads(sidecar(file).read_text(encoding="utf-8"))["git"]
    if git["commit"] is None:
        return ""
    mark = "+" if git["modified"] else ""
    return f"{git['commit']}{mark}"
