"""Replies of odd form are read without another call if they have all that was asked for.

`read_claim` and `read_criterion` return what they read, or a string with what is wrong with it.
"""

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
    """Two replies with this value as JSON: the JSON alone, and the JSON with words around it."""
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


JSON_MARKS = '{}[]",:'
# The evidence has such marks, too.
EVIDENCE = '"the {x} score [1]"'
STATUSES = {"C1": "YES", "I1": "NO"}
JUDGED = {
    "C1": {"evidence": EVIDENCE, "status": STATUSES["C1"]},
    "I1": {"evidence": EVIDENCE, "status": STATUSES["I1"]},
}
WHOLE = json.dumps({"claims": [CLAIM | {"criteria": JUDGED}, OTHER | {"criteria": JUDGED}]})


def remove_mark(index: int) -> str:
    """The reply `WHOLE` without the character at an index."""
    return WHOLE[:index] + WHOLE[index + 1 :]


def insert_mark(index: int, mark: str) -> str:
    """The reply `WHOLE` with a mark before the character at an index."""
    return WHOLE[:index] + mark + WHOLE[index:]


@pytest.mark.parametrize("inserted", [None, *JSON_MARKS], ids=["removed", *JSON_MARKS])
def test_one_missing_or_extra_mark_never_changes_a_status(inserted: str | None) -> None:
    """Each mark of a reply in turn is removed, or has another mark before it.

    The reply may then lack a criterion or be unusable, but no criterion has another status.
    """
    indices = [index for index, character in enumerate(WHOLE) if character in JSON_MARKS]
    unusable = 0
    for index in indices:
        faulty = remove_mark(index) if inserted is None else insert_mark(index, inserted)
        try:
            reply, _ = parse(faulty, RawClaims)
        except Unscored:
            unusable += 1
            continue
        assert len(reply.claims) == 2
        for claim in reply.claims:
            for code, status in STATUSES.items():
                judged = read_criterion(claim.get("criteria"), code)
                assert isinstance(judged, str) or judged.status == status
    assert 0 < unusable < len(indices)


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


def test_the_reply_of_an_audit_may_be_wrapped_too() -> None:
    assert parse('{"result": {"downgrades": []}}', Leaks)[0].downgrades == []


LEAK = {"claim": 1, "criterion": "I2", "reason": "of the circuit"}


def test_the_criterion_of_a_leak_may_be_in_bold_and_have_its_name() -> None:
    leak = LEAK | {"criterion": "**I2** (sufficiency)"}

    reply, _ = parse(json.dumps({"downgrades": [leak]}), Leaks)

    assert reply.downgrades[0].criterion == "I2"


def test_the_claim_number_of_a_leak_may_be_text() -> None:
    reply, _ = parse(json.dumps({"downgrades": [LEAK, LEAK | {"claim": "2"}]}), Leaks)

    assert [leak.claim for leak in reply.downgrades] == [1, 2]


def test_an_audit_may_find_no_leak() -> None:
    reply, _ = parse('{"downgrades": []}', Leaks)

    assert reply.downgrades == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        # pydantic would take `true` for 1.
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
        ("level", "part", None),  # the paper's heuristics decide
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
    ("name", "read"),
    [
        ("C1", "C1"),
        ("c1", "C1"),
        (" C1 ", "C1"),
        ("C1 falsifiability", "C1"),
        ("C1_falsifiability", "C1"),
        ("C1:", "C1"),
        ("C-1", "C1"),
        ("**C1**", "C1"),
        # No criterion has two digits.
        ("C11", "c11"),
        ("Status", "status"),
        ("claims", "claims"),
        ("evidence", "evidence"),
        ("Description mode", "description_mode"),
    ],
)
def test_a_field_is_known_in_other_case_with_marks_or_with_the_name_of_its_criterion(
    name: str, read: str
) -> None:
    assert field_name(name) == read


@pytest.mark.parametrize(
    ("given", "status"),
    [("*no*.", "NO"), (' "Yes": ', "YES"), ("[PARTIAL]", "PARTIAL")],
)
def test_a_status_may_have_marks_around_it_and_evidence_may_be_missing(
    given: str, status: str
) -> None:
    judged = read_criterion({"C1": {"evidence": None, "status": given}}, "C1")

    assert not isinstance(judged, str)
    assert judged.status == status
    assert judged.evidence == ""


@pytest.mark.parametrize("given", ["~YES", "≠YES"])
def test_a_status_with_a_sign_that_may_negate_it_is_refused(given: str) -> None:
    fault = read_criterion({"C1": {"evidence": None, "status": given}}, "C1")

    assert isinstance(fault, str)


@pytest.mark.parametrize("raw", [None, [], {}, {"C11": {"evidence": "", "status": "NO"}}, 5])
def test_criteria_without_the_code_are_reported_as_missing_it(raw: object) -> None:
    assert read_criterion(raw, "C1") == "missing"


def test_the_schema_that_a_model_gets_asks_for_the_usual_form() -> None:
    """Schemas are part of the key of stored replies: other accepted forms must not change them."""
    schema = JudgedClaims.model_json_schema()["$defs"]
    assert schema["JudgedClaim"]["properties"]["components"] == {
        "items": {"type": "string"},
        "title": "Components",
        "type": "array",
    }
    assert schema["Judged"]["properties"]["evidence"] == {"title": "Evidence", "type": "string"}
