"""Rules that read nothing know no label of the paper that they are tested on."""

import pandas as pd
import pytest

from exhibits.author.bars import (
    bars,
    by_length,
    by_words,
    commonest,
    commonest_of_criterion,
    held_out,
)

# Two criteria, C1 mostly YES and I1 mostly NO, in three papers; the third differs from the others.
ITEMS = pd.DataFrame(
    [
        ("one", "C1", "short words", "YES"),
        ("one", "I1", "short words", "NO"),
        ("two", "C1", "short words", "YES"),
        ("two", "I1", "short words", "NO"),
        ("two", "V1", "short words", "YES"),
        ("three", "C1", "short words", "NO"),
        ("three", "I1", "short words", "NO"),
        ("three", "M1", "short words", "PARTIAL"),
    ],
    columns=["group", "criterion", "text", "label"],
)


def test_the_commonest_label_is_that_of_the_other_papers() -> None:
    # Without one: YES 2, NO 3, PARTIAL 1. Without two: YES 1, NO 3, PARTIAL 1. Without three: YES 3, NO 2.
    assert held_out(commonest, ITEMS).tolist() == ["NO"] * 5 + ["YES"] * 3


def test_a_criterion_has_the_commonest_label_of_its_items_in_other_papers() -> None:
    # C1 without one: YES and NO, of which NO comes first. V1 and M1 are in no other paper: the label of all the others.
    expected = ["NO", "NO", "NO", "NO", "NO", "YES", "NO", "YES"]
    assert held_out(commonest_of_criterion, ITEMS).tolist() == expected


def papers(text: dict[str, str]) -> pd.DataFrame:
    rows = [
        (f"paper {number}", "C1", text[label], label)
        for number in range(6)
        for label in ("NO", "PARTIAL", "YES", "YES")
    ]
    return pd.DataFrame(rows, columns=["group", "criterion", "text", "label"])


def test_length_and_words_find_labels_that_follow_them() -> None:
    long = papers({"NO": "a b c", "PARTIAL": "a b c " * 5, "YES": "a b c " * 20})
    assert (held_out(by_length, long) == long["label"]).all()
    worded = papers({"NO": "never tested", "PARTIAL": "partly tested", "YES": "fully tested"})
    assert (held_out(by_words, worded) == worded["label"]).all()
    assert not (held_out(by_length, worded) == worded["label"]).all()


def test_a_table_has_a_row_for_each_rule_with_intervals_over_papers() -> None:
    rows = bars(ITEMS, resamples=50, seed=1, level=0.95).set_index("rule")
    assert rows.loc["one label for all", "exact"] == pytest.approx(2 / 8)
    assert rows.loc["each criterion's commonest label", "exact"] == pytest.approx(3 / 8)
    assert (rows["papers"] == 3).all()
    assert (rows["exact_low"] <= rows["exact"]).all()
