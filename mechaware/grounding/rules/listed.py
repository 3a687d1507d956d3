"""The rules of both sets, and further ones, which have columns of their own and belong to neither set."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pandas as pd

from mechaware.errors import UserError
from mechaware.grounding.rules import g1, g2, g3, g4, g5, paper
from mechaware.grounding.rules.recovery import apply_rules
from mechaware.grounding.rules.rule import Measurements, Rule, Thresholds
from mechaware.own_package import load_named

PAPER = (
    Rule("r1", paper.sensitive, ("tau",)),
    Rule("r2", paper.one_layer_recovers, ("tau", "alpha")),
    Rule("r3", paper.the_same_layer, ("tau", "alpha")),
)
GROUNDED = (
    Rule("g1", g1.holds, ("null_quantile",)),
    Rule("g2", g2.holds, ("alpha", "most_blocks")),
    Rule("g3", g3.holds, ("alpha", "significance")),
    Rule("g4", g4.holds, ("alpha", "unasked_share")),
    Rule("g5", g5.holds, ()),
)
FURTHER: tuple[Rule, ...] = ()  # a rule that is added belongs here: the names of the sets are printed
RULES = (*PAPER, *GROUNDED)
RULE_SETS = {"paper": "R1 to R3", "grounded": "G1 to G5"}
RULES_OF = {"paper": PAPER, "grounded": GROUNDED}
PREFIX = "further_"  # of the columns of further rules


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


def further_rules(own: Sequence[str]) -> tuple[Rule, ...]:
    """`FURTHER`, and the rules of the user's own package that have these dotted names.

    Raises `UserError` for a name that cannot be imported, names no `Rule`, or names one whose name is taken or ends in
    `_verdict`, as the column with a run's verdict does.
    """
    named = load_named(own, Rule, {rule.name for rule in (*RULES, *FURTHER)})
    for rule in named:
        if rule.name.endswith("_verdict"):
            raise UserError(f"rule '{rule.name}': its name ends in _verdict; rename the Rule")
    return (*FURTHER, *named)


def further_columns(table: pd.DataFrame) -> list[str]:
    """The columns of a table with the truth values, or the shares, of further rules."""
    return [name for name in map(str, table) if name.startswith(PREFIX) and not name.endswith("_verdict")]


def judge_pairs(measured: Measurements, thresholds: Thresholds, further: Sequence[Rule] = FURTHER) -> pd.DataFrame:
    """One row per pair, with a column of truth values per rule, per set (all of its rules hold) and per further rule.

    The column of a further rule is its name behind `PREFIX`. Raises `UserError`, with the rule's name, if it does not
    return one truth value per pair.
    """
    verdicts = pd.DataFrame({rule.name: rule.holds(measured, thresholds) for rule in RULES}, index=measured.pairs)
    for rule_set, rules in RULES_OF.items():
        verdicts[rule_set] = verdicts[[rule.name for rule in rules]].all(axis=1)
    for rule in further:
        holds = pd.Series(rule.holds(measured, thresholds), index=measured.pairs)
        if holds.dtype != bool:
            raise UserError(f"rule {rule.name}: not one truth value per pair; return a Series of them, by pair")
        verdicts[f"{PREFIX}{rule.name}"] = holds
    return verdicts.reset_index()


def judge_in_detail(measured: Measurements, thresholds: Thresholds, further: Sequence[Rule] = FURTHER) -> pd.DataFrame:
    """`judge_pairs` with what the paper's rules find on the way: the columns of `apply_rules`, place and r3_embedding.

    `r3_embedding` is R3 where the embedding, too, counts as a layer.
    """
    patching, tau, alpha = measured.patching, thresholds.tau, thresholds.alpha
    details = apply_rules(patching, tau=tau, alpha=alpha)
    details["r3_embedding"] = apply_rules(patching, tau=tau, alpha=alpha, first_layer=0)["r3"]
    verdicts = judge_pairs(measured, thresholds, further)
    added = ["pair", *verdicts.columns.difference(details.columns, sort=False)]
    places = measured.answers.drop_duplicates("pair")[["pair", "place"]]
    return places.merge(details, on="pair").merge(verdicts[added], on="pair", validate="one_to_one")
