"""The plan of the planted papers: tiers, coherence and leaks, and the files that are written from it."""

import re
from collections import Counter
from pathlib import Path

import pytest
from pypdf import PdfReader

from mechaware.instruments.claims.fetching.papers import planted_ids
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    LEAK_PRONE,
    RANK,
    STATUSES,
    Status,
)
from mechaware.instruments.claims.rubric.records import read_record
from mechaware.instruments.claims.rubric.scoring import cvs, tier
from mechaware.planted.papers.manuscript import compose
from mechaware.planted.papers.plan import (
    PlantedClaim,
    PlantedPaper,
    belongs,
    make_coherent,
    plan_papers,
)
from scripts.claims import write_planted_papers

# Section 3.6.
SPREAD = re.compile(r"standard deviation|error bars?|confidence interval|bootstrap", re.IGNORECASE)
PLAN = plan_papers(12, 20)
MANY = plan_papers(90, 4)
CLAIMS = [claim for paper in MANY for claim in paper.claims]
PARTS = [claim for claim in CLAIMS if not claim.system]


def rank(claim: PlantedClaim, code: str) -> int:
    return RANK[claim.levels[code]]


def all_at(status: Status, **levels: Status) -> dict[str, Status]:
    return dict.fromkeys(CRITERIA, status) | levels


@pytest.mark.parametrize(("number", "counts"), [(12, [2, 2, 2, 3, 3]), (5, [1] * 5), (40, [8] * 5)])
def test_the_papers_spread_evenly_over_the_five_tiers(number: int, counts: list[int]) -> None:
    papers = plan_papers(number, 7)
    assert [paper.paper for paper in papers] == planted_ids(number)
    assert sorted(Counter(paper.tier for paper in papers).values()) == counts
    assert len({paper.task for paper in papers}) == min(number, 12)  # topics


def test_the_tier_of_a_paper_is_that_of_its_circuit() -> None:
    for paper in MANY:
        circuit = paper.claims[0]
        assert tier(cvs(circuit.levels)).name == paper.tier
        assert circuit.system
        assert circuit.leaks == []


def test_a_paper_has_one_circuit_and_two_to_four_parts_of_it() -> None:
    assert {len(paper.claims) for paper in MANY} == {3, 4, 5}
    for paper in MANY:
        circuit, *parts = paper.claims
        assert len(set(circuit.components)) == len(circuit.components) >= 8
        for part in parts:
            assert not part.system
            assert 2 <= len(part.components) <= 3
            assert set(part.components) < set(circuit.components)
            assert cvs(part.levels) <= cvs(circuit.levels)


def test_every_criterion_has_every_level_for_circuits_and_for_parts() -> None:
    for system in (True, False):
        for code in CRITERIA:
            levels = {claim.levels[code] for claim in CLAIMS if claim.system == system}
            expected = set(STATUSES)
            if system and code == "E1":
                # A circuit with leak-prone evidence was intervened on.
                expected.remove("NO")
            assert levels == expected


def test_leaks_are_unmet_leak_prone_criteria_of_parts_that_the_circuit_meets() -> None:
    for paper in MANY:
        for part in paper.claims[1:]:
            assert 1 <= len(part.leaks) <= 3
            assert set(part.leaks) <= set(LEAK_PRONE)
            assert {part.levels[code] for code in part.leaks} == {"NO"}
            assert all(paper.claims[0].levels[code] != "NO" for code in part.leaks)
    assert {code for part in PARTS for code in part.leaks} == set(LEAK_PRONE)


def test_the_count_of_families_agrees_with_their_criterion() -> None:
    for claim in CLAIMS:
        families = claim.evidence_families
        assert len(families) == len(set(families))
        status_of_count = {0: "NO", 1: "NO", 2: "PARTIAL"}
        assert claim.levels["C5"] == status_of_count.get(len(families), "YES")

        was_intervened_on = rank(claim, "I1") > 0 or rank(claim, "I2") > 0
        assert ("causal" in families) == was_intervened_on
        assert ("structural" in families) == (rank(claim, "C2") > 0)


def test_what_rests_on_ablation_is_found_only_where_something_was_ablated() -> None:
    for claim in CLAIMS:
        for code in ("C4", "I3", "M2", "E2", "E3"):
            assert rank(claim, code) == 0 or rank(claim, "I1") > 0
        for code in ("C4", "E2", "E3"):
            assert rank(claim, code) < 2 or rank(claim, "I1") == 2
        assert rank(claim, "E4") == 0 or "causal" in claim.evidence_families
        # An intervention reaches somewhere.
        assert (rank(claim, "E1") > 0) == ("causal" in claim.evidence_families)
        assert rank(claim, "E3") == 0 or rank(claim, "M3") > 0
        assert rank(claim, "V2") == 0 or rank(claim, "V1") > 0


@pytest.mark.parametrize(
    ("held", "code", "left"),
    [
        # "one number" and three scores.
        ({"M6": "NO"}, "M2", "NO"),
        # "one number" and a test of each step.
        ({"M6": "NO"}, "V2", "NO"),
        ({"M6": "PARTIAL"}, "V2", "PARTIAL"),
        # A role left open and a test of each of its steps.
        ({"C1": "PARTIAL"}, "V2", "PARTIAL"),
        # "the two contradict each other" and "each as the account says".
        ({"V3": "NO"}, "V2", "PARTIAL"),
        # "the two contradict each other" and "agree".
        ({"V3": "NO"}, "C5", "PARTIAL"),
        # No account and one that beat its rival.
        ({"V3": "NO"}, "V4", "PARTIAL"),
        # No task and the tasks that a claim is bounded to.
        ({"C3": "NO"}, "V5", "PARTIAL"),
        # The intact model alone and matched components.
        ({"M3": "PARTIAL"}, "E3", "PARTIAL"),
        # No reference and the intact model's score.
        ({"M3": "NO"}, "E4", "PARTIAL"),
        # One sample of prompts and held-out sets.
        ({"I4": "NO"}, "E1", "PARTIAL"),
        ({"E5": "NO"}, "E1", "PARTIAL"),
        # Nothing was tested, here or elsewhere.
        ({"I1": "NO", "I2": "NO"}, "E5", "NO"),
        ({"I1": "NO", "I2": "NO"}, "E6", "NO"),
        # No causal result that could repeat.
        ({"I1": "NO", "I2": "NO"}, "I4", "NO"),
        # A step that was not intervened on.
        ({"I1": "NO", "I2": "NO"}, "V2", "NO"),
        # "one condition" and the prompts of a control.
        ({"I1": "NO", "I2": "NO"}, "I5", "PARTIAL"),
        ({"I1": "NO", "I2": "NO"}, "V4", "PARTIAL"),
    ],
)
def test_of_two_sentences_that_would_contradict_each_other_one_is_weakened(
    held: dict[str, Status], code: str, left: Status
) -> None:
    """Levels of one sentence, the code of the other, and the level that the other is left with."""
    assert make_coherent(all_at("YES"))[code] == "YES"
    lowered = make_coherent(all_at("YES") | held)
    assert lowered[code] == left
    assert {other: lowered[other] for other in held} == held


def test_levels_that_the_text_shows_anyway_are_raised() -> None:
    assert make_coherent(all_at("NO", I1="YES"))["E4"] == "PARTIAL"  # its ablation is quantified
    assert make_coherent(all_at("NO", I1="PARTIAL"))["E4"] == "NO"
    assert make_coherent(all_at("NO", I2="PARTIAL"))["E1"] == "PARTIAL"
    assert make_coherent(all_at("NO", I2="PARTIAL", C2="PARTIAL"))["C5"] == "PARTIAL"


def test_a_part_has_no_evidence_that_its_circuit_would_have_too() -> None:
    assert belongs(all_at("YES"), all_at("YES"))
    assert belongs(all_at("NO"), all_at("YES", C4="PARTIAL"))

    # Each member of the circuit was removed, those of the part among them.
    assert not belongs(all_at("NO"), all_at("YES"))
    # What its part's ablation abolishes needs the circuit.
    assert not belongs(all_at("NO", I1="YES"), all_at("NO"))
    assert not belongs(all_at("NO", I1="YES"), all_at("NO", I1="PARTIAL"))
    # A circuit suffices if a part of it does.
    assert not belongs(all_at("NO", I2="YES"), all_at("NO"))
    assert not belongs(all_at("NO", M1="PARTIAL"), all_at("NO"))

    for paper in MANY:
        circuit, *parts = paper.claims
        assert all(belongs(part.levels, circuit.levels) for part in parts)


def test_the_text_speaks_of_spread_exactly_where_a_claim_has_it() -> None:
    flags = set()
    for paper in MANY:
        text = " ".join(sentence.text for sentence in compose(paper).sentences())
        reported = any(claim.levels["M1"] != "NO" for claim in paper.claims)
        assert bool(SPREAD.search(text)) == reported
        flags.add(reported)
    assert flags == {True, False}


def write(folder: Path, number: int, seed: int) -> None:
    """Run the command, with the folders and files of the workflow."""
    papers = [folder / paper for paper in planted_ids(number)]
    write_planted_papers.main(
        seed=seed,
        max_pages=50,
        memory_mb=1500,
        timeout_s=120,
        papers=papers,
        truths=[folder / f"{paper.name}.truth.json" for paper in papers],
        texts=[folder / f"{paper.name}.txt" for paper in papers],
        flags=[folder / f"{paper.name}.flags.json" for paper in papers],
    )


@pytest.mark.gate
def test_files_hold_the_plan_and_its_text(tmp_path: Path) -> None:
    write(tmp_path, 12, 20)
    expected = set()
    for paper in PLAN:
        for suffix in ("", ".truth.json", ".txt", ".flags.json"):
            expected.add(f"{paper.paper}{suffix}")
    assert {path.name for path in tmp_path.iterdir()} == expected

    # Neither the codes and names of criteria nor their statuses are in the text.
    codes_and_statuses = "|".join([*CRITERIA, "YES", "NO", "PARTIAL"])
    names = "|".join(CRITERIA.values())
    for paper in PLAN:
        assert [path.name for path in (tmp_path / paper.paper).iterdir()] == ["document.pdf"]
        assert read_record(PlantedPaper, tmp_path / f"{paper.paper}.truth.json") == paper
        reader = PdfReader(tmp_path / paper.paper / "document.pdf")
        assert 3 <= len(reader.pages) <= 7
        text = " ".join(page.extract_text() for page in reader.pages)
        assert not re.search(rf"\b({codes_and_statuses})\b", text)
        assert not re.search(names, text, re.IGNORECASE)


def test_equal_seeds_give_equal_files_and_other_seeds_other_papers(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write(tmp_path / name, 1, seed)
    for file in ("planted-01/document.pdf", "planted-01.truth.json"):
        first, again, other = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert first == again
        assert first != other
