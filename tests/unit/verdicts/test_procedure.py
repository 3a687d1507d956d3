# ruff: noqa: ARG005 - a function in place of another takes the same arguments
"""Error rates belong to a procedure: every setting and function that decides is part of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mechaware.core.stats import p_values, roc
from mechaware.instruments.grounding.rules import Rule, Thresholds, grounded, paper, registry
from mechaware.instruments.grounding.tasks import decision as reads
from mechaware.instruments.radar.detectors import likelihood
from mechaware.instruments.radar.detectors import registry as detectors
from mechaware.instruments.radar.verdicts import blind_rows
from mechaware.instruments.radar.verdicts import decision as seen
from mechaware.verdicts.cases import seen as seen_cases
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS
from mechaware.verdicts.error_rates import ModelSize, find_error_rates, read_calibration
from mechaware.verdicts.procedure import make_procedure, parse_procedure
from mechaware.verdicts.reads import reads_procedures
from mechaware.verdicts.seen import seen_procedure
from tests.unit.verdicts.replacements import Replacement

CALIBRATION = Path(__file__).resolve().parents[3] / "config/calibration"
SMALL: Any = {"size": ModelSize(4, 96), "text_length": 38.0}
ALL_RULES = ["r1", "r2", "r3", "g1", "g2", "g3", "g4", "g5"]


def measured(procedure: Any, table: str) -> bool:
    """Whether the committed calibration has rates of the procedure."""
    calibrated = find_error_rates(procedure, read_calibration(CALIBRATION / table), **SMALL)
    assert bool(calibrated.missing) == calibrated.rows.empty
    return not calibrated.missing


@pytest.fixture(scope="module")
def seen_text() -> str:
    return seen_procedure(["loss", "reference"], 0.05).text


@pytest.fixture(scope="module")
def reads_texts() -> dict[str, str]:
    procedures = reads_procedures(THRESHOLDS, 0.5, ALL_RULES)
    return {name: procedure.text for name, procedure in procedures.items()}


def test_the_committed_rates_are_of_the_default_procedures(
    seen_text: str, reads_texts: dict[str, str]
) -> None:
    assert seen_text in set(read_calibration(CALIBRATION / "detectors.csv")["procedure"])
    assert set(reads_texts.values()) <= set(
        read_calibration(CALIBRATION / "rules.csv")["procedure"]
    )


def test_a_procedure_is_read_as_it_was_written(seen_text: str, reads_texts: dict[str, str]) -> None:
    for text in (seen_text, *reads_texts.values()):
        assert parse_procedure(text).text == text


# The verdict on a benchmark


def uncorrected_blind_p_values(statistics: np.ndarray) -> np.ndarray:
    """The share of permutations whose statistic is as large, for each blind row by itself."""
    return np.array([(row >= row[0] - 1e-9).mean() for row in statistics])


def two_sided_p(above: np.ndarray, below: np.ndarray, seed: int) -> float:
    return min(2 * p_values.mann_whitney_p(above, below, seed), 1.0)


def p_as_if_without_ties(above: np.ndarray, below: np.ndarray, seed: int) -> float:
    method = "exact" if len(above) * len(below) <= 40_000 else "asymptotic"
    test = seen.stats.mannwhitneyu(above, below, alternative="greater", method=method)
    return float(test.pvalue)


original_conclude = seen.conclude


def conclude_below_the_level(tests: Any, blind: Any, significance: float) -> Any:
    """A p-value that equals the level is not enough."""
    return original_conclude(tests, blind, significance - 1e-9)


SEEN_CHANGES = {
    "no correction": Replacement(seen, "holm", lambda p: p),
    "another correction": Replacement(seen, "holm", lambda p: np.minimum(p * len(p), 1)),
    "another name of the correction": Replacement(seen, "CORRECTION", "Bonferroni"),
    "no blind rows": Replacement(seen, "blind_tests", lambda *given: []),
    "uncorrected blind rows": Replacement(
        blind_rows, "largest_statistic_p", uncorrected_blind_p_values
    ),
    "fewer permutations of texts": Replacement(blind_rows, "PERMUTATIONS", 198),
    "a higher bound": Replacement(seen, "BLIND_BOUND", 0.11),
    "a higher share": Replacement(seen, "BLIND_SHARE", 0.51),
    "rows in another order": Replacement(
        blind_rows, "BLIND_ROWS", ("words", "characters", "tokens", "bag of words")
    ),
    "two-sided tests": Replacement(seen, "mann_whitney_p", two_sided_p),
    "ties as if there were none": Replacement(seen, "mann_whitney_p", p_as_if_without_ties),
    "another limit of exact tests": Replacement(seen, "EXACT_PAIRS", 10_000),
    "the other area": Replacement(
        seen, "area_under_roc", lambda above, below: 1 - roc.area_under_roc(above, below)
    ),
    "areas of texts": Replacement(
        blind_rows, "areas_under_roc", lambda rows, items: 1 - roc.areas_under_roc(rows, items)
    ),
    "always seen": Replacement(seen, "conclude", lambda *given: ("seen", "so")),
    "the level itself is not enough": Replacement(seen, "conclude", conclude_below_the_level),
    "no items": Replacement(seen_cases, "item_tests", lambda rows, scores, control: []),
}


@pytest.mark.parametrize("name", SEEN_CHANGES)
def test_a_changed_decision_on_a_benchmark_has_no_rates(
    monkeypatch: pytest.MonkeyPatch, seen_text: str, name: str
) -> None:
    change = SEEN_CHANGES[name]
    change.make(monkeypatch)

    procedure = seen_procedure(["loss", "reference"], 0.05)

    assert procedure.text != seen_text
    assert not measured(procedure, "detectors.csv")


def test_a_changed_detector_has_no_rates_and_the_others_have_theirs(
    monkeypatch: pytest.MonkeyPatch, seen_text: str
) -> None:
    assert measured(seen_procedure(["loss"], 0.05), "detectors.csv")

    negated = likelihood.REFERENCE._replace(
        score=lambda evidence, seed: -likelihood.REFERENCE.score(evidence, seed)
    )
    changed = []
    for detector in detectors.DETECTORS:
        changed.append(negated if detector.name == "reference" else detector)
    monkeypatch.setattr("mechaware.verdicts.cases.seen.DETECTORS", tuple(changed))
    assert not measured(seen_procedure(["loss", "reference"], 0.05), "detectors.csv")
    assert measured(seen_procedure(["loss"], 0.05), "detectors.csv")


@pytest.mark.parametrize(
    ("asked", "significance", "difference"),
    [
        pytest.param(
            ["loss", "reference"], 0.01, "level is 0.01, measured at 0.05", id="another level"
        ),
        pytest.param(
            ["zlib"], 0.05, "loss, part of the measured one, was not asked", id="another detector"
        ),
        pytest.param(
            ["loss", "zlib"],
            0.05,
            "zlib, no part of the measured one, was asked",
            id="one detector more",
        ),
        pytest.param(
            ["reference"],
            0.05,
            "loss, part of the measured one, was not asked",
            id="one detector less",
        ),
    ],
)
def test_the_sentence_names_the_difference_on_a_benchmark(
    asked: list[str], significance: float, difference: str
) -> None:
    table = read_calibration(CALIBRATION / "detectors.csv")

    calibrated = find_error_rates(seen_procedure(asked, significance), table, **SMALL)

    assert calibrated.missing == f"not measured with this procedure: {difference}"


def test_the_order_of_the_detectors_does_not_matter(seen_text: str) -> None:
    assert seen_procedure(["reference", "loss"], 0.05).text == seen_text


# The verdict on a task

PAPER_SETS = frozenset({"paper", "paper_embedding"})
GROUNDED = frozenset({"grounded"})
ALL_SETS = PAPER_SETS | GROUNDED


@pytest.mark.parametrize(
    ("setting", "value", "untouched"),
    [
        ("tau", 0.5, GROUNDED),
        ("alpha", 0.8, frozenset()),
        ("null_quantile", 0.9, PAPER_SETS),
        ("unasked_share", 0.25, PAPER_SETS),
        ("significance", 1.0, PAPER_SETS),
        ("verdict_share", 0.01, frozenset()),
    ],
)
def test_each_setting_decides_the_sets_whose_rules_read_it(
    setting: str, value: float, untouched: frozenset[str]
) -> None:
    """`untouched` are the sets of rules whose procedure the changed setting leaves as it is."""
    thresholds: Thresholds = THRESHOLDS
    verdict_share = 0.5
    if setting == "verdict_share":
        verdict_share = value
    else:
        thresholds = THRESHOLDS._replace(**{setting: value})

    procedures = reads_procedures(thresholds, verdict_share, ALL_RULES)

    with_rates = {rules for rules in procedures if measured(procedures[rules], "rules.csv")}
    assert with_rates == untouched
    table = read_calibration(CALIBRATION / "rules.csv")
    for rules in set(procedures) - untouched:
        missing = find_error_rates(procedures[rules], table, **SMALL).missing
        assert missing.startswith(
            f"not measured with this procedure: {setting} is {value:g}, measured at 0."
        )


@pytest.mark.parametrize("rule", ["g1", "g4", "g5"])
def test_a_rule_that_was_not_asked_has_no_rate(rule: str) -> None:
    asked = [name for name in ALL_RULES if name != rule]
    procedures = reads_procedures(THRESHOLDS, 0.5, asked)
    table = read_calibration(CALIBRATION / "rules.csv")

    calibrated = find_error_rates(procedures["grounded"], table, **SMALL)

    difference = f"{rule}, part of the measured one, was not asked"
    assert calibrated.missing == f"not measured with this procedure: {difference}"
    assert measured(procedures["paper"], "rules.csv")


def with_passes(rule: str, passes: Callable[..., pd.Series]) -> tuple[Rule, ...]:
    """All rules, in their order; the rule of this name passes where `passes` holds."""
    rules = []
    for original in registry.RULES:
        rules.append(original._replace(passes=passes) if original.name == rule else original)
    return tuple(rules)


def one_pair_more(rule: str) -> Callable[..., pd.Series]:
    """The rule of this name, but the first pair that fails passes."""
    (original,) = [candidate for candidate in registry.RULES if candidate.name == rule]

    def passes(measurements: Any, thresholds: Thresholds) -> pd.Series:
        passed = original.passes(measurements, thresholds).copy()
        failing = passed.index[~passed]
        if len(failing):
            passed[failing[0]] = True
        return passed

    return passes


@pytest.mark.parametrize("rule", ALL_RULES)
def test_a_rule_that_passes_one_pair_more_has_no_rates(
    monkeypatch: pytest.MonkeyPatch, reads_texts: dict[str, str], rule: str
) -> None:
    changed_rules = with_passes(rule, one_pair_more(rule))
    monkeypatch.setattr(registry, "RULES", changed_rules)
    monkeypatch.setattr("mechaware.verdicts.cases.reads.RULES", changed_rules)
    # R1 to R3 come first, then G1 to G5.
    monkeypatch.setattr(registry, "PAPER", changed_rules[:3])
    monkeypatch.setattr(registry, "GROUNDED", changed_rules[3:])
    is_of_paper = rule.startswith("r")
    if is_of_paper:
        # `judge_pairs` takes the details of these rules from `apply_readings`.
        original = registry.apply_readings

        def apply_readings(patching: pd.DataFrame, **given: Any) -> pd.DataFrame:
            rules = original(patching, **given)
            rules.loc[~rules[rule], rule] = True
            return rules

        monkeypatch.setattr(registry, "apply_readings", apply_readings)
    rule_set = "paper" if is_of_paper else "grounded"
    procedure = reads_procedures(THRESHOLDS, 0.5, ALL_RULES)[rule_set]

    assert procedure.decisions != parse_procedure(reads_texts[rule_set]).decisions


# The functions that replacements call in their turn.
original_block_sets = grounded.block_sets
original_cut_shares = grounded.cut_shares
original_recovered_shares = paper.recovered_shares
original_judged = reads._judged


def block_sets_above_alpha(cuts: pd.DataFrame, alpha: float) -> pd.DataFrame:
    return original_block_sets(cuts, alpha + 2e-6)


def shares_below_alpha(cuts: pd.DataFrame) -> pd.DataFrame:
    return original_cut_shares(cuts).clip(upper=0.899)


def half_of_the_recovery(recovery: Any, gap: Any) -> Any:
    return original_recovered_shares(recovery, gap) / 2


def every_word_comes_out(tables: Any, alpha: float) -> pd.Series:
    return pd.Series(True, tables.pairs)


def pairs_that_pass_whatever_their_rules(*given: Any) -> pd.DataFrame:
    return original_judged(*given).assign(grounded=True, paper=False, paper_embedding=True)


READS_CHANGES = {
    "sets of blocks": Replacement(grounded, "block_sets", block_sets_above_alpha, GROUNDED),
    "another block": Replacement(grounded, "most_common_block", lambda sets: 1, GROUNDED),
    "significance": Replacement(grounded, "_shared_block_p_value", lambda sets, n: 0.0, GROUNDED),
    "fewer draws": Replacement(grounded, "_DRAWS", 19, GROUNDED),
    "shares of cuts": Replacement(grounded, "cut_shares", shares_below_alpha, GROUNDED),
    "other words": Replacement(grounded, "_brings_out", every_word_comes_out, GROUNDED),
    "rounding of G": Replacement(grounded, "ROUNDING", 0.0, GROUNDED),
    "rounding of R": Replacement(paper, "ROUNDING", 0.0, PAPER_SETS),
    "ties": Replacement(paper, "_TIE", 0.0, frozenset({"paper"})),
    "recovery": Replacement(paper, "recovered_shares", half_of_the_recovery, frozenset({"paper"})),
    "no correction": Replacement(reads, "corrected", lambda share, shortcut: share, ALL_SETS),
    "no shortcut": Replacement(
        reads, "shortcut_shares", lambda answers: pd.Series(dtype=float), ALL_SETS
    ),
    "status": Replacement(reads, "_status", lambda *given: ("grounds", "so"), GROUNDED),
    "pairs of a set": Replacement(reads, "_judged", pairs_that_pass_whatever_their_rules, ALL_SETS),
}


@pytest.mark.parametrize("name", READS_CHANGES)
def test_a_changed_decision_on_a_task_has_no_rates(
    monkeypatch: pytest.MonkeyPatch, reads_texts: dict[str, str], name: str
) -> None:
    change = READS_CHANGES[name]
    change.make(monkeypatch)

    procedures = reads_procedures(THRESHOLDS, 0.5, ALL_RULES)

    for rules in change.decides:
        assert procedures[rules].text != reads_texts[rules]
        assert not measured(procedures[rules], "rules.csv")


def test_a_rule_set_that_no_change_touches_keeps_its_rates(
    monkeypatch: pytest.MonkeyPatch, reads_texts: dict[str, str]
) -> None:
    monkeypatch.setattr(grounded, "_shared_block_p_value", lambda sets, n: 0.0)
    assert reads_procedures(THRESHOLDS, 0.5, ALL_RULES)["paper"].text == reads_texts["paper"]


# The size and the text whose error rates are shown

LOSS_ALONE = make_procedure("radar", {"level": 0.05}, ["loss"], "ab")
# Weights go as n_layers x d_model^2: 4 x 96^2 = 36,864 and 12 x 768^2 = 7,077,888.
MEASURED = pd.DataFrame(
    [
        ("small, names", 4, 96, "invented names", 40.0),
        ("large, names", 12, 768, "invented names", 40.0),
        ("large, prose", 12, 768, "prose", 800.0),
    ],
    columns=["row", "n_layers", "d_model", "text", "text_length"],
).assign(procedure=LOSS_ALONE.text)


def test_the_nearest_size_and_text_are_shown_with_their_distance() -> None:
    near = find_error_rates(LOSS_ALONE, MEASURED, size=ModelSize(30, 576), text_length=120)

    # 120 is 3 times 40, and 800 is 6.7 times 120; 30 x 576^2 = 9,953,280 is 1.4 times 7,077,888.
    assert near.rows["row"].tolist() == ["large, names"]
    assert near.distance == [
        "measured on models of 12 blocks of width 768; this one has 30 of width 576: 1.4 times as "
        "many weights in its blocks",
        "measured on invented names with a median length of 40 characters; these texts have 120: 3 "
        "times as long",
    ]


def test_the_nearest_text_is_shown() -> None:
    near = find_error_rates(LOSS_ALONE, MEASURED, size=ModelSize(12, 768), text_length=400)

    # 800 is twice 400, and 400 is ten times 40.
    assert near.rows["row"].tolist() == ["large, prose"]


def test_the_nearest_size_is_that_of_the_smaller_ratio_of_weights() -> None:
    near = find_error_rates(LOSS_ALONE, MEASURED, size=ModelSize(6, 384), text_length=40)

    # 6 x 384^2 = 884,736 weights are 24 times those of the smallest and an eighth of the next.
    assert near.rows["row"].tolist() == ["large, names"]
