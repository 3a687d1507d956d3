"""Judges of known trust: the ceiling proves that the edits say what is planned; floors and cheats are not trusted."""

from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest

from benchmarks.noisy_judges import noisy_judge
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.rubric.records import Downgrade
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.tables import claims_trust
from mechaware.claims.trust import trials
from mechaware.claims.trust.controls.judges import CEILING, Control, cheats, floors, key_of
from mechaware.claims.trust.controls.wordings import surface_counts, wordings_judge
from mechaware.claims.trust.measures.responses import (
    responses,
    sensitivity,
    sign_test,
    stability,
    targets,
)
from mechaware.claims.trust.measures.verdicts import Limits
from mechaware.claims.trust.planted.papers import plan_trial_papers
from mechaware.claims.trust.trials import Scoring, Trial, judge_trial, planted_trial, shortened

PAPERS: list[PlantedPaper] = plan_trial_papers(12, 31)
LEVEL = 0.95
LIMITS = Limits(0.5, 0.9, 0.5)
ABOUT = trials.about_text("trust", "A text.")
CHEATS = [control.name for control in cheats(PAPERS[:1])]
CONSTANT = ["always NO", "always PARTIAL", "always YES"]


@cache
def controls() -> dict[str, Control]:
    return {control.name: control for control in [key_of(PAPERS), *floors(5), *cheats(PAPERS)]}


@cache
def all_trials() -> list[Trial]:
    with patch.object(trials, "about_text", return_value=ABOUT):  # controls pass it over, and it takes a second a paper
        return [planted_trial(paper) for paper in PAPERS]


@cache
def judged(name: str) -> pd.DataFrame:
    return judged_by(controls()[name])


def judged_by(control: Control) -> pd.DataFrame:
    rows = [row for trial in all_trials() for row in judge_trial(control, trial, 1, Scoring(1))]
    return pd.DataFrame(rows).assign(judge=control.name)


@cache
def moves_of(name: str) -> pd.DataFrame:
    return responses(judged(name))


# What reads the summary of all controls is in the gate alone: it takes as long as all other tests of a judge's trust.
@cache
def summaries() -> pd.DataFrame:
    return trust_summary(pd.concat([judged(name) for name in controls()]), LIMITS, LEVEL)


def summary() -> dict[str, Any]:
    return {row["judge"]: row for row in summaries().to_dict("records")}


def test_the_key_tells_papers_apart_that_have_a_claim_on_the_same_components() -> None:
    """Components are drawn paper by paper, so that two papers may share some."""
    pair = ["MLP 10", "MLP 11"]
    papers = [
        paper for paper in plan_trial_papers(8, 2971373094) if any(one.components == pair for one in paper.claims)
    ]
    assert len(papers) == 2
    key = key_of(papers)
    for paper in papers:
        base = planted_trial(paper).base
        judged = key.judge_claims(base.text, base.about, list(base.claims.values()), 0).claims
        assert [one.criteria[code].status for one in judged for code in CRITERIA] == [
            one.levels[code] for one in paper.claims for code in CRITERIA
        ]


def test_a_judge_that_knows_the_key_moves_every_target_and_nothing_else() -> None:
    moves = moves_of(CEILING)
    assert sensitivity(moves, LEVEL).share == 1
    assert stability(moves, LEVEL).share == 1
    planned = sum(
        text.count("f") + text.count("r") for trial in all_trials() for v in trial.edits for text in v.expected.values()
    )
    assert targets(moves) == (planned, planned, 0, planned)
    assert planned > 600
    assert sign_test(moves)[:2] == (12, 0)


def test_every_text_is_judged_on_both_claims_and_the_other_claim_should_stay() -> None:
    for trial in all_trials():
        for variant in trial.edits:
            assert list(variant.claims) == [0, 1]
            if variant.edited is not None:
                assert variant.expected[1 - variant.edited] == "." * len(CRITERIA)
                others = len(CRITERIA) - 1 - 3 * (variant.edit == "negated")  # a contradicted claim may lose V3, C5, V4
                assert variant.expected[variant.edited].count(".") == others


def test_a_constant_judge_moves_nothing_so_that_its_locality_alone_is_perfect() -> None:
    for name in CONSTANT:
        moves = moves_of(name)
        assert targets(moves)[1:3] == (0, 0)
        assert stability(moves, LEVEL).share == 1
        assert sign_test(moves) == (0, 0, None)


@pytest.mark.gate
def test_a_random_judge_moves_a_third_of_its_targets_either_way_and_two_thirds_of_the_others() -> None:
    """Of two uniform statuses the second is lower with 1/3, higher with 1/3: means of five seeds of 380 targets."""
    row = summary()["at random"]
    assert row["moved"] == pytest.approx(1 / 3, abs=0.04)  # 3 standard errors of about 1900
    assert row["against"] == pytest.approx(1 / 3, abs=0.04)
    assert row["stayed"] == pytest.approx(1 / 3, abs=0.02)
    alone = [sensitivity(moves_of(f"at random, seed {number}"), LEVEL).share or 0 for number in range(5)]
    assert row["moved"] == pytest.approx(sum(alone) / 5)


@pytest.mark.gate
def test_the_key_is_trusted_on_every_criterion_with_claims_enough_and_no_floor_or_cheat_on_any() -> None:
    """Six claims are the fewest whose lower bound can be above one half; every criterion has them here."""
    rows = summary()
    assert rows[CEILING]["trusted"] == rows[CEILING]["tested"] == 27
    assert {name: row["trusted"] for name, row in rows.items() if name != CEILING} == dict.fromkeys(
        [*CONSTANT, "at random", *CHEATS], 0
    )


@pytest.mark.gate
@pytest.mark.parametrize("wrong", [0.05, 0.1])
def test_a_judge_that_reads_but_errs_at_random_is_trusted_on_most_criteria_by_the_median(wrong: float) -> None:
    rows = [row for trial in all_trials() for row in judge_trial(noisy_judge(PAPERS, wrong, 7), trial, 3, Scoring(3))]
    table = trust_summary(pd.DataFrame(rows).assign(judge="noisy"), LIMITS, LEVEL).set_index("stage")
    assert table.loc["median", "trusted"] > 27 / 2
    assert table.loc["median", "trusted"] >= table.loc["single", "trusted"]
    assert table.loc["median", "tested"] == 27


@pytest.mark.gate
def test_no_floor_reaches_the_key() -> None:
    """Levels are about equally frequent, so that PARTIAL throughout is off by one half on two thirds: 1/3."""
    rows = summary()
    for name in [*CONSTANT, "at random"]:
        assert rows[name]["moved"] < 0.5
        assert rows[name]["error"] > 0.3
        assert rows[name]["hard"] < 0.5
    assert (rows[CEILING]["moved"], rows[CEILING]["error"], rows[CEILING]["hard"]) == (1, 0, 1)


@pytest.mark.gate
def test_the_table_shows_a_verdict_as_counts_and_what_could_move() -> None:
    limits = {"least_sensitivity": 0.5, "least_locality": 0.9, "least_right": 0.5}
    with patch.object(claims_trust, "trust_summary", return_value=summaries()):
        trials = judged(CEILING)
        table = claims_trust.fill(trials=trials, judge_labels={}, confidence_level=LEVEL, **limits).shown
    verdicts = dict(zip(table["Judge"], table["Trusted criteria"], strict=True))
    assert verdicts.pop(CEILING) == "27 of 27"
    assert set(verdicts.values()) == {"0 of 27"}
    planned = targets(moves_of(CEILING)).n
    assert table["Could move"].iloc[0] == f"{planned} of {planned}"


@pytest.mark.gate
def test_each_cheat_fails_where_it_cheats() -> None:
    rows = summary()
    steps = moves_of(CEILING).query("expected != 0")[["before", "after"]]
    for name, lost in (("one status too low", steps.max(axis=1) == 1), ("one status too high", steps.min(axis=1) == 1)):
        assert rows[name]["moved"] == pytest.approx(1 - lost.mean())  # right moves, wrong levels; two levels are one
        assert rows[name]["stayed"] == 1
        assert rows[name]["right"] < 0.6
    assert rows["blind to whose evidence"]["stayed"] < 1  # the other claim moves
    assert rows["blind to withdrawals and leaks"]["right"] > 0.9
    for name in ("blind to whose evidence", "blind to withdrawals and leaks"):
        assert rows[name]["hard"] == 0
        assert rows[name]["leaked"] == rows[name]["leaks"] > 10
    assert rows["presence of the sentence"]["moved"] < 0.3
    for name in ("credits other authors", "credits another component"):  # wrong on one kind of hard edits alone
        assert rows[name]["moved"] > 0.9
        assert rows[name]["right"] > 0.95
        assert rows[name]["hard"] == 0


@pytest.mark.gate
def test_a_judge_that_knows_the_wordings_is_right_without_reading() -> None:
    """What the papers cannot test.

    On how many criteria it is trusted hangs on a claim or two of the few that have evidence moved to the circuit: on
    most or on none, by the seed of the papers.
    """
    row = trust_summary(judged_by(wordings_judge(PAPERS, 5)), LIMITS, LEVEL).iloc[0]
    assert row["moved"] > 0.9
    assert row["stayed"] > 0.99
    assert row["right"] > 0.95
    assert row["tested"] == 27


def test_surface_counts_see_no_word_of_content() -> None:
    sentence = "We ablated 3 heads of the circuit, not all: the answer fell by 2.1 (and no more)."
    nonsense = "We xxxxxed 3 xxxxx xx the xxxxxxx, not xxx: the xxxxxx xxxx xx 2.1 (and no xxxx)."
    assert surface_counts(sentence) == surface_counts(nonsense)


@pytest.mark.gate
def test_evidence_moved_to_the_circuit_is_credited_by_a_judge_that_does_not_read() -> None:
    moved = sum(variant.edit == "circuit" for trial in all_trials() for variant in trial.edits)
    counts = {name: tuple(row[key] for key in ("leaks", "leaked", "audited")) for name, row in summary().items()}
    assert counts[CEILING] == (moved, 0, 0)
    assert counts["always YES"] == (moved, moved, moved)


class Auditor(Control):
    """YES in run 0, PARTIAL in later ones; the audit takes I2 of component claims back."""

    def __init__(self) -> None:
        super().__init__("auditor", lambda *asked: "YES" if asked[-1] == 0 else "PARTIAL")

    def propose_leaks(self, claims: Any) -> list[Downgrade]:
        numbers = [number for number, claim in enumerate(claims) if not claim.system]
        return [
            Downgrade(claim=number, criterion="I2", before="PARTIAL", after="NO", reason="leak") for number in numbers
        ]


def scored(scoring: Scoring) -> Iterator[tuple[str, str, int, str, str]]:
    for row in judge_trial(Auditor(), all_trials()[0], 1, scoring):
        if row["run"] == "scored":
            number, statuses = int(str(row["claim"])), str(row["statuses"])
            yield str(row["edit"]), str(row["criterion"]), number, statuses[list(CRITERIA).index("I2")], statuses[0]


def test_scored_statuses_are_voted_over_the_runs_of_a_score_and_audited_where_an_audit_can_matter() -> None:
    system = [claim.system for claim in PAPERS[0].claims]
    for edit, code, number, sufficiency, other in scored(Scoring(2)):
        audited = (edit == "base" or code in ("I2", "I3", "I5", "E2", "E5")) and not system[number]
        assert (sufficiency, other) == ("N" if audited else "P", "P")  # of YES and PARTIAL the minimum
    assert {(i2, rest) for *_, i2, rest in scored(Scoring(1, leak_audit=False))} == {("Y", "Y")}


def test_a_shortened_trial_has_the_first_claim_and_a_few_of_its_edits() -> None:
    short = shortened(all_trials()[0], 5, 1)
    assert len(short.edits) == 5
    assert all(list(variant.claims) == [0] for variant in [short.base, *short.edits])
    assert all(variant.edited in (0, None) for variant in short.edits)
    assert shortened(all_trials()[0], 5, 1) == short
    rows = list(judge_trial(key_of(PAPERS[:1]), short, 2, Scoring(3)))
    assert len(rows) == (2 + 1) * 6 + 2  # two runs and the scored one of each text, two more of the base
    assert all(row["statuses"] == row["truth"] for row in rows if row["edit"] != "again")
    assert all(len(str(row["statuses"])) == len(CRITERIA) for row in rows)
