"""Scores of SQL worked by hand."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechaware.instruments.grounding.sql_answers import _Score, _score
from mechaware.models.tokenizers import UNKNOWN

WITH_UNKNOWN_TOKEN = f"SELECT price{UNKNOWN} FROM orders"  # noqa: S608


@pytest.mark.parametrize(
    ("predicted", "gold", "exact_match", "names_right", "names"),
    [
        ("SELECT price FROM orders", "SELECT price FROM orders", True, 2, 2),
        ("SELECT cost FROM goods", "SELECT price FROM orders", False, 0, 2),
        ("", "SELECT price FROM orders", False, 0, 2),
        # Other white space, or an unknown token between the names, leaves both names.
        ("SELECT price FROM orders ", "SELECT price FROM orders", False, 2, 2),
        (WITH_UNKNOWN_TOKEN, "SELECT price FROM orders", False, 2, 2),
        # Another case, or half of a name, is another name.
        ("SELECT Price FROM orders", "SELECT price FROM orders", False, 1, 2),
        ("SELECT unit price FROM orders", "SELECT unit_price FROM orders", False, 1, 2),
        # A name counts as often as the gold SQL has it: here price once,
        ("SELECT price, price FROM orders", "SELECT price, name FROM orders", False, 2, 3),
        # and here, where the gold SQL has price three times, the two times of the prediction.
        ("SELECT price FROM price", "SELECT price, price FROM price", False, 2, 3),
    ],
)
def test_a_prediction_is_scored_by_exact_match_and_by_the_gold_names_that_it_has(
    predicted: str, gold: str, exact_match: bool, names_right: int, names: int
) -> None:
    assert _score(predicted, gold) == _Score(exact_match, names_right, names)


COLUMNS = st.lists(st.sampled_from(["price", "name", "city", "a", "b_1"]), min_size=1, max_size=5)


def select(columns: Sequence[str]) -> str:
    return f"SELECT {', '.join(columns)} FROM orders"  # noqa: S608


@given(gold=COLUMNS, predicted=COLUMNS)
def test_each_gold_name_counts_at_most_once(gold: list[str], predicted: list[str]) -> None:
    # Each predicted name crosses out one equal gold name, if there is one.
    not_predicted = list(gold)
    for name in predicted:
        if name in not_predicted:
            not_predicted.remove(name)

    score = _score(select(predicted), select(gold))

    # The table, orders, is a name as well, and always right.
    assert score.exact_match == (predicted == gold)
    assert score.names_right == len(gold) - len(not_predicted) + 1
    assert score.names == len(gold) + 1


@given(gold=COLUMNS, predicted=COLUMNS, seed=st.integers(0, 99))
def test_the_order_of_predicted_names_does_not_count(
    gold: list[str], predicted: list[str], seed: int
) -> None:
    shuffled = random.Random(seed).sample(predicted, len(predicted))  # noqa: S311

    score = _score(select(predicted), select(gold))
    score_of_shuffled = _score(select(shuffled), select(gold))

    assert score_of_shuffled.names_right == score.names_right
    assert score_of_shuffled.names == score.names
