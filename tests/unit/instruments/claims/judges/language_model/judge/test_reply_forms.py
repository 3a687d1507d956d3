"""A whole reply counts if its JSON can be read or repaired; any other reply is asked for again."""

import json
import re

import pytest

from tests.fake_provider import said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    QUOTE,
    STATUSES_OF_BOTH,
    statuses_except_no,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import Extract
from tests.unit.instruments.claims.judges.language_model.judge.request_fields import (
    last_message,
)

GOOD = json.dumps(BOTH_CLAIMS)
# A JSON object in a model's reasoning, which is no reply
DRAFT = '{"status": "NO"}'

REPAIRED = {
    "a comma too many": GOOD.replace("}, {", "},, {", 1),
    "a comma at the end": f"{GOOD[:-2]},]}}",
    "a comma missing": GOOD.replace("}, {", "} {", 1),
    "quotation marks inside a string": GOOD.replace('\\"lowers', '"lowers', 1).replace(
        '61%\\"', '61%"', 1
    ),
}


@pytest.mark.parametrize("text", REPAIRED.values(), ids=REPAIRED)
def test_a_whole_reply_of_broken_json_is_repaired_with_a_note(extract: Extract, text: str) -> None:
    run, calls = extract(said(text))

    assert len(calls) == 1
    assert statuses_except_no(run) == STATUSES_OF_BOTH
    (note,) = run.notes
    assert note.split(";")[0] == "claims: the reply's JSON was broken and is repaired"


READ_AS_THEY_ARE = {
    "line feeds inside strings": GOOD.replace("logit difference", "logit\ndifference"),
    "codes with names": GOOD.replace('"C1"', '"C1_falsifiability"').replace(
        '"I1"', '"I1: Necessity"'
    ),
    "codes in bold": re.sub(r'"([CIMEV]\d)"', r'"**\1**"', GOOD),
    "evidence without quotation marks": GOOD.replace('\\"', ""),
    "evidence in other quotation marks": GOOD.replace(f'\\"{QUOTE}\\"', f"«{QUOTE}»"),
    "evidence in single quotation marks": GOOD.replace(f'\\"{QUOTE}\\"', f"They say '{QUOTE}'."),
    "reasoning before it": f"<think>First {DRAFT}, but no.</think>\n{GOOD}",
    "reasoning without its beginning": f"I would say {GOOD}, but let me see.\n</think>{GOOD}",
    "reasoning around it": (
        f"The set {{a, b}} and f(x) = {{x}} are named in [1]. {GOOD} I hope that {{x}} helps."
    ),
    "a tag inside a string": GOOD.replace("carries the", "carries the </think> tag's"),
    "a fence": f"Here you are:\n```json\n{GOOD}\n```\nAnything else?",
    "twice the same": f"{GOOD}\n{GOOD}",
}


@pytest.mark.parametrize("text", READ_AS_THEY_ARE.values(), ids=READ_AS_THEY_ARE)
def test_a_whole_reply_of_odd_form_is_read_as_it_is(extract: Extract, text: str) -> None:
    run, calls = extract(said(text))

    assert len(calls) == 1
    assert statuses_except_no(run) == STATUSES_OF_BOTH
    assert run.notes == []


# The good reply is BEGINNING + FIRST + ", " + SECOND + END, FIRST and SECOND being its claims.
BEGINNING = '{"claims": ['
END = "]}"
FIRST = json.dumps(BOTH_CLAIMS["claims"][0])
SECOND = json.dumps(BOTH_CLAIMS["claims"][1])
# A reply, and why it cannot be read
NEVER_READ = {
    "cut within a claim": (
        f"{BEGINNING}{FIRST}, {SECOND[:300]}",
        "ends before its JSON object is complete",
    ),
    "cut after a claim": (f"{BEGINNING}{FIRST}", "ends before its JSON object is complete"),
    "its last brace missing": (GOOD[:-1], "ends before its JSON object is complete"),
    "claims left out": (GOOD.replace("}, {", "}, ..., {", 1), "leaves out a part of it"),
    "a criterion twice": (GOOD.replace('"C2"', '"C1"', 1), "a name twice among"),
    "a quotation mark lost, and the rest swallowed": (
        GOOD.replace('"I1":', '"I1:', 1),
        "the JSON object is broken",
    ),
    "a comment": (GOOD.replace("}, {", "}, /* the second */ {", 1), "the JSON object is broken"),
    "two that differ": (
        f"{BEGINNING}{FIRST}{END}\n{BEGINNING}{SECOND}{END}",
        "2 JSON objects that differ",
    ),
    "two of which the second has single quotation marks": (
        f"{BEGINNING}{FIRST}{END}\n{{'claims': [{SECOND}{END}",
        "2 JSON objects that differ",
    ),
    "one claim after the other": (f"{FIRST}\n{SECOND}", "2 JSON objects that differ"),
    "no object": ("I would say YES to all.", "no JSON object"),
    "reasoning alone": (f"It may be {DRAFT}.</think>", "no JSON object"),
    "claims that are no list": ('{"claims": "two"}', "claims: Input should be a valid array"),
}


@pytest.mark.parametrize(("text", "complaint"), NEVER_READ.values(), ids=NEVER_READ)
def test_a_reply_that_is_not_whole_is_asked_for_again_with_the_true_complaint(
    extract: Extract, text: str, complaint: str
) -> None:
    run, calls = extract(said(text), said(BOTH_CLAIMS))

    assert len(calls) == 2
    assert statuses_except_no(run) == STATUSES_OF_BOTH
    again = last_message(calls[1])
    assert complaint in again.split("could not be used: ")[1]
    assert again.endswith(f"This was your reply:\n{text}")
    (note,) = run.notes
    assert note.startswith("claims: asked again (")
    assert complaint in note
