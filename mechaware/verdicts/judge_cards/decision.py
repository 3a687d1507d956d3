"""The status of a judge: does it agree with people beyond what rules that read nothing achieve?

A blind rule is such a rule (`mechaware.verdicts.judge_cards.blind`). A judge may also be no more
than a blind rule itself.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from mechaware.core.levels import MIN_GROUPS
from mechaware.verdicts.judge_cards.agreement import GroupedEstimate, number_text, points_text

Status = Literal["agrees", "answers blindly", "no lead", "cannot tell"]
# A judge counts as a blind rule if the rule predicts at least this share of its statuses in other
# groups.
BLIND_SHARE = 0.95
# A judge takes its statuses from the text only if at least this share of them falls when the text
# is removed.
MIN_LOWERED_SHARE = 0.5
# A judge goes by length if its statuses are sorted by length and the same statuses in random order
# would be sorted with at most this chance.
SORTED_CHANCE = 0.01


class BlindRow(NamedTuple):
    """A blind rule, for comparison with the judge.

    - `row`: the name of the rule, as the table of the card has it.
    - `right`: the share of labels that it predicts.
    - `lead`: the judge's lead over it.
    - `predicts`: the share of the judge's own statuses that it predicts, fitted to those in other
      groups.
    """

    row: str
    right: GroupedEstimate
    lead: GroupedEstimate
    predicts: float


class Decision(NamedTuple):
    """The status of a judge, and the reason in a sentence."""

    status: Status
    reason: str


def decide(
    *,
    groups: int,
    answered: int,
    exact: GroupedEstimate,
    kappa: GroupedEstimate,
    blind: Sequence[BlindRow],
    lowered: GroupedEstimate,
    sorted_by_chance: float,
) -> Decision:
    """The status of a judge: the first of these that holds.

    - *cannot tell*: fewer than `MIN_GROUPS` groups, or no usable status.
    - *answers blindly*: shown that fewer than `MIN_LOWERED_SHARE` of its statuses fall without the
      text (`lowered`).
    - *agrees*: kappa within criterion and the leads over all blind rows are shown to be above zero.
    - *answers blindly*: a blind rule predicts `BLIND_SHARE` or more of its statuses, or they are
      sorted by length.
    - *no lead*: otherwise. The reason is the kappa if the judge leads over all blind rules, and
      else the rule over which its lead is smallest.

    Args:
        groups: The number of groups of labelled items, such as papers.
        answered: The number of items with a usable status.
        exact: The share of labels that the judge has right.
        kappa: Its kappa within criterion.
        blind: The blind rules.
        lowered: The share of its statuses that fall without the text.
        sorted_by_chance: The chance that the same statuses in random order would be sorted by
            length (`chance_of_stretches`); 1 if the judge's statuses are not sorted.
    """
    if answered == 0:
        return Decision("cannot tell", "the judge gave no usable status")
    if groups < MIN_GROUPS:
        return Decision(
            "cannot tell",
            f"the items are of {groups} groups, and an interval needs {MIN_GROUPS}: label items of "
            "more groups",
        )

    if lowered.high is not None and lowered.high < MIN_LOWERED_SHARE:
        return Decision(
            "answers blindly",
            f"without the text {_percent(lowered.value)} of its statuses fall: it does not take "
            "them from the text",
        )

    unbeaten = [row for row in blind if row.lead.low is None or row.lead.low <= 0]
    if not unbeaten and kappa.low is not None and kappa.low > 0:
        least = min(blind, key=_lead_of)
        return Decision(
            "agrees",
            f"it has {_percent(exact.value)} of the labels right, {points_text(least.lead)} more "
            f"than {least.row}, and a kappa within criterion of {number_text(kappa)}",
        )

    imitated = max(blind, key=lambda row: row.predicts)
    if imitated.predicts >= BLIND_SHARE:
        return Decision(
            "answers blindly",
            f"{imitated.row} predicts {_percent(imitated.predicts)} of its statuses",
        )

    if sorted_by_chance <= SORTED_CHANCE:
        return Decision(
            "answers blindly",
            "in order of length each of its statuses is one stretch of the items: the length of a "
            "text decides",
        )

    if not unbeaten:
        return Decision(
            "no lead",
            f"its kappa within criterion, {number_text(kappa)}, is not shown to be above zero",
        )

    worst = min(unbeaten, key=_lead_of)
    return Decision(
        "no lead",
        f"it has {_percent(exact.value)} of the labels right, {worst.row} "
        f"{_percent(worst.right.value)}: no lead is shown",
    )


def _lead_of(row: BlindRow) -> float:
    """The judge's lead over a blind rule; 0 if no lead could be estimated."""
    return row.lead.value or 0.0


def _percent(share: float | None) -> str:
    return f"{share or 0:.0%}"
