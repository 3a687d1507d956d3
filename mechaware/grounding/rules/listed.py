"""The list of rules. To add one, write its file beside this one and enter it here: the verdict gets its column."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import pandas as pd

from mechaware.grounding.rules import g1, g2, g3, g4, g5, r1, r2, r3
from mechaware.grounding.rules.recovery import apply_rules
from mechaware.grounding.rules.rule import Measurements, Rule, Thresholds

RULES = (
    Rule("r1", "paper", "sensitive", r1.holds, ("tau",)),
    Rule("r2", "paper", "one layer recovers", r2.holds, ("tau", "alpha")),
    Rule("r3", "paper", "the same layer", r3.holds, ("tau", "alpha")),
    Rule("g1", "grounded", "signed gap above irrelevant changes", g1.holds, ("null_quantile",)),
    Rule("g2", "grounded", "few blocks, sufficient and necessary", g2.holds, ("alpha", "most_blocks")),
    Rule("g3", "grounded", "a shared block", g3.holds, ("alpha", "significance")),
    Rule("g4", "grounded", "the asked column, whatever its word", g4.holds, ("alpha", "unasked_share")),
    Rule("g5", "grounded", "answers it", g5.holds, ()),
)
RULE_SETS = {"paper": "R1 to R3", "grounded": "G1 to G5"}


class Reading(NamedTuple):
    """A test beside the sets of rules: its label, and which pairs pass.

    It reads the table of `judge_in_detail` with two more columns. `right`: the clean prompt is answered
    with the column that is asked for. `absent`: on the corrupted prompt the clean word, which its schema lacks, is
    preferred to the corrupted one.
    """

    label: str
    passes: Callable[[pd.DataFrame], pd.Series]


# The paper's Results write R1 with a signed gap. Its set of layers may begin with the embedding: a patch there recovers
# the whole gap of every pair, so that R2 follows from R1, and so does R3 unless a later layer recovers more in most
# pairs. L* may be the commonest of all TopLayers.
READINGS = {
    "paper_signed": Reading("R1 to R3, signed gap", lambda rules: rules["r1_signed"] & rules["r3"]),
    "paper_embedding": Reading("R1 to R3, with the embedding", lambda rules: rules["r3_embedding"]),
    "paper_both": Reading(
        "R1 to R3, signed, with the embedding", lambda rules: rules["r1_signed"] & rules["r3_embedding"]
    ),
    "paper_top": Reading("R1 to R3, L* of all TopLayers", lambda rules: rules["r3_top"]),
}
# Tests that need two runs and no patch, and the paper's rules together with the right answer.
BASELINES = {
    "answer": Reading("right answer alone", lambda rules: rules["right"]),
    "answer_and_gap": Reading("R1 and the right answer", lambda rules: rules["right"] & rules["r1"]),
    "both_answers": Reading(
        "R1, the right answer, no absent word", lambda rules: rules["right"] & rules["r1"] & ~rules["absent"]
    ),
    "answer_and_paper": Reading("R1 to R3 and the right answer", lambda rules: rules["right"] & rules["r3"]),
}


def judge_pairs(
    measured: Measurements, thresholds: Thresholds, rule_sets: Collection[str] = tuple(RULE_SETS)
) -> pd.DataFrame:
    """One row per pair, a column of truth values per rule of `rule_sets`, and one per set: whether all of it hold."""
    rules = [rule for rule in RULES if rule.rule_set in rule_sets]
    verdicts = pd.DataFrame({rule.name: rule.holds(measured, thresholds) for rule in rules}, index=measured.pairs)
    for rule_set in rule_sets:
        names = [rule.name for rule in rules if rule.rule_set == rule_set]
        verdicts[rule_set] = verdicts[names].all(axis=1)
    return verdicts.reset_index()


def judge_in_detail(measured: Measurements, thresholds: Thresholds) -> pd.DataFrame:
    """`judge_pairs` with what the paper's rules find on the way: the columns of `apply_rules`, place and r3_embedding.

    `r3_embedding` is R3 where the embedding, too, counts as a layer.
    """
    patching, tau, alpha = measured.patching, thresholds.tau, thresholds.alpha
    details = apply_rules(patching, tau=tau, alpha=alpha)
    details["r3_embedding"] = apply_rules(patching, tau=tau, alpha=alpha, first_layer=0)["r3"]
    verdicts = judge_pairs(measured, thresholds)
    added = ["pair", *verdicts.columns.difference(details.columns, sort=False)]
    places = measured.answers.drop_duplicates("pair")[["pair", "place"]]
    return places.merge(details, on="pair").merge(verdicts[added], on="pair", validate="one_to_one")
