"""The words that requests use for columns are found as they were written, and no others.

First in many rows in TinySQL's form, written from a list of request words; then in a few hand-made
requests.
"""

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.alignment import Alignment, align
from mechaware.instruments.grounding.data.rows import Row
from tests.unit.instruments.grounding.data.written_rows import (
    PHRASINGS,
    REQUEST_WORDS,
    TABLES,
    write_rows,
)


def names_of(alignment: Alignment) -> dict[str, set[str]]:
    """The phrases that name each column, other than the column itself."""
    return {column: set(phrases) for column, phrases in alignment.names.items()}


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


@pytest.mark.parametrize(
    ("synonyms", "max_columns"),
    [
        pytest.param(0.5, 12, id="half of the columns asked for by another word"),
        pytest.param(0.5, 3, id="at most three columns"),
        # Only the phrases between two separators then show where lists are.
        pytest.param(1.0, 12, id="no column asked for by its own word"),
    ],
)
def test_the_words_of_every_column_are_those_it_was_written_with(
    synonyms: float, max_columns: int
) -> None:
    alignment = align(write_rows(1500, synonyms=synonyms, max_columns=max_columns))

    assert names_of(alignment) == {column: set(words) for column, words in REQUEST_WORDS.items()}


def test_a_carrier_is_the_request_before_and_after_the_phrase_for_its_column() -> None:
    rows = write_rows(1500)
    of_one_column = [row for row in rows if len(row.select) == 1]
    # `Show me <> from purchases` -> orders: a request with <> for the phrase, and its table.
    table_of_request = {}
    for phrasing in PHRASINGS:
        for table, names in TABLES.items():
            for name in (table, *names):
                table_of_request[phrasing.format(fields="<>", table=name)] = table

    carriers = align(rows).carriers

    n_wrong_tables = 0
    n_wrong_phrases = 0
    for row, before, after in carriers:
        phrase = row.english_prompt[len(before) : len(row.english_prompt) - len(after)]
        assert before + phrase + after == row.english_prompt
        if table_of_request.get(f"{before}<>{after}") != row.table_name:
            n_wrong_tables += 1
        (column,) = row.select
        if phrase not in (column, *REQUEST_WORDS[column]):
            n_wrong_phrases += 1
    assert len(carriers) >= 0.98 * len(of_one_column)
    # Not 0: of the phrase `price per unit`, `price` alone may be taken.
    assert n_wrong_tables + n_wrong_phrases <= 0.02 * len(of_one_column)


def test_a_column_that_no_request_asks_for_has_no_words() -> None:
    rows = [row._replace(table_fields=[*row.table_fields, "silent"]) for row in write_rows(500)]

    assert align(rows).names["silent"] == frozenset()


# Hand-made requests

# A word borders lists if it is next to three columns or more, where there are few columns. These
# rows show that `Show` comes right before a list, and `from` right after it.
FRAME = [
    *[request_row("Show a from t", "a")] * 2,
    *[request_row("Show b from t", "b")] * 2,
    *[request_row("Show c from t", "c")] * 2,
    *[request_row("Show d from t", "d")] * 2,
]


def test_phrases_are_taken_in_the_order_of_the_sql() -> None:
    row = request_row("Show one thing, two and the third thing from t", "c", "a", "b")

    alignment = align([*FRAME, row, row])

    assert names_of(alignment) == {
        "a": {"two"},
        "b": {"the third thing"},
        "c": {"one thing"},
        "d": set(),
    }


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([request_row("Show thing from t", "a")], id="a phrase of one row"),
        pytest.param(
            [request_row("Show x and y from t", "a")] * 2,
            id="a list of another length than the SQL",
        ),
    ],
)
def test_what_is_no_name_is_not_aligned(others: list[Row]) -> None:
    alignment = align([*FRAME, *others])

    assert names_of(alignment) == {"a": set(), "b": set(), "c": set(), "d": set()}
    assert [carrier.row for carrier in alignment.carriers] == FRAME


def test_of_two_phrases_the_one_of_more_rows_is_taken() -> None:
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
    # `of` may precede a list and `in` may follow one: `birth` and `place` alone could be the
    # phrases.
    asks = [request_row(f"Show list of {column} from t", column) for column in ("a", "b", "c")]
    asks += [request_row(f"Show {column} in t", column) for column in ("a", "b", "c")]
    asks += [
        request_row("Show date of birth from t", "d"),
        request_row("Show place in list from t", "c"),
    ] * 3

    names = align([*FRAME, *asks]).names

    assert names["d"] == {"date of birth"}
    assert names["c"] == {"place in list"}


def test_a_word_beside_few_columns_in_many_rows_is_part_of_a_phrase() -> None:
    # `number` follows 3 of 30 columns, in 30 rows. A word that follows lists would follow at least
    # a fifth of 30, 6 columns.
    columns = [f"c{index}" for index in range(30)]
    frame = [request_row(f"Show {column} from t", column) for column in columns]
    numbers = []
    for column in ("c0", "c1", "c2"):
        numbers += [request_row(f"Show {column} number from t", column)] * 10

    names = names_of(align([*frame, *numbers]))

    without_names = {column: set() for column in columns}
    assert names == without_names | {
        "c0": {"c0 number"},
        "c1": {"c1 number"},
        "c2": {"c2 number"},
    }


def test_a_word_beside_few_lists_borders_them_if_their_columns_differ() -> None:
    # `Fetch` is before 3 lists, of 3 different columns; a fifth of all columns would be 6.
    columns = [f"c{index}" for index in range(30)]
    frame = [request_row(f"Show {column} from t", column) for column in columns]
    seldom = [request_row(f"Fetch {column} from t", column) for column in columns[:3]]

    carriers = align([*frame, *seldom]).carriers

    starts = [carrier.before for carrier in carriers]
    assert starts == ["Show "] * 30 + ["Fetch "] * 3


def test_rows_without_any_known_list_are_refused_with_their_number() -> None:
    with pytest.raises(UserError) as refused:
        align([request_row("Do it", "a"), request_row("Do that", "b")])

    assert str(refused.value) == (
        "grounding/data: none of 2 training rows shows "
        "which words of its request name its columns; "
        "take more rows, or requests that list the columns in the order of the SQL, as 'a, b and c'"
    )
