"""Whether a paper's main claim scores higher than its other claims."""

from collections.abc import Iterator

import numpy as np

from exhibits.reanalysis.claims.printed import Printed
from exhibits.reanalysis.implied import Implied
from mechaware.instruments.claims.rubric.criteria import tier_index
from mechaware.instruments.claims.rubric.scoring import printed_score, tier


def main_claims(printed: Printed) -> Iterator[Implied]:
    """Whether a paper's main claim scores higher than its other claims."""
    gaps = {}
    for paper in map(str, printed.per_paper.index):
        main = printed_score(printed.per_paper["cvs"][paper])
        lowest, highest = _mean_of_other_claims(printed, paper)
        gaps[paper] = main - (lowest + highest) / 2

        means = f"{lowest:.2f}"
        if f"{highest:.2f}" != means:
            means += f" to {highest:.2f}"
        yield Implied(
            quantity=f"main claim and mean of the others, {printed.papers['title'][paper]}",
            printed="higher",
            implied=f"{main:.2f} and {means}: {_compared(gaps[paper])}",
            how="scores before rounding",
            place="section 5.5; Appendix B",
        )

    ranked = sorted(gaps, key=lambda paper: gaps[paper])
    ends = {"smallest": ranked[:2], "largest": ranked[-2:]}
    for end, papers in ends.items():
        yield Implied(
            quantity=f"{end} of these gaps",
            printed=printed.named(f"{end}_gaps"),
            implied=printed.titles(papers),
            how="from the rows above",
            place="section 5.5",
        )
    yield _highest_claim(printed)


def _mean_of_other_claims(printed: Printed, paper: str) -> tuple[float, float]:
    """The least and the greatest mean CVS that the claims of a paper other than its main claim can
    have.

    Claims without a printed CVS lie between the ends of the printed range: the mean is least with
    all of them at the lower end, and greatest with all at the upper one.
    """
    others = printed.claims[~printed.claims["main"]]
    known = [printed_score(score) for score in others["cvs"].loc[[paper]]]
    n_others = printed.per_paper["n_claims"][paper] - 1
    n_unknown = n_others - len(known)
    low = printed_score(printed.per_paper["sub_low"][paper])
    high = printed_score(printed.per_paper["sub_high"][paper])
    lowest = (sum(known) + n_unknown * low) / n_others
    highest = (sum(known) + n_unknown * high) / n_others
    return lowest, highest


def _compared(gap: float) -> str:
    """Whether the main claim scores higher than the mean of the others; `gap` is its lead."""
    if abs(gap) < 1e-9:  # equal but for rounding in binary fractions
        return "equal"
    return "higher" if gap > 0 else "lower"


def _highest_claim(printed: Printed) -> Implied:
    """The papers in which another claim scores higher than the main one."""
    per_paper = printed.per_paper
    outscored = []
    for row in per_paper[per_paper["sub_high"] > per_paper["cvs"]].itertuples():
        outscored.append(f"{printed.titles([str(row.Index)])}: {row.cvs} below {row.sub_high}")

    best = per_paper[["cvs", "sub_high"]].max(axis=1).loc[printed.main.index]
    best_tiers = [tier_index(tier(score).name) for score in best]
    n_exact = int((np.array(best_tiers) == np.array(printed.expected)).sum())
    return Implied(
        quantity="main claim is the highest-scoring",
        printed="in every paper",
        implied=f"not in {'; '.join(outscored)}",
        how=f"with the highest-scoring claim as the main one, {n_exact} of {len(best)} tiers are exact",
        place="Table 5; Appendix B",
    )
