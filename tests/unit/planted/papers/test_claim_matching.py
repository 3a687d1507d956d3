"""Which of a judge's claims count as planted ones."""

from mechaware.planted.papers.claim_matching import match_planted
from mechaware.planted.papers.plan import plan_papers

(PAPER,) = plan_papers(1, 5)


def test_of_two_claims_in_the_words_of_one_planted_claim_the_first_counts() -> None:
    """The judge states a part, then the circuit in other words of the paper, loudly,
    then the circuit as planted.
    """
    circuit, part, *_ = (planted.unjudged() for planted in PAPER.claims)
    loud = circuit.model_copy(update={"statement": f"{PAPER.claims[0].restated[0].upper()}!"})

    pairs = match_planted([part, loud, circuit], PAPER, least_similarity=0.5)
    assert sorted(pairs) == [(0, 1), (1, 0)]


def test_a_claim_in_words_of_its_own_is_matched_with_the_planted_claims_that_are_left() -> None:
    """The third claim has the words of no planted one, but shares most with the second part,
    which nobody stated.
    """
    circuit, part, other_part, *_ = (planted.unjudged() for planted in PAPER.claims)
    in_own_words = other_part.model_copy(update={"statement": f"We find: {other_part.statement}"})

    pairs = match_planted([part, circuit, in_own_words], PAPER, least_similarity=0.5)
    assert sorted(pairs) == [(0, 1), (1, 0), (2, 2)]
