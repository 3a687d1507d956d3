"""The rules of both sets, and further ones, which have columns of their own and belong to neither set."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.own_package import load_named
from mechaware.instruments.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.instruments.grounding.rules.grounded import GROUNDED
from mechaware.instruments.grounding.rules.paper import PAPER, apply_readings

# A rule that is added belongs here, and not in a set: the names of the sets are printed.
FURTHER: tuple[Rule, ...] = ()
RULES = (*PAPER, *GROUNDED)
RULE_SETS = {"paper": "R1 to R3", "grounded": "G1 to G5"}
PREFIX = "further_"  # of the columns of further rules
# Endings of columns that a run has besides the share of a rule.
_OF_A_RUN = ("_verdict", "_corrected")


class _RuleVariant(NamedTuple):
    """A test outside the sets of rules: its label, and which pairs pass.

    It reads the table of `judge_pairs` with a column more, `right`: the clean prompt is answered with the column that
    is asked for.
    """

    label: str
    passes: Callable[[pd.DataFrame], pd.Series]


# The paper leaves three choices open. Its results section writes R1 with a signed gap. The layers may begin with the
# embedding, where a patch recovers the whole gap of every pair: then R2 follows from R1, and so does R3 unless a later
# layer recovers more in most pairs. L* may be the commonest of all TopLayers.
VARIANTS = {
    "paper_signed": _RuleVariant("R1 to R3, signed gap", lambda rules: rules["r3_signed"]),
    "paper_embedding": _RuleVariant(
        "R1 to R3, with the embedding", lambda rules: rules["r3_embedding"]
    ),
    "paper_both": _RuleVariant(
        "R1 to R3, signed, with the embedding", lambda rules: rules["r3_both"]
    ),
    "paper_top": _RuleVariant("R1 to R3, L* of all TopLayers", lambda rules: rules["r3_top"]),
}
# Tests that need no patch, and the paper's rules together with the right answer.
BASELINES = {
    "answer": _RuleVariant("right answer alone", lambda rules: rules["right"]),
    "answer_and_gap": _RuleVariant(
        "R1 and the right answer", lambda rules: rules["right"] & rules["r1"]
    ),
    "answer_and_paper": _RuleVariant(
        "R1 to R3 and the right answer", lambda rules: rules["right"] & rules["r3"]
    ),
    "answers": _RuleVariant("G5 alone (all answers right)", lambda rules: rules["g5"]),
}


def further_rules(own: Sequence[str]) -> tuple[Rule, ...]:
    """`FURTHER`, and the rules of the user's own package that have these dotted names.

    Raises `UserError` for a dotted name that cannot be imported or that names no `Rule`, and for a rule whose own name
    is taken (by a rule, a set of rules, a variant or a baseline) or ends as other columns of a run do (`_OF_A_RUN`).
    """
    taken = {rule.name for rule in (*RULES, *FURTHER)}
    taken |= {*RULE_SETS, *VARIANTS, *BASELINES}
    named = load_named(own, Rule, taken)
    for rule in named:
        if rule.name.endswith(_OF_A_RUN):
            raise UserError(
                f"rule '{rule.name}': its name ends in {' or '.join(_OF_A_RUN)}; rename the Rule"
            )
    return (*FURTHER, *named)


def further_columns(table: pd.DataFrame) -> list[str]:
    """The columns of a table with the truth values, or the shares, of further rules."""
    names = [str(name) for name in table if str(name).startswith(PREFIX)]
    return [name for name in names if not name.endswith(_OF_A_RUN)]


def judge_pairs(
    measurements: PairMeasurements, thresholds: Thresholds, further: Sequence[Rule] = FURTHER
) -> pd.DataFrame:
    """One row per pair, with a column of truth values per rule, per set (all of its rules hold) and per further rule.

    The column of a further rule is its name after `PREFIX`. No pair passes a rule that is not asked. There are also the
    columns of `paper.apply_readings`, and place. Raises `UserError`, with the rule's name, if a further rule does not
    return one truth value per pair.
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
    """The table of `judge_pairs` for each run, one below the other, with the run's name in the column `run`."""
    judged = []
    for run, measurements in measurements_by_run.items():
        judged.append(judge_pairs(measurements, thresholds, further).assign(run=run))
    return pd.concat(judged, ignore_index=True)


def _apply(
    measurements: PairMeasurements, thresholds: Thresholds, further: Sequence[Rule]
) -> pd.DataFrame:
    """One row per pair: each rule, each set and each further rule."""
    passed_by_rule: dict[str, pd.Series | bool] = {}
    for rule in RULES:
        passed_by_rule[rule.name] = False
        if rule.is_asked(measurements):
            passed_by_rule[rule.name] = rule.passes(measurements, thresholds)
    verdicts = pd.DataFrame(passed_by_rule, index=measurements.pairs)
    for rule_set, rules in (("paper", PAPER), ("grounded", GROUNDED)):
        verdicts[rule_set] = verdicts[[rule.name for rule in rules]].all(axis=1)

    for rule in further:
        passed = pd.Series(rule.passes(measurements, thresholds), index=measurements.pairs)
        if passed.dtype != bool:
            raise UserError(
                f"rule {rule.name}: not one truth value per pair; return a Series of them, by pair"
            )
        verdicts[f"{PREFIX}{rule.name}"] = passed
    return verdicts.reset_index()
