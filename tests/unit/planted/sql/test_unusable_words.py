"""A pair has only words that can be used; where too few are left, the category is refused."""

from collections.abc import Callable

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.rows import Row, create_table_sql
from mechaware.planted.sql.matching import make_pairs
from mechaware.planted.sql.pair_source import read_source
from tests.unit.instruments.grounding.data.written_rows import REQUEST_WORDS
from tests.unit.planted.sql.matched_pairs import (
    has_one_part,
    make_pair_texts,
    token_of,
    training_data,
)

# All words of the written rows. `token_of` has one token for each, except for phrases of several
# parts.
WORDS = set(REQUEST_WORDS).union(*REQUEST_WORDS.values())


def tokens_of(known: set[str]) -> Callable[[str], tuple[int, ...]]:
    """A tokenizer that has tokens only for the words in `known`, and for types, all in capitals."""

    def token_if_known(word: str) -> tuple[int, ...]:
        is_known = word in known or word.isupper()
        return token_of(word) if is_known else ()

    return token_if_known


def test_only_words_that_the_tokenizer_knows_are_words_of_a_pair() -> None:
    # These six and the eight phrases of several parts have no token: 14 words.
    unknown = {"fee", "city", "telephone", "mass", "photo_url", "shade"}
    source = read_source(training_data("written").rows, tokens_of(WORDS - unknown))

    # Of the ten database synonyms, 5 are left: without `fee`, and without the four of `city` and
    # `town`.
    for pair in make_pair_texts(source, seed=0, per_category=5):
        named = {
            pair.request_word,
            pair.clean,
            pair.corrupted,
            pair.third,
            pair.unasked,
            pair.replacement,
        }
        assert not named & unknown
        assert all(map(has_one_part, named))

    with pytest.raises(
        UserError, match=r"^category db_synonyms: 5 pairs of 6 can be made, .* 14 with unk"
    ):
        make_pairs(source, per_category=6, seed=0)


def test_a_rare_column_is_no_word_of_a_pair() -> None:
    # `pet_name` is in 2 of 1,002 rows, and every other column in hundreds.
    schema = "CREATE TABLE t ( pet_name TEXT, price REAL )"
    select = "SELECT pet_name FROM t"
    rare = Row("Show animal from t", schema, select, "t", ["pet_name", "price"], ["pet_name"])
    source = read_source([*training_data("written").rows, rare, rare], token_of)

    assert "pet_name" in source.relation.database
    assert "pet_name" not in source.usable
    assert "pet" in source.usable


def test_a_column_with_a_tenth_of_the_median_number_of_rows_is_not_rare() -> None:
    def row(asked: str, *columns: str) -> Row:
        schema = create_table_sql("t", [(column, "TEXT") for column in columns])
        select = f"SELECT {asked} FROM t"  # noqa: S608
        return Row(f"Show {asked} from t", schema, select, "t", [*columns], [asked])

    # `price` is in 21 rows, `city` and `song` in 20, `pet` in two and `colour` in one.
    rows = [row("price", "price", "city", "song"), row("city", "price", "city", "song")] * 9
    rows += [row("song", "price", "city", "song")] * 2
    rows += [row("pet", "pet", "colour"), row("pet", "pet", "price")]
    assert read_source(rows, token_of).rare == {"colour"}


# Columns that nothing is asked for: they can be next to a wanted column, and be a scrambled one.
NOT_ASKED = {"pet", "colour", "author"}


@pytest.mark.parametrize(
    ("tokens", "category", "lacking"),
    [
        pytest.param(
            set(),
            "db_synonyms",
            "requests that name two columns by one word",
            id="no word can be used",
        ),
        pytest.param(
            {"price", "cost", "fee", *NOT_ASKED},
            "non_db_synonyms",
            "columns that requests name by two words which are no columns",
            id="only `fee` is no column",
        ),
        pytest.param(
            {"price", "cost", "fee", "charge", *NOT_ASKED},
            "non_db_scramble",
            "columns that requests name by words which are no columns",
            id="only `fee` and `charge` are no columns, and they are related",
        ),
    ],
)
def test_a_category_that_cannot_be_filled_is_refused_with_the_words_that_are_passed_over(
    tokens: set[str], category: str, lacking: str
) -> None:
    source = read_source(training_data("written").rows, tokens_of(tokens))._replace(widths=[2])

    with pytest.raises(UserError) as refused:
        make_pairs(source, per_category=1, seed=0)

    # `price per unit`, `phone number`, `currently open` and `number at the door` share a part with
    # their columns.
    unknown = sorted(WORDS - tokens)
    problem, _, passed_over = str(refused.value).partition(" (")
    assert problem == (
        f"category {category}: 0 pairs of 1 can be made, since the training rows have too few "
        f"{lacking}"
    )
    assert passed_over == (
        f"{len(WORDS)} words; passed over: {len(unknown)} with unknown tokens "
        f"({', '.join(unknown[:5])} ...), 0 rare columns, 4 of 52 request words, which share a "
        "part with their column); take other rows (grounding/data), fewer pairs "
        f"(grounding/pairs_per_category), or remove {category} from grounding/categories"
    )


def test_rows_of_one_column_are_refused() -> None:
    row = Row(
        "Show price from t",
        "CREATE TABLE t ( price REAL )",
        "SELECT price FROM t",
        "t",
        ["price"],
        ["price"],
    )
    with pytest.raises(
        UserError,
        match=r"^grounding/data: no table of the training rows has two columns; take other",
    ):
        read_source([row] * 9, token_of)
