"""A paper's standing by any rubric: the status of each criterion, and the number at each status."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mechaware.instruments.claims.by_rubric.judging import PaperByRubric
from mechaware.instruments.claims.rubric.records import VoteRule
from mechaware.instruments.claims.rubric.rubric import Rubric


class Standing(NamedTuple):
    """A paper's standing by a rubric.

    - `statuses`: by criterion; None for a criterion without a status, because too few runs of a
      judge gave one, or because a person did not.
    - `counts`: the number of criteria at each status, the highest status first. Criteria without a
      status are not counted.
    - `best`: the share of all criteria, with or without a status, that are at the highest status: 0
      to 1.
    """

    statuses: Mapping[str, str | None]
    counts: Mapping[str, int]
    best: float

    @property
    def unscored(self) -> list[str]:
        """The criteria without a status."""
        return [code for code, status in self.statuses.items() if status is None]


def find_standing(judged: PaperByRubric, rubric: Rubric, rule: VoteRule) -> Standing:
    """The standing of a paper: each criterion has the status that the votes of the runs come to."""
    statuses = {}
    for code, criterion in judged.criteria.items():
        statuses[code] = status_by_votes(criterion.votes, rubric, rule)
    return standing_of(statuses, rubric)


def standing_of(statuses: Mapping[str, str | None], rubric: Rubric) -> Standing:
    """The standing of a paper with these statuses, by criterion; at least one criterion."""
    given = list(statuses.values())
    counts = {status: given.count(status) for status in reversed(rubric.statuses)}
    highest = rubric.statuses[-1]
    best = counts[highest] / len(statuses)
    return Standing(statuses, counts, best)


def status_by_votes(votes: Sequence[str | None], rubric: Rubric, rule: VoteRule) -> str | None:
    """The status that the votes on a criterion come to: their minimum or their median.

    `rule` chooses; statuses rise in the order of `rubric.statuses`. Of an even number of votes the
    median is the lower of the two in the middle. Votes of None do not count, and the result is None
    if half of the votes or more are None. The vote over the 27 criteria has the same rules
    (`votes.voting.voted_status`).
    """
    ranks = sorted(rubric.rank(vote) for vote in votes if vote is not None)
    if 2 * len(ranks) <= len(votes):
        return None
    if rule == "median":
        middle = (len(ranks) - 1) // 2
        return rubric.statuses[ranks[middle]]
    return rubric.statuses[ranks[0]]
