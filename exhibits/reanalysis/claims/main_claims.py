"""Whether a paper's main claim scores higher than its other claims."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from exhibits.reanalysis.claims.printed import Printed
from exhibits.reanalysis.implied import Implied
from mechaware.instruments.claims.rubric.criteria import tier_index
from mechaware.instruments.claims.rubric.scoring import printed_score, tier


def main_claims(printed: Printed) -> Iterator[Implied]:
    """The rows on the main claims.

    - For each paper, its main claim's CVS and the mean CVS of its other claims. Where CVS are not
      printed, the mean is a range.
    - The two papers with the smallest and the two with the largest gap, as many as the paper names.
      The gap is the main claim's CVS minus the mean, or minus the middle of its range.
    - The papers in which another claim scores higher than the main one.
    """
    gaps = {}
    for paper in map(str, printed.per_paper.index):
        main = printed_score(printed.per_paper["cvs"][paper])
        mean_of_others = _mean_of_other_claims(printed, paper)
        gaps[paper] = main - (mean_of_others.lowest + mean_of_others.highest) / 2

        means = f"{mean_of_others.lowest:.2f}"
        highest = f"{mean_of_others.highest:.2f}"
        if highest != means:
            means += f" to {highest}"
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


class _MeanRange(NamedTuple):
    """The lowest and the highest value that a mean can have."""

    lowest: float
    highest: float


def _mean_of_other_claims(printed: Printed, paper: str) -> _MeanRange:
    """The range of the mean CVS of a paper's claims other than its main claim.

    The paper prints the lowest and the highest CVS of these claims, but not always the CVS of each.
    The mean is lowest if every claim without a printed CVS has the lowest, and highest if every
    such claim has the highest.
    """
    others = printed.claims[~printed.claims["main"]]
    known = [printed_score(score) for score in others["cvs"].loc[[paper]]]
    n_others = printed.per_paper["n_claims"][paper] - 1
    n_unknown = n_others - len(known)
    low = printed_score(printed.per_paper["sub_low"][paper])
    high = printed_score(printed.per_paper["sub_high"][paper])
    lowest = (sum(known) + n_unknown * low) / n_others
    highest = (sum(known) + n_unknown * high) / n_others
    return _MeanRange(lowest, highest)


def _compared(gap: float) -> str:
    """Whether the main claim scores higher than the mean of the others; `gap` is its lead."""
    # CVS are multiples of 5/18: the gap of equal scores may differ from 0 by float error.
    if abs(gap) < 1e-9:
        return "equal"
    return "higher" if gap > 0 else "lower"


def _highest_claim(printed: Printed) -> Implied:
    """The papers in which another claim scores higher than the main one, and how many tiers would
    be the expected ones if the highest-scoring claim were the main one.
    """
    per_paper = printed.per_paper
    outscored = []
    for row in per_paper[per_paper["sub_high"] > per_paper["cvs"]].itertuples():
        outscored.append(f"{printed.titles([str(row.Index)])}: {row.cvs} below {row.sub_high}")

    # In the order of Table 3, which is that of `printed.expected`.
    best = per_paper[["cvs", "sub_high"]].max(axis=1).loc[printed.main.index]
    best_tiers = np.array([tier_index(tier(score).name) for score in best])
    n_exact = int((best_tiers == np.array(printed.expected)).sum())
    return Implied(
        quantity="main claim is the highest-scoring",
        printed="in every paper",
        implied=f"not in {'; '.join(outscored)}",
        how=f"with the highest-scoring claim as the main one, {n_exact} of {len(best)} tiers are exact",
        place="Table 5; Appendix B",
    )
