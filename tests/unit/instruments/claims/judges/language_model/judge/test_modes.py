"""In each of its three modes, the judge finds a paper's claims and the status of each criterion."""

import re

from mechaware.instruments.claims.rubric.criteria import DIMENSIONS
from tests.fake_provider import Call, Reply, said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    CIRCUIT,
    PART,
    QUOTE,
    STATUSES_OF_BOTH,
    TEXT,
    criteria_with,
    small_model_reply,
    statuses_except_no,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import Extract
from tests.unit.instruments.claims.judges.language_model.judge.request_fields import (
    fields_asked_for,
    last_message,
)


def test_at_once_claims_and_criteria_come_in_one_reply(extract: Extract) -> None:
    run, _ = extract(said(BOTH_CLAIMS, prompt_tokens=9876), mode="at_once")

    assert [found.components for found in run.claims] == [["3.1", "4.2"], ["3.1"]]
    assert statuses_except_no(run) == STATUSES_OF_BOTH
    assert run.fault is None
    assert run.usage.calls == 1
    assert run.usage.prompt_tokens == 9876
    ((start, end),) = run.claims[0].criteria["I1"].quotes
    assert TEXT[start:end] == QUOTE


def test_claim_by_claim_asks_for_the_claims_and_then_for_each_ones_criteria(
    extract: Extract,
) -> None:
    script = [
        said({"claims": [CIRCUIT, PART]}),
        said({"criteria": criteria_with(C1="YES")}),
        said({"criteria": criteria_with(V3="YES")}),
    ]

    run, calls = extract(*script, mode="claim_by_claim")

    assert statuses_except_no(run) == [{"C1": "YES"}, {"V3": "YES"}]
    assert CIRCUIT["statement"] not in last_message(calls[0])
    assert PART["statement"] in last_message(calls[2])


def test_a_small_model_judges_each_dimension_from_passages(extract: Extract) -> None:
    run, calls = extract(otherwise=small_model_reply, mode="passages")

    firsts = {f"{dimension.code}1": "YES" for dimension in DIMENSIONS}
    assert statuses_except_no(run) == [firsts, firsts]
    assert len(calls) == 1 + 2 * len(DIMENSIONS)

    assert [found.statement for found in run.claims] == [
        "We claim that the heads 3.1 and 4.2 carry the subject's number to the verb.",
        "Head 3.1 alone detects the plural.",
    ]
    assert [found.components for found in run.claims] == [["3.1", "4.2"], ["3.1"]]
    assert [found.description_mode for found in run.claims] == ["algorithmic", "representational"]

    judgement = run.claims[1].criteria["I1"]
    (place,) = judgement.quotes
    assert place is not None
    assert judgement.evidence.strip('".') == TEXT[slice(*place)]  # word for word from the paper


def test_a_small_model_chooses_among_the_sentences_that_sound_most_like_claims(
    extract: Extract,
) -> None:
    # Sentences about the weather before and after the claims.
    days = [f"The weather of day {day} was mild and the sea was calm." for day in range(9)]
    filler = " ".join(days)
    claims = (
        "The agreement circuit of GPT-2 computes the verb's number.",
        "Head 3.1 copies the plural to it.",
        "A neuron in block 4 encodes the rest.",
    )
    text = f"{claims[0]} {filler} {claims[1]} {claims[2]} {filler}"

    def choose_second(call: Call) -> Reply:
        if "claims" in fields_asked_for(call):
            return said({"claims": "2 algorithmic"})
        return said("no")

    # Three sentences to choose from for each of `max_claims`.
    run, calls = extract(otherwise=choose_second, text=text, mode="passages", max_claims=1)

    asked = calls[0].request["messages"][0]["content"]
    assert re.findall(r"^\[\d\] (.*)$", asked, re.M) == list(claims)
    assert [found.statement for found in run.claims] == [claims[1]]


def test_a_small_model_is_not_asked_about_a_paper_without_a_sentence(extract: Extract) -> None:
    run, _ = extract(text="Figure 1. 2. 3. . . . . . Table 4.", mode="passages")

    assert run.fault is not None
    assert run.fault.kind == "no claims"
    assert run.claims == []
    assert run.usage.calls == 0
