"""The edits of planted papers: what each changes, and that nothing else does."""

from collections import Counter

import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE, Status
from mechaware.planted.papers.manuscript import Manuscript, Sentence
from mechaware.planted.papers.phrases import phrases
from mechaware.planted.papers.plan import PlantedPaper, belongs, make_coherent
from mechaware.verdicts.trust.edits import PLACEBOS, Edit, planted_edits
from mechaware.verdicts.trust.papers import (
    HARD,
    NEEDS,
    RESTS_ON_ABLATION,
    covered,
    plan_trial_papers,
    write_trial_paper,
)

PAPERS = plan_trial_papers(12, 31)
WRITTEN = {paper.paper: write_trial_paper(paper) for paper in PAPERS}
EDITS: list[tuple[PlantedPaper, Edit]] = []
for _paper in PAPERS:
    EDITS += [(_paper, edit) for edit in planted_edits(_paper, WRITTEN[_paper.paper])]


def levels_of(paper: PlantedPaper) -> list[dict[str, Status]]:
    return [claim.levels for claim in paper.claims]


def changed(paper: PlantedPaper, edit: Edit) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences that an edit took out and those that it put in."""
    before = WRITTEN[paper.paper].sentences()
    after = edit.manuscript.sentences()
    gone = list((Counter(before) - Counter(after)).elements())
    return gone, list((Counter(after) - Counter(before)).elements())


def is_coherent(paper: PlantedPaper) -> bool:
    """Whether the levels of a paper's claims let no two of its sentences contradict each other.

    They could within a claim, or between the claims about a part and about its circuit.
    """
    circuit, *parts = map(dict, levels_of(paper))
    within_claims = all(make_coherent(claim) == claim for claim in (circuit, *parts))
    between_claims = all(belongs(part, circuit) for part in parts)
    return within_claims and between_claims


def last_statuses(manuscript: Manuscript) -> dict[tuple[int | None, str | None], str | None]:
    """By claim and criterion, the status of the last sentence."""
    statuses = {}
    for sentence in manuscript.sentences():
        if sentence.code:
            statuses[sentence.claim, sentence.code] = sentence.status
    return statuses


def test_every_criterion_has_minimal_pairs_and_necessity_every_family() -> None:
    on = {(paper.paper, edit.claim, edit.code) for paper, edit in EDITS if edit.code}
    counts = Counter(code for *_, code in on)
    assert set(counts) == set(CRITERIA)
    assert min(counts.values()) >= 8
    others = {"toggled", "inserted", "deleted", "negated", "universal"}
    assert {edit.family for _, edit in EDITS} == {*others, *HARD, *PLACEBOS}
    assert {edit.code for _, edit in EDITS if edit.family == "circuit"} <= set(LEAK_PRONE)
    assert {edit.family for _, edit in EDITS if edit.code == "I1"} >= {
        "toggled",
        "deleted",
        "negated",
        *HARD,
    } - {"circuit"}


def test_only_a_component_is_offered_the_evidence_of_its_circuit() -> None:
    """Claim 0 is about the circuit, for which its own evidence is no leak (section 3.5);
    claim 1 is about a part.
    """
    assert {edit.claim for _, edit in EDITS if edit.family == "circuit"} == {1}


@pytest.mark.parametrize(
    "seeds", [range(200, 202), pytest.param(range(202, 220), marks=pytest.mark.gate)]
)
def test_twelve_papers_test_every_criterion_at_every_level_and_every_hard_family_by_design(
    seeds: range,
) -> None:
    """At least eight claims are edited on each criterion, and at least eight by each hard family.

    At least six are tested at each level of each criterion: six successes of six show a share above
    one half.
    """
    for seed in seeds:
        tested: Counter[tuple[str, str]] = Counter()
        for paper in plan_trial_papers(12, seed):
            tested.update(covered(levels_of(paper), seed, paper.paper))
        edited_or_hard = [need for need in NEEDS if need[1] in ("edited", "hard")]
        assert min(tested[need] for need in edited_or_hard) >= 8
        assert min(tested[need] for need in NEEDS) >= 6


def test_a_plan_covers_exactly_what_its_edits_test() -> None:
    for paper in PAPERS:
        levels = set()
        for number, claim in enumerate(paper.claims):
            for code in CRITERIA:
                levels.add((number, code, claim.levels[code]))
        edited = set()
        hard = set()
        for own, edit in EDITS:
            if own is not paper or edit.claim is None or edit.code is None:
                continue
            levels.add((edit.claim, edit.code, edit.paper.claims[edit.claim].levels[edit.code]))
            edited.add((edit.claim, edit.code))
            if edit.family in HARD:
                hard.add((edit.claim, edit.family))

        # Each level, criterion and family counts once for each claim.
        found: Counter[tuple[str, str]] = Counter((code, level) for _, code, level in levels)
        found.update((code, "edited") for _, code in edited)
        found.update((family, "hard") for _, family in hard)
        assert found == Counter(covered(levels_of(paper), 31, paper.paper))


def test_an_edit_changes_sentences_on_its_criterion_of_its_claim_alone() -> None:
    for paper, edit in EDITS:
        gone, put = changed(paper, edit)
        if edit.family in PLACEBOS:
            assert all(sentence.code is None for sentence in gone + put)
        else:
            on_c5 = [sentence for sentence in gone + put if sentence.code == "C5"]
            if edit.code != "C5" and on_c5:
                # The families of the claim are named anew, at the same level of C5.
                assert edit.code in ("C2", "I1", "I2")
                assert {sentence.claim for sentence in on_c5} == {edit.claim}
                assert len({sentence.status for sentence in on_c5}) == 1
            for sentence in gone + put:
                assert sentence.claim == edit.claim
                assert sentence.code in (edit.code, "C5")
            assert any(sentence.code == edit.code for sentence in gone + put)


def edits_of(*families: str) -> list[tuple[PlantedPaper, Edit]]:
    """The edits of the given families.

    Edits on a criterion other than C5 that also rewrite the sentence on C5, to name families anew,
    are left out.
    """
    edits = []
    for paper, edit in EDITS:
        gone, _ = changed(paper, edit)
        rewrites_c5 = edit.code != "C5" and any(sentence.code == "C5" for sentence in gone)
        if edit.family in families and not rewrites_c5:
            edits.append((paper, edit))
    assert edits
    return edits


def test_an_edit_that_rewrites_a_sentence_leaves_the_rest_of_the_text_as_it_is() -> None:
    """C1 is left out: the claim is stated in several sentences."""
    for paper, edit in edits_of(
        "toggled", "universal", "negated", "others", "component", "circuit"
    ):
        if edit.code == "C1":
            continue
        before = WRITTEN[paper.paper].text()
        (gone,), (put,) = changed(paper, edit)
        assert before.count(gone.text) == 1
        assert before.replace(gone.text, put.text) == edit.manuscript.text()


def test_an_edit_that_adds_a_sentence_leaves_the_rest_of_the_text_as_it_is() -> None:
    for paper, edit in edits_of("inserted", "withdrawn"):
        _, (put,) = changed(paper, edit)
        without = edit.manuscript.text().replace(f" {put.text}", "")
        assert without == WRITTEN[paper.paper].text()


def test_the_last_sentence_on_each_criterion_gives_the_level_that_the_edit_plans() -> None:
    for _, edit in EDITS:
        last = last_statuses(edit.manuscript)
        for number, claim in enumerate(edit.paper.claims):
            assert {code: last.get((number, code), "NO") for code in CRITERIA} == claim.levels
        assert is_coherent(edit.paper)


def test_after_its_evidence_is_deleted_only_c1_and_i2_of_a_claim_may_mention_an_ablation() -> None:
    deleted = [(paper, edit) for paper, edit in EDITS if edit.family == "deleted"]
    assert deleted
    for _, edit in deleted:
        for sentence in edit.manuscript.sentences():
            if sentence.claim == edit.claim and sentence.code not in ("C1", "I2"):
                assert "ablat" not in sentence.text.lower()


def test_papers_are_silent_on_unmet_criteria_that_rest_on_an_ablation() -> None:
    silent = 0
    for paper in PAPERS:
        sentences = WRITTEN[paper.paper].sentences()
        written = {(sentence.claim, sentence.code) for sentence in sentences}
        for number, claim in enumerate(paper.claims):
            for code in RESTS_ON_ABLATION:
                assert ((number, code) in written) == (claim.levels[code] != "NO")
                silent += claim.levels[code] == "NO"
    assert silent


@pytest.mark.parametrize("family", ["shortened", "lengthened"])
def test_filler_is_about_as_long_as_a_sentence_of_evidence(family: str) -> None:
    for paper, edit in EDITS:
        if edit.family == family:
            lengths = []
            for sentence in WRITTEN[paper.paper].sentences():
                if sentence.code not in (None, "C1"):
                    lengths.append(len(sentence.text))
            gone, put = changed(paper, edit)
            (sentence,) = gone + put
            assert abs(len(sentence.text) - sum(lengths) / len(lengths)) < 50
            assert sentence.text not in phrases()["instructions"]
