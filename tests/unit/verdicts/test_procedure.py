# ruff: noqa: ARG005 - a function in place of another takes the same arguments
"""Error rates belong to a procedure: each deciding setting and each deciding function is part of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mechaware.core import stats
from mechaware.instruments.grounding.rules import Thresholds, grounded, paper, registry
from mechaware.instruments.grounding.tasks import decision as reads
from mechaware.instruments.radar.detectors import likelihood
from mechaware.instruments.radar.detectors import registry as detectors
from mechaware.instruments.radar.verdicts import decision as seen
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS
from mechaware.verdicts.error_rates import ModelSize, find_error_rates, read_calibration
from mechaware.verdicts.procedure import make_procedure, read_procedure
from mechaware.verdicts.reads import reads_procedures
from mechaware.verdicts.seen import seen_procedure

CALIBRATION = Path(__file__).resolve().parents[3] / "config/calibration"
SMALL: Any = {"size": ModelSize(4, 96), "text_length": 38.0}
ALL_RULES = ["r1", "r2", "r3", "g1", "g2", "g3", "g4", "g5"]


def measured(procedure: Any, table: str) -> bool:
    """Whether the committed calibration has rates of the procedure."""
    found = find_error_rates(procedure, read_calibration(CALIBRATION / table), **SMALL)
    assert bool(found.missing) == found.rows.empty
    return not found.missing


@pytest.fixture(scope="module")
def of_seen() -> str:
    return seen_procedure(["loss", "reference"], 0.05).text


@pytest.fixture(scope="module")
def of_reads() -> dict[str, str]:
    procedures = reads_procedures(THRESHOLDS, 0.5, ALL_RULES)
    return {name: procedure.text for name, procedure in procedures.items()}


def test_the_committed_rates_are_of_the_default_procedures(
    of_seen: str, of_reads: dict[str, str]
) -> None:
    assert of_seen in set(read_calibration(CALIBRATION / "detectors.csv")["procedure"])
    assert set(of_reads.values()) <= set(read_calibration(CALIBRATION / "rules.csv")["procedure"])


def test_a_procedure_is_read_as_it_was_written(of_seen: str, of_reads: dict[str, str]) -> None:
    for text in (of_seen, *of_reads.values()):
        assert read_procedure(text).text == text


# Of the verdict on a benchmark: what is replaced, and by what.
SEEN_CHANGES: dict[str, tuple[Any, str, Any]] = {
    "no correction": (seen, "holm", lambda p: p),
    "another correction": (seen, "holm", lambda p: np.minimum(p * len(p), 1)),
    "another name of the correction": (seen, "CORRECTION", "Bonferroni"),
    "no blind rows": (seen, "blind_tests", lambda *given: []),
    "uncorrected blind rows": (
        seen, "largest_statistic_p",
        lambda rows: np.array([(row >= row[0] - 1e-9).mean() for row in rows]),
    ),
    "fewer permutations of texts": (seen, "_PERMUTATIONS", 198),
    "a higher bound": (seen, "BLIND_BOUND", 0.11),
    "a higher share": (seen, "BLIND_SHARE", 0.51),
    "rows in another order": (seen, "BLIND_ROWS", ("words", "characters", "tokens", "bag of words")),
    "two-sided tests": (
        seen, "mann_whitney_p",
        lambda above, below, seed: min(2 * stats.mann_whitney_p(above, below, seed), 1.0),
    ),
    "ties as if there were none": (
        seen, "mann_whitney_p",
        lambda above, below, seed: float(
            seen.stats.mannwhitneyu(
                above, below, alternative="greater",
                method="exact" if len(above) * len(below) <= 40_000 else "asymptotic",
            ).pvalue
        ),
    ),
    "another limit of exact tests": (seen, "EXACT_PAIRS", 10_000),
    "the other area": (seen, "area_under_roc", lambda above, below: 1 - stats.area_under_roc(above, below)),
    "areas of texts": (seen, "areas_under_roc", lambda rows, items: 1 - stats.areas_under_roc(rows, items)),
    "always seen": (seen, "conclude", lambda *given: ("seen", "so")),
    "the level itself is not enough": (
        seen, "conclude",
        lambda tests, blind, significance, conclude=seen.conclude: conclude(tests, blind, significance - 1e-9),
    ),
    "no items": (seen, "item_tests", lambda rows, scores, control: []),
}  # fmt: skip


@pytest.mark.parametrize("name", SEEN_CHANGES)
def test_a_changed_decision_on_a_benchmark_has_no_rates(
    monkeypatch: pytest.MonkeyPatch, of_seen: str, name: str
) -> None:
    module, attribute, other = SEEN_CHANGES[name]
    monkeypatch.setattr(module, attribute, other)
    if attribute == "item_tests":
        monkeypatch.setattr("mechaware.verdicts.cases.seen.item_tests", other)

    procedure = seen_procedure(["loss", "reference"], 0.05)

    assert procedure.text != of_seen
    assert not measured(procedure, "detectors.csv")


def test_a_changed_detector_has_no_rates_and_the_others_have_theirs(
    monkeypatch: pytest.MonkeyPatch, of_seen: str
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

    found = find_error_rates(seen_procedure(asked, significance), table, **SMALL)

    assert found.missing == f"not measured with this procedure: {difference}"


def test_the_order_of_the_detectors_does_not_matter(of_seen: str) -> None:
    assert seen_procedure(["reference", "loss"], 0.05).text == of_seen


# Of the verdict on a task: the sets of rules whose procedure a change leaves as it is.
SETTINGS: dict[str, tuple[dict[str, float], float, set[str]]] = {
    "tau": ({"tau": 0.5}, 0.5, {"grounded"}),
    "alpha": ({"alpha": 0.8}, 0.5, set()),
    "null_quantile": ({"null_quantile": 0.9}, 0.5, {"paper", "paper_embedding"}),
    "unasked_share": ({"unasked_share": 0.25}, 0.5, {"paper", "paper_embedding"}),
    "significance": ({"significance": 1.0}, 0.5, {"paper", "paper_embedding"}),
    "verdict_share": ({}, 0.01, set()),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_decides_the_sets_whose_rules_read_it(
    of_reads: dict[str, str], name: str
) -> None:
    changed, share, untouched = SETTINGS[name]
    thresholds: Thresholds = THRESHOLDS._replace(**changed)

    found = reads_procedures(thresholds, share, ALL_RULES)

    with_rates = {name for name in found if measured(found[name], "rules.csv")}
    assert with_rates == untouched
    value = share if name == "verdict_share" else changed[name]
    table = read_calibration(CALIBRATION / "rules.csv")
    for rules in set(found) - untouched:
        missing = find_error_rates(found[rules], table, **SMALL).missing
        assert missing.startswith(
            f"not measured with this procedure: {name} is {value:g}, measured at 0."
        )


@pytest.mark.parametrize("rule", ["g1", "g4", "g5"])
def test_a_rule_that_was_not_asked_has_no_rate(rule: str) -> None:
    asked = [name for name in ALL_RULES if name != rule]
    procedures = reads_procedures(THRESHOLDS, 0.5, asked)
    table = read_calibration(CALIBRATION / "rules.csv")

    found = find_error_rates(procedures["grounded"], table, **SMALL)

    difference = f"{rule}, part of the measured one, was not asked"
    assert found.missing == f"not measured with this procedure: {difference}"
    assert measured(procedures["paper"], "rules.csv")


def replaced(rule: str, passes: Callable[..., pd.Series]) -> dict[str, Any]:
    """The lists of rules with another test of one of them."""
    rules = []
    for original in registry.RULES:
        rules.append(original._replace(passes=passes) if original.name == rule else original)
    return {"paper": tuple(rules[:3]), "grounded": tuple(rules[3:]), "all": tuple(rules)}


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
    monkeypatch: pytest.MonkeyPatch, of_reads: dict[str, str], rule: str
) -> None:
    lists = replaced(rule, one_pair_more(rule))
    monkeypatch.setattr(registry, "RULES", lists["all"])
    monkeypatch.setattr(registry, "PAPER", lists["paper"])
    monkeypatch.setattr(registry, "GROUNDED", lists["grounded"])
    monkeypatch.setattr("mechaware.verdicts.cases.reads.RULES", lists["all"])
    if rule.startswith("r"):  # `judge_pairs` takes their details from `apply_readings`
        original = registry.apply_readings

        def apply_readings(patching: pd.DataFrame, **given: Any) -> pd.DataFrame:
            rules = original(patching, **given)
            rules.loc[~rules[rule], rule] = True
            return rules

        monkeypatch.setattr(registry, "apply_readings", apply_readings)
    of_set = "paper" if rule.startswith("r") else "grounded"
    procedure = reads_procedures(THRESHOLDS, 0.5, ALL_RULES)[of_set]

    assert procedure.decisions != read_procedure(of_reads[of_set]).decisions


# A deciding function or constant, another in its place, and the sets that it decides.
READS_CHANGES: dict[str, tuple[Any, str, Any, set[str]]] = {
    "sets of blocks": (
        grounded, "block_sets", lambda cuts, alpha: ORIGINAL["block_sets"](cuts, alpha + 2e-6), {"grounded"}
    ),
    "another block": (grounded, "most_common_block", lambda sets: 1, {"grounded"}),
    "significance": (grounded, "_shared_block_p_value", lambda sets, n: 0.0, {"grounded"}),
    "fewer draws": (grounded, "_DRAWS", 19, {"grounded"}),
    "shares of cuts": (
        grounded, "cut_shares", lambda cuts: ORIGINAL["cut_shares"](cuts).clip(upper=0.899), {"grounded"}
    ),
    "other words": (grounded, "_brings_out", lambda tables, alpha: pd.Series(True, tables.pairs), {"grounded"}),
    "rounding of G": (grounded, "ROUNDING", 0.0, {"grounded"}),
    "rounding of R": (paper, "ROUNDING", 0.0, {"paper", "paper_embedding"}),
    "ties": (paper, "_TIE", 0.0, {"paper"}),
    "recovery": (
        paper, "recovered_shares", lambda recovery, gap: ORIGINAL["recovered_shares"](recovery, gap) / 2, {"paper"}
    ),
    "no correction": (reads, "corrected", lambda share, shortcut: share, {"paper", "paper_embedding", "grounded"}),
    "no shortcut": (
        reads, "shortcut_shares", lambda answers: pd.Series(dtype=float), {"paper", "paper_embedding", "grounded"}
    ),
    "status": (reads, "_status", lambda *given: ("grounds", "so"), {"grounded"}),
    "pairs of a set": (
        reads, "_judged",
        lambda *given: ORIGINAL["_judged"](*given).assign(grounded=True, paper=False, paper_embedding=True),
        {"paper", "paper_embedding", "grounded"},
    ),
}  # fmt: skip
ORIGINAL = {
    "block_sets": grounded.block_sets,
    "cut_shares": grounded.cut_shares,
    "recovered_shares": paper.recovered_shares,
    "_judged": reads._judged,
}


@pytest.mark.parametrize("name", READS_CHANGES)
def test_a_changed_decision_on_a_task_has_no_rates(
    monkeypatch: pytest.MonkeyPatch, of_reads: dict[str, str], name: str
) -> None:
    module, attribute, other, decided = READS_CHANGES[name]
    monkeypatch.setattr(module, attribute, other)
    found = reads_procedures(THRESHOLDS, 0.5, ALL_RULES)
    changed = {rules for rules, procedure in found.items() if procedure.text != of_reads[rules]}

    assert decided <= changed
    for rules in decided:
        assert not measured(found[rules], "rules.csv")


def test_a_rule_set_that_no_change_touches_keeps_its_rates(
    monkeypatch: pytest.MonkeyPatch, of_reads: dict[str, str]
) -> None:
    monkeypatch.setattr(grounded, "_shared_block_p_value", lambda sets, n: 0.0)
    assert reads_procedures(THRESHOLDS, 0.5, ALL_RULES)["paper"].text == of_reads["paper"]


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
        "measured on models of 12 blocks of width 768; this one has 30 of width 576: 1.4 times as many weights in its "
        "blocks",
        "measured on invented names with a median length of 40 characters; these texts have 120: 3 times as long",
    ]


def test_the_nearest_text_is_shown() -> None:
    near = find_error_rates(LOSS_ALONE, MEASURED, size=ModelSize(12, 768), text_length=400)

    # 800 is twice 400, and 400 is ten times 40.
    assert near.rows["row"].tolist() == ["large, prose"]


def test_the_nearest_size_is_that_of_the_smaller_ratio_of_weights() -> None:
    near = find_error_rates(LOSS_ALONE, MEASURED, size=ModelSize(6, 384), text_length=40)

    # 6 x 384^2 = 884,736 weights are 24 times those of the smallest and an eighth of the next.
    assert near.rows["row"].tolist() == ["large, names"]
