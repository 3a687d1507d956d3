"""The table of criteria shows that our rubric is the printed one."""

from pathlib import Path

import pandas as pd

from exhibits.claims.schemas import REPORTED_CRITERIA
from exhibits.claims.tables import claims_criteria
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from tests.checkout import REPOSITORY
from tests.exhibits.claims.tables.filled_tables import filled


def test_the_rubric_is_the_printed_one(summary: Path) -> None:
    rubric = filled(claims_criteria, summary)
    assert len(rubric.numbers) == 27
    assert set(rubric.numbers["found"]) == {"both"}

    text = rubric.shown.to_string()
    assert "C1 and C5 at least PARTIAL" in text
    assert "E6, statuses that sum to at least 4" in text
    assert "E1 at least PARTIAL" in text
    assert "E4 at least PARTIAL" not in text


def test_a_printed_criterion_that_our_rubric_lacks_comes_last() -> None:
    printed = read_csv(REPOSITORY / "config/reported/claims_criteria.csv", REPORTED_CRITERIA)
    unknown = printed.iloc[[0]].assign(criterion="A9", criterion_name="another")

    compared = claims_criteria.fill(reported_criteria=pd.concat([unknown, printed])).numbers

    assert compared["criterion"].tolist() == [*CRITERIA, "A9"]
    assert compared["found"].tolist() == ["both"] * 27 + ["reported"]
