"""How well the printed tiers agree with labels, and how far this depends on the tiers' boundaries.

Table 3 of the claim-validity paper prints the tier of each paper and its label: the tier that a
registry or an expert expects.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy.stats import fisher_exact

from exhibits.reanalysis.claims.printed import NOT_PRINTED, Printed
from exhibits.reanalysis.implied import Implied, exact_interval
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.claims.agreement import boundary_sensitivity, sign_test, tier_agreement
from mechaware.instruments.claims.rubric.criteria import TIERS, tier_index

CONFIDENCE_LEVEL = 0.95
SHIFT = 0.5  # of the Claim Validity Score (CVS); section 6.3 moves each boundary by this


def agreement_of_tiers(printed: Printed) -> Iterator[Implied]:
    """How well the tiers of Table 3 agree with their labels."""
    agreement = tier_agreement(
        printed.predicted, printed.expected, confidence_level=CONFIDENCE_LEVEL
    )
    n_printed = printed.number("papers")

    counts = {"exact": agreement.exact, "within_one": agreement.within_one}
    quantities = {"exact": "exact tier", "within_one": "within one tier"}
    for name, count in counts.items():
        low = 100 * printed.number(name, "low")
        high = 100 * printed.number(name, "high")
        yield Implied(
            quantity=quantities[name],
            printed=f"{printed.number(name):.0f} of {n_printed:.0f}; {low:.0f}% to {high:.0f}%",
            implied=f"{count} of {agreement.n}; {exact_interval(count, agreement.n)}",
            how="Clopper-Pearson, 95%",
            place="section 5.1; Table 3",
        )

    linear = f"{agreement.kappa_linear:.3f} linear"
    quadratic = f"{agreement.kappa_quadratic:.3f} quadratic"
    yield Implied(
        quantity="Cohen's kappa of the tiers",
        printed=NOT_PRINTED,
        implied=f"{agreement.kappa:.3f}; {linear}, {quadratic}",
        how="from Table 3, five tiers",
        place="Table 3",
    )

    p = sign_test(agreement.up, agreement.down)
    most_below = clopper_pearson(agreement.down, agreement.n, CONFIDENCE_LEVEL).high
    yield Implied(
        quantity="direction of the errors",
        printed=f"{printed.number('errors_up'):.0f} errors, all upwards; never too low",
        implied=f"p = {p:.3f}; at most {100 * most_below:.1f}% too low",
        how="two-sided sign test; Clopper-Pearson, 95%: "
        "nine papers do not show that no paper is scored too low",
        place="abstract; section 5.1",
    )
    yield _agreement_by_source(printed)
    yield _confusion(printed)


def _agreement_by_source(printed: Printed) -> Implied:
    """Whether the printed tiers agree more often with the registry's labels than with experts'."""
    printed_counts = []
    implied_counts = []
    # A row for each source of labels: how many tiers are exact, and how many are not.
    exact_by_source = []
    for source in ("Registry", "Expert"):
        name = source.lower()
        n_exact = printed.number(f"exact_{name}")
        n_papers = printed.number(f"papers_{name}")
        printed_counts.append(f"{n_exact:.0f} of {n_papers:.0f}")

        is_exact = printed.main.loc[printed.main["label_source"] == source, "off_by"] == 0
        implied_counts.append(f"{is_exact.sum()} of {len(is_exact)}")
        exact_by_source.append([is_exact.sum(), (~is_exact).sum()])
    p = fisher_exact(np.array(exact_by_source)).pvalue
    return Implied(
        quantity="exact tier, registry and expert labels",
        printed=" and ".join(printed_counts),
        implied=f"{' and '.join(implied_counts)}; p = {p:.3f}",
        how="Fisher's exact test; so few papers would hide all but the greatest difference",
        place="section 5.1; Table 3",
    )


def _confusion(printed: Printed) -> Implied:
    """The cells of the confusion matrix that hold a paper."""
    papers = Counter(zip(printed.expected, printed.predicted, strict=True))
    cells = []
    for (expected, predicted), count in sorted(papers.items()):
        cells.append(f"{TIERS[expected].name} as {TIERS[predicted].name}: {count}")
    return Implied(
        quantity="confusion matrix",
        printed="a figure without numbers",
        implied="; ".join(cells),
        how="expected as predicted, Table 3",
        place="Figure 5",
    )


def agreement_with_references(printed: Printed) -> Iterator[Implied]:
    """How well the tiers of Table 3 agree with other lists of tiers by the same author.

    A list is compared on its own papers, all of which Table 3 has.
    """
    n_exact = printed.number("exact")
    n_papers = printed.number("papers")
    for name, listed in printed.references.groupby("reference", sort=False):
        predicted = list(map(tier_index, printed.main["tier"].loc[listed["paper"]]))
        expected = list(map(tier_index, listed["tier"]))
        agreement = tier_agreement(predicted, expected, confidence_level=CONFIDENCE_LEVEL)

        exact = f"{agreement.exact} of {agreement.n} exact"
        interval = exact_interval(agreement.exact, agreement.n)
        errors = f"{agreement.up} too high, {agreement.down} too low"
        yield Implied(
            quantity=f"tiers by the author's {name}",
            printed=f"{n_exact:.0f} of {n_papers:.0f} exact, never too low",
            implied=f"{exact}; {interval}; {errors}",
            how=f"kappa {agreement.kappa:.3f}; the papers that both lists have",
            place="section 5.1; repository of the framework",
        )


def moved_boundaries(printed: Printed) -> Iterator[Implied]:
    """Which papers change tier if a boundary of the tiers moves, and which papers lie near one."""
    papers = list(printed.main.index)
    shifts = boundary_sensitivity(
        printed.scores, printed.expected, shift=SHIFT, confidence_level=CONFIDENCE_LEVEL
    )
    for shift in shifts:
        move = (shift.boundary, shift.moved_to)
        printed_papers = NOT_PRINTED
        if move in printed.boundaries.index:
            changed = str(printed.boundaries["changed"].loc[move]).split()
            printed_papers = printed.titles(changed) or "no paper"
        implied_papers = printed.titles(papers[index] for index in shift.changed)
        yield Implied(
            quantity=f"papers that change tier, {shift.boundary} to {shift.moved_to}",
            printed=printed_papers,
            implied=implied_papers or "no paper",
            how=f"Table 3; exact in {shift.after.exact} of {len(papers)} after it",
            place="section 6.3",
        )

    near = []
    for paper, score in zip(papers, printed.scores, strict=True):
        # The lowest tier has no boundary below it.
        distance = min(abs(score - tier.boundary) for tier in TIERS[1:])
        if distance <= SHIFT:
            near.append(paper)
    yield Implied(
        quantity=f"CVS within {SHIFT} of a boundary",
        printed=f"{printed.named('near_boundary')}; all others are farther",
        implied=printed.titles(near),
        how="Table 3",
        place="section 6.3",
    )
