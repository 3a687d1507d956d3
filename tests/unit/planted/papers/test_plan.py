"""The plan of the planted papers: tiers, coherence and leaks, and the files written from it.

The first claim of a paper is about a circuit; the others are about parts of the circuit.
"""

import re
from collections import Counter
from pathlib import Path

import pytest
from pypdf import PdfReader

from mechaware.instruments.claims.fetching.papers import planted_ids
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    LEAK_PRONE,
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

# A text without any of these words has the flag NO_VARIANCE_REPORTED (section 3.6).
SPREAD = re.compile(r"standard deviation|error bars?|confidence interval|bootstrap", re.IGNORECASE)
# The few papers are written to files; claims and levels are compared in the many.
FEW_PAPERS = plan_papers(12, 20)
MANY_PAPERS = plan_papers(90, 4)
CLAIMS = [claim for paper in MANY_PAPERS for claim in paper.claims]
PARTS = [claim for claim in CLAIMS if not claim.system]


def has_evidence(claim: PlantedClaim, code: str) -> bool:
    return claim.levels[code] != "NO"


def all_at(status: Status, **levels: Status) -> dict[str, Status]:
    return dict.fromkeys(CRITERIA, status) | levels


@pytest.mark.parametrize(("number", "counts"), [(12, [2, 2, 2, 3, 3]), (5, [1] * 5), (40, [8] * 5)])
def test_the_papers_spread_evenly_over_the_five_tiers(number: int, counts: list[int]) -> None:
    papers = plan_papers(number, 7)
    assert [paper.paper for paper in papers] == planted_ids(number)
    assert sorted(Counter(paper.tier for paper in papers).values()) == counts
    # There are twelve topics, each with a task.
    assert len({paper.task for paper in papers}) == min(number, 12)


def test_the_tier_of_a_paper_is_the_tier_of_its_circuit() -> None:
    for paper in MANY_PAPERS:
        circuit = paper.claims[0]
        assert tier(cvs(circuit.levels)).name == paper.tier
        assert circuit.system
        assert circuit.leaks == []


def test_a_paper_has_one_circuit_and_two_to_four_parts_of_it() -> None:
    assert {len(paper.claims) for paper in MANY_PAPERS} == {3, 4, 5}
    for paper in MANY_PAPERS:
        circuit, *parts = paper.claims
        assert len(set(circuit.components)) == len(circuit.components)
        # A topic has at least four groups of two components.
        assert len(circuit.components) >= 8
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
                # A circuit has evidence on two leak-prone criteria, and so some intervention. An
                # intervention has some reach (E1).
                expected.remove("NO")
            assert levels == expected


def test_leaks_are_unmet_leak_prone_criteria_of_parts_that_the_circuit_meets() -> None:
    leaked = set()
    for paper in MANY_PAPERS:
        circuit, *parts = paper.claims
        for part in parts:
            assert 1 <= len(part.leaks) <= 3
            assert set(part.leaks) <= set(LEAK_PRONE)
            for code in part.leaks:
                assert not has_evidence(part, code)
                assert has_evidence(circuit, code)
            leaked.update(part.leaks)
    assert leaked == set(LEAK_PRONE)


def test_the_number_of_families_agrees_with_the_level_of_c5() -> None:
    level_of_number = {1: "NO", 2: "PARTIAL", 3: "YES", 4: "YES"}
    for claim in CLAIMS:
        families = claim.evidence_families
        assert len(families) == len(set(families))
        assert claim.levels["C5"] == level_of_number[len(families)]

        was_intervened_on = has_evidence(claim, "I1") or has_evidence(claim, "I2")
        assert ("causal" in families) == was_intervened_on
        assert ("structural" in families) == has_evidence(claim, "C2")


# Minimality, specificity, invariance, graded response and selectivity.
@pytest.mark.parametrize("code", ["C4", "I3", "M2", "E2", "E3"])
def test_what_rests_on_ablation_has_evidence_only_where_something_was_ablated(code: str) -> None:
    for claim in CLAIMS:
        if has_evidence(claim, code):
            assert has_evidence(claim, "I1")


@pytest.mark.parametrize("code", ["C4", "E2", "E3"])
def test_full_evidence_from_ablations_needs_a_full_ablation(code: str) -> None:
    for claim in CLAIMS:
        if claim.levels[code] == "YES":
            assert claim.levels["I1"] == "YES"


def test_effects_baselines_and_steps_have_the_evidence_that_they_need() -> None:
    for claim in CLAIMS:
        was_intervened_on = "causal" in claim.evidence_families
        # The size of an effect (E4) needs an intervention, and an intervention has some reach (E1).
        if has_evidence(claim, "E4"):
            assert was_intervened_on
        assert has_evidence(claim, "E1") == was_intervened_on
        # Other components under the same test (E3) are a baseline (M3).
        if has_evidence(claim, "E3"):
            assert has_evidence(claim, "M3")
        # A tested step (V2) is at a declared level of description (V1).
        if has_evidence(claim, "V2"):
            assert has_evidence(claim, "V1")


# Each row has levels that are held below YES while all other criteria are at YES; a criterion whose
# sentence at YES would contradict the sentences of the held levels; and its level after lowering.
# The comments give what the contradicting sentences would state.
@pytest.mark.parametrize(
    ("held", "code", "lowered_to"),
    [
        # M6: "one number". M2: three scores.
        ({"M6": "NO"}, "M2", "NO"),
        # M6: "one number". V2: a test of each step.
        ({"M6": "NO"}, "V2", "NO"),
        ({"M6": "PARTIAL"}, "V2", "PARTIAL"),
        # C1: a role that is left open. V2: a test of each step of the role.
        ({"C1": "PARTIAL"}, "V2", "PARTIAL"),
        # V3: "the two contradict each other". V2: "each as the account says".
        ({"V3": "NO"}, "V2", "PARTIAL"),
        # V3: "the two contradict each other". C5: "agree".
        ({"V3": "NO"}, "C5", "PARTIAL"),
        # V3: no account. V4: an account that beat its rival.
        ({"V3": "NO"}, "V4", "PARTIAL"),
        # C3: no task. V5: the tasks to which the claim is bounded.
        ({"C3": "NO"}, "V5", "PARTIAL"),
        # M3: the intact model alone. E3: matched components.
        ({"M3": "PARTIAL"}, "E3", "PARTIAL"),
        # M3: no reference. E4: the score of the intact model.
        ({"M3": "NO"}, "E4", "PARTIAL"),
        # I4: one sample of prompts. E1: held-out sets.
        ({"I4": "NO"}, "E1", "PARTIAL"),
        # E5: one distribution of prompts. E1: held-out sets.
        ({"E5": "NO"}, "E1", "PARTIAL"),
        # I1 and I2: no test. E5 and E6: a test elsewhere.
        ({"I1": "NO", "I2": "NO"}, "E5", "NO"),
        ({"I1": "NO", "I2": "NO"}, "E6", "NO"),
        # I1 and I2: no causal result. I4: a causal result that repeats.
        ({"I1": "NO", "I2": "NO"}, "I4", "NO"),
        # I1 and I2: no intervention. V2: an intervention on each step.
        ({"I1": "NO", "I2": "NO"}, "V2", "NO"),
        # I1 and I2: "one condition". I5 and V4: the prompts of a control.
        ({"I1": "NO", "I2": "NO"}, "I5", "PARTIAL"),
        ({"I1": "NO", "I2": "NO"}, "V4", "PARTIAL"),
    ],
)
def test_of_two_sentences_that_would_contradict_each_other_one_is_weakened(
    held: dict[str, Status], code: str, lowered_to: Status
) -> None:
    assert make_coherent(all_at("YES"))[code] == "YES"
    coherent = make_coherent(all_at("YES") | held)
    assert coherent[code] == lowered_to
    assert {other: coherent[other] for other in held} == held


def test_levels_for_which_other_sentences_are_evidence_are_raised() -> None:
    # An ablation at YES is reported with the size of its effect (E4).
    assert make_coherent(all_at("NO", I1="YES"))["E4"] == "PARTIAL"
    assert make_coherent(all_at("NO", I1="PARTIAL"))["E4"] == "NO"
    # An intervention has some reach (E1).
    assert make_coherent(all_at("NO", I2="PARTIAL"))["E1"] == "PARTIAL"
    # The causal and the structural family are two (C5).
    assert make_coherent(all_at("NO", I2="PARTIAL", C2="PARTIAL"))["C5"] == "PARTIAL"


def test_levels_of_a_part_belong_to_a_circuit_only_if_they_do_not_contradict_it() -> None:
    assert belongs(part=all_at("YES"), circuit=all_at("YES"))
    assert belongs(part=all_at("NO"), circuit=all_at("YES", C4="PARTIAL"))

    # With C4 at YES each member of the circuit was removed, the members of the part included (I1).
    assert not belongs(part=all_at("NO"), circuit=all_at("YES"))
    # An effect of ablating the part (I1) is also an effect of ablating the circuit.
    assert not belongs(part=all_at("NO", I1="YES"), circuit=all_at("NO"))
    assert not belongs(part=all_at("NO", I1="YES"), circuit=all_at("NO", I1="PARTIAL"))
    # A circuit is sufficient (I2) if a part of it is.
    assert not belongs(part=all_at("NO", I2="YES"), circuit=all_at("NO"))
    # A paper that reports no spread (M1) for its circuit reports none for a part.
    assert not belongs(part=all_at("NO", M1="PARTIAL"), circuit=all_at("NO"))

    for paper in MANY_PAPERS:
        circuit, *parts = paper.claims
        assert all(belongs(part.levels, circuit.levels) for part in parts)


def test_the_text_has_words_of_spread_exactly_where_a_claim_reports_spread() -> None:
    flags = set()
    for paper in MANY_PAPERS:
        text = " ".join(sentence.text for sentence in compose(paper).sentences())
        is_reported = any(has_evidence(claim, "M1") for claim in paper.claims)
        assert bool(SPREAD.search(text)) == is_reported
        flags.add(is_reported)
    assert flags == {True, False}


def write_papers(folder: Path, number: int, seed: int) -> None:
    """Run the command that writes planted papers, with the file names of the workflow."""
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
    write_papers(tmp_path, number=12, seed=20)  # as FEW_PAPERS
    expected = set()
    for paper in FEW_PAPERS:
        for suffix in ("", ".truth.json", ".txt", ".flags.json"):
            expected.add(f"{paper.paper}{suffix}")
    assert {path.name for path in tmp_path.iterdir()} == expected

    # Neither the codes and names of criteria nor their statuses are in the text.
    codes_and_statuses = "|".join([*CRITERIA, "YES", "NO", "PARTIAL"])
    names = "|".join(CRITERIA.values())
    for paper in FEW_PAPERS:
        assert [path.name for path in (tmp_path / paper.paper).iterdir()] == ["document.pdf"]
        assert read_record(PlantedPaper, tmp_path / f"{paper.paper}.truth.json") == paper
        reader = PdfReader(tmp_path / paper.paper / "document.pdf")
        assert 3 <= len(reader.pages) <= 7
        text = " ".join(page.extract_text() for page in reader.pages)
        assert not re.search(rf"\b({codes_and_statuses})\b", text)
        assert not re.search(names, text, re.IGNORECASE)


def test_equal_seeds_give_equal_files_and_other_seeds_other_papers(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_papers(tmp_path / name, number=1, seed=seed)
    for file in ("planted-01/document.pdf", "planted-01.truth.json"):
        first, again, other = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert first == again
        assert first != other
