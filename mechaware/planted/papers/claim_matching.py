"""Decides which of a judge's claims count as claims that were planted."""

from collections.abc import Sequence

from mechaware.instruments.claims.reading.sentences import plain_words
from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.votes.matching import match_claims
from mechaware.planted.papers.plan import PlantedPaper


def match_planted(
    claims: Sequence[Claim], paper: PlantedPaper, least_similarity: float
) -> list[tuple[int, int]]:
    """The judge's claims that count as planted ones, as pairs of indices.

    A pair holds the index of the judge's claim in `claims`, then the index of the planted claim in
    `paper.claims`.

    A claim in the paper's own words, up to case and punctuation, is the claim that was planted in
    these words, whatever its level. If several are in the words of one planted claim, only the
    first counts. All other claims are matched with the remaining planted ones by level and
    similarity (`match_claims`).

    For instance a judge's claims 0 and 1 are in the words of planted claim 2, and claim 2 is
    similar to planted claim 0: the pairs are (0, 2) and (2, 0).
    """
    planted_by_words: dict[str, int] = {}
    for index, planted_claim in enumerate(paper.claims):
        for text in (planted_claim.statement, *planted_claim.restated):
            planted_by_words[plain_words(text)] = index

    in_own_words = set[int]()  # the judge's claims in the paper's own words
    judged_by_planted: dict[int, int] = {}  # by planted claim, the judge's first claim in its words
    for index, claim in enumerate(claims):
        planted_index = planted_by_words.get(plain_words(claim.statement))
        if planted_index is not None:
            in_own_words.add(index)
            judged_by_planted.setdefault(planted_index, index)
    pairs = [(judged, planted) for planted, judged in judged_by_planted.items()]

    # The claims that are left are matched by level and similarity; the matches index the two lists
    # of claims that are left.
    judged_left = [index for index in range(len(claims)) if index not in in_own_words]
    planted_left = [index for index in range(len(paper.claims)) if index not in judged_by_planted]
    judged_claims = [claims[index] for index in judged_left]
    planted_claims = [paper.claims[index].unjudged() for index in planted_left]
    matches = match_claims([judged_claims, planted_claims], least_similarity=least_similarity)
    for judged, planted in matches:
        if judged is not None and planted is not None:
            pairs.append((judged_left[judged], planted_left[planted]))
    return pairs
