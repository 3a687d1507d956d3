"""The verdict on a paper: what a judge finds, and how far its findings can be trusted."""

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from mechaware.instruments.claims.rubric.constant_answers import why_no_better
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.support import find_support
from mechaware.verdicts.__main__ import main as exit_status
from mechaware.verdicts.procedure import make_procedure
from mechaware.verdicts.supported import judge_support
from tests.unit.instruments.claims.claims_by_hand import claim
from tests.unit.verdicts.supported_by_hand import (
    ABOUT,
    PROCEDURE,
    SUPPORTED,
    WEAK,
    scores_of,
    scores_of_claims,
)

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
FIVE_RUNS = make_procedure("claims", {"kind": "provider", "runs": 5}, list(CRITERIA), "ab")


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        pytest.param([SUPPORTED], "supported", id="at the tier"),
        pytest.param([WEAK], "not supported", id="below the tier"),
        # With I2 the score would be 4.17, without it 3.33.
        pytest.param([SUPPORTED | {"I2": None}], "cannot tell", id="a status decides"),
        # The score is 5.28. With M5 at YES as well, Measurement would be 3, not 2, and the score
        # 5.83: both are above 4.
        pytest.param(
            [SUPPORTED | {"M1": "YES", "M3": "YES", "M4": "YES", "M5": None}],
            "supported",
            id="a status above the tier",
        ),
        pytest.param([WEAK | {"C2": None}], "not supported", id="a status below the tier"),
        # The second claim may reach 4.17, which the first, whose lower bound is higher, cannot.
        pytest.param(
            [WEAK | {"I1": "YES"}, WEAK | {"C2": None, "I1": None, "I2": None}],
            "cannot tell",
            id="statuses of another claim decide",
        ),
        pytest.param([WEAK, SUPPORTED], "supported", id="one of two claims at the tier"),
        pytest.param([], "no claim", id="no claim"),
    ],
)
def test_a_paper_is_supported_from_the_tier_on_whatever_missing_statuses_may_be(
    claims: list[dict[str, Any]], status: str
) -> None:
    assert find_support(scores_of(*claims)).status == status


def test_the_reason_names_the_claim_that_is_open_and_what_it_lacks() -> None:
    # The first claim has every status and scores 3.33; the second lacks three and may reach 4.17.
    scores = scores_of(WEAK | {"I1": "YES"}, WEAK | {"C2": None, "I1": None, "I2": None})

    reason = find_support(scores).reason

    assert reason.startswith("3 of 27 criteria of claim 2 have no status: its score is ")
    assert reason.endswith("to 4.2, and 4 of 10 is needed (Mechanistically Supported)")


def test_the_reason_names_no_claim_about_a_component_although_it_may_reach_the_tier() -> None:
    """The claim about a component may reach 4.17, too; only the second is about the mechanism."""
    open_criteria = SUPPORTED | {"I2": None}
    statuses = WEAK | {"C2": None, "I1": None, "I2": None}
    component = claim("Head 9.9 copies the name", ["9.9"], open_criteria, system=False)
    circuit = claim("The circuit adds ages", ["1.1"], statuses, system=True)

    reason = find_support(scores_of_claims(component, circuit)).reason

    assert reason.startswith("3 of 27 criteria of claim 2 have no status")


def row(**changed: Any) -> pd.DataFrame:
    """A calibration of one judge that is right about 11 of 12 papers and 80% of the criteria."""
    good = {
        "judge": "tester", "level": 0.95, "papers": 12, "supported": 7, "found": 6, "others": 5, "false": 0,
        "sensitivity": 6 / 7, "sensitivity_low": 0.42, "sensitivity_high": 0.996,
        "specificity": 1.0, "specificity_low": 0.48, "specificity_high": 1.0, "p": 0.0076,
        "exact": 0.8, "exact_low": 0.7, "exact_high": 0.9, "always_yes": 0.44, "always_no": 0.32,
        "text": "planted papers", "text_length": 25_000.0, "procedure": PROCEDURE.text,
    }  # fmt: skip
    return pd.DataFrame([good | changed])


@pytest.mark.parametrize(
    ("statuses", "status", "outcome", "exits"),
    [(SUPPORTED, "supported", "shown", 3), (WEAK, "not supported", "not shown", 0)],
)
def test_a_judge_that_is_better_than_one_answer_to_all_gives_a_verdict_with_its_rates(
    tmp_path: Path, statuses: dict[str, Any], status: str, outcome: str, exits: int
) -> None:
    verdict = judge_support(scores_of(statuses), ABOUT, PROCEDURE, row(), confidence_level=0.95)

    assert verdict.question == "supported"
    assert verdict.status == status
    assert verdict.outcome == outcome
    rates = verdict.error_rates.rates
    assert [(rate.measure, round(rate.value, 3), rate.n) for rate in rates] == [
        ("sensitivity", 0.857, 7),
        ("specificity", 1.0, 5),
        ("criteria right", 0.8, 12),
    ]
    assert [rate.case["YES throughout"] for rate in rates] == [1.0, 0.0, 0.44]
    assert verdict.error_rates.distance == [
        "measured on planted papers with a median length of 25000 characters; these texts have 20000: "
        "0.8 times as long"
    ]

    path = tmp_path / "verdict.json"
    path.write_text(json.dumps(verdict.record()))
    jsonschema.validate(json.loads(path.read_text()), SCHEMA)
    assert exit_status([str(path)]) == exits


def test_of_two_measurements_of_a_procedure_the_later_one_counts() -> None:
    """By the first row the judge finds 2 of 7 supported papers, by the second 6 of 7."""
    few = {"found": 2, "sensitivity": 2 / 7, "sensitivity_low": 0.04, "sensitivity_high": 0.71}
    first = row(p=0.3, **few)

    later = judge_support(
        scores_of(SUPPORTED), ABOUT, PROCEDURE, pd.concat([first, row()]), confidence_level=0.95
    )
    earlier = judge_support(
        scores_of(SUPPORTED), ABOUT, PROCEDURE, pd.concat([row(), first]), confidence_level=0.95
    )

    assert (later.status, later.error_rates.rates[0].value) == ("supported", 6 / 7)
    assert (earlier.status, earlier.error_rates.rates[0].value) == ("cannot tell", 2 / 7)


@pytest.mark.parametrize(
    ("calibration", "reason"),
    [
        # Just above YES throughout would do; 44% itself does not.
        pytest.param(
            row(exact_low=0.44),
            "not shown to be better than answering YES throughout (44%)",
            id="at the better constant answer",
        ),
        pytest.param(
            row(exact_low=0.5, always_no=0.6),
            "not shown to be better than answering NO throughout (60%)",
            id="NO is the better constant answer",
        ),
        pytest.param(
            row(exact_low=math.nan, exact_high=math.nan),
            "not shown to be better than answering YES throughout",
            id="no interval",
        ),
        pytest.param(
            row(
                exact=math.nan,
                exact_low=math.nan,
                exact_high=math.nan,
                always_yes=math.nan,
                always_no=math.nan,
            ),
            "on planted papers the judge gave no status that can be compared with the true one",
            id="no status",
        ),
        pytest.param(
            row(found=5, false=2, p=0.31),
            "of planted papers the judge calls supported 5 of the 7 that are, and 2 of the 5 that are not, which is "
            "not shown to be better than one answer to all (p = 0.31)",
            id="papers are not told apart",
        ),
        pytest.param(
            row(procedure=FIVE_RUNS.text),
            "what this judge is worth is not known: not measured with this procedure: runs is 3, measured at 5",
            id="another procedure",
        ),
        pytest.param(
            row().iloc[:0],
            "what this judge is worth is not known: not measured with this procedure",
            id="not measured",
        ),
    ],
)
def test_a_judge_no_better_than_a_constant_answer_or_not_measured_gives_no_verdict(
    calibration: pd.DataFrame, reason: str
) -> None:
    verdict = judge_support(
        scores_of(SUPPORTED), ABOUT, PROCEDURE, calibration, confidence_level=0.95
    )

    assert verdict.status == "cannot tell"
    assert verdict.outcome == "cannot tell"
    assert verdict.evidence.finding == "supported"
    assert reason in verdict.reason


def test_just_above_a_constant_answer_is_enough_and_p_is_held_to_the_given_level() -> None:
    (good,) = row().to_dict("records")

    assert why_no_better(good, 0.95) == ""
    assert why_no_better(good | {"exact_low": 0.4401}, 0.95) == ""
    assert "p = 0.0076" in why_no_better(good, 0.995)


def test_a_paper_without_a_claim_says_so_whatever_the_judge_is_worth() -> None:
    verdict = judge_support(scores_of(), ABOUT, PROCEDURE, row().iloc[:0], confidence_level=0.95)

    assert verdict.status == "no claim"
    assert verdict.outcome == "cannot tell"
    assert verdict.n == 0
    jsonschema.validate(verdict.record(), SCHEMA)
