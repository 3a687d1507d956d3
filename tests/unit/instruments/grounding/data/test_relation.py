"""Words that name one column are related, and so are words two names apart."""

from mechaware.instruments.grounding.data.relation import Relation, relate


def relation_of(**names: set[str]) -> Relation:
    """The relation of columns, by name, with their request words."""
    return relate({column: frozenset(words) for column, words in names.items()})


def test_a_database_word_is_a_column_and_a_non_database_word_never_one() -> None:
    relation = relation_of(price={"cost", "fee"}, cost={"price"}, city=set())

    assert relation.database == ["city", "cost", "price"]
    assert relation.non_database == ["fee"]


#     fee    rate    pace     town      request words
#       \    /  \    /         |
#       price   speed         city      columns
RELATION = relation_of(price={"fee", "rate"}, speed={"rate", "pace"}, city={"town"})


def test_words_are_related_if_they_are_one_or_two_steps_apart() -> None:
    assert RELATION.related["price"] == {"fee", "rate", "speed"}
    assert RELATION.related["fee"] == {"price", "rate"}
    assert RELATION.related["rate"] == {"price", "speed", "fee", "pace"}
    # `price` is three steps away.
    assert RELATION.related["pace"] == {"speed", "rate"}


def test_siblings_are_words_for_the_same_column() -> None:
    assert RELATION.siblings["rate"] == {"fee", "pace"}
    assert RELATION.siblings["price"] == set()


def test_a_related_word_need_not_ask_for_the_column() -> None:
    # `province` asks for `state`, and `state` for `status`; `province` does not ask for `status`.
    relation = relation_of(state={"province"}, status={"state"})

    assert "status" in relation.related["province"]
    assert "status" not in relation.near["province"] | relation.siblings["province"]


def test_a_word_is_unrelated_to_words_that_are_neither_it_nor_related_to_it() -> None:
    assert RELATION.unrelated("pace", ["price", "city", "town"])
    assert not RELATION.unrelated("pace", ["city", "rate"])
    assert not RELATION.unrelated("pace", ["pace"])
