"""Planted papers as texts: the sections and sentences that the levels of claims give."""

import re
from itertools import product

import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE
from mechaware.planted.papers.manuscript import Section, Sentence, compose
from mechaware.planted.papers.phrases import BLOCKS, phrases
from mechaware.planted.papers.plan import PlantedClaim, plan_papers
from tests.unit.planted.papers.made_papers import claim, paper_of


@pytest.mark.parametrize("topic", [topic["task"] for topic in phrases()["topics"]])
def test_every_topic_fills_every_slot(topic: str) -> None:
    for level in BLOCKS:
        paper = paper_of(claim(level, system=True), claim(level, system=False), task=topic)
        for sentence in compose(paper).sentences():
            assert "{" not in sentence.text
            assert sentence.text.endswith(".")
            assert not re.search(r"  |\.\.|,,| ,|\bthe the\b", sentence.text)


def test_the_paper_is_silent_on_two_of_five_unmet_criteria_except_those_always_spoken_of() -> None:
    """C1 is left out: each claim is stated."""
    phrased = [code for code in CRITERIA if code != "C1"]
    always_spoken_of = phrases()["spoken"]
    n_silent = 0
    n_possible = 0
    for seed in range(30):
        paper = paper_of(claim("NO", system=True), claim("NO", system=False), seed=seed)
        written = []
        for sentence in compose(paper).sentences():
            if sentence.code not in (None, "C1"):
                written.append((sentence.claim, sentence.code))
        assert len(written) == len(set(written))
        assert set(product((0, 1), always_spoken_of)) <= set(written)
        n_possible += 2 * (len(phrased) - len(always_spoken_of))
        n_silent += 2 * len(phrased) - len(written)
    # 30 papers have 2 claims with 26 - 6 criteria each. The standard error is
    # sqrt(0.4 x 0.6 / 1200) = 0.014.
    assert n_possible == 1200
    assert n_silent / n_possible == pytest.approx(0.4, abs=0.04)


def test_without_ablation_no_pitfall_speaks_of_one() -> None:
    """A claim whose level on I1 is NO must not read as if its components had been ablated."""
    # The longest piece without a slot of each phrasing that needs an ablation.
    pieces = []
    for levels in phrases()["phrases"].values():
        for line in levels["pitfall"]:
            if line.startswith("ablated| "):
                text = line.removeprefix("ablated| ")
                pieces.append(max(re.split(r"\{[^}]*\}", text), key=len))
    assert len(pieces) >= 4  # at least the phrasings of one level

    def speaks_of_ablation(planted: PlantedClaim) -> bool:
        for seed in range(40):
            for sentence in compose(paper_of(planted, seed=seed)).sentences():
                if any(piece in sentence.text for piece in pieces):
                    return True
        return False

    assert not speaks_of_ablation(claim("NO", system=True))
    assert speaks_of_ablation(claim("NO", system=True, I1="YES"))


def test_a_leak_says_that_the_evidence_is_the_circuits() -> None:
    for level in ("YES", "PARTIAL"):
        part = claim("NO", system=False, leaks=LEAK_PRONE)
        for seed in range(12):
            manuscript = compose(paper_of(claim(level, system=True), part, seed=seed))
            # Claim 0 is about the date circuit, claim 1 about the slot movers.
            leaks = [sentence for sentence in manuscript.sentences() if sentence.leak]
            assert sorted(leak.code or "" for leak in leaks) == sorted(LEAK_PRONE)
            assert {leak.claim for leak in leaks} == {1}
            for leak in leaks:
                assert "circuit" in leak.text
                assert "slot movers" in leak.text


def test_each_claim_has_a_section() -> None:
    paper = compose(paper_of(claim("YES", system=True), claim("NO", system=False), seed=1))
    assert [section.heading for section in paper.sections] == [
        "Abstract",
        "Introduction",
        "Background",
        "Method",
        "The date circuit",
        "The slot movers",
        "Controls and measurement",
        "Generality",
        "Discussion",
        "Limitations",
    ]


def test_each_claim_is_stated_in_several_wordings_and_without_a_number() -> None:
    paper = compose(paper_of(claim("YES", system=True), claim("NO", system=False), seed=1))
    stated = []
    for section in paper.sections:
        for sentence in sentences_on("C1", section):
            stated.append((section.heading, sentence.text, sentence.claim))
    assert stated == [
        ("Abstract", "The date circuit do things.", 0),
        ("Introduction", "Things are done by the date circuit.", 0),
        ("Introduction", "The slot movers do things.", 1),
        ("The date circuit", "What is done is done by the date circuit.", 0),
        ("The slot movers", "Things are done by the slot movers.", 1),
    ]
    assert not re.search(r"Claim \d|\d claims|two claims", paper.text())


def sentences_on(code: str, section: Section) -> list[Sentence]:
    found = []
    for _, paragraph in section.paragraphs:
        found += [sentence for sentence in paragraph if sentence.code == code]
    return found


def test_withdrawn_evidence_is_reported_first_and_taken_back_in_the_last_section() -> None:
    for code in phrases()["withdrawals"]:
        paper = compose(paper_of(claim("NO", system=True, withdrawn=(code,)), seed=2))
        reported, taken_back = (sentence for sentence in paper.sentences() if sentence.code == code)
        assert (reported.status, taken_back.status) == ("YES", "NO")
        assert sentences_on(code, paper.sections[-1]) == [taken_back]
        assert paper.text().index(reported.text) < paper.text().index(taken_back.text)


def test_in_a_paper_with_a_table_the_sizes_of_effects_are_its_rows_alone() -> None:
    claims = claim("YES", system=True), claim("YES", system=False), claim("NO", system=False)
    paper = compose(paper_of(*claims, seed=3, tabled=True))
    (section,) = (section for section in paper.sections if section.table)
    header, *rows = section.table
    assert header.text == "part\tintact\tmoved by"
    assert [(row.claim, row.code, row.status) for row in rows] == [
        (0, "E4", "YES"),
        (1, "E4", "YES"),
    ]
    assert all(re.fullmatch(r"the [\w ]+\t[23]\.\d\t[23]\.\d", row.text) for row in rows)
    for sentence in paper.sentences():
        if sentence.code == "E4" and sentence.status == "YES":
            assert sentence in rows
    without = compose(paper_of(claim("NO", system=True), seed=3, tabled=True))
    assert not any(section.table for section in without.sections)


def test_an_instruction_to_judges_is_one_sentence_about_no_criterion() -> None:
    claims = claim("YES", system=True), claim("NO", system=False)
    without = compose(paper_of(*claims, instructs=False)).sentences()
    with_instruction = compose(paper_of(*claims, instructs=True)).sentences()
    assert len(with_instruction) == len(without) + 1
    (added,) = (sentence for sentence in with_instruction if sentence not in without)
    assert added.text in phrases()["instructions"]
    assert added.code is None


def test_the_last_sentence_on_a_criterion_gives_its_planned_level() -> None:
    """Where a criterion has no sentence, its level is NO."""
    for paper in plan_papers(30, 6):
        last = {}
        for sentence in compose(paper).sentences():
            if sentence.code:
                last[sentence.claim, sentence.code] = sentence.status
        for index, planned in enumerate(paper.claims):
            assert {code: last.get((index, code), "NO") for code in CRITERIA} == planned.levels
