"""Committed cases of a paper by a rubric: votes of runs, with missing ones,
and what both votes make of them.
"""

from functools import cache
from itertools import product

from mechaware.instruments.claims.by_rubric.standing import status_by_votes
from mechaware.instruments.claims.rubric.rubric import Rubric
from mechaware.verdicts.procedure import digest

_RUBRIC = Rubric("cases", ("bad", "needs work", "fair", "good"), "", {})


@cache
def paper_decisions() -> str:
    """The digest of the statuses that all votes of three runs come to, and of two runs."""
    outcomes = []
    for runs in (2, 3):
        for votes in product((None, *_RUBRIC.statuses), repeat=runs):
            outcomes.append(
                [
                    status_by_votes(votes, _RUBRIC, "minimum"),
                    status_by_votes(votes, _RUBRIC, "median"),
                ]
            )
    return digest(outcomes)
