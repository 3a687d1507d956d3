"""A status whose quotes are not all in the paper goes back once; the second time it is unscored."""

from tests.fake_provider import said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    CIRCUIT,
    QUOTE,
    TEXT,
    criteria_with,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import Extract
from tests.unit.instruments.claims.judges.language_model.judge.request_fields import (
    codes_asked_for,
    last_message,
)

INVENTED = {"evidence": '"heads 3.1 and 4.2 restore all of the behaviour"', "status": "YES"}


def test_a_yes_without_a_quote_from_the_paper_goes_back_once(extract: Extract) -> None:
    criteria = criteria_with(C1="YES") | {
        "I2": INVENTED,
        "V3": {"evidence": "It all fits.", "status": "PARTIAL"},
        "E4": {"evidence": f'"{TEXT * 3}"', "status": "YES"},
    }
    again = {
        "I2": {"evidence": "No isolation test.", "status": "NO"},
        "V3": {"evidence": "Everything fits.", "status": "PARTIAL"},
        "E4": {"evidence": f'"{QUOTE}"', "status": "YES"},
    }
    script = [said({"claims": [CIRCUIT]}), said({"criteria": criteria}), said({"criteria": again})]

    run, calls = extract(*script, mode="claim_by_claim")

    assert codes_asked_for(calls[2]) == ["I2", "E4", "V3"]
    asked = last_message(calls[2])
    assert f"I2: no quote of its evidence is in the paper: {INVENTED['evidence']}" in asked
    assert "E4: a quote is longer than 800 characters" in asked

    (found,) = run.claims
    assert found.criteria["C1"].status == "YES"
    assert found.criteria["I2"].status == "NO"
    assert found.criteria["E4"].status == "YES"
    assert found.criteria["V3"].status is None
    assert found.criteria["V3"].evidence == "[UNSCORED: quote not in the paper] Everything fits."

    (note,) = run.notes
    assert note.startswith(
        f'criteria of "{CIRCUIT["statement"]}" asked again: '
        "I2 YES, now NO (no quote of its evidence"
    )
    assert "; E4 YES, now YES (" in note
    assert "; V3 PARTIAL, now unscored (" in note


HALF_TRUE = f'"{QUOTE}" and "five seeds gave the same curves"'


def test_one_true_quote_does_not_vouch_for_an_invented_one(extract: Extract) -> None:
    """I2 and V3 each have a true and an invented quote; the second reply mends only I2."""
    half_true = {"evidence": HALF_TRUE, "status": "YES"}
    criteria = criteria_with(C1="YES") | {"I2": half_true, "V3": half_true}
    again = {"I2": {"evidence": f'"{QUOTE}"', "status": "YES"}, "V3": half_true}
    script = [said({"claims": [CIRCUIT | {"criteria": criteria}]}), said({"criteria": again})]

    run, calls = extract(*script)

    (found,) = run.claims
    invented = '"five seeds gave the same curves"'
    assert f"I2: of its quotes these are not in the paper: {invented}" in last_message(calls[1])
    assert found.criteria["C1"].status == "YES"
    assert found.criteria["I2"].status == "YES"
    assert found.criteria["V3"].status is None
    assert found.criteria["V3"].evidence == (
        f"[UNSCORED: quote not in the paper] {HALF_TRUE} [not in the paper]"
    )
    place, missing = found.criteria["V3"].quotes
    assert place is not None
    assert TEXT[slice(*place)] == QUOTE
    assert missing is None
