"""Which passage each item gets in place of its own."""

import pytest

from mechaware.instruments.grounding.passages.exchange import exchange_passages


@pytest.mark.parametrize("n_passages", [2, 7, 8, 9, 16, 29])
def test_every_passage_gets_another_one_and_is_given_once(n_passages: int) -> None:
    passages = ["x" * (1 + 7 * number % n_passages) + str(number) for number in range(n_passages)]
    exchanged = exchange_passages([*passages, passages[0]], seed=3)
    assert sorted(exchanged) == sorted(exchanged.values()) == sorted(passages)
    assert all(passage != other for passage, other in exchanged.items())


def test_passages_are_exchanged_with_those_of_about_their_length() -> None:
    """Of 24 passages of 1 to 24 letters, blocks are 1 to 8, 9 to 16 and 17 to 24."""
    exchanged = exchange_passages(["x" * length for length in range(1, 25)], seed=3)
    for passage, other in exchanged.items():
        assert (len(passage) - 1) // 8 == (len(other) - 1) // 8


def test_a_seed_draws_the_exchange_whatever_the_order_of_the_items() -> None:
    passages = [str(number) for number in range(20)]
    exchanged = exchange_passages(passages, seed=3)
    assert exchange_passages(passages[::-1], seed=3) == exchanged
    assert exchange_passages(passages, seed=4) != exchanged
