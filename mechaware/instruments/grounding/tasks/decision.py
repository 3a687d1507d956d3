"""Decides whether a model reads the exchanged word, from the rules on a task's pairs."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import pandas as pd

from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.instruments.grounding.rules.grounded import GROUNDED
from mechaware.instruments.grounding.rules.paper import PAPER
from mechaware.instruments.grounding.rules.registry import (
    FURTHER,
    PREFIX,
    RULE_SETS,
    RULES,
    VARIANTS,
    judge_pairs,
)
from mechaware.instruments.grounding.shortcuts import corrected, shortcut_shares, uncorrected

Status = Literal["grounds", "does not ground", "not shown", "cannot tell"]


class RuleSet(NamedTuple):
    """A set of rules whose passing pairs a verdict counts: its label, and its rules."""

    label: str
    rules: tuple[Rule, ...]

    @property
    def thresholds(self) -> list[str]:
        """The thresholds that the rules read, in the order of `Thresholds`."""
        read = {name for rule in self.rules for name in rule.thresholds}
        return [name for name in Thresholds._fields if name in read]


DECIDING = "grounded"  # the set on which the status rests
SETS = {
    "paper": RuleSet(RULE_SETS["paper"], PAPER),
    "paper_embedding": RuleSet(VARIANTS["paper_embedding"].label, PAPER),
    DECIDING: RuleSet(RULE_SETS["grounded"], GROUNDED),
}


class SetResult(NamedTuple):
    """The pairs that pass a set of rules: all those of its rules that are asked.

    A rule is asked if the pairs have the prompts that it reads (`Rule.is_asked`).

    - `rules`, `label`: the set's name in `SETS`, and its label.
    - `share`: the share of all pairs that pass; `low` and `high` are its exact interval.
    - `corrected`: (share - s) / (1 - s) for the best shortcut s, None where s is 1.
    - `grounds`: whether the corrected share is enough; None if a rule of the set is not asked.
    """

    rules: str
    label: str
    share: float
    low: float
    high: float
    corrected: float | None
    grounds: bool | None


class Decision(NamedTuple):
    """A status, the reason for it in a sentence, and what it follows from.

    Without a decision by rules the status is *cannot tell*, and `asked` and `sets` are empty.

    - `judged`: a row per pair, with a column of truth values for each rule and each set.
    - `asked`: the names of the rules that were asked.
    - `shortcuts`: by shortcut, the share of clean prompts that it answers rightly.
    - `sets`: the results of the sets of rules, in the order of `SETS`.
    """

    status: Status
    reason: str
    judged: pd.DataFrame
    asked: list[str]
    shortcuts: dict[str, float]
    sets: list[SetResult]


def decide(
    measurements: PairMeasurements,
    thresholds: Thresholds,
    *,
    own: Sequence[Rule] = (),
    verdict_share: float,
    confidence_level: float,
) -> Decision:
    """Whether the model reads the exchanged word: every step from measurements to status.

    The share that counts is that of the pairs that pass all rules of G1 to G5 that are asked,
    beyond the best shortcut (`shortcuts.corrected`). The first of these that holds:

    - *not shown*: a shortcut answers every pair, so that nothing can be beyond it.
    - *does not ground*: the share is less than `verdict_share`.
    - *not shown*: a rule of G1 to G5 is not asked.
    - *grounds*: otherwise.

    `own` are rules in addition to ours, which decide nothing. `confidence_level`: of the intervals.
    """
    further = (*FURTHER, *own)
    asked = [rule.name for rule in (*RULES, *further) if rule.is_asked(measurements)]
    asked_further = [rule for rule in further if rule.name in asked]
    judged = _judged(measurements, thresholds, asked_further, asked)
    shortcuts = _shortcuts(measurements)
    status, reason, sets = conclude(
        judged, asked, shortcuts, verdict_share=verdict_share, confidence_level=confidence_level
    )
    return Decision(status, reason, judged, asked, shortcuts, sets)


def decline(measurements: PairMeasurements, thresholds: Thresholds, reason: str) -> Decision:
    """No decision by rules, for a `reason`; `judged` has the gap of every pair."""
    judged = judge_pairs(measurements, thresholds)
    shortcuts = _shortcuts(measurements)
    return Decision("cannot tell", reason, judged, asked=[], shortcuts=shortcuts, sets=[])


def _shortcuts(measurements: PairMeasurements) -> dict[str, float]:
    """The share of clean prompts that each shortcut answers rightly, as plain numbers."""
    shares = shortcut_shares(measurements.answers)
    return {str(name): float(share) for name, share in shares.items()}


def conclude(
    judged: pd.DataFrame,
    asked: Sequence[str],
    shortcuts: Mapping[str, float],
    *,
    verdict_share: float,
    confidence_level: float,
) -> tuple[Status, str, list[SetResult]]:
    """Status, reason and the result of each set (`Decision`),
    from the table of pairs and the sets that each passes.
    """
    best = max(shortcuts.values(), default=0.0)
    sets = []
    for name, rule_set in SETS.items():
        passed = judged[name]
        share = float(passed.mean())
        interval = clopper_pearson(int(passed.sum()), len(passed), confidence_level)
        beyond = corrected(share, best) if best < 1 else None
        grounds = None
        if all(rule.name in asked for rule in rule_set.rules):
            grounds = beyond is not None and beyond >= verdict_share
        result = SetResult(
            rules=name,
            label=rule_set.label,
            share=share,
            low=interval.low,
            high=interval.high,
            corrected=beyond,
            grounds=grounds,
        )
        sets.append(result)

    lacking = [rule.name.upper() for rule in GROUNDED if rule.name not in asked]
    deciding = next(result for result in sets if result.rules == DECIDING)
    n_passed = int(judged[DECIDING].sum())
    status, reason = _status(deciding, n_passed, len(judged), shortcuts, lacking, verdict_share)
    return status, reason, sets


def _judged(
    measurements: PairMeasurements,
    thresholds: Thresholds,
    further: Sequence[Rule],
    asked: Sequence[str],
) -> pd.DataFrame:
    """The rules on every pair, by name; a pair passes a set if it passes the rules of
    the set that are asked.
    """
    judged = judge_pairs(measurements, thresholds, further)
    judged = judged.rename(columns={f"{PREFIX}{rule.name}": rule.name for rule in further})
    # In `judge_pairs` no pair passes a rule that is not asked, nor its set. Here such a rule is
    # left out of the set. R1 to R3 are always asked, so only the set of G1 to G5 differs.
    judged["grounded"] = judged[[rule.name for rule in GROUNDED if rule.name in asked]].all(axis=1)
    judged["paper_embedding"] = judged["r3_embedding"]
    return judged


def _status(
    grounded: SetResult,
    n_passed: int,
    n_pairs: int,
    shortcuts: Mapping[str, float],
    lacking: Sequence[str],
    least: float,
) -> tuple[Status, str]:
    """Status and reason (`decide`) from the result of G1 to G5, which `n_passed` of `n_pairs` pairs
    pass.

    `lacking` names the rules that are not asked.
    """
    best = max(shortcuts, key=lambda name: shortcuts[name], default="")
    if grounded.corrected is None:
        reason = f"a shortcut ({best}) answers every pair; add pairs that it answers wrongly"
        return "not shown", reason

    which = f"G1 to G5, but for {' and '.join(lacking)} (not asked)," if lacking else "G1 to G5"
    reason = f"{which} hold in {n_passed} of {n_pairs} pairs ({grounded.share:.0%}); "
    if shortcuts:
        answered = shortcuts[best]
        needed = uncorrected(least, answered)
        reason += (
            f"{needed:.0%} are needed: the {answered:.0%} that the best shortcut ({best}) answers, and {least:.0%} of "
            "the rest"
        )
    else:
        reason += f"{least:.0%} are needed"

    if grounded.corrected < least:
        return "does not ground", reason
    if lacking:
        return "not shown", reason
    return "grounds", reason
