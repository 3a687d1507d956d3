"""The verdict on tasks whose pairs are measured by hand, its error rates, and the example tasks."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.instruments.grounding.rules.registry import RULES
from mechaware.instruments.grounding.shortcuts import shortcuts_of
from mechaware.instruments.grounding.tasks.self_test import self_test
from mechaware.instruments.grounding.tasks.tables import TaskMeasurements
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several
from mechaware.verdicts.error_rates import ModelSize, read_calibration
from mechaware.verdicts.page import render_page
from mechaware.verdicts.reads import DOOR, ReadsEvidence, judge_task
from mechaware.verdicts.verdict import Verdict

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "config/calibration/rules.csv"
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
SMALL = ModelSize(4, 252)  # the size of the drawn controls that were held out


def judged(
    hand: dict[str, HandPair],
    *,
    without: str = "",
    shortcut: float | None = None,
    thresholds: Thresholds = THRESHOLDS,
    verdict_share: float = 0.5,
    size: ModelSize = SMALL,
    text_length: float = 145.5,
    own_rules: Sequence[Rule] = (),
) -> Verdict[ReadsEvidence]:
    """The verdict on hand pairs.

    Args:
        hand: The pairs, by name.
        without: A kind of prompt that was not asked; empty if all were.
        shortcut: The share of pairs, from the first on, that the only shortcut (`mine`) answers;
            None without a shortcut.
        thresholds: The thresholds of the rules.
        verdict_share: The share of pairs that must pass.
        size: The size of the model.
        text_length: The median length of the prompts, in characters.
        own_rules: The rules of the user's own package.
    """
    tables = pair_measurements(hand)
    answers = tables.answers[tables.answers["prompt"] != without]
    if shortcut is not None:
        n_answered = round(shortcut * len(hand))
        first_pairs = list(hand)[:n_answered]
        answers = answers.assign(shortcut_mine=answers["pair"].isin(first_pairs))
    return judge_task(
        TaskMeasurements(tables._replace(answers=answers)),
        thresholds,
        read_calibration(COMMITTED),
        size=size,
        text_length=text_length,
        own=own_rules,
        verdict_share=verdict_share,
        confidence_level=0.95,
        resamples=100,
        seed=1,
    )


# Pairs that are answered with "pet" where "price" is right, so that G5 alone fails.
SIX_HABITS = {f"bad{number}": HandPair(answer="pet") for number in range(6)}
SEVEN_HABITS = SIX_HABITS | {"more": HandPair(answer="pet")}


@pytest.mark.parametrize(
    ("added", "options", "status", "corrected"),
    [
        pytest.param({}, {}, "grounds", 1.0, id="six of six pass"),
        pytest.param({}, {"without": "irrelevant"}, "not shown", 1.0, id="G1 is not asked"),
        # Without G5 nothing shows that the request is read.
        pytest.param({}, {"without": "other"}, "not shown", 1.0, id="G5 is not asked"),
        pytest.param(SIX_HABITS, {}, "grounds", 0.5, id="six of twelve pass"),
        pytest.param(SEVEN_HABITS, {}, "does not ground", 6 / 13, id="six of thirteen pass"),
        pytest.param(
            SEVEN_HABITS,
            {"without": "unasked"},
            "does not ground",
            6 / 13,
            id="six of thirteen pass and G4 is not asked",
        ),
        pytest.param({}, {"shortcut": 1.0}, "not shown", None, id="a shortcut answers every pair"),
        pytest.param(
            SIX_HABITS, {"shortcut": 0.0}, "grounds", 0.5, id="a shortcut answers no pair"
        ),
        # (1/2 - 1/4) / (1 - 1/4)
        pytest.param(
            SIX_HABITS,
            {"shortcut": 0.25},
            "does not ground",
            1 / 3,
            id="a shortcut answers a quarter of the pairs",
        ),
    ],
)
def test_the_status_follows_from_the_corrected_share(
    added: dict[str, HandPair], options: dict[str, Any], status: str, corrected: float | None
) -> None:
    """`added` are pairs beside six that pass."""
    verdict = judged(several(**added), **options)
    grounded = verdict.evidence.sets[-1]

    assert verdict.status == status
    assert grounded.corrected == pytest.approx(corrected)
    # With a rule that was not asked it stays open whether the set of rules grounds.
    assert grounded.grounds == (None if "without" in options else status == "grounds")


# Six pairs whose options hold 60% of the probability, and six with 30%: 45% on average.
LIKELY = {f"p{number}": HandPair(options_probability=0.6) for number in range(6)}
UNLIKELY = {f"q{number}": HandPair(options_probability=0.3) for number in range(6)}


def test_answers_that_are_not_the_models_are_judged_by_no_rule() -> None:
    assert judged(LIKELY).status == "grounds"

    verdict = judged(LIKELY | UNLIKELY)

    assert (verdict.status, verdict.outcome) == ("cannot tell", "cannot tell")
    assert verdict.reason.startswith(
        "these answers are not the model's: in the clean prompts the options hold 45%"
    )
    assert "the model's likeliest token is '\\n' in 12 of 12" in verdict.reason
    assert verdict.procedure is None
    assert verdict.error_rates.rates == []
    assert verdict.evidence.sets == []
    assert set(verdict.evidence.rules.values()) == {None}
    assert verdict.evidence.pairs[7] == {
        "pair": "q1",
        "category": "db_synonyms",
        "place": 2,
        "gap": 4.0,
        "blocks": "2",
    }

    jsonschema.validate(json.loads(json.dumps(verdict.record())), SCHEMA)


def test_the_page_of_answers_that_are_not_the_models_has_no_rules_and_no_error_rates() -> None:
    page = render_page("mine", "Model", judged(LIKELY | UNLIKELY), DOOR)

    assert "<h1>Cannot tell.</h1>" in page
    assert "No rule is asked of answers that are not the model's." in page
    assert "How often this verdict is wrong" not in page


# Seven pairs, of which one is answered with "pet".
ONE_WRONG = several(p6=HandPair(answer="pet"))


def test_the_reason_begins_with_the_swap_rate() -> None:
    """The exact interval of 6 / 7 is 42% to 100%."""
    verdict = judged(ONE_WRONG)

    assert verdict.reason.startswith(
        "the answer follows the exchanged word in 6 of 7 pairs (86%, 42% to 100%); G1 to G5 hold "
        "in 6 of 7 pairs (86%)"
    )


def test_the_evidence_has_the_answer_to_each_prompt_and_how_far_constants_predict_them() -> None:
    evidence = judged(ONE_WRONG).evidence

    answers = [(row["pair"], row["prompt"], row["answer"]) for row in evidence.answers]
    assert len(answers) == 7 * 5
    assert ("p6", "unasked", "pet") in answers
    assert ("p6", "other", "price") in answers
    # The model is wrong on the clean, corrupted, unasked and irrelevant prompt of p6.
    assert evidence.predicted == [
        {"predictor": "the right answer", "n": 35, "predicted": 31 / 35},
        {"predictor": "always 'price'", "n": 35, "predicted": 31 / 35},
    ]


def test_the_page_has_every_answer_and_explains_every_rule() -> None:
    page = render_page("mine", "Model", judged(ONE_WRONG), DOOR)

    assert page.count("<td>&#39;pet&#39;</td>") == 4
    assert page.count("<td>&#39;\\n&#39;</td>") == 35
    for name in ("R1", "R2", "R3", "G1", "G2", "G3", "G4", "G5"):
        assert f"<tr><td>{name}<br><small>" in page
    # tau is 0.4, alpha 0.9.
    assert "logit difference by 0.4 or more" in page
    assert "restores 90% of that move" in page


def test_a_task_without_a_wanted_swap_has_no_swap_rate() -> None:
    verdict = judged({f"p{i}": HandPair(category="db_scramble") for i in range(6)})

    assert verdict.evidence.swap is None
    assert verdict.reason.startswith("G1 to G5 hold")


def test_the_self_test_has_the_largest_error_of_any_pair() -> None:
    """The gap of p1 is 2: its patched logit differences are wrong by 1% of it, and by 2%.

    The first is the patch of the embedding (0.02), the second the patch of all blocks (0.04). The
    unpatched corrupted prompt of p3 is wrong by 0.5.
    """
    tables = pair_measurements(several(p1=HandPair(corrupted=0.0)))
    patching = tables.patching.copy()
    cuts = tables.cuts.copy()
    answers = tables.answers.copy()
    of_p1 = patching["pair"] == "p1"
    patching.loc[of_p1 & (patching["layer"] == 0), "patched_diff"] += 0.02
    in_all = (cuts["pair"] == "p1") & (cuts["kind"] == "all")
    cuts.loc[in_all & (cuts["mode"] == "noise"), "cut_diff"] -= 0.04
    corrupted = (answers["pair"] == "p3") & (answers["prompt"] == "corrupted")
    answers.loc[corrupted, "diff"] -= 0.5

    errors = self_test(tables._replace(patching=patching, cuts=cuts, answers=answers))

    assert errors == pytest.approx((0.5, 0.04))
    assert self_test(tables) == pytest.approx((0, 0))
    assert errors.sentence == (
        "Self-test on this model: without a patch, logit differences differ from those of the "
        "model itself by at most 5e-01; with all of the word patched, they differ from those of "
        "the other prompt by at most 4e-02"
    )


def test_a_rule_of_ones_own_explains_itself() -> None:
    def passes(measurements: PairMeasurements, thresholds: Thresholds) -> pd.Series:
        return measurements.answers.groupby("pair")["diff"].max() > 0

    verdict = judged(several(), own_rules=[Rule("mine", passes, explanation="above {tau}")])

    # tau is 0.4.
    assert verdict.evidence.explanations["mine"] == "above 0.4"
    assert "<tr><td>mine<br><small>above 0.4</small></td><td>100%</td>" in render_page(
        "mine", "Model", verdict, DOOR
    )


def test_the_best_shortcut_is_taken_off_each_set() -> None:
    """A shortcut answers three of six pairs. One pair has no gap, so R1, G1 and G2 fail on it."""
    verdict = judged({**several(), "p5": HandPair(corrupted=2.0)}, shortcut=0.5)

    assert verdict.evidence.shortcuts == {"mine": 0.5}
    assert [row.corrected for row in verdict.evidence.sets] == pytest.approx(
        [(5 / 6 - 0.5) / 0.5] * 3
    )


def test_the_reason_names_the_share_of_pairs_that_is_needed() -> None:
    """A shortcut that answers 25% leaves 75%, of which 40% are needed: 25% + 30% = 55%."""
    verdict = judged(several(**SIX_HABITS), shortcut=0.25, verdict_share=0.4)

    assert verdict.reason.endswith(
        "G1 to G5 hold in 6 of 12 pairs (50%); 55% are needed: the 25% that the best shortcut "
        "(mine) answers, and 40% of the rest"
    )

    without_shortcut = judged(several(**SIX_HABITS), verdict_share=0.4)
    assert without_shortcut.reason.endswith("G1 to G5 hold in 6 of 12 pairs (50%); 40% are needed")


def test_a_rule_that_is_not_asked_has_no_share_and_the_others_have_theirs() -> None:
    verdict = judged(several(), without="unasked")
    ours = {rule.name: verdict.evidence.rules[rule.name] for rule in RULES}

    assert ours == {
        **dict.fromkeys(("r1", "r2", "r3", "g1", "g2", "g3"), 1.0),
        "g4": None,
        "g5": 1.0,
    }
    assert "G1 to G5, but for G4 (not asked), hold in 6 of 6 pairs (100%)" in verdict.reason
    assert "g4" not in verdict.evidence.pairs[0]


def test_every_set_has_its_committed_error_rates() -> None:
    table = read_calibration(COMMITTED).query("half == 'held_out'").set_index("rules")
    verdict = judged(several())

    assert verdict.error_rates.missing == []
    for result in verdict.evidence.sets:
        known = table.loc[result.rules]
        rates = {}
        for rate in verdict.error_rates.rates:
            if rate.case["rules"] == result.label:
                rates[rate.measure] = rate
        assert rates["specificity"].value == known["specificity"]
        assert rates["sensitivity"].n == known["grounded"] >= 8
        assert (rates["AUROC"].low, rates["AUROC"].high) == (known["low"], known["high"])


def test_other_settings_have_no_rates_and_a_sentence_says_why_of_each_set() -> None:
    verdict = judged(
        several(), thresholds=THRESHOLDS._replace(significance=1.0), verdict_share=0.01
    )

    assert verdict.error_rates.rates == []
    assert verdict.error_rates.missing == [
        f"{result.label}: not measured with this procedure: verdict_share is 0.01, measured at 0.5"
        for result in verdict.evidence.sets
    ]


def test_a_larger_model_and_shorter_texts_have_the_rates_and_their_distance() -> None:
    """12 x 30 x 576^2 weights over 12 x 4 x 252^2: 7.5 x (16 / 7)^2 = 39.2; 48.5 / 145.5 = 0.33."""
    verdict = judged(several(), size=ModelSize(30, 576), text_length=48.5)

    assert len(verdict.error_rates.rates) == 9
    assert verdict.error_rates.distance == [
        "measured on models of 4 blocks of width 252; this one has 30 of width 576: 39 times as "
        "many weights in its blocks",
        "measured on requests for SQL with a median length of 145.5 characters; these texts have "
        "48.5: 0.33 times as long",
    ]


@pytest.mark.parametrize("name", ["json_values", "ioi"])
def test_no_shortcut_of_an_example_answers_more_than_half_of_its_pairs(name: str) -> None:
    pairs = read_pairs(REPOSITORY / f"examples/{name}.csv")

    assert len(pairs) == 12

    n_answered = Counter[str]()
    for pair in pairs:
        for shortcut, is_right in shortcuts_of(pair, "clean").items():
            n_answered[shortcut] += is_right
    assert max(n_answered.values()) <= 6
