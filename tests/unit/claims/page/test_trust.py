"""What stands beside a judge's tier about planted papers."""

from pathlib import Path

import pandas as pd

from mechaware.claims.page.trust import trust_lines
from mechaware.claims.schemas import PLANTED
from mechaware.frames import read_csv

MEASURED = Path(__file__).resolve().parents[4] / "docs/measured/claims_planted.csv"


def test_a_judge_has_its_share_after_the_audit_and_without_one_it_is_not_tested() -> None:
    planted = pd.DataFrame(
        {
            "judge": ["a", "a", "b", "always NO"],
            "stage": ["voted", "audited", "audited", ""],
            "exact": [0.9, 0.41, None, 0.3],
            "exact_low": [0.8, 0.35, None, 0.2],
            "exact_high": [0.99, 0.488, None, 0.4],
            "always_no": [0.5, 0.282, None, 0.3],
        }
    )
    assert trust_lines(planted, ["a", "b", "c"]) == {
        "a": "right on planted papers: 41.0% of criteria (35.0 to 48.8%); answering NO throughout: 28.2%",
        "b": "not tested on planted papers",
        "c": "not tested on planted papers",
    }


def test_the_table_that_comes_with_the_repository_has_the_lexical_rules() -> None:
    (line,) = trust_lines(read_csv(MEASURED, PLANTED), ["lexical"]).values()
    assert line.startswith("right on planted papers: ")
