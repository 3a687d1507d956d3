"""From the votes on the criteria of any rubric to their statuses, and how many are at each."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mechaware.instruments.claims.by_rubric.judging import PaperByRubric
from mechaware.instruments.claims.rubric.records import VoteRule
from mechaware.instruments.claims.rubric.rubric import Rubric


class Standing(NamedTuple):
    """A paper's standing by a rubric.

    - `statuses`: by criterion, None where too few runs gave one.
    - `counts`: the number of criteria at each status, the highest first.
    - `best`: the share of all criteria, 0 to 1, that are at the highest status. A criterion without a status is not.
    """

    statuses: Mapping[str, str | None]
    counts: Mapping[str, int]
    best: float

    @property
    def unscored(self) -> list[str]:
        """The criteria without a status."""
        return [code for code, status in self.statuses.items() if status is None]


def find_standing(judged: PaperByRubric, rubric: Rubric, rule: VoteRule) -> Standing:
    """The standing of a paper by a vote over its runs."""
    statuses = {}
    for code, criterion in judged.criteria.items():
        statuses[code] = status_by_votes(criterion.votes, rubric, rule)
    return standing_of(statuses, rubric)


def standing_of(statuses: Mapping[str, str | None], rubric: Rubric) -> Standing:
    """The standing of a paper with these statuses, by criterion."""
    given = list(statuses.values())
    counts = {status: given.count(status) for status in reversed(rubric.statuses)}
    return Standing(statuses, counts, counts[rubric.statuses[-1]] / len(statuses))


def status_by_votes(votes: Sequence[str | None], rubric: Rubric, rule: VoteRule) -> str | None:
    """The least of the votes on a criterion, or their median, by the order of the rubric's statuses.

    As in the vote over the 27 criteria (`votes.voting.voted_status`), votes without a status do not count; if half of
    the votes or more have none, the result has none. Of an even number of votes the median is the lower one of the two
    in the middle.
    """
    ranks = sorted(rubric.rank(vote) for vote in votes if vote is not None)
    if 2 * len(ranks) <= len(votes):
        return None
    if rule == "median":
        middle = (len(ranks) - 1) // 2
        return rubric.statuses[ranks[middle]]
    return rubric.statuses[ranks[0]]
