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
    return {code: ranking.best(search_query(code, guides[code]), number) for code in CRITERIA}


def search_query(code: str, guide: Guide) -> str:
    """The words that passages on a criterion are searched by: its name, its definition and its search words.

    What counts for NO is left out: it describes a paper that has no such passage.
    """
    return " ".join([CRITERIA[code], guide.asks, guide.yes, guide.partial, *guide.terms])
