"""A faulty, repeated or surplus claim in a reply leaves the reply's other claims as they are."""

import pytest

from tests.fake_provider import said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    CIRCUIT,
    PART,
    PLANTED,
    criteria_with,
    many_claims,
    statuses_except_no,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import Extract
from tests.unit.instruments.claims.judges.language_model.judge.request_fields import last_message

# A first reply, whose second claim has no statement.
FAULTY = {"claims": [BOTH_CLAIMS["claims"][0], BOTH_CLAIMS["claims"][1] | {"statement": "..."}]}


@pytest.mark.parametrize(
    "second",
    [
        pytest.param([PART], id="the faulty claim alone"),
        # By position, the first claim's statement would get the statuses of the second.
        pytest.param([CIRCUIT, PART], id="all claims"),
        pytest.param(
            [CIRCUIT | {"statement": f"{CIRCUIT['statement']}."}, PART],
            id="all claims, one with a full stop",
        ),
    ],
)
def test_a_faulty_claim_is_asked_for_again_alone_and_judged_anew(
    extract: Extract, second: list[object]
) -> None:
    script = [said(FAULTY), said({"claims": second}), said({"criteria": criteria_with(V3="YES")})]

    run, calls = extract(*script)

    assert [found.statement for found in run.claims] == [CIRCUIT["statement"], PART["statement"]]
    assert statuses_except_no(run) == [{"C1": "YES", "I1": "YES"}, {"V3": "YES"}]
    # What follows the paper in the prompt. Only the faulty claim is in it, as claim 1.
    asked = last_message(calls[1]).split(PLANTED)[1]
    assert "claim 1: statement: String should match pattern" in asked
    assert '"statement": "..."' in asked
    assert CIRCUIT["statement"] not in asked


def test_a_claim_that_is_faulty_twice_is_left_out_with_notes(extract: Extract) -> None:
    run, _ = extract(said(FAULTY), said("no"), said("no"))

    assert [found.statement for found in run.claims] == [CIRCUIT["statement"]]
    assert [note.split(":")[0] for note in run.notes] == [
        "1 of 2 claims asked for again (claim 2",
        "claims again",
        "claim 2 left out as unusable",
    ]
    assert run.left_out == 1
    assert run.usage.unusable == 1


def test_a_claim_that_is_stated_twice_counts_once(extract: Extract) -> None:
    twice = {
        "claims": [
            BOTH_CLAIMS["claims"][0],
            BOTH_CLAIMS["claims"][0] | {"statement": CIRCUIT["statement"].upper()},
        ]
    }

    run, _ = extract(said(twice), mode="at_once")

    assert [found.statement for found in run.claims] == [CIRCUIT["statement"]]


def test_claims_beyond_the_limit_are_left_out_and_noted(extract: Extract) -> None:
    run, _ = extract(said(many_claims(5)), max_claims=3)

    assert [found.statement[-1] for found in run.claims] == ["0", "1", "2"]
    assert run.notes == ["2 claims beyond max_claims = 3 left out"]
