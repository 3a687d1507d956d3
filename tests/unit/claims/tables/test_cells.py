"""Numbers as the claims study's tables show them."""

from mechaware.claims.tables.cells import count_text, decimals_text, span_text


def test_numbers_are_written_as_the_papers_tables_write_them() -> None:
    assert (span_text("3.1", "5.3"), span_text("1.4", "1.4"), span_text("", "")) == ("3.1 to 5.3", "1.4", "")
    assert [decimals_text(number, 1, sign="+") for number in (0.26, -1.0, None)] == ["+0.3", "-1.0", ""]


def test_a_count_of_nothing_is_empty() -> None:
    assert (count_text(5, 9), count_text(0, 9), count_text(0, 0), count_text(None, 9)) == ("5 of 9", "0 of 9", "", "")
