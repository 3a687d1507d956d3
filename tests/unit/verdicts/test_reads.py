"""The verdict on tasks measured by hand; the committed error rates and those of a run; the examples."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
from scipy.special import betainc

from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.rules import Rule, Thresholds
from mechaware.instruments.grounding.rules.registry import RULES
from mechaware.instruments.grounding.shortcuts import shortcuts_of
from mechaware.instruments.grounding.tasks.self_test import self_test
from mechaware.instruments.grounding.tasks.tables import TaskMeasurements
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several
from mechaware.verdicts.error_rates import ModelSize, read_calibration
from mechaware.verdicts.page import render_page
from mechaware.verdicts.reads import DOOR, ReadsEvidence, judge_task, with_procedures
from mechaware.verdicts.verdict import Verdict

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "config/calibration/rules.csv"
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
FRESH = REPOSITORY / "results/grounding/calibration.csv"  # of a finished run, as in the gate


SMALL = ModelSize(4, 252)  # the size of the drawn controls that were held out


def judged(
    hand: dict[str, HandPair],
    *,
    without: str = "",
    shortcut: float | None = None,
    thresholds: Thresholds = THRESHOLDS,
    share: float = 0.5,
    size: ModelSize = SMALL,
    text_length: float = 145.5,
) -> Verdict[ReadsEvidence]:
    """The verdict on hand pairs; `without` a kind of prompt, `shortcut` the share of pairs that one answers."""
    tables = pair_measurements(hand)
    answers = tables.answers[tables.answers["prompt"] != without]
    if shortcut is not None:
        answered = answers["pair"].isin(list(hand)[: round(shortcut * len(hand))])
        answers = answers.assign(shortcut_mine=answered)
    return judge_task(
        TaskMeasurements(tables._replace(answers=answers)), thresholds, read_calibration(COMMITTED), size=size,
        text_length=text_length, verdict_share=share, confidence_level=0.95, resamples=100, seed=1,
    )  # fmt: skip


# Pairs on which G5 alone fails: six, or seven beside six that pass.
HABIT = {f"bad{number}": HandPair(answer="pet") for number in range(6)}
HABIT_AND_ONE = HABIT | {"more": HandPair(answer="pet")}


@pytest.mark.parametrize(
    ("hand", "given", "status", "corrected"),
    [
        ({}, {}, "grounds", 1.0),
        # Enough pairs pass, but G1 is not asked; or G5 is not, so that nothing shows that the
        # request is read.
        ({}, {"without": "irrelevant"}, "not shown", 1.0),
        ({}, {"without": "other"}, "not shown", 1.0),
        (HABIT, {}, "grounds", 0.5),
        (HABIT_AND_ONE, {}, "does not ground", 6 / 13),
        (HABIT_AND_ONE, {"without": "unasked"}, "does not ground", 6 / 13),
        # The shortcut answers every pair.
        ({}, {"shortcut": 1.0}, "not shown", None),
        (HABIT, {"shortcut": 0.0}, "grounds", 0.5),
        # (1/2 - 1/4) / (1 - 1/4)
        (HABIT, {"shortcut": 0.25}, "does not ground", 1 / 3),
    ],
)
def test_the_status_is_that_of_the_corrected_share(
    hand: dict[str, HandPair], given: dict[str, Any], status: str, corrected: float | None
) -> None:
    verdict = judged(several(**hand), **given)
    grounded = verdict.evidence.sets[-1]

    assert verdict.status == status
    assert grounded.corrected == pytest.approx(corrected)
    assert grounded.grounds == (None if "without" in given else status == "grounds")


def test_answers_that_are_not_the_models_are_judged_by_no_rule() -> None:
    """Six pairs of which all rules hold, with options of 60%, and six of 30%: 45% on average."""
    likely = {f"p{number}": HandPair(options_probability=0.6) for number in range(6)}
    unlikely = {f"q{number}": HandPair(options_probability=0.3) for number in range(6)}

    assert judged(likely).status == "grounds"

    verdict = judged(likely | unlikely)
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
    page = render_page("mine", "Model", verdict, DOOR)
    assert "<h1>Cannot tell.</h1>" in page
    assert "No rule is asked of answers that are not the model&#39;s." in page.replace("'", "&#39;")
    assert "How often this verdict is wrong" not in page


def test_the_reason_begins_with_the_swap_rate_and_the_page_has_every_answer() -> None:
    """Of seven pairs one is answered with pet: 6 of 7, of which the exact interval is 42% to 100%."""
    verdict = judged({**several(), "p6": HandPair(answer="pet")})

    assert verdict.reason.startswith(
        "the answer follows the exchanged word in 6 of 7 pairs (86%, 42% to 100%); G1 to G5 hold "
        "in 6 of 7 pairs (86%)"
    )

    asked = [(row["pair"], row["prompt"], row["answer"]) for row in verdict.evidence.answers]
    assert len(asked) == 7 * 5
    assert ("p6", "unasked", "pet") in asked
    assert ("p6", "other", "price") in asked
    # Wrong are the clean, corrupted, unasked and irrelevant prompt of p6.
    assert verdict.evidence.predicted == [
        {"predictor": "the right answer", "n": 35, "predicted": 31 / 35},
        {"predictor": "always 'price'", "n": 35, "predicted": 31 / 35},
    ]

    page = render_page("mine", "Model", verdict, DOOR)
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
    """The gap of a hand pair is 4, and 2 that of p1: 1% too much of it after the embedding, 2% in all blocks."""
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
    found = self_test(tables._replace(patching=patching, cuts=cuts, answers=answers))

    assert found == pytest.approx((0.5, 0.04))
    assert self_test(tables) == pytest.approx((0, 0))
    assert found.sentence == (
        "Self-test on this model: without a patch, logit differences differ from those of the "
        "model itself by at most 5e-01; with all of the word patched, they differ from those of "
        "the other prompt by at most 4e-02"
    )


def test_a_rule_of_ones_own_explains_itself() -> None:
    tables = pair_measurements(several())
    own = Rule(
        "mine",
        lambda given, _: given.answers.groupby("pair")["diff"].max() > 0,
        explanation="above {tau}",
    )
    verdict = judge_task(
        TaskMeasurements(tables), THRESHOLDS, read_calibration(COMMITTED), size=SMALL, text_length=145.5, own=[own],
        verdict_share=0.5, confidence_level=0.95, resamples=100, seed=1,
    )  # fmt: skip

    assert verdict.evidence.explanations["mine"] == "above 0.4"
    assert "<tr><td>mine<br><small>above 0.4</small></td><td>100%</td>" in render_page(
        "mine", "Model", verdict, DOOR
    )


def test_the_best_shortcut_is_taken_off_each_set() -> None:
    """A shortcut answers three of six pairs; of one pair all rules fail."""
    # No gap: R1, G1 and G2 fail.
    verdict = judged({**several(), "p5": HandPair(corrupted=2.0)}, shortcut=0.5)

    assert verdict.evidence.shortcuts == {"mine": 0.5}
    assert [row.corrected for row in verdict.evidence.sets] == pytest.approx(
        [(5 / 6 - 0.5) / 0.5] * 3
    )


def test_the_reason_names_the_share_of_pairs_that_is_needed() -> None:
    """By hand: a shortcut that answers 25% leaves 75%, of which 40% are 30%; 25% and 30% are 55%."""
    verdict = judged(several(**HABIT), shortcut=0.25, share=0.4)

    assert verdict.reason.endswith(
        "G1 to G5 hold in 6 of 12 pairs (50%); 55% are needed: the 25% that the best shortcut "
        "(mine) answers, and 40% of the rest"
    )

    without_shortcut = judged(several(**HABIT), share=0.4)
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
        of_set = [rate for rate in verdict.error_rates.rates if rate.case["rules"] == result.label]
        rates = {rate.measure: rate for rate in of_set}
        assert rates["specificity"].value == known["specificity"]
        assert rates["sensitivity"].n == known["grounded"] >= 8
        assert (rates["AUROC"].low, rates["AUROC"].high) == (known["low"], known["high"])


def test_other_settings_have_no_rates_and_a_sentence_says_why_of_each_set() -> None:
    verdict = judged(several(), thresholds=THRESHOLDS._replace(significance=1.0), share=0.01)

    assert verdict.error_rates.rates == []
    assert verdict.error_rates.missing == [
        f"{result.label}: not measured with this procedure: verdict_share is 0.01, measured at 0.5"
        for result in verdict.evidence.sets
    ]


def test_a_larger_model_and_shorter_texts_have_the_rates_and_their_distance() -> None:
    """12 x 30 x 576^2 weights over 12 x 4 x 252^2: 7.5 x (16 / 7)^2 = 39.2."""
    verdict = judged(several(), size=ModelSize(30, 576), text_length=48.5)

    assert len(verdict.error_rates.rates) == 9
    assert verdict.error_rates.distance == [
        "measured on models of 4 blocks of width 252; this one has 30 of width 576: 39 times as "
        "many weights in its blocks",
        "measured on requests for SQL with a median length of 145.5 characters; these texts have "
        "48.5: 0.33 times as long",
    ]


def test_a_calibration_has_the_procedure_of_each_set_and_the_medians_of_its_half() -> None:
    truth = pd.DataFrame(
        [
            ("a", True, 4, 200, 90),
            ("b", True, 4, 300, 90),
            ("b", True, 4, 300, 120),
            ("c", False, 4, 100, 70),
        ],
        columns=["run", "held_out", "n_layers", "d_model", "text_length"],
    )
    drawn = pd.DataFrame(
        {"rules": ["grounded", "answers", "paper"], "half": ["held_out", "held_out", "developed"]}
    )

    found = with_procedures(drawn, truth, THRESHOLDS, 0.5)

    assert found[["d_model", "text_length"]].to_numpy().tolist() == [
        [300, 90],
        [300, 90],
        [100, 70],
    ]

    committed = read_calibration(COMMITTED).set_index(["rules", "half"])["procedure"]
    assert found["procedure"].tolist() == [
        committed["grounded", "held_out"],
        "",
        committed["paper", "developed"],
    ]


def beyond(fresh: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Which measures of fresh error rates lie outside of the committed intervals: set of rules, half and measure."""
    known = read_calibration(COMMITTED)
    both = known.merge(fresh, on=["rules", "half"], suffixes=("", "_fresh"), validate="one_to_one")
    assert len(both) > 0
    ends = {
        "auroc": ("low", "high"),
        "sensitivity": ("sensitivity_low", "sensitivity_high"),
        "specificity": ("specificity_low", "specificity_high"),
    }
    outside = []
    for row in both.to_dict("records"):
        for measure, (low, high) in ends.items():
            if not row[low] <= row[f"{measure}_fresh"] <= row[high]:
                outside.append((row["rules"], row["half"], measure))
    return outside


@pytest.mark.skipif(not FRESH.exists(), reason="needs the error rates of a finished run")
def test_error_rates_of_a_run_lie_within_the_committed_intervals() -> None:
    assert beyond(read_calibration(FRESH)) == []


def test_error_rates_that_lie_outside_are_found() -> None:
    """Of the paper's rules on the held-out half 1 of 9 and not 5 of 9 is right; and G1 to G5 rank below chance."""
    fresh = read_calibration(COMMITTED).set_index(["rules", "half"])
    fresh.loc[("paper", "held_out"), "specificity"] = 1 / 9
    fresh.loc[("grounded", "all"), "auroc"] = 0.4

    assert beyond(fresh.reset_index()) == [
        ("paper", "held_out", "specificity"),
        ("grounded", "all", "auroc"),
    ]


# Policies among the controls that ground and among the others: intervals are over them, since
# controls of one policy differ in little. Of the others several share one: nine held-out controls
# are five policies.
POLICIES = {"developed": (12, 4), "held_out": (11, 5), "all": (23, 9)}


def test_the_committed_intervals_follow_from_the_committed_rates_and_the_number_of_policies() -> (
    None
):
    """Rates have Clopper-Pearson's ends; those of an AUROC are where Newcombe's variance explains the distance."""
    for row in read_calibration(COMMITTED).to_dict("records"):
        n_grounded, n_others = POLICIES[row["half"]]
        for measure, n in (("sensitivity", n_grounded), ("specificity", n_others)):
            k = row[measure] * n
            low = row[f"{measure}_low"]
            high = row[f"{measure}_high"]
            if k == 0:
                assert low == 0
            else:
                assert betainc(k, n - k + 1, low) == pytest.approx(0.025)
            if k == n:
                assert high == 1
            else:
                assert betainc(k + 1, n - k, high) == pytest.approx(0.975)
        mean_size = (n_grounded + n_others) / 2 - 1
        for end in (row["low"], row["high"]):
            if end in (0, 1):
                assert row["auroc"] == end
                continue
            spread = 1 + mean_size * ((1 - end) / (2 - end) + end / (1 + end))
            variance = end * (1 - end) * spread / (n_grounded * n_others)
            assert abs(row["auroc"] - end) == pytest.approx(1.959964 * variance**0.5, rel=1e-4)


@pytest.mark.parametrize("name", ["json_values", "ioi"])
def test_no_shortcut_of_an_example_answers_more_than_half_of_its_pairs(name: str) -> None:
    pairs = read_pairs(REPOSITORY / f"examples/{name}.csv")

    assert len(pairs) == 12

    n_answered = Counter[str]()
    for pair in pairs:
        for shortcut, is_right in shortcuts_of(pair, "clean").items():
            n_answered[shortcut] += is_right
    assert max(n_answered.values()) <= 6
