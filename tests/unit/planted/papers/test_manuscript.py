"""Planted papers as texts: the phrasings, the sentences that a level gives, and the text of the PDF."""

import io
import re
from itertools import product
from random import Random

import pytest
from pypdf import PdfReader

from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE
from mechaware.planted.papers.manuscript import Section, Sentence, compose
from mechaware.planted.papers.phrases import BLOCKS, fill, phrases, phrasings, write_statements
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper, plan_papers
from mechaware.planted.papers.typesetting import _print_pdf, _typeset

PHRASED = [code for code in CRITERIA if code != "C1"]  # C1 is the statement itself
FAMILIES = ("causal", "structural", "representational", "behavioral", "information-theoretic")
CONDITIONS = {"system", "component", "ablated", *FAMILIES}


def without_spaces(text: str) -> str:
    """Text without white space, which a PDF does not keep."""
    return re.sub(r"\s+", "", text)


def claim(
    level: str,
    *,
    system: bool,
    leaks: tuple[str, ...] = (),
    withdrawn: tuple[str, ...] = (),
    **levels: str,
) -> PlantedClaim:
    name = "slot movers"
    components = ["6.3", "7.1"]
    if system:
        name = "date circuit"
        components = ["0.3", "7.1", "MLP 9"]
    families = {"YES": FAMILIES[:3], "PARTIAL": FAMILIES[:2], "NO": FAMILIES[2:3]}
    return PlantedClaim(
        statement=f"The {name} do things.",
        restated=[f"Things are done by the {name}.", f"What is done is done by the {name}."],
        system=system,
        name=name,
        components=components,
        description_mode="algorithmic",
        evidence_families=list(families[level]),
        levels=dict.fromkeys(CRITERIA, level) | levels,
        leaks=list(leaks),
        withdrawn=list(withdrawn),
    )


def paper_of(
    *claims: PlantedClaim, seed: int = 1, task: str = "the conversion of date formats", **more: bool
) -> PlantedPaper:
    given = {
        "paper": "planted-01",
        "title": "A study of dates",
        "model": "GPT-2 small",
        "tier": "Proposed",
    }
    return PlantedPaper(**given, task=task, seed=seed, claims=list(claims), **more)


# The phrasings


@pytest.mark.parametrize(
    ("code", "level", "kind"), product(PHRASED, BLOCKS, ["system", "component"])
)
def test_every_level_has_four_phrasings_for_either_kind_of_claim(
    code: str, level: str, kind: str
) -> None:
    other = {"system": "component", "component": "system"}[kind]
    assert len(set(phrasings(code, level, CONDITIONS - {other}))) >= 4
    assert len(set(phrasings(code, level, {kind}))) >= 4, "of those that need no further evidence"


def test_the_phrasings_are_those_of_the_27_criteria_and_no_line_stands_twice() -> None:
    assert list(phrases()["phrases"]) == PHRASED
    flat = []
    for part in ("phrases", "leaks"):
        for levels in phrases()[part].values():
            for lines in levels.values():
                flat += lines
    assert len(flat) == len(set(flat)) >= 27 * 12
    tags = {line.rpartition("| ")[0] for line in flat}
    assert tags - {""} <= CONDITIONS


def test_no_single_word_tells_met_from_unmet() -> None:
    """The best word of each criterion, chosen with both lists in hand: perfect for none, right in 86% of lines."""

    def words(line: str) -> set[str]:
        return set(
            re.findall("[a-z]+", re.sub(r"\{[^}]*\}", " ", line.rpartition("| ")[2]).lower())
        )

    best = []
    for levels in phrases()["phrases"].values():
        met = [words(line) for line in levels["met"]]
        unmet = [words(line) for line in levels["pitfall"]]
        accuracies = []
        for word in set().union(*met, *unmet):
            share_of_met = sum(word in line for line in met) / len(met)
            share_of_unmet = sum(word in line for line in unmet) / len(unmet)
            accuracies.append(0.5 + abs(share_of_met - share_of_unmet) / 2)
        best.append(max(accuracies))
    assert sum(right == 1 for right in best) == 0
    assert sum(best) / len(best) < 0.9


# Filling in


def test_slots_are_filled_drawn_and_inflected() -> None:
    random = Random(1)  # noqa: S311
    drawn = {
        fill("{n:4-6} {d:0.10-0.12} {X} {is/are} {x}", {"x": "the heads"}, random, plural=True)
        for _ in range(99)
    }
    assert {text.split()[0] for text in drawn} == {"4", "5", "6"}
    assert {text.split()[1] for text in drawn} == {"0.10", "0.11", "0.12"}
    assert {text.split(maxsplit=2)[2] for text in drawn} == {"The heads are the heads"}
    assert fill("{x} {is/are}", {"x": "it"}, random) == "it is"
    with pytest.raises(KeyError):
        fill("{y}", {"x": "it"}, random)


@pytest.mark.parametrize("system", [True, False])
def test_every_statement_names_components_and_a_falsifiable_one_their_operation(
    system: bool,
) -> None:
    for level, seed in product(BLOCKS, range(9)):
        texts = write_statements(
            level,
            task="bracket closing",
            model="OPT-350M",
            name="closers",
            components=["2.1", "3.4"],
            operation="close what is open",
            system=system,
            seed=seed,
        )
        assert len(set(texts)) == 3
        for text in texts:
            assert "heads 2.1 and 3.4" in text or "Heads 2.1 and 3.4" in text
            assert ("close what is open" in text) == (level == "YES")
            assert "closers" in text
            if level == "NO":  # as much as to say that no experiment could refute it
                assert re.search(
                    r"\b(whatever|whichever|any|every|no|not|invisibly|failures|without)\b", text
                )


@pytest.mark.parametrize("topic", [topic["task"] for topic in phrases()["topics"]])
def test_every_topic_fills_every_slot(topic: str) -> None:
    for level in BLOCKS:
        paper = paper_of(claim(level, system=True), claim(level, system=False), task=topic)
        for sentence in compose(paper).sentences():
            assert "{" not in sentence.text
            assert sentence.text.endswith(".")
            assert not re.search(r"  |\.\.|,,| ,|\bthe the\b", sentence.text)


# Writing


def test_of_what_is_unmet_the_paper_is_silent_or_offers_a_pitfall() -> None:
    silent = 0
    total = 0
    for seed in range(30):
        paper = paper_of(claim("NO", system=True), claim("NO", system=False), seed=seed)
        written = []
        for sentence in compose(paper).sentences():
            if sentence.code not in (None, "C1"):
                written.append((sentence.claim, sentence.code))
        assert len(written) == len(set(written))
        assert {(0, code) for code in phrases()["spoken"]} <= set(written)
        total += 2 * (len(PHRASED) - len(phrases()["spoken"]))
        silent += 2 * len(PHRASED) - len(written)
    # Standard error 0.4 * 0.6 over 1260 draws: 0.014.
    assert silent / total == pytest.approx(0.4, abs=0.04)


def test_without_ablation_no_pitfall_speaks_of_one() -> None:
    """A claim whose level on I1 is NO must not read as if its components had been ablated."""
    # Of each phrasing that needs an ablation the longest piece without a slot.
    pieces = []
    for levels in phrases()["phrases"].values():
        for line in levels["pitfall"]:
            if line.startswith("ablated| "):
                text = line.removeprefix("ablated| ")
                pieces.append(max(re.split(r"\{[^}]*\}", text), key=len))
    assert len(pieces) >= 4

    def speak_of_ablation(planted: PlantedClaim) -> bool:
        for seed in range(40):
            for sentence in compose(paper_of(planted, seed=seed)).sentences():
                if any(piece in sentence.text for piece in pieces):
                    return True
        return False

    assert not speak_of_ablation(claim("NO", system=True))
    assert speak_of_ablation(claim("NO", system=True, I1="YES"))


def test_a_leak_says_that_the_evidence_is_the_circuits() -> None:
    for level in ("YES", "PARTIAL"):
        part = claim("NO", system=False, leaks=LEAK_PRONE)
        for seed in range(12):
            manuscript = compose(paper_of(claim(level, system=True), part, seed=seed))
            leaks = [sentence for sentence in manuscript.sentences() if sentence.leak]
            assert sorted(leak.code or "" for leak in leaks) == sorted(LEAK_PRONE)
            assert {leak.claim for leak in leaks} == {1}
            for leak in leaks:
                assert "circuit" in leak.text
                assert "slot movers" in leak.text


def test_each_claim_has_a_section_and_is_stated_in_several_wordings() -> None:
    paper = compose(paper_of(claim("YES", system=True), claim("NO", system=False), seed=1))
    headings = [section.heading for section in paper.sections]
    assert headings[:6] == [
        "Abstract",
        "Introduction",
        "Background",
        "Method",
        "The date circuit",
        "The slot movers",
    ]
    assert headings[6:] == ["Controls and measurement", "Generality", "Discussion", "Limitations"]
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


# The PDF


def test_the_pdf_is_clean_to_extract_and_has_no_date() -> None:
    claims = (
        claim("YES", system=True),
        claim("PARTIAL", system=False),
        claim("NO", system=False, leaks=("I2", "E2")),
    )
    paper = compose(paper_of(*claims, seed=7, tabled=True))
    reader = PdfReader(io.BytesIO(_print_pdf(_typeset(paper))))
    pages = [page.extract_text() for page in reader.pages]
    # Without page numbers.
    text = without_spaces("".join(re.sub(r"\n\d+$", "", page.rstrip()) for page in pages))
    for sentence in paper.sentences():
        assert without_spaces(sentence.text) in text
    assert not set("ﬀﬁﬂﬃﬄ\u00ad") & set(text)
    assert not re.search(r"\w-\n", "".join(pages))
    assert set(reader.metadata or {}) == {"/Title", "/Creator"}
    assert all(page.mediabox.width == pytest.approx(595.28, abs=0.1) for page in reader.pages)
