"""Scores, a text and a procedure by hand, from which tests make the verdict `supported`."""

from typing import Any

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Audited, Claim, PaperText, Scores
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.procedure import make_procedure
from tests.unit.instruments.claims.claims_by_hand import claim, run

ABOUT = PaperText(
    paper="paper", pages=None, pages_read=None, truncated=False, characters=20_000, flags=[], hidden=[]
)  # fmt: skip
PROCEDURE = make_procedure("claims", {"kind": "provider", "runs": 3}, list(CRITERIA), "ab")
# By hand: C1, C2 and C5 at YES give Construct 3, I1 and I2 Internal 2. 10
# (1.5 x 3 + 1.5 x 2) / 18 = 4.17.
SUPPORTED = dict.fromkeys(("C1", "C2", "C5", "I1", "I2"), "YES")
# C1 and C5 at YES give Construct 2: 10 x 1.5 x 2 / 18 = 1.67.
WEAK = dict.fromkeys(("C1", "C5"), "YES")


def scores_of(*statuses: dict[str, Any], system: bool = True) -> Scores:
    """The scores of a paper whose runs agree on claims with these statuses, and NO elsewhere."""
    claims = []
    for number, given in enumerate(statuses):
        claims.append(claim(f"Circuit {number} adds ages", statuses=given, system=system))
    return scores_of_claims(*claims)


def scores_of_claims(*claims: Claim) -> Scores:
    """The scores of a paper whose runs agree on these claims."""
    runs = [run(0, *claims), run(1, *claims)]
    voted = vote(runs, least_similarity=0.5)
    audited = Audited(
        judge="tester", paper="paper", claims=voted.claims, downgrades=[], usage=runs[0].usage
    )
    return score_paper(runs, voted, audited)
