"""The words that requests use for columns are found as they were written, and no others."""

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.alignment import Alignment, Relation, align, relate
from mechaware.instruments.grounding.data.rows import Row
from tests.unit.instruments.grounding.data.written_rows import (
    PHRASINGS,
    REQUEST_WORDS,
    TABLES,
    write_rows,
)


def names_of(alignment: Alignment) -> dict[str, set[str]]:
    return {column: set(words) for column, words in alignment.names.items()}


def request_row(request: str, *select: str) -> Row:
    """A row of the table t, whose columns are just the columns that the request asks for."""
    return Row(
        english_prompt=request,
        create_statement="CREATE TABLE t ( a TEXT )",
        sql_statement=f"SELECT {', '.join(select)} FROM t",  # noqa: S608
        table_name="t",
        table_fields=list(select),
        select=list(select),
    )


# Rows in TinySQL's form


@pytest.mark.parametrize(("synonyms", "max_columns"), [(0.5, 12), (0.5, 3), (1.0, 12)])
def test_the_words_of_every_column_are_those_it_was_written_with(
    synonyms: float, max_columns: int
) -> None:
    # With 1.0, no request has a column's own word; words between two separators then show where lists are.
    alignment = align(write_rows(1500, synonyms=synonyms, max_columns=max_columns))
    assert names_of(alignment) == {column: set(words) for column, words in REQUEST_WORDS.items()}


def test_a_carrier_is_a_phrasing_with_a_table_and_a_gap_for_the_column() -> None:
    rows = write_rows(1500)
    alignment = align(rows)
    single = [row for row in rows if len(row.select) == 1]
    assert len(alignment.carriers) >= 0.98 * len(single)
    gaps = {}
    for phrasing in PHRASINGS:
        for table, names in TABLES.items():
            for name in (table, *names):
                gaps[phrasing.format(fields="<>", table=name)] = table
    wrong = 0
    for row, before, after in alignment.carriers:
        phrase = row.english_prompt[len(before) : len(row.english_prompt) - len(after)]
        assert before + phrase + after == row.english_prompt
        wrong += gaps.get(f"{before}<>{after}") != row.table_name
        wrong += phrase not in (row.select[0], *REQUEST_WORDS[row.select[0]])
    assert wrong <= 0.02 * len(single)  # `price` alone may be read in `price per unit`


def test_what_is_not_asked_for_has_no_words() -> None:
    rows = [row._replace(table_fields=[*row.table_fields, "silent"]) for row in write_rows(500)]
    assert align(rows).names["silent"] == frozenset()


# Hand-made requests. `Show a from t` and its like let `Show` and `from` enclose lists.

FRAME = [
    *[request_row("Show a from t", "a")] * 2,
    *[request_row("Show b from t", "b")] * 2,
    *[request_row("Show c from t", "c")] * 2,
    *[request_row("Show d from t", "d")] * 2,
]


def test_phrases_are_taken_in_the_order_of_the_sql() -> None:
    row = request_row("Show one thing, two and the third thing from t", "c", "a", "b")
    assert names_of(align([*FRAME, row, row])) == {
        "a": {"two"},
        "b": {"the third thing"},
        "c": {"one thing"},
        "d": set(),
    }


@pytest.mark.parametrize(
    "others",
    [[request_row("Show thing from t", "a")], [request_row("Show x and y from t", "a")] * 2],
    ids=["a phrase of one row", "a list of another length than the SQL"],
)
def test_what_is_no_name_is_not_aligned(others: list[Row]) -> None:
    alignment = align([*FRAME, *others])
    assert names_of(alignment) == {"a": set(), "b": set(), "c": set(), "d": set()}
    assert [carrier.row for carrier in alignment.carriers] == FRAME


def test_of_two_readings_the_one_with_the_phrase_of_more_rows_is_taken() -> None:
    # `me` may also precede a list; `me price` is a phrase of two rows, `price` one of four.
    asks = [request_row(f"Show me {column} from t", column) for column in ("a", "b", "c")]
    prices = [
        request_row("Show price from t", "a"),
        request_row("Show me price from t", "a"),
    ]
    alignment = align([*FRAME, *asks, *asks, *prices, *prices])
    assert alignment.names["a"] == {"price"}
    assert {carrier.before for carrier in alignment.carriers} == {"Show ", "Show me "}


def test_of_two_phrases_of_as_many_rows_the_longer_one_is_taken() -> None:
    # `of` may precede a list and `in` may follow one, so that `birth` and `place` alone could be the phrases.
    asks = [request_row(f"Show list of {column} from t", column) for column in ("a", "b", "c")]
    asks += [request_row(f"Show {column} in t", column) for column in ("a", "b", "c")]
    asks += [
        request_row("Show date of birth from t", "d"),
        request_row("Show place in list from t", "c"),
    ] * 3
    names = align([*FRAME, *asks]).names
    assert (names["d"], names["c"]) == ({"date of birth"}, {"place in list"})


def test_a_word_beside_few_columns_in_many_rows_is_part_of_a_phrase() -> None:
    # `number` follows 3 of 30 columns, in 30 rows; a word that follows lists would follow 6 columns or more.
    columns = [f"c{index}" for index in range(30)]
    frame = [request_row(f"Show {column} from t", column) for column in columns]
    numbers = []
    for column in columns[:3]:
        numbers += [request_row(f"Show {column} number from t", column)] * 10
    names = names_of(align([*frame, *numbers]))
    assert names == {
        column: {f"{column} number"} if column in columns[:3] else set() for column in columns
    }


def test_rows_without_any_known_list_are_refused_with_their_number() -> None:
    with pytest.raises(UserError) as refused:
        align([request_row("Do it", "a"), request_row("Do that", "b")])
    assert str(refused.value) == (
        "grounding/data: none of 2 training rows shows which words of its request name its columns; "
        "take more rows, or requests that list the columns in the order of the SQL, as 'a, b and c'"
    )


# The relation


def relation_of(**names: set[str]) -> Relation:
    return relate({column: frozenset(words) for column, words in names.items()})


def test_a_database_word_is_a_column_and_a_non_database_word_never_one() -> None:
    relation = relation_of(price={"cost", "fee"}, cost={"price"}, city=set())
    assert (relation.database, relation.non_database) == (["city", "cost", "price"], ["fee"])


def test_words_are_related_through_one_column_or_request_word() -> None:
    relation = relation_of(price={"fee", "rate"}, speed={"rate", "pace"}, city={"town"})
    # Its words, and the column that shares `rate`.
    assert relation.related["price"] == {"fee", "rate", "speed"}
    assert relation.related["fee"] == {"price", "rate"}  # its column, and that column's other word
    assert relation.related["rate"] == {"price", "speed", "fee", "pace"}
    assert relation.related["pace"] == {"speed", "rate"}  # not `price`, two words away
    assert (relation.siblings["rate"], relation.siblings["price"]) == ({"fee", "pace"}, set())
    # `province` asks for `state`, and `state` for `status`; `province` does not ask for `status`.
    senses = relation_of(state={"province"}, status={"state"})
    assert "status" in senses.related["province"]
    assert "status" not in senses.near["province"] | senses.siblings["province"]
    assert relation.unrelated("pace", ["price", "city", "town"])
    assert not relation.unrelated("pace", ["city", "rate"])
    assert not relation.unrelated("pace", ["pace"])
