"""The reported run, which has more seeds than the default run: what is committed of it.

`docs/measured/headlines.csv` has its headlines, with its commit and machines: a row for each test
and each control of each headline, and none until a reported run is committed. `config/calibration/`
has its error rates.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.errors import UserError

# The columns of a row that are about its test; the others are about the headline and the run.
_OF_TEST = ("cell", "value", "low", "high", "bound", "n")
COLUMNS = (
    "headline",
    "outcome",
    "sentence",
    "p_holm",
    "role",
    *_OF_TEST,
    "seeds",
    "commit",
    "machine",
)


class Reported(NamedTuple):
    """A headline in the reported run: its outcome and sentence, and the commit and the machine of
    that run.

    `p_holm` is its p-value, corrected for all headlines; None for a headline that follows from
    printed numbers without error.
    """

    outcome: str
    sentence: str
    p_holm: float | None
    commit: str
    machine: str


def reported_rows(
    headlines: Mapping[str, Any], git: Mapping[str, Any], *, seeds: str, machine: str
) -> pd.DataFrame:
    """The rows of a finished run, for docs/measured/headlines.csv.

    Args:
        headlines: `results/values/headlines.json` of the run.
        git: The commit in the record of that file, and whether files differed from it.
        seeds: How many seeds the studies had, in words.
        machine: The machines of the run, in words.

    Returns:
        A row for each test and each control; the columns are `COLUMNS`.

    Raises:
        UserError: The run was made at no commit, or with changes that no commit holds.
    """
    commit = commit_of(git, "results/values/headlines.json", "make reported")
    run = {"seeds": seeds, "commit": commit, "machine": machine}
    rows = []
    for name, headline in headlines.items():
        stated = {key: headline[key] for key in ("outcome", "sentence", "p_holm")}
        for role in ("test", "control"):
            for test in headline[f"{role}s"]:
                numbers = {key: test[key] for key in _OF_TEST}
                rows.append({"headline": name, **stated, "role": role, **numbers, **run})
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"n": "Int64"})


def commit_of(git: Mapping[str, Any], file: str, command: str) -> str:
    """The commit at which a file was made, by the part `git` of its record.

    Raises:
        UserError: The record names no commit, or files differed from it. The message names the
            file, and the `command` that makes it.
    """
    if git["commit"] is None:
        reason = git.get("reason", "no git repository")
        raise UserError(
            f"{file}: its record names no commit ({reason}); mend that and run `{command}` again"
        )
    if git["modified"]:
        raise UserError(
            f"{file}: made with changes that no commit holds; commit them and run `{command}` again"
        )
    commit: str = git["commit"]
    return commit


def read_reported(path: Path) -> dict[str, Reported]:
    """The headlines of the committed reported run, by name; none if no run has been committed."""
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    first = rows.drop_duplicates("headline").set_index("headline")
    headlines = {}
    for name, row in first.iterrows():
        p_holm = float(row["p_holm"]) if row["p_holm"] else None
        headlines[str(name)] = Reported(
            row["outcome"], row["sentence"], p_holm, row["commit"], row["machine"]
        )
    return headlines
