"""Place shortcuts: choices of a column that read no request, and what is left of a share beyond the best of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import pandas as pd

from mechaware.grounding.data.tasks import SHORTCUT

_Share = TypeVar("_Share", float, pd.Series)

# Of equal columns, the first is chosen.
PLACE_SHORTCUTS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "first": lambda columns: columns[0],
    "last": lambda columns: columns[-1],
    "middle": lambda columns: columns[(len(columns) - 1) // 2],
    "longest": lambda columns: max(columns, key=len),
    "alphabetical": min,
}


def place_shortcuts(options: Sequence[str], wanted: str) -> dict[str, bool]:
    """Whether each of `PLACE_SHORTCUTS` chooses `wanted` of the options in their order; none of fewer than two."""
    return {name: choose(options) == wanted for name, choose in PLACE_SHORTCUTS.items()} if len(options) > 1 else {}


def shortcut_shares(answers: pd.DataFrame) -> pd.Series:
    """The share of clean prompts in which each shortcut of the table chooses the wanted column, by its name."""
    clean = answers[answers["prompt"] == "clean"].filter(like=SHORTCUT)
    return clean.rename(columns=lambda name: name.removeprefix(SHORTCUT)).mean()


def best_shortcut(answers: pd.DataFrame) -> float:
    """The largest of `shortcut_shares`; 0 where the table names no shortcut."""
    return float(max(shortcut_shares(answers), default=0.0))


def corrected(share: _Share, shortcut: _Share) -> _Share:
    """(share - shortcut) / (1 - shortcut): 0 for what a shortcut reaches, 1 for all; negative below it."""
    return (share - shortcut) / (1 - shortcut)


def shortcut_table(answers: pd.DataFrame) -> pd.DataFrame:
    """`shortcut_shares` by run and category of pairs: run, category (and `overall`), n, and each shortcut."""
    rows = [
        {"run": run, "category": category, "n": int((part["prompt"] == "clean").sum()), **shortcut_shares(part)}
        for run, of_run in answers.groupby("run", sort=False)
        for category, part in (*of_run.groupby("category", sort=False), ("overall", of_run))
    ]
    return pd.DataFrame(rows)
