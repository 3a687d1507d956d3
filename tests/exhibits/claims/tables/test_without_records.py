"""Without the record of any judged paper, tables keep the printed rows and those of each judge."""

from pathlib import Path

from exhibits.claims.tables import (
    claims_boundaries,
    claims_judges,
    claims_main,
    claims_papers,
    claims_per_paper,
    claims_planted,
    claims_single_run,
)
from tests.exhibits.claims.judged_papers import tables
from tests.exhibits.claims.tables.filled_tables import BOUNDARIES, INTERVALS, Fill, write_summary


def test_tables_without_any_record_have_the_printed_rows_and_those_of_all_judges(
    table: Fill, tmp_path: Path
) -> None:
    empty = write_summary(tmp_path / "empty", tables([], []))

    # Nine papers are printed.
    assert len(table(claims_main, folder=empty, **INTERVALS)) == 9
    assert len(table(claims_single_run, folder=empty)) == 9
    assert len(table(claims_per_paper, folder=empty)) == 9
    assert len(table(claims_papers, folder=empty)) == 9
    # Eleven printed judges, and two of ours.
    assert len(table(claims_judges, folder=empty, **INTERVALS)) == 11 + 2
    # Two judges at three stages, two constant answers, and the 27 criteria of both judges.
    assert len(table(claims_planted, folder=empty, **INTERVALS)) == 2 * 3 + 2 + 2 * 27
    boundaries = table(claims_boundaries, folder=empty, **BOUNDARIES)
    assert set(boundaries["source"]) == {"reported", "good", "broken"}
