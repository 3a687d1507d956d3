"""Replies of odd form are read where they say all that was asked for, without another call."""

import json
from typing import Any

import pytest

from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.replies import (
    JudgedClaims,
    Leaks,
    RawClaims,
    RawCriteria,
    read_claim,
    read_criterion,
)
from mechaware.instruments.claims.judges.language_model.structured import field_name, parse

CLAIM: dict[str, Any] = {
    "statement": "Heads 3.1 and 4.2 carry the number",
    "description_mode": "algorithmic",
    "components": ["3.1"],
    "criteria": {"C1": {"evidence": "", "status": "NO"}},
}
OTHER = CLAIM | {"statement": "Head 3.1 detects the plural"}
BOTH = {"claims": [CLAIM, OTHER]}


def in_a_reply(value: object) -> list[str]:
    """A value as JSON, and as the JSON of a reply with words around it."""
    bare = json.dumps(value)
    return [bare, f"Here it is, see [1]:\n```json\n{bare}\n```"]


@pytest.mark.parametrize(
    ("reply", "claims"),
    [
        ([BOTH], [CLAIM, OTHER]),
        ({"result": [CLAIM, OTHER]}, [CLAIM, OTHER]),
        ([CLAIM], [CLAIM]),
        ({"claims": CLAIM}, [CLAIM]),
        (CLAIM, [CLAIM]),
        ([{"claim": CLAIM}, {"1": OTHER}], [CLAIM, OTHER]),
        ({"claims": [{"claim": CLAIM}, OTHER]}, [CLAIM, OTHER]),
        ({"claims": []}, []),
    ],
)
def test_claims_are_read_in_whatever_they_are_wrapped(reply: object, claims: list[object]) -> None:
    for text in in_a_reply(reply):
        read, _ = parse(text, RawClaims)
        assert read.claims == claims


@pytest.mark.parametrize(
    "reply",
    [{}, [], [1], {"result": 3}, {"a": {"b": {}}}, {"claims": None}, {"error": []}],
)
def test_a_reply_without_a_list_of_claims_is_refused(reply: object) -> None:
    for text in in_a_reply(reply):
        with pytest.raises(Unscored):
            parse(text, RawClaims)


STATUSES = {"C1": "YES", "I1": "NO"}
JUDGED = {
    code: {"evidence": '"the {x} score [1]"', "status": status} for code, status in STATUSES.items()
}
WHOLE = json.dumps({"claims": [CLAIM | {"criteria": JUDGED}, OTHER | {"criteria": JUDGED}]})
SIGNS = '{}[]",:'


def with_fault(place: int, before: str | None) -> str:
    """The whole reply without the sign at a place, or with another sign before it."""
    if before is None:
        return WHOLE[:place] + WHOLE[place + 1 :]
    return WHOLE[:place] + before + WHOLE[place:]


@pytest.mark.parametrize("before", [None, *SIGNS], ids=lambda before: before or "left out")
def test_no_fault_of_one_sign_makes_a_reply_another_one(before: str | None) -> None:
    """Each sign in turn is left out, or has another before it. The reply may then lack a criterion, or be no reply."""
    places = [place for place, sign in enumerate(WHOLE) if sign in SIGNS]
    unusable = 0
    for place in places:
        try:
            claims = parse(with_fault(place, before), RawClaims)[0].claims
        except Unscored:
            unusable += 1
            continue
        assert len(claims) == 2
        for claim in claims:
            for code, status in STATUSES.items():
                judged = read_criterion(claim.get("criteria"), code)
                assert isinstance(judged, str) or judged.status == status
    assert 0 < unusable < len(places)


@pytest.mark.parametrize(
    "reply",
    [
        {"answer": {"criteria": {"c1": {}}}},
        {"c1": {}},
        {"result": {"c1": {}}},
        CLAIM | {"criteria": {"C1": {}}},
        {"claims": [CLAIM | {"criteria": {"C1": {}}}]},
    ],
)
def test_criteria_may_be_bare_wrapped_or_in_a_claim(reply: object) -> None:
    assert parse(json.dumps(reply), RawCriteria)[0].criteria == {"C1": {}}


def test_other_replies_may_be_wrapped_too() -> None:
    assert parse('{"result": {"downgrades": []}}', Leaks)[0].downgrades == []


def test_a_leaks_criterion_may_have_markers() -> None:
    leak = {"claim": 1, "criterion": "**I2** (sufficiency)", "reason": "of the circuit"}
    assert parse(json.dumps({"downgrades": [leak]}), Leaks)[0].downgrades[0].criterion == "I2"


LEAK = {"claim": 1, "criterion": "I2", "reason": "of the circuit"}


@pytest.mark.parametrize(("rows", "claims"), [([LEAK, LEAK | {"claim": "2"}], [1, 2]), ([], [])])
def test_the_number_of_a_leaks_claim_may_be_text(rows: list[object], claims: list[int]) -> None:
    reply, _ = parse(json.dumps({"downgrades": rows}), Leaks)

    assert [leak.claim for leak in reply.downgrades] == claims


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([LEAK, LEAK | {"claim": True}], "downgrades.1.claim: "),
        ([LEAK | {"criterion": "C9"}], "downgrades.0.criterion: "),
        ([5], "downgrades.0: "),
    ],
)
def test_an_audit_with_an_unusable_row_is_refused(rows: list[object], message: str) -> None:
    with pytest.raises(Unscored, match=message):
        parse(json.dumps({"downgrades": rows}), Leaks)


@pytest.mark.parametrize(
    ("field", "given", "read"),
    [
        ("components", None, []),
        ("components", "3.1", ["3.1"]),
        ("components", [3.1, "4.2"], ["4.2"]),
        ("level", "System", "system"),
        ("level", "part", None),  # left to the heuristics
        ("description_mode", "Implementational functional", "implementational-functional"),
        ("description_mode", "magical", "unknown"),
        ("evidence_families", ["Causal", "magical"], ["causal"]),
    ],
)
def test_what_affects_no_score_may_be_missing_or_odd(
    field: str, given: object, read: object
) -> None:
    claim = read_claim(CLAIM | {field: given, "confidence": 0.9})
    assert not isinstance(claim, str)
    assert getattr(claim, field) == read


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("C1", "C1"),
        ("c1", "C1"),
        (" C1 ", "C1"),
        ("C1 falsifiability", "C1"),
        ("C1_falsifiability", "C1"),
        ("C1:", "C1"),
        ("C-1", "C1"),
        ("**C1**", "C1"),
        ("Status", "status"),
        ("C11", "c11"),
        ("claims", "claims"),
        ("evidence", "evidence"),
        ("Description mode", "description_mode"),
    ],
)
def test_a_name_is_known_whatever_marks_it(name: str, plain: str) -> None:
    assert field_name(name) == plain


@pytest.mark.parametrize(
    ("given", "status"),
    [("*no*.", "NO"), (' "Yes": ', "YES"), ("[PARTIAL]", "PARTIAL")],
)
def test_a_status_may_have_markers_and_evidence_be_missing(given: str, status: str) -> None:
    judged = read_criterion({"C1": {"evidence": None, "status": given}}, "C1")

    assert not isinstance(judged, str)
    assert judged.status == status
    assert judged.evidence == ""


@pytest.mark.parametrize("given", ["~YES", "≠YES"])
def test_a_sign_that_may_change_a_status_makes_it_none(given: str) -> None:
    fault = read_criterion({"C1": {"evidence": None, "status": given}}, "C1")

    assert isinstance(fault, str)


@pytest.mark.parametrize("raw", [None, [], {}, {"C11": {"evidence": "", "status": "NO"}}, 5])
def test_a_criterion_that_is_not_there_is_missing(raw: object) -> None:
    assert read_criterion(raw, "C1") == "missing"


def test_the_schema_that_a_model_gets_asks_for_the_usual_form() -> None:
    """Other forms that are accepted must not be part of the key of stored replies."""
    schema = JudgedClaims.model_json_schema()["$defs"]
    assert schema["JudgedClaim"]["properties"]["components"] == {
        "items": {"type": "string"},
        "title": "Components",
        "type": "array",
    }
    assert schema["Judged"]["properties"]["evidence"] == {"title": "Evidence", "type": "string"}
