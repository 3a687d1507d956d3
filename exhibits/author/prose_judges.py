"""How a judge does on the author's audits: a row of docs/measured/claims_prose_judges.csv,
from the judge's card.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.verdicts.judge_cards.blind import COMMONEST

# The key of each estimate in the card's evidence, by the row's column.
_ESTIMATES = {"exact": "exact", "kappa_within": "kappa", "too_high": "up", "too_low": "down"}
_WHICH = ["judge", "items"]  # a judge is measured once on each choice of items


def judge_row(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a judge's card (`evidence` of its verdict.json), with the bounds of their
    intervals if they are estimates.

    Returns:
        - `n`, `papers`: the numbers of items and of their papers.
        - `exact`: the share of statuses that equal the author's.
        - `kappa_within`: kappa within criteria, unweighted.
        - `too_high`, `too_low`: the shares of statuses above and below the author's.
        - `commonest`: the share that each criterion's commonest status in other papers gets right.
        - `lead`: `exact` less `commonest`.
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


def prose_sentences(table: pd.DataFrame) -> dict[str, str]:
    """By judge, a sentence for its calibration card;
    of several rows of a judge, the row with the most items counts.
    """
    largest_last = table.sort_values("n", kind="stable")
    return {str(row["judge"]): _sentence(row) for row in largest_last.to_dict("records")}


def _sentence(row: Mapping[Hashable, Any]) -> str:
    """How a judge agrees with the author, from its row of the table."""
    kappa = "not defined"
    if not pd.isna(row["kappa_within"]):
        low = row["kappa_within_low"]
        high = row["kappa_within_high"]
        kappa = f"{row['kappa_within']:.2f} ({low:.2f} to {high:.2f})"
    return (
        f"The author of Claim Validity Scores has judged {row['n']} criteria by quotations from {row['papers']} "
        f"papers. The judge gives his status in {_share(row, 'exact')}, each criterion's commonest status is right in "
        f"{row['commonest']:.0%}. Kappa within criteria is {kappa}. Of the statuses that could be, "
        f"{_share(row, 'too_high')} are too high and {_share(row, 'too_low')} too low. Measured once, on {row['date']} "
        f"at commit {row['commit']} (docs/measured/claims_prose_judges.csv)."
    )


def _share(row: Mapping[Hashable, Any], column: str) -> str:
    """A share with its interval, in percent."""
    return f"{row[column]:.0%} ({row[f'{column}_low']:.0%} to {row[f'{column}_high']:.0%})"
