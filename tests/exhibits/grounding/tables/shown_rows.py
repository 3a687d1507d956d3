"""A comparison of the rows that a table shows with the rows that a test expects."""

from collections.abc import Mapping

from exhibits.report.tables import Table


def assert_shows(table: Table, *rows: Mapping[str, str]) -> None:
    """The cells of the table are these rows, with the columns in the order of the first."""
    assert table.shown.to_dict("records") == list(rows)
    assert list(table.shown) == list(rows[0])
