"""All rules on pairs by hand: what each rule fails, thresholds, sets of rules, a further rule."""

from typing import Any

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.rules import (
    ConfiguredThresholds,
    PairMeasurements,
    Rule,
    Thresholds,
)
from mechaware.instruments.grounding.rules.registry import (
    RULE_SETS,
    RULES,
    judge_pairs,
    judge_runs,
)
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several
from tests.unit.instruments.grounding.rules.failing_rules import SIX_PAIRS, failing_rules

# Synonyms with the differences 2 (clean) and -2 (corrupted), whose word is read in block 2.
PAIR = HandPair()
SCRAMBLE = HandPair(category="db_scramble")

# A pair, and the rules that it fails beside six pairs that pass all rules. R2 and R3 need R1. A
# pair whose word is read in no set of blocks also fails G3, which needs the shared block in its
# set, and G4, which puts another word into the blocks of its set.
ALONE = {
    "nothing is changed": (PAIR, ""),
    "a gap below tau": (PAIR._replace(clean=0.2, corrupted=-0.15), "r1 r2 r3"),
    "no layer recovers 0.9": (PAIR._replace(patched=(0.89, 0.5, 0.0)), "r2 r3"),
    "another layer recovers": (PAIR._replace(patched=(0.5, 1.0, 0.0)), "r3"),
    "the word that is not in the schema": (SCRAMBLE._replace(clean=-2.0, corrupted=2.0), "g1"),
    # G3 passes a pair whose set has all blocks.
    "all blocks are needed": (PAIR._replace(recovered=(0.5, 0.8, 1.0)), ""),
    "no blocks recover": (PAIR._replace(recovered=(0.5, 0.8, 0.89)), "g2 g3 g4"),
    "no blocks remove": (PAIR._replace(removed=(0.5, 0.8, 0.89)), "g2 g3 g4"),
    "read in another block": (PAIR._replace(ranking=(3, 1, 2)), "g3"),
    "an unasked column has more than half of the effect": (PAIR._replace(unasked=2.1), "g4"),
    "the corrupted word, a synonym, stays below the clean word": (
        PAIR._replace(clean=3.0, corrupted=0.5),
        "g4",
    ),
    "the third word stays below the clean word": (PAIR._replace(third=(-0.5, 1.0, 1.0)), "g4"),
    "the answer is another column": (PAIR._replace(answer="pet"), "g5"),
    "another request has the same answer": (PAIR._replace(other_answer="pet"), "g5"),
    "no gap": (PAIR._replace(clean=1.0, corrupted=1.0), "r1 r2 r3 g1 g2 g3 g4"),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_changed_pair_fails_only_the_rules_that_its_change_concerns(name: str) -> None:
    pair, rules = ALONE[name]
    assert failing_rules(several(changed=pair)) == ({"changed": rules} if rules else {})


# At a threshold and just beyond it. PAIR has the gap 2 - (-2) = 4.
AT_THRESHOLDS = [
    pytest.param(
        PAIR._replace(clean=0.7, corrupted=0.3, category="db_scramble"),
        "",
        id="a gap of tau; in floating point 0.7 - 0.3 is less than 0.4",
    ),
    pytest.param(
        PAIR._replace(clean=0.7, corrupted=0.301, category="db_scramble"),
        "r1 r2 r3",
        id="a gap below tau",
    ),
    pytest.param(
        PAIR._replace(clean=-0.3, corrupted=0.1, category="db_scramble"),
        "g1",
        id="a gap of -tau, of which R1 takes the size",
    ),
    pytest.param(PAIR._replace(patched=(0.9, 0.0, 0.0)), "", id="a layer recovers alpha"),
    pytest.param(PAIR._replace(patched=(0.8999, 0.0, 0.0)), "r2 r3", id="a layer recovers less"),
    pytest.param(PAIR._replace(recovered=(0.0, 0.9, 0.0)), "", id="a set recovers alpha"),
    pytest.param(PAIR._replace(removed=(0.0, 0.0, 0.8999)), "g2 g3 g4", id="no set removes alpha"),
    pytest.param(PAIR._replace(unasked=2.0), "", id="an unasked column has half of the gap"),
    pytest.param(PAIR._replace(unasked=-2.0), "", id="minus half of the gap"),
    pytest.param(PAIR._replace(unasked=2.001), "g4", id="more than half of the gap"),
    pytest.param(PAIR._replace(unasked=-2.001), "g4", id="less than minus half of the gap"),
    pytest.param(
        PAIR._replace(third=(0.0, 0.0, 0.0)), "g4", id="the third word is as likely as the clean"
    ),
    pytest.param(
        PAIR._replace(third=(5e-7, 0.0, 0.0)), "g4", id="likelier by no more than rounding"
    ),
    pytest.param(PAIR._replace(third=(0.001, 0.0, 0.0)), "", id="likelier than the clean word"),
    pytest.param(
        PAIR._replace(clean=2.0, corrupted=0.0), "g4", id="the corrupted word is as likely"
    ),
    pytest.param(
        PAIR._replace(
            clean=0.5, corrupted=-3.4, recovered=(0.9, 1.0, 1.0), removed=(0.9, 1.0, 1.0)
        ),
        "",
        id="a set recovers and removes alpha of 3.9; in floating point both shares are less",
    ),
    pytest.param(
        PAIR._replace(clean=0.2, corrupted=-1.5, unasked=0.85),
        "",
        id="half of the gap 1.7; in floating point 0.425 is more than half of 0.85",
    ),
]


@pytest.mark.parametrize(("pair", "rules"), AT_THRESHOLDS)
def test_a_value_at_the_threshold_meets_it_and_one_beyond_does_not(
    pair: HandPair, rules: str
) -> None:
    assert failing_rules(several(changed=pair)) == ({"changed": rules} if rules else {})


@pytest.mark.parametrize(
    ("prompt", "rule"), [("irrelevant", "g1"), ("unasked", "g4"), ("other", "g5")]
)
def test_no_pair_passes_a_rule_whose_prompt_was_not_measured(prompt: str, rule: str) -> None:
    measurements = pair_measurements(several())
    answers = measurements.answers[measurements.answers["prompt"] != prompt]

    table = judge_pairs(measurements._replace(answers=answers), THRESHOLDS)

    for each in RULES:
        passes = each.name != rule
        assert set(table[each.name]) == {passes}, each.name


# Two pairs after the six that pass: zebra fails G3, ant R3.
TWO_MORE = several(
    zebra=PAIR._replace(ranking=(3, 1, 2)), ant=PAIR._replace(patched=(0.0, 1.0, 0.0))
)


def test_the_verdicts_are_a_row_per_pair_in_their_order() -> None:
    table = judge_pairs(pair_measurements(TWO_MORE), THRESHOLDS, [])

    assert list(table["pair"]) == list(TWO_MORE)
    for rule in RULES:
        assert table[rule.name].dtype == bool
    for rule_set in RULE_SETS:
        assert table[rule_set].dtype == bool


def test_the_verdicts_on_several_runs_are_those_on_each_with_its_name() -> None:
    first = pair_measurements(TWO_MORE)
    second = pair_measurements({"pair": PAIR})

    table = judge_runs({"first": first, "second": second}, THRESHOLDS, [])

    assert list(table["run"]) == ["first"] * len(TWO_MORE) + ["second"]
    by_run = table.set_index("run")
    for run, measurements in (("first", first), ("second", second)):
        alone = judge_pairs(measurements, THRESHOLDS, [])
        pd.testing.assert_frame_equal(by_run.loc[[run]].reset_index(drop=True), alone)


def test_the_level_of_the_test_follows_from_the_confidence_level() -> None:
    configured = ConfiguredThresholds(tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5)

    # In floating point 1 - 0.9 is 0.09999999999999998.
    assert configured.at(0.9) == Thresholds(
        tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5, significance=0.1
    )


def test_the_order_of_the_rows_of_measurements_does_not_count() -> None:
    measurements = pair_measurements(TWO_MORE)
    shuffled = measurements._replace(
        patching=measurements.patching.sample(frac=1, random_state=1),
        cuts=measurements.cuts.iloc[::-1],
    )

    table = judge_pairs(shuffled, THRESHOLDS, [])

    pd.testing.assert_frame_equal(table, judge_pairs(measurements, THRESHOLDS, []))


# The pairs of ALONE, with names that `several` takes.
ALONE_BY_NAME = {name.replace(" ", "_"): pair for name, (pair, _) in ALONE.items()}


def test_a_set_of_rules_holds_where_all_of_its_rules_do() -> None:
    table = judge_pairs(pair_measurements(several(**ALONE_BY_NAME)), THRESHOLDS)

    assert list(table["paper"]) == list(table["r1"] & table["r2"] & table["r3"])
    grounded = table["g1"] & table["g2"] & table["g3"] & table["g4"] & table["g5"]
    assert list(table["grounded"]) == list(grounded)
    both = set(zip(table["paper"], table["grounded"], strict=True))
    assert both == {(True, True), (True, False), (False, True), (False, False)}


# Other values of each threshold. For each rule that reads the threshold, one of them at least
# changes the rule's verdict on some pair below.
OTHER_VALUES = {
    "tau": (0.1, 1.0, 9.0),
    "alpha": (0.5, 0.85, 0.99),
    "null_quantile": (0.5, 0.99),
    "unasked_share": (0.0, 0.6, 9.0),
    "significance": (1e-9, 0.5),
}


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rule_reads_the_thresholds_that_it_names_and_no_other(rule: Rule) -> None:
    assert OTHER_VALUES.keys() == set(Thresholds._fields)
    pairs = several(
        wide=PAIR._replace(irrelevant=3.9), narrow=PAIR._replace(clean=0.3, corrupted=-0.3)
    )
    measurements = pair_measurements(pairs | ALONE_BY_NAME)
    before = rule.passes(measurements, THRESHOLDS)

    for threshold, values in OTHER_VALUES.items():
        is_changed = []
        for value in values:
            after = rule.passes(measurements, THRESHOLDS._replace(**{threshold: value}))
            is_changed.append(not after.equals(before))
        assert any(is_changed) == (threshold in rule.thresholds), threshold


def test_a_further_rule_gets_its_column_and_changes_no_set() -> None:
    def is_at_place_2(measurements: PairMeasurements, _thresholds: Thresholds) -> pd.Series:
        place_of_pair = measurements.answers.drop_duplicates("pair").set_index("pair")["place"]
        return place_of_pair == 2

    measurements = pair_measurements(several(first=PAIR._replace(place=1)))

    table = judge_pairs(measurements, THRESHOLDS, [Rule("second", is_at_place_2)])

    passed = dict(zip(table["pair"], table.pop("further_second"), strict=True))
    assert passed == SIX_PAIRS | {"first": False}
    pd.testing.assert_frame_equal(table, judge_pairs(measurements, THRESHOLDS, []))


@pytest.mark.parametrize(
    "verdicts",
    [
        pytest.param(pd.Series(True, index=["p0"]), id="one pair alone"),
        pytest.param(pd.Series(True, index=[*SIX_PAIRS, "p0"]), id="a pair twice"),
        pytest.param(pd.Series(1.0, index=list(SIX_PAIRS)), id="numbers"),
        pytest.param(True, id="one truth value for all pairs"),
        pytest.param([True] * len(SIX_PAIRS), id="a list, which names no pairs"),
        pytest.param([True], id="a list of another length"),
    ],
)
def test_a_further_rule_without_a_truth_value_per_pair_is_refused_by_name(
    verdicts: Any,
) -> None:
    odd = Rule("odd", lambda *_: verdicts)

    with pytest.raises(UserError, match="rule odd: not one truth value per pair"):
        judge_pairs(pair_measurements(several()), THRESHOLDS, [odd])
