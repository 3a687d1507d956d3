"""The words of a matched pair are related as the name of its category promises."""

from collections import Counter

import pytest

from mechaware.instruments.grounding.names import CATEGORIES, SYNONYMS
from tests.unit.instruments.grounding.data.written_rows import REQUEST_WORDS
from tests.unit.planted.sql.matched_pairs import (
    PER_CATEGORY,
    has_one_part,
    make_pair_texts,
    on_written_and_generated_rows,
    pairs_of,
    related,
    source_of,
    training_data,
)

# By category, whether the clean word and the corrupted word are columns of the rows.
ARE_COLUMNS = {
    "db_synonyms": (True, True),
    "db_scramble": (True, True),
    "non_db_synonyms": (False, False),
    "non_db_scramble": (False, False),
    "super_scramble": (True, False),
}


@on_written_and_generated_rows
def test_every_category_has_its_number_of_different_pairs_of_the_words_that_it_names(
    name: str,
) -> None:
    """A synonym is related to the other two words, a scrambled word to neither."""
    words = training_data(name).words
    pairs = pairs_of(name)
    count = PER_CATEGORY[name]

    ids = []
    categories = []
    for category in CATEGORIES:
        ids += [f"{category}-{number:02d}" for number in range(1, count + 1)]
        categories += [category] * count
    assert [pair.id for pair in pairs] == ids
    assert [pair.category for pair in pairs] == categories
    different = {(pair.category, pair.request_word, pair.clean, pair.corrupted) for pair in pairs}
    assert len(different) == 5 * count

    for pair in pairs:
        assert (pair.clean in words, pair.corrupted in words) == ARE_COLUMNS[pair.category], pair
        assert len({pair.request_word, pair.clean, pair.corrupted}) == 3

        is_synonym = pair.category.endswith("synonyms")
        assert related(pair.corrupted, pair.clean, name) == is_synonym, pair
        assert related(pair.corrupted, pair.request_word, name) == is_synonym, pair

        column = pair.clean
        asked = pair.request_word
        if pair.category.startswith("non_db"):
            column, asked = asked, column
        assert asked in words[column], pair


def test_the_database_synonyms_of_the_written_words_are_the_ten_that_can_be_counted() -> None:
    pairs = [pair for pair in pairs_of("written") if pair.category == "db_synonyms"]
    words = {(pair.request_word, pair.clean, pair.corrupted) for pair in pairs}
    assert words == {
        ("fee", "price", "cost"),
        ("charge", "price", "cost"),
        ("expense", "cost", "price"),
        ("charge", "cost", "price"),
        ("metro", "city", "town"),
        ("municipality", "city", "town"),
        ("village", "town", "city"),
        ("municipality", "town", "city"),
        ("rate", "unit_price", "speed"),
        ("rate", "speed", "unit_price"),
    }
    assert len(pairs) == 10
    # Pairs whose request word names two columns come first.
    assert {pair.request_word for pair in pairs[:6]} == {"charge", "municipality", "rate"}
    assert not {pair.request_word for pair in pairs[6:]} & {"charge", "municipality", "rate"}
    # All six clean words come before any of them comes again.
    all_clean_words = {"price", "cost", "city", "town", "unit_price", "speed"}
    assert {pair.clean for pair in pairs[:6]} == all_clean_words
    assert {pair.clean for pair in pairs[6:]} == {"price", "cost", "city", "town"}


def meant(request: str, name: str) -> tuple[set[str], set[str]]:
    """The words that a request word may mean, directly and by way of a column.

    Directly: the columns whose request word it is, and its own request words if it is a column. By
    way of a column: the other request words of those columns. With `fee` and `charge` as request
    words of `price`, `fee` may mean `price` directly, and `charge` by way of `price`.
    """
    words = training_data(name).words
    direct = set(words.get(request, ()))
    alike: set[str] = set()
    for column, asked in words.items():
        if request in asked:
            direct.add(column)
            alike |= set(asked)
    return direct, alike - {request}


@on_written_and_generated_rows
def test_the_third_word_is_one_more_column_that_the_request_may_mean(name: str) -> None:
    for pair in pairs_of(name):
        others = training_data(name).words.keys() - {pair.request_word, pair.clean, pair.corrupted}
        direct, alike = meant(pair.request_word, name)
        # Words that are meant directly are preferred.
        candidates = direct & others or alike & others
        if candidates:
            assert pair.third in candidates, pair
        else:
            assert pair.third == "", pair
    assert any(pair.third for pair in pairs_of(name))
    assert not all(pair.third for pair in pairs_of(name))


@on_written_and_generated_rows
def test_synonyms_name_a_column_of_the_request_word_or_are_named_by_it(name: str) -> None:
    for pair in pairs_of(name):
        if pair.category in SYNONYMS:
            assert pair.corrupted in set.union(*meant(pair.request_word, name)), pair


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_clean_word_comes_twice_while_there_are_others(category: str) -> None:
    seen = Counter(pair.clean for pair in pairs_of("generated") if pair.category == category)
    assert set(seen.values()) == {1}


def test_a_request_word_that_is_no_column_is_preferred() -> None:
    # `price` may be asked for as `fee` and as `cost`, which is a column too.
    for seed in range(5):
        for pair in make_pair_texts(source_of("written"), seed=seed, per_category=1):
            if pair.category.startswith("non_db"):
                continue
            usable = set(filter(has_one_part, REQUEST_WORDS[pair.clean]))
            no_columns = usable - set(REQUEST_WORDS)
            assert pair.request_word in no_columns or not no_columns, pair
