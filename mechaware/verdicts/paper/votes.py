"""What a page shows of the vote: the paper's CVS by either vote, and which vote suits the judge."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import isnan
from typing import Any, get_args

import pandas as pd

from mechaware.instruments.claims.rubric.records import Voted, VoteRule
from mechaware.instruments.claims.rubric.scoring import paper_cvs
from mechaware.instruments.claims.votes.voting import vote_again
from mechaware.planted.papers.vote_errors import MAX_DOWNWARD
from mechaware.verdicts.paper.entries import Entry

# By `measured_on` of `advise_by_rates`: the words for the statuses that a run can call too high
# (`_BELOW`) and for those that it can call too low (`_ABOVE`).
_BELOW = {"planted": "below YES", "labelled": "below the highest"}
_ABOVE = {"planted": "above NO", "labelled": "above the lowest"}
# The stage of claims_planted that has the errors of single runs, which a vote combines.
SINGLE = "single"
NOT_MEASURED = (
    "the errors of this judge's single runs are not measured on planted papers, so the median is "
    "the safer vote: a minimum loses more by errors downwards than it gains"
)


def scores_by_vote(voted: Voted) -> dict[VoteRule, float | None]:
    """The paper's CVS by each vote rule, applied to the stored statuses of the runs.

    It is the CVS after the vote and before the audit. None without a claim about the whole
    mechanism, or where criteria without a status leave the CVS open.
    """
    scores = {}
    for rule in get_args(VoteRule):
        scores[rule] = paper_cvs([vote_again(claim, rule) for claim in voted.claims])
    return scores


def with_vote_advice(entries: Sequence[Entry], planted: Iterable[pd.DataFrame]) -> list[Entry]:
    """The entries, each with the vote that suits its judge (`vote_advice`).

    A judge that follows rules gives the same reply in each run: no vote changes anything, and there
    is no advice.
    """
    judges_with_runs = [entry.scores.judge for entry in entries if not entry.rules]
    advice = vote_advice(judges_with_runs, planted)
    return [entry._replace(vote_advice=advice.get(entry.scores.judge, "")) for entry in entries]


def vote_advice(judges: Iterable[str], planted: Iterable[pd.DataFrame]) -> dict[str, str]:
    """By judge, which vote suits it (`advise_vote`).

    `planted` are tables claims_planted. If several have a row of a judge, the last counts.
    """
    errors: dict[str, Mapping[Hashable, Any]] = {}
    for table in planted:
        if "lowered" not in table:
            continue  # the user's table is older than this column

        rows = table[(table["stage"] == SINGLE) & (table["criterion"] == "")]
        for row in rows.to_dict("records"):
            errors[str(row["judge"])] = row
    return {judge: advise_vote(errors.get(judge)) for judge in judges}


def advise_vote(row: Mapping[Hashable, Any] | None) -> str:
    """Which vote suits a judge, in a sentence; `row` is the judge's row of claims_planted.

    The row has the errors of single runs on planted papers; None if the judge has no row.

    The minimum suits the judge if the upper bound of the rate of statuses that are too low is at
    most `MAX_DOWNWARD` times the rate of statuses that are too high. Otherwise the median suits it.
    """
    if row is None or isnan(float(row["lowered"])) or isnan(float(row["raised"])):
        return NOT_MEASURED
    return advise_by_rates(
        up=float(row["raised"]),
        down=float(row["lowered"]),
        low=float(row["lowered_low"]),
        high=float(row["lowered_high"]),
        measured_on="planted",
    )


def advise_by_rates(*, up: float, down: float, low: float, high: float, measured_on: str) -> str:
    """Which vote suits a judge, in a sentence, by the error rates of its single runs.

    The rule is given in `advise_vote`.

    Args:
        up: The share of statuses called too high, among those that can be called too high, 0 to 1.
        down: The share of statuses called too low, among those that can be called too low, 0 to 1.
        low: The lower end of the interval of `down`; NaN where there is none.
        high: The upper end of this interval; NaN where there is none.
        measured_on: The statuses on which the rates were measured, `planted` or `labelled`.
    """
    below = _BELOW[measured_on]
    above = _ABOVE[measured_on]
    rates = (
        f"single runs call {_percent(up)} of the {measured_on} statuses {below} too high and "
        f"{_percent(down)} of those {above} too low"
    )
    limit = MAX_DOWNWARD * up
    needed = (
        f"the minimum suits only a judge with at least {1 / MAX_DOWNWARD:.0f} times fewer errors "
        "downwards"
    )
    if isnan(low):
        return f"use the median: {rates}, on too few papers for an interval, and {needed}"
    interval = f"({_percent(low)} to {_percent(high)})"
    if high <= limit:
        return f"the minimum suits this judge: {rates} {interval}"
    if low > limit:
        return f"use the median: {rates} {interval}, and {needed}"
    return f"the median is the safer vote: {rates} {interval}, and {needed}, which is not shown"


def vote_scores_text(entry: Entry) -> str:
    """The scores by both votes, the score by the entry's own rule first.

    For an entry voted by the minimum: "minimum 3.1 (counts), median 3.9".
    """
    scores = scores_by_vote(entry.voted)
    counting = entry.voted.rule
    words = []
    for rule in sorted(scores, key=lambda rule: rule != counting):  # False comes before True
        score = scores[rule]
        shown = "open" if score is None else f"{score:.1f}"
        counts = " (counts)" if rule == counting else ""
        words.append(f"{rule} {shown}{counts}")
    return ", ".join(words)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
