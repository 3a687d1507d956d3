"""The lexical judge on short texts, whose claims and statuses follow by hand from its few rules."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.instruments.claims.judges.components import ComponentNames
from mechaware.instruments.claims.judges.lexical import _LexicalJudge, open_lexical_judge
from mechaware.instruments.claims.judges.settings import JudgeFiles, JudgeSettings
from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE, Status
from mechaware.instruments.claims.rubric.records import Claim, PaperText, Run
from tests.unit.instruments.claims.claims_by_hand import claim

TEXTS = yaml.safe_load((Path(__file__).parent / "lexical.yaml").read_text())
CRITERIA_FILE = Path(__file__).resolve().parents[5] / "config/judge_prompts/v1/criteria.yaml"
CIRCUIT = "We show that a circuit of three heads in Wren-90M finds the larger of two ages and moves it to the answer."
PART = "Head 7.4 copies the larger age to the last position."
ABOUT = PaperText(
    paper="p", pages=None, pages_read=None, truncated=False, characters=0, flags=[], hidden=[]
)
WORDS: Mapping[str, list[str]] = {code: ["zzz"] for code in CRITERIA} | {
    "I1": ["ablation", "drops", "accuracy", "necessary"],
    "I2": ["alone", "restores", "sufficient"],
    "E2": ["scaling", "strength"],
}


def make_paper(*, part: str = "", whole: str = "") -> str:
    return f"Abstract\n{CIRCUIT} {PART}\n\n2 Head 7.4\n{part}\n\n3 Results on the whole\n{whole}\n"


def run(text: str) -> Run:
    return _LexicalJudge("lexical", WORDS).extract(text, ABOUT, 0)


def claims(text: str) -> tuple[Claim, Claim]:
    circuit, part = run(text).claims
    return circuit, part


def statuses(claim: Claim) -> dict[str, Status | None]:
    return {code: judgement.status for code, judgement in claim.criteria.items()}


# Which sentences are claims


@pytest.mark.parametrize("opening", TEXTS["openings"].values(), ids=TEXTS["openings"])
def test_the_claims_of_an_opening_are_what_it_says_of_its_components(
    opening: dict[str, Any],
) -> None:
    names = ComponentNames(opening["text"])
    found = run(opening["text"]).claims
    assert [names.keys_in(claim.statement) for claim in found] == [
        set(keys) for keys in opening["claims"]
    ]
    assert not any(claim.system for claim in found)


def test_a_paper_whose_opening_claims_nothing_has_no_claim_however_it_goes_on() -> None:
    assert (
        run(
            f"{TEXTS['openings']['pipeline']['text']}\n{'Filler of many words. ' * 300}\n{PART}"
        ).claims
        == []
    )
    assert run("").claims == []


@pytest.mark.parametrize(("abstract", "begins"), TEXTS["abstracts"])
def test_without_stricter_words_a_claim_names_a_component_by_its_kind(
    abstract: str, begins: str | None
) -> None:
    found = run(f"Abstract\n{abstract}\n\n1 Introduction\nMany works ask how models work.\n")
    assert [(claim.system, claim.components) for claim in found.claims] == (
        [] if begins is None else [(True, [])]
    )
    assert all(claim.statement.startswith(begins or "") for claim in found.claims)
    assert bool(found.notes) == (begins is None)


@pytest.mark.parametrize(
    "before", ["", "Names of many authors and addresses. " * 100 + "\nAbstract. "]
)
@pytest.mark.parametrize("after", ["", "\nI. INTRODUCTION\nSome heads copy names in models.\n"])
def test_an_abstract_is_found_between_the_authors_and_the_introduction(
    before: str, after: str
) -> None:
    found = run(
        f"{before}We study a model. We find that attention heads increment numbers.{after}"
    ).claims
    assert [claim.statement for claim in found] == [
        "We find that attention heads increment numbers."
    ]


def test_a_paper_without_a_claim_quotes_the_nearest_sentences_with_reasons() -> None:
    text = "Abstract\nWe rank reports. A rater sends its score. Such heads might copy it. We like neurons.\n"
    first, *nearest = run(text).notes
    assert "names a component of a model" in first
    assert nearest == [
        '"Such heads might copy it.": names a component and an action, but does not state that the component does it',
        '"A rater sends its score.": says what something does, but names no component of a model',
        '"We like neurons.": names a component, but not what it does',
    ]


def test_the_system_comes_first_and_each_set_of_components_once() -> None:
    found = run(
        f"Abstract\n{PART} {CIRCUIT} Heads 2.1 and 2.5 read both ages. Head 7.4 also moves the answer.\n"
    ).claims
    assert [(claim.system, claim.components) for claim in found] == [
        (True, []),
        (False, ["7.4"]),
        (False, ["2.1", "2.5"]),
    ]


@pytest.mark.parametrize("sentence", TEXTS["no_claims"])
def test_what_is_asked_defined_done_denied_wished_or_cited_is_no_claim(sentence: str) -> None:
    assert run(sentence).claims == []


def test_there_are_at_most_so_many_claims() -> None:
    text = CIRCUIT + " ".join(f" Head {layer}.1 copies part {layer}." for layer in range(20))
    assert len(run(text).claims) == 8


def test_a_claim_without_a_definite_operation_is_half_falsifiable() -> None:
    text = f"{CIRCUIT} Head 7.4 plays a role in comparing ages."
    first, second = (claim.criteria["C1"] for claim in claims(text))
    assert (first.status, second.status) == ("YES", "PARTIAL")
    assert (
        first.evidence
        == second.evidence
        == "Judged from the claim's own wording, not from the paper."
    )


# How a criterion is decided


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The ablation of head 7.4 drops accuracy by 46%.", "YES"),  # three of the search words
        ("Ablating head 7.4 drops it.", "PARTIAL"),  # two: six letters of a word are enough
        ("Ablating head 7.4 is possible.", "NO"),  # one
        ("The ablation of head 7.4 drops no accuracy.", "NO"),  # negated
        ("The ablation of head 3.1 drops accuracy by 46%.", "NO"),  # of another component
        (
            "The ablation of it drops accuracy (Adams et al., 2020), as of head 7.4.",
            "NO",
        ),  # the work of others
    ],
)
def test_a_status_follows_from_the_search_words_of_the_best_sentence(
    sentence: str, expected: Status
) -> None:
    _, part = claims(make_paper(part=sentence))
    assert part.criteria["I1"].status == expected
    assert part.criteria["I1"].evidence == ("" if expected == "NO" else f'"{sentence}"')


def test_a_sentence_belongs_to_the_claims_that_it_names_a_component_of_or_else_to_the_system() -> (
    None
):
    circuit, part = claims(make_paper(whole="The ablation of all heads drops accuracy."))
    assert (circuit.criteria["I1"].status, part.criteria["I1"].status) == ("YES", "NO")
    circuit, part = claims(make_paper(part="The ablation of head 7.4 drops accuracy."))
    assert (circuit.criteria["I1"].status, part.criteria["I1"].status) == ("NO", "YES")


def test_a_name_that_the_claim_gives_its_components_counts_as_their_name() -> None:
    text = "Heads 7.4 and 7.6 (age movers) copy the larger age.\n\nThe ablation of the age movers drops accuracy."
    (claim,) = run(text).claims
    assert claim.criteria["I1"].status == "YES"


def test_quotes_stand_word_for_word_in_the_text_across_line_breaks() -> None:
    _, part = claims(
        text := make_paper(
            part="The ablation of head 7.4 (Fig. 3)\ndrops accuracy. It attends\nback."
        )
    )
    (place,) = part.criteria["I1"].quotes
    assert place is not None
    assert text[slice(*place)] == "The ablation of head 7.4 (Fig. 3)\ndrops accuracy."
    assert part.criteria["I1"].evidence == '"The ablation of head 7.4 (Fig. 3) drops accuracy."'


def test_reference_lists_are_not_read() -> None:
    _, part = claims(f"{make_paper()}\nReferences\n[1] The ablation of head 7.4 drops accuracy.\n")
    assert part.criteria["I1"].status == "NO"


def test_the_search_words_are_those_that_the_prompts_have() -> None:
    assert set(yaml.safe_load(CRITERIA_FILE.read_text())) == set(CRITERIA)
    # Four of I1's.
    text = make_paper(part="Mean ablation, that is removing head 7.4, reduces accuracy.")
    with open_lexical_judge(
        JudgeSettings("lexical", "lexical"), JudgeFiles([CRITERIA_FILE], Path(), None)
    ) as judge:
        _, part = judge.extract(text, ABOUT, 0).claims
    assert part.criteria["I1"].status == "YES"
    assert list(part.criteria) == list(CRITERIA)


# Given claims


def test_given_claims_are_judged_in_their_order_by_the_evidence_of_their_own_components() -> None:
    text = make_paper(
        part="The ablation of head 7.4 drops accuracy.",
        whole="The circuit alone restores, so it is sufficient.",
    )
    given = [
        claim("It copies.", ["7.4"], system=False, evidence={"I2": "evidence of another text"}),
        claim("It copies.", [], system=True, evidence={}),
    ]
    part, whole = _LexicalJudge("lexical", WORDS).judge_claims(text, ABOUT, given, 2).claims
    assert (statuses(part)["I1"], statuses(part)["I2"]) == ("YES", "NO")
    assert (statuses(whole)["I1"], statuses(whole)["I2"]) == ("NO", "YES")
    assert (part.statement, part.components, part.system) == ("It copies.", ["7.4"], False)


# Instructions in the paper


@pytest.mark.parametrize("instruction", TEXTS["instructions"])
def test_an_instruction_in_the_paper_changes_no_status(instruction: str) -> None:
    body = "The ablation of head 7.4 drops it."
    plain = claims(make_paper(part=body))
    planted = claims(make_paper(part=f"{body} {instruction}"))
    assert [statuses(claim) for claim in planted] == [statuses(claim) for claim in plain]


# The audit by rule


def test_the_audit_takes_what_a_component_claim_has_of_the_whole() -> None:
    leak = '"Head 9.9 is part of the circuit, which recovers 87%."'
    listed = [
        claim("It copies.", ["9.9", "9.6", "10.0"], system=True, evidence={"I2": leak}),
        claim(
            "It copies.",
            ["9.9"],
            system=False,
            evidence={"I2": leak, "I1": leak, "E2": '"Scaling head 9.9 is gradual."'},
        ),
    ]
    judge = _LexicalJudge("l", WORDS)
    found = [
        (one.claim, one.criterion, one.before, one.after) for one in judge.propose_leaks(listed)
    ]
    assert found == [(1, "I2", "YES", "NO")]
    everywhere = claim(
        "It copies.",
        ["9.9"],
        system=False,
        evidence=dict.fromkeys(CRITERIA, "The circuit does it."),
    )
    assert [one.criterion for one in judge.propose_leaks([everywhere])] == list(LEAK_PRONE)


# Reading


@pytest.mark.parametrize(("text", "expected"), TEXTS["components"])
def test_components_have_one_key_in_all_their_forms(text: str, expected: list[str]) -> None:
    assert ComponentNames(text).keys_in(text) == set(expected)


@pytest.mark.parametrize(
    "word", ["mean ", "head ", "1.1, ", "head 1.1, 1.1 and ", "( ", "x", "A\n"]
)
def test_a_hostile_text_has_no_claim(word: str) -> None:
    """`benchmarks/reading.py` measures how long such texts take."""
    assert run(word * 20_000).claims == []
