"""Criteria that a reply lacks or gets wrong are asked for once more, and only those."""

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from tests.fake_provider import Call, Reply, said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    CIRCUIT,
    PART,
    QUOTE,
    criteria_with,
    many_claims,
    small_model_reply,
    statuses_except_no,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import Extract
from tests.unit.instruments.claims.judges.language_model.judge.request_fields import (
    codes_asked_for,
    last_message,
)


def test_one_bad_status_of_10_claims_with_27_criteria_costs_one_call_for_that_criterion(
    extract: Extract,
) -> None:
    reply = many_claims(10, C1="YES")
    reply["claims"][7]["criteria"]["M5"]["status"] = "MAYBE"
    mended = {"M5": {"evidence": f'"{QUOTE}"', "status": "PARTIAL"}}

    run, calls = extract(said(reply), said({"criteria": mended}))

    assert run.fault is None
    assert statuses_except_no(run)[6] == {"C1": "YES"}
    assert statuses_except_no(run)[7] == {"C1": "YES", "M5": "PARTIAL"}
    assert codes_asked_for(calls[1]) == ["M5"]

    asked = last_message(calls[1])
    assert "M5: status: Input should be 'NO', 'PARTIAL' or 'YES'" in asked
    assert "does step 7" in asked
    assert len(calls) == 2


def test_what_is_unusable_twice_is_unscored_and_the_rest_stands(extract: Extract) -> None:
    bad = criteria_with(C1="YES") | {"M5": {"evidence": "None.", "status": "MAYBE"}}
    del bad["V5"]
    reply = {"claims": [CIRCUIT | {"criteria": bad}]}
    mended = {"V5": {"evidence": "No.", "status": "NO"}}

    run, calls = extract(said(reply), said({"criteria": mended}))

    assert codes_asked_for(calls[1]) == ["M5", "V5"]
    criteria = run.claims[0].criteria
    assert [code for code, found in criteria.items() if found.status is None] == ["M5"]
    assert criteria["M5"].evidence == "[UNSCORED: missing]"
    assert criteria["V5"].status == "NO"
    assert len(calls) == 2


def test_the_criteria_of_a_claim_that_came_without_any_are_asked_for(extract: Extract) -> None:
    bare = {"claims": [BOTH_CLAIMS["claims"][0], PART]}

    run, calls = extract(said(bare), said({"criteria": criteria_with(I2="YES")}))

    assert codes_asked_for(calls[1]) == list(CRITERIA)
    assert statuses_except_no(run) == [{"C1": "YES", "I1": "YES"}, {"I2": "YES"}]


def test_one_unusable_dimension_is_unscored_and_the_others_stand(extract: Extract) -> None:
    def answer(call: Call) -> Reply:
        if "M1 " in call.request["messages"][0]["content"]:
            return said("I cannot.")
        return small_model_reply(call)

    run, _ = extract(otherwise=answer, mode="passages")

    assert run.fault is None
    for found in run.claims:
        unscored = []
        for code, judgement in found.criteria.items():
            if judgement.status is None:
                unscored.append(code)
        assert unscored == ["M1", "M2", "M3", "M4", "M5", "M6"]
        assert found.criteria["M1"].evidence.startswith("[UNSCORED: ")
