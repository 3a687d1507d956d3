"""The bar that a judge must clear on the author's audits: the share of labels that simple rules
predict, by hand for eight items of three papers.
"""

import pandas as pd
import pytest

from exhibits.author.bars import bars

# The criterion and the label of each item, by paper.
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


def test_each_rule_is_scored_on_papers_to_which_it_was_not_fitted() -> None:
    rows = bars(items(), resamples=400, seed=1, confidence_level=0.98).set_index("rule")
    constant = rows.loc["one status for all"]

    # The commonest status of the other two papers is NO for "one" and "two", and YES for "three".
    # Right: 1 of 2, 1 of 3 and 0 of 3.
    assert constant["exact"] == pytest.approx(2 / 8)
    # The bootstrap draws three papers with replacement, so there are 27 possible draws. In one of
    # them, "three" three times, none is right; in another, "one" three times, half are right. No
    # draw has a lower or a higher share. Each is 1/27 of the draws, which is more than the 1% that
    # an interval of 98% leaves out at each end.
    assert (constant["exact_low"], constant["exact_high"]) == (0, 1 / 2)

    # The commonest status of each criterion in the other two papers. For "one" and "two" C1 is YES
    # in one other paper and NO in the other; on a tie the lower status, NO, is predicted. V1 and M1
    # are in one paper each, so the commonest status of all criteria is predicted.
    # Predicted: NO NO, NO NO NO, YES NO YES; right: 1, 1 and 1.
    assert rows.loc["each criterion's commonest status", "exact"] == pytest.approx(3 / 8)

    assert (rows["papers"] == 3).all()
    assert list(rows.index) == [
        "one status for all",
        "length",
        "bag of words",
        "each criterion's commonest status",
    ]
