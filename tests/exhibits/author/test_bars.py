"""The bar of the author's audits: the rules of a judge's card,
by hand on eight items of three papers.
"""

import pandas as pd
import pytest

from exhibits.author.bars import bars

# By paper: criterion and label.
PAPERS = {
    "one": [("C1", "YES"), ("I1", "NO")],
    "two": [("C1", "YES"), ("I1", "NO"), ("V1", "YES")],
    "three": [("C1", "NO"), ("I1", "NO"), ("M1", "PARTIAL")],
}


def items() -> pd.DataFrame:
    """The labelled items of `PAPERS`, which all have the same claim and text."""
    rows = []
    for paper, statuses in PAPERS.items():
        for criterion, label in statuses:
            rows.append((f"{paper}-{criterion}", paper, criterion, label))
    table = pd.DataFrame(rows, columns=["id", "group", "criterion", "label"])
    return table.assign(claim="A head copies.", text="short words")


def test_the_bar_is_what_each_rule_gets_right_of_the_labels_of_other_papers() -> None:
    rows = bars(items(), resamples=400, seed=1, confidence_level=0.98).set_index("rule")
    constant = rows.loc["one status for all"]

    # The commonest status of the other two papers is NO for "one" and "two", and YES for "three".
    # Right: 1 of 2, 1 of 3 and 0 of 3.
    assert constant["exact"] == pytest.approx(2 / 8)
    # Papers are drawn with replacement, three at a time. One draw of 27 has "three" three times,
    # where none is right, and one has "one" three times, where half are right: each is more than 1%
    # of the draws.
    assert (constant["exact_low"], constant["exact_high"]) == (0, 1 / 2)
    # The commonest status of each criterion in the other papers. C1 is YES and NO outside "one" and
    # outside "two": NO is the lower. V1 and M1 are in one paper each, so the commonest status of
    # all criteria counts. Predicted: NO NO, NO NO NO, YES NO YES; right: 1, 1 and 1.
    assert rows.loc["each criterion's commonest status", "exact"] == pytest.approx(3 / 8)
    assert (rows["papers"] == 3).all()
    assert list(rows.index) == [
        "one status for all",
        "length",
        "bag of words",
        "each criterion's commonest status",
    ]
