"""What the trust study tells a user: shares without quotes, and scores with intervals."""

import pandas as pd
import pytest

from mechaware.claims.rubric.records import Audited, Scores, Usage, Voted
from mechaware.claims.rubric.scoring import score_paper
from mechaware.claims.study.trust import bounded_scores, removal_summary
from tests.unit.claims.claims_by_hand import claim, run


def test_the_share_that_falls_without_quotes_stands_beside_that_without_other_text() -> None:
    rows = [("I1", "NO", "YES"), ("I1", "PARTIAL", "NO"), ("I1", "YES", "YES"), ("V3", "", "YES")]
    table = removal_summary(pd.DataFrame(rows, columns=["criterion", "quoted", "other"]), level=0.95)
    shares = table.set_index("criterion")[["quoted_fell", "quoted_n", "other_fell", "other_n"]]
    assert shares.to_numpy().tolist() == [[2, 3, 1, 3], [0, 0, 0, 1], [2, 3, 1, 4]]
    assert list(shares.index) == ["I1", "V3", "all"]
    assert table["quoted"].iloc[0] == pytest.approx(2 / 3)


def scores_of(paper: str, status: str) -> Scores:
    claims = [claim(rest=status, system=True)]
    voted = Voted(judge="tester", paper=paper, runs=1, scored_runs=[0], claims=claims, dropped=[])
    audited = Audited(judge="tester", paper=paper, claims=claims, downgrades=[], usage=Usage())
    return score_paper([run(0, *claims)], voted, audited)


def test_a_score_has_a_narrow_interval_if_the_judge_made_no_mistake_and_a_wide_one_if_it_guessed() -> None:
    widths = {}
    for kind, letters in (("right", "NPY"), ("guessing", "PYN")):
        trials = [
            {"paper": "a", "edit": "base", "criterion": "", "edited": "", "claim": number, "run": "scored"}
            | {"truth": true * 27, "expected": "." * 27}
            | {"statuses": (true if kind == "right" else letters[(number // 3) % 3]) * 27}
            for number, true in enumerate("NPY" * 60)
        ]
        table = bounded_scores(pd.DataFrame(trials), [scores_of("p", "YES")], draws=200, level=0.95, seed=1)
        (row,) = table.to_dict("records")
        assert (row["paper"], row["cvs"], row["tier"]) == ("p", 10.0, "Validated")
        assert row["low"] <= row["high"]
        widths[kind] = row["high"] - row["low"], row["tier_low"]
    assert widths["right"][0] < widths["guessing"][0]
    assert widths["guessing"][1] == "Proposed"


def test_a_paper_without_a_score_has_no_interval() -> None:
    unscored = scores_of("p", "YES").model_copy(update={"main": None, "cvs": None})
    trial = {"paper": "a", "edit": "base", "criterion": "", "edited": "", "claim": 0, "run": "scored"}
    trials = pd.DataFrame([trial | {"truth": "N" * 27, "expected": "." * 27, "statuses": "N" * 27}])
    assert bounded_scores(trials, [unscored], draws=20, level=0.95, seed=1).empty
