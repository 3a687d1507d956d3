"""Values of a run, written by hand, and the headline that an entry of the ledger has with them."""

from pathlib import Path
from typing import Any

import yaml

from exhibits.report.ledger import Headline, read_ledger
from exhibits.report.values import Value

CHANCE = 0.5  # of an AUROC


def run_value(
    value: float | None, low: float | None = None, high: float | None = None, *, n: int = 8
) -> Value:
    """A value of a run with its interval from `low` to `high`, from `n` units."""
    return {"value": value, "low": low, "high": high, "n": n, "file": "results/tables/t.csv"}


def write_claims(folder: Path, entry: dict[str, Any]) -> Path:
    """The file of a ledger whose only entry is `entry`, with the name `a-statement`."""
    path = folder / "claims.yaml"
    path.write_text(yaml.safe_dump({"a-statement": entry}), encoding="utf-8")
    return path


def headline_of(folder: Path, entry: dict[str, Any], values: dict[str, Value]) -> Headline:
    """The headline of an entry in a run with these values."""
    (headline,) = read_ledger(write_claims(folder, entry), values, ["radar", "grounding"])
    return headline
