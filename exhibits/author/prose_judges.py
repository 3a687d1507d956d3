"""How well judges agree with the author of Claim Validity Scores on real papers.

`judge_row` makes a row of docs/measured/claims_prose_judges.csv from a judge's card, and `with_row`
adds it to that table. `prose_sentences` makes the sentences of calibration cards from the table.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.verdicts.judge_cards.blind import COMMONEST

# The key of an estimate in the card's evidence, by its column in the row.
_ESTIMATES = {"exact": "exact", "kappa_within": "kappa", "too_high": "up", "too_low": "down"}
# A judge has one row for each choice of items.
_ROW_KEYS = ["judge", "items"]


def judge_row(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a judge's card (`evidence` of its verdict.json), by column.

    Returns:
        - `n`, `papers`: the number of items, and the number of papers that they come from.
        - `exact`: the share of statuses that equal the author's.
        - `kappa_within`: kappa within criteria, unweighted.
        - `too_high`: the share of statuses above the author's, where his is not the highest.
        - `too_low`: the share of statuses below the author's, where his is not the lowest.
        - `commonest`: the share of items on which the commonest status of the item's criterion in
          other papers equals the author's.
        - `lead`: `exact` minus `commonest`.

        All but `n` and `papers` are estimates: `{column}_low` and `{column}_high` are the ends of
        the interval.
    """
    rows_of_rules = {row_of_rule["row"]: row_of_rule for row_of_rule in evidence["blind"]}
    commonest = rows_of_rules[COMMONEST]
    estimates = {column: evidence[key] for column, key in _ESTIMATES.items()}
    estimates |= {"commonest": commonest["right"], "lead": commonest["lead"]}

    row: dict[str, Any] = {"n": evidence["exact"]["n"], "papers": evidence["groups"]}
    for column, estimate in estimates.items():
        row[column] = estimate["value"]
        row[f"{column}_low"] = estimate["low"]
        row[f"{column}_high"] = estimate["high"]
    return row


def with_row(table: pd.DataFrame, row: Mapping[str, Any]) -> pd.DataFrame:
    """The table with `row` at its end, without the judge's former row on the same items if any.

    The columns keep the table's order. Raises `UserError` if the row has other columns than the
    table.
    """
    if set(row) != set(table.columns):
        differing = ", ".join(sorted(set(row) ^ set(table.columns)))
        raise UserError(
            f"the table of judges on real prose has other columns than a row: {differing}"
        )
    keys = [row[column] for column in _ROW_KEYS]
    is_former = (table[_ROW_KEYS] == keys).all(axis="columns")
    extended = pd.concat([table[~is_former], pd.DataFrame([row])], ignore_index=True)
    return extended[list(table.columns)]


def prose_sentences(table: pd.DataFrame) -> dict[str, str]:
    """By judge, the sentences for its calibration card.

    They are about the judge's row with the most items, the last such row on a tie.
    """
    largest_last = table.sort_values("n", kind="stable")
    sentences = {}
    for row in largest_last.to_dict("records"):
        # A later row of the same judge has at least as many items, and replaces this one.
        sentences[str(row["judge"])] = _sentence(row)
    return sentences


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
