"""For each criterion, the passages of a paper that are likeliest to bear on it. Nobody has judged them."""

from collections.abc import Mapping, Sequence

from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.reading.passages import Passage, PassageRanking
from mechaware.instruments.claims.rubric.criteria import CRITERIA

SHOWN = 10  # passages for each criterion


def candidate_passages(
    passages: Sequence[Passage], guides: Mapping[str, Guide], number: int = SHOWN
) -> dict[str, list[Passage]]:
    """By criterion, at most `number` of a paper's passages (`split_passages`), the likeliest first."""
    ranking = PassageRanking(passages)
    candidates = {}
    for code in CRITERIA:
        query = search_query(code, guides[code])
        candidates[code] = ranking.best(query, number)
    return candidates


def search_query(code: str, guide: Guide) -> str:
    """The words that passages on a criterion are searched by: its name, its definition and its search words.

    What counts for NO is left out: it describes a paper that has no such passage.
    """
    definition = [guide.asks, guide.yes, guide.partial]
    return " ".join([CRITERIA[code], *definition, *guide.terms])
