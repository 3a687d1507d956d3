"""Scores of SQL worked by hand."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechaware.instruments.grounding.sql_answers import _Score, _score
from mechaware.models.tokenizers import UNKNOWN


@pytest.mark.parametrize(
    ("predicted", "gold", "expected"),
    [
        ("SELECT price FROM orders", "SELECT price FROM orders", _Score(True, 2, 2)),
        ("SELECT cost FROM goods", "SELECT price FROM orders", _Score(False, 0, 2)),
        ("", "SELECT price FROM orders", _Score(False, 0, 2)),
        # Other white space, or an unknown token between the names, leaves both names.
        ("SELECT price FROM orders ", "SELECT price FROM orders", _Score(False, 2, 2)),
        (f"SELECT price{UNKNOWN} FROM orders", "SELECT price FROM orders", _Score(False, 2, 2)),  # noqa: S608
        # Another case, or half of a name, is another name.
        ("SELECT Price FROM orders", "SELECT price FROM orders", _Score(False, 1, 2)),
        ("SELECT unit price FROM orders", "SELECT unit_price FROM orders", _Score(False, 1, 2)),
        # A name counts as often as the gold SQL has it: price once, and then price twice of three times.
        ("SELECT price, price FROM orders", "SELECT price, name FROM orders", _Score(False, 2, 3)),
        ("SELECT price FROM price", "SELECT price, price FROM price", _Score(False, 2, 3)),
    ],
)
def test_a_prediction_is_scored_by_exact_match_and_by_the_gold_names_that_it_has(
    predicted: str, gold: str, expected: _Score
) -> None:
    assert _score(predicted, gold) == expected


SQL_NAMES = st.lists(st.sampled_from(["price", "name", "city", "a", "b_1"]), min_size=1, max_size=5)


@given(gold=SQL_NAMES, predicted=SQL_NAMES, seed=st.integers(0, 99))
def test_the_order_of_names_does_not_count_and_none_counts_twice(
    gold: list[str], predicted: list[str], seed: int
) -> None:
    def sql(names: Sequence[str]) -> str:
        return f"SELECT {', '.join(names)} FROM orders"  # noqa: S608

    shuffled = random.Random(seed).sample(predicted, len(predicted))  # noqa: S311
    found = _score(sql(predicted), sql(gold))
    left = list(gold)  # names are crossed out one by one
    for name in predicted:
        if name in left:
            left.remove(name)

    assert found == _Score(predicted == gold, 1 + len(gold) - len(left), 1 + len(gold))
    assert _score(sql(shuffled), sql(gold))[1:] == found[1:]
