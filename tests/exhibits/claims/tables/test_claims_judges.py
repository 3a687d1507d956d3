"""The table of judges has the papers, exact tiers, calls, tokens and cost of each judge.

The small study, of the judges `good` and `broken`, is described at the head of filled_tables.py.
"""

from math import nan
from pathlib import Path

import pandas as pd
import pytest

from exhibits.claims.tables import claims_judges
from tests.exhibits.claims.tables.filled_tables import (
    INTERVALS,
    Fill,
    filled,
    floats,
    write_summary,
)


def test_claims_judges_has_a_row_for_each_judge(table: Fill) -> None:
    rows = table(claims_judges, **INTERVALS)
    assert rows["source"].tolist() == ["reported"] * 11 + ["good", "broken"]

    good = rows.iloc[-2]
    broken = rows.iloc[-1]

    assert good["label"] == "Good judge"
    assert good["papers"] == 4
    # The papers have 2, 1, 2 and 1 claims after the vote.
    assert float(good["n_claims"]) == (2 + 1 + 2 + 1) / 4
    # The tiers of planted-01, planted-02 and ioi are off by 0, +1 and 0.
    assert floats(good, "labelled", "exact", "within_one") == [3, 2, 3]
    # The score of IOI.
    assert good["cvs"] == pytest.approx(10 / 1.8)
    assert good["tier"] == "Mechanistically Supported"
    # Each of four papers has three runs, of 2 calls, 100 tokens of prompts, 10 of replies and 0.25
    # dollars each, and an audit of 1 call.
    assert floats(good, "calls", "cost") == [4 * (3 * 2 + 1), 4 * 3 * 0.25]
    assert floats(good, "prompt_tokens", "completion_tokens") == [4 * 3 * 100, 4 * 3 * 10]
    assert float(good["unscored"]) == 0
    assert broken[["exact", "labelled", "unscored"]].tolist() == ["", "", ""]
    assert pd.isna(broken["cvs"])


def test_the_cost_of_a_judge_is_unknown_if_that_of_any_of_its_papers_is(
    summary: Path, tmp_path: Path
) -> None:
    made = {name: pd.read_parquet(summary / f"{name}.parquet") for name in ("papers", "criteria")}
    usage = pd.read_parquet(summary / "usage.parquet")
    is_ioi = (usage["judge"] == "good") & (usage["paper"] == "ioi")
    usage.loc[is_ioi, "cost"] = nan
    without_a_cost = write_summary(tmp_path / "cost", made | {"usage": usage})

    table = filled(claims_judges, without_a_cost, **INTERVALS)

    assert pd.isna(table.numbers.set_index("source").loc["good", "cost"])
    assert table.shown.set_index("Judge").loc["Good judge", "Cost, USD"] == ""
