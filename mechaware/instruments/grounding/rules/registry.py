"""The two sets of rules, further rules that belong to neither set, and their verdicts on pairs.

`judge_pairs` applies all rules to a run's measurements; `judge_runs` does so for several runs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.own_package import load_named
from mechaware.instruments.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.instruments.grounding.rules.grounded import GROUNDED
from mechaware.instruments.grounding.rules.paper import PAPER, apply_readings

RULES = (*PAPER, *GROUNDED)
RULE_SETS = {"paper": "R1 to R3", "grounded": "G1 to G5"}
# Add a rule here, not to a set: texts and tables print the names of a set's rules, such as
# "R1 to R3".
FURTHER: tuple[Rule, ...] = ()
# The truth values of a further rule are in the column `further_{name}`.
PREFIX = "further_"
# In tables with a row per run that column has the share of pairs that pass. What this share is when
# corrected for the best shortcut is in `further_{name}_corrected`, and whether that is enough for a
# verdict in `further_{name}_verdict`. So no rule's name may end like these two.
_RUN_SUFFIXES = ("_verdict", "_corrected")


class _RuleVariant(NamedTuple):
    """A test outside the sets of rules: its label, and which pairs pass.

    `passes` reads the table of `judge_pairs` with a column `right` added: whether the model answers
    the clean prompt rightly.
    """

    label: str
    passes: Callable[[pd.DataFrame], pd.Series]


# The paper leaves three choices open (for R1, L* and TopLayers see `rules.paper.apply_rules`):
#
# - The gap of R1. The method takes its size, the results section its sign as well.
# - The first layer. If it is the embedding, where a patch recovers the whole gap of every pair, R2
#   follows from R1, and so does R3 unless a later layer recovers more in most pairs.
# - L*. It is the commonest best layer, or the commonest of all TopLayers.
VARIANTS = {
    "paper_signed": _RuleVariant("R1 to R3, signed gap", lambda judged: judged["r3_signed"]),
    "paper_embedding": _RuleVariant(
        "R1 to R3, with the embedding", lambda judged: judged["r3_embedding"]
    ),
    "paper_both": _RuleVariant(
        "R1 to R3, signed, with the embedding", lambda judged: judged["r3_both"]
    ),
    "paper_top": _RuleVariant("R1 to R3, L* of all TopLayers", lambda judged: judged["r3_top"]),
}
# Tests that need no patch, and the paper's rules together with the right answer.
BASELINES = {
    "answer": _RuleVariant("right answer alone", lambda judged: judged["right"]),
    "answer_and_gap": _RuleVariant(
        "R1 and the right answer", lambda judged: judged["right"] & judged["r1"]
    ),
    "answer_and_paper": _RuleVariant(
        "R1 to R3 and the right answer", lambda judged: judged["right"] & judged["r3"]
    ),
    "answers": _RuleVariant("G5 alone (all answers right)", lambda judged: judged["g5"]),
}


def further_rules(own: Sequence[str]) -> tuple[Rule, ...]:
    """`FURTHER`, and the rules of the user's own package that have these dotted names.

    Raises `UserError` for a dotted name that cannot be imported or that names no `Rule`, and for a
    rule whose own name is taken (by a rule, a set of rules, a variant or a baseline) or has one of
    the endings `_RUN_SUFFIXES`.
    """
    taken = {rule.name for rule in (*RULES, *FURTHER)}
    taken |= {*RULE_SETS, *VARIANTS, *BASELINES}
    named = load_named(own, Rule, taken)
    for rule in named:
        if rule.name.endswith(_RUN_SUFFIXES):
            suffixes = " or ".join(_RUN_SUFFIXES)
            raise UserError(f"rule '{rule.name}': its name ends in {suffixes}; rename the Rule")
    return (*FURTHER, *named)


def further_columns(table: pd.DataFrame) -> list[str]:
    """The columns `further_{name}` of a table: truth values by pair, or shares of passing pairs."""
    columns = []
    for column in map(str, table):
        if column.startswith(PREFIX) and not column.endswith(_RUN_SUFFIXES):
            columns.append(column)
    return columns


def judge_pairs(
    measurements: PairMeasurements, thresholds: Thresholds, further: Sequence[Rule] = FURTHER
) -> pd.DataFrame:
    """One row per pair, with columns of truth values.

    Columns: pair, place, the columns of `paper.apply_readings`, a column for each rule and for each
    set (all of its rules hold), and `further_{name}` for each further rule. Where the pairs lack
    the prompts that a rule of a set needs (`Rule.is_asked`), no pair passes this rule.

    Raises `UserError`, with the rule's name, if a further rule does not return a Series with one
    truth value per pair.
    """
    details = apply_readings(measurements.patching, tau=thresholds.tau, alpha=thresholds.alpha)
    verdicts = _apply(measurements, thresholds, further)
    # R1 to R3 are in both tables, and equal.
    added = ["pair", *verdicts.columns.difference(details.columns, sort=False)]
    places = measurements.answers.drop_duplicates("pair")[["pair", "place"]]
    judged = places.merge(details, on="pair")
    return judged.merge(verdicts[added], on="pair", validate="one_to_one")


def judge_runs(
    measurements_by_run: Mapping[str, PairMeasurements],
    thresholds: Thresholds,
    further: Sequence[Rule] = FURTHER,
) -> pd.DataFrame:
    """The table of `judge_pairs` for each run, one below the other, with the column `run`."""
    judged = []
    for run, measurements in measurements_by_run.items():
        judged.append(judge_pairs(measurements, thresholds, further).assign(run=run))
    return pd.concat(judged, ignore_index=True)


def _apply(
    measurements: PairMeasurements, thresholds: Thresholds, further: Sequence[Rule]
) -> pd.DataFrame:
    """One row per pair: pair, and the truth values of each rule, each set and each further rule."""
    passed_by_rule: dict[str, pd.Series | bool] = {}
    for rule in RULES:
        if rule.is_asked(measurements):
            passed_by_rule[rule.name] = rule.passes(measurements, thresholds)
        else:
            passed_by_rule[rule.name] = False
    verdicts = pd.DataFrame(passed_by_rule, index=measurements.pairs)

    for rule_set, rules in (("paper", PAPER), ("grounded", GROUNDED)):
        verdicts[rule_set] = verdicts[[rule.name for rule in rules]].all(axis=1)

    for rule in further:
        found = rule.passes(measurements, thresholds)
        is_by_pair = isinstance(found, pd.Series) and found.index.is_unique
        passed = found.reindex(measurements.pairs) if is_by_pair else None
        if passed is None or passed.dtype != bool:
            raise UserError(
                f"rule {rule.name}: not one truth value per pair; return a Series of them, by pair"
            )
        verdicts[f"{PREFIX}{rule.name}"] = passed
    return verdicts.reset_index()
