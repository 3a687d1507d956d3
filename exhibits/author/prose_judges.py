"""How a judge does on the author's audits: a row of docs/measured/claims_prose_judges.csv, from the judge's card."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.verdicts.judge_cards.blind import COMMONEST

# By the row's column, where the card's evidence has the estimate.
_ESTIMATES = {"exact": "exact", "kappa_within": "kappa", "too_high": "up", "too_low": "down"}
_WHICH = ["judge", "items"]  # a judge is measured once on each choice of items


def judge_row(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a judge's card (`evidence` of its verdict.json), each with the bounds of its interval.

    Returns:
        `n` items of so many `papers`; `exact`, the share of statuses that equal the author's; `kappa_within` criteria,
        unweighted; `too_high` and `too_low`, the shares of statuses above and below his; `commonest`, what each
        criterion's commonest status in other papers gets right, and the judge's `lead` over it.
    """
    blind = {row["row"]: row for row in evidence["blind"]}
    commonest = blind[COMMONEST]
    estimates = {column: evidence[key] for column, key in _ESTIMATES.items()}
    estimates |= {"commonest": commonest["right"], "lead": commonest["lead"]}

    row: dict[str, Any] = {"n": evidence["exact"]["n"], "papers": evidence["groups"]}
    for column, estimate in estimates.items():
        row[column] = estimate["value"]
        row[f"{column}_low"] = estimate["low"]
        row[f"{column}_high"] = estimate["high"]
    return row


def with_row(table: pd.DataFrame, row: Mapping[str, Any]) -> pd.DataFrame:
    """The table with a judge's row, in place of its former one on the same items, if there is one.

    Raises:
        UserError: The row has other columns than the table.
    """
    if set(row) != set(table.columns):
        differing = ", ".join(sorted(set(row) ^ set(table.columns)))
        raise UserError(
            f"the table of judges on real prose has other columns than a row: {differing}"
        )
    same = (table[_WHICH] == [row[column] for column in _WHICH]).all(axis="columns")
    return pd.concat([table[~same], pd.DataFrame([row])], ignore_index=True)[list(table.columns)]
