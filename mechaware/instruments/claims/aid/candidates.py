"""For each criterion, the passages of a paper that are likeliest to bear on it.

Nobody has judged them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.reading.passages import Passage, PassageRanking
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.instruments.claims.rubric.rubric import Rubric

SHOWN = 10  # passages for each criterion


class AidCriterion(NamedTuple):
    """A criterion as a reader sees it.

    - `dimension`: the name of its dimension; empty in a rubric that has none.
    - `asks`: its question. `statuses`: what counts for each status, the highest first; an empty
      text where the rubric does not say.
    - `query`: the words that its passages are searched by.
    """

    code: str
    name: str
    dimension: str
    asks: str
    statuses: Mapping[str, str]
    query: str


def aid_criteria(guides: Mapping[str, Guide]) -> list[AidCriterion]:
    """The 27 criteria, as a version of the prompts words them."""
    criteria = []
    for dimension in DIMENSIONS:
        for code, name in dimension.criteria.items():
            guide = guides[code]
            criteria.append(
                AidCriterion(
                    code=code,
                    name=name,
                    dimension=dimension.name,
                    asks=guide.asks,
                    statuses={"YES": guide.yes, "PARTIAL": guide.partial, "NO": guide.no},
                    query=search_query(code, guide),
                )
            )
    return criteria


def criteria_of_rubric(rubric: Rubric) -> list[AidCriterion]:
    """The criteria of any rubric. As in `search_query`,
    what counts for the lowest status is not searched for.
    """
    highest_first = rubric.statuses[::-1]
    criteria = []
    for criterion in rubric.criteria.values():
        counts_for = {status: criterion.statuses.get(status, "") for status in highest_first}
        words = [counts_for[status] for status in highest_first[:-1]]
        criteria.append(
            AidCriterion(
                code=criterion.code,
                name=criterion.name,
                dimension="",
                asks=criterion.definition,
                statuses=counts_for,
                query=" ".join([criterion.name, criterion.definition, *words]),
            )
        )
    return criteria


def candidate_passages(
    passages: Sequence[Passage], criteria: Sequence[AidCriterion], number: int = SHOWN
) -> dict[str, list[Passage]]:
    """By criterion, at most `number` of a paper's passages (`split_passages`),
    the likeliest first.
    """
    ranking = PassageRanking(passages)
    return {criterion.code: ranking.best(criterion.query, number) for criterion in criteria}


def search_query(code: str, guide: Guide) -> str:
    """The words that passages on a criterion are searched by: its name, its definition and its
    search words.

    What counts for NO is left out: it describes a paper that has no such passage.
    """
    definition = [guide.asks, guide.yes, guide.partial]
    return " ".join([CRITERIA[code], *definition, *guide.terms])
