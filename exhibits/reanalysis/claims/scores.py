"""Which scores the printed rules of the rubric can give, and which criteria can change a score.

`printed_scores` is about every printed score, `worked_example` about the example of section 3.9,
and `criteria_that_count` about the rules alone. Each gives rows of the table of implied numbers.
"""

from collections.abc import Iterator
from itertools import chain, product

from exhibits.reanalysis.claims.printed import Printed
from exhibits.reanalysis.implied import Implied
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    LEAK_PRONE,
    tier_index,
)
from mechaware.instruments.claims.rubric.scoring import (
    FULL_WEIGHT,
    TOP_SCORE,
    attainable_scores,
    printed_score,
    tier,
    weighted_score,
)

# Every CVS that is printed in the text but in no table, by its name in `Printed.statements`.
SCORES_OF_THE_TEXT = (
    "worked_cvs",
    "worked_final",
    "advocate_before",
    "advocate_after",
    "theory_standard",
    "theory_guided",
    "audit_cvs_before",
    "audit_cvs_after",
)


def printed_scores(printed: Printed) -> Iterator[Implied]:
    """Whether each printed CVS can be reached, and whether its printed tier is
    the tier of this score.
    """
    scores_with_tiers = _scores_with_tiers(printed)
    scores = [score for score, _ in scores_with_tiers]
    scores += [printed.number(name) for name in SCORES_OF_THE_TEXT]
    attainable = {f"{score:.1f}" for score in attainable_scores()}
    n_reached = sum(f"{score:.1f}" in attainable for score in scores)
    n_values = len(attainable)
    yield Implied(
        quantity="printed CVS that can be reached",
        printed=f"{len(scores)} scores",
        implied=f"{n_reached} of {len(scores)}",
        how=f"one of the {n_values} values that the rubric can give, multiples of 0.5 / 18 x 10",
        place="Tables 3 to 6; Appendix B; text",
    )

    # Two claims of Appendix B have a score without a tier.
    tier_fits = []
    for score, printed_tier in scores_with_tiers:
        if printed_tier:
            tier_fits.append(tier(score).name == printed_tier)
    yield Implied(
        quantity="printed tiers that fit their CVS",
        printed=f"{len(tier_fits)} tiers",
        implied=f"{sum(tier_fits)} of {len(tier_fits)}",
        how="section 3.4",
        place="Tables 3 to 6; Appendix B",
    )

    before = printed.number("advocate_before")
    after = printed.number("advocate_after")
    off_by = printed.number("advocate_off_by")
    label = printed.main["expected_tier"]["ioi"]
    implied_tier = tier(after).name
    implied_off_by = tier_index(implied_tier) - tier_index(label)
    yield Implied(
        quantity="IOI after the devil's advocate",
        printed=f"{before} to {after}, {abs(off_by):.0f} tier below the label",
        implied=f"{implied_tier}: off by {implied_off_by}",
        how=f"the label is {label}",
        place="section 3.8",
    )


def _scores_with_tiers(printed: Printed) -> list[tuple[float, str]]:
    """Every CVS that a table prints, with its printed tier, or "" if it has none."""
    columns = [
        (printed.main, "cvs", "tier"),
        (printed.per_paper, "cvs", "tier"),
        (printed.judges, "cvs", "tier"),
        (printed.claims, "cvs", "tier"),
        (printed.single_run, "single_low", "tier_low"),
        (printed.single_run, "single_high", "tier_high"),
        (printed.per_paper, "sub_low", "sub_tier_low"),
        (printed.per_paper, "sub_high", "sub_tier_high"),
    ]
    pairs: list[tuple[float, str]] = []
    for table, score_column, tier_column in columns:
        scored = table.dropna(subset=score_column)
        pairs += zip(scored[score_column], scored[tier_column], strict=True)
    return pairs


def worked_example(printed: Printed) -> Iterator[Implied]:
    """Whether the scores of section 3.9 follow from the example's five dimension scores, and
    whether its External score follows from its status of I1.
    """
    levels = {}
    for dimension in DIMENSIONS:
        levels[dimension.code] = int(printed.number(f"worked_{dimension.code}"))
    yield from _final_score(printed, levels)
    yield from _external(printed, levels)


def _final_score(printed: Printed, levels: dict[str, int]) -> Iterator[Implied]:
    """The example's CVS, and whether lowering the five dimension scores can give its final CVS.

    `levels` has the example's dimension scores, 0 to 3, by code.
    """
    cvs = weighted_score(levels)
    raw = _raw(cvs)
    yield Implied(
        quantity="worked example, CVS",
        printed=f"raw {printed.number('worked_raw')}, CVS {printed.number('worked_cvs')}",
        implied=f"raw {raw:.1f}, CVS {cvs:.2f}",
        how="weights of Table 1",
        place="section 3.9",
    )

    final = printed.number("worked_final")
    final_raw = _raw(printed_score(final))
    n_ways = 0
    for lower in product(*(range(level + 1) for level in levels.values())):
        lowered = dict(zip(levels, lower, strict=True))
        if f"{weighted_score(lowered):.1f}" == f"{final:.1f}":
            n_ways += 1
    weaker_internal = levels["I"] - 1
    with_weaker_internal = weighted_score(levels | {"I": weaker_internal})
    raw_lost = f"{final} is raw {final_raw:.1f}, {raw - final_raw:.1f} less"
    yield Implied(
        quantity="worked example, final CVS",
        printed=f"{final} after lower internal validity",
        implied=f"{with_weaker_internal:.1f} with Internal {weaker_internal}",
        how=f"{raw_lost}; {n_ways} ways to lower the five scores give that",
        place="section 3.9",
    )

    single_lowerings = []
    for code, level in levels.items():
        for lower_level in reversed(range(level)):
            score = weighted_score(levels | {code: lower_level})
            single_lowerings.append(f"{code} {level} to {lower_level}: {score:.1f}")
    yield Implied(
        quantity="worked example, what can follow",
        printed=f"{final}",
        implied="; ".join(single_lowerings),
        how="every lowering of one dimension; the smallest step is a weight, 1.0 or 1.5",
        place="section 3.9",
    )


def _external(printed: Printed, levels: dict[str, int]) -> Iterator[Implied]:
    """Which scores the example would have with External 1 instead of its printed External 0.

    The example has I1 = YES because of an ablation. An ablation is a causal intervention, and
    section 3.3 gives External 1 for a causal intervention.
    """
    raised = levels | {"E": 1}
    raised_score = weighted_score(raised)
    yield Implied(
        quantity="worked example, External",
        printed=f"I1 = YES, External {levels['E']}",
        implied=f"at least {raised['E']}: raw {_raw(raised_score):.1f}, CVS {raised_score:.1f}",
        how="an ablation is a causal intervention, which External 1 asks for",
        place="sections 3.3 and 3.9",
    )

    lowered = raised | {"I": levels["I"] - 1}
    yield Implied(
        quantity="worked example, final CVS with External 1",
        printed=f"{printed.number('worked_final')} after lower internal validity",
        implied=f"{weighted_score(lowered):.1f} with Internal {lowered['I']}",
        how=f"but no pass lowers I1, which is YES: the audit sees {', '.join(LEAK_PRONE)} alone",
        place="sections 3.3, 3.5 and 3.9",
    )


def _raw(score: float) -> float:
    """The weighted sum of dimension scores, 0 to 18, that gives the CVS `score`."""
    return score / 10 * FULL_WEIGHT


def criteria_that_count() -> Iterator[Implied]:
    """Which criteria can move the CVS at all, by the printed rules."""
    # The score of the lowest level that names a criterion, for each criterion that a level names.
    lowest_levels: dict[str, int] = {}
    # The criteria of each dimension that has a level with a least sum of all its statuses.
    summed: set[str] = set()
    for dimension in DIMENSIONS:
        for level in dimension.levels:
            if level.least_sum:
                summed.update(dimension.criteria)
            for code in chain.from_iterable(level.any_of):
                lowest_levels[code] = min(level.score, lowest_levels.get(code, level.score))

    idle = [code for code in CRITERIA if code not in lowest_levels and code not in summed]
    n_used = len(CRITERIA) - len(idle)
    row = Implied(
        quantity="criteria that enter the CVS",
        printed=f"{len(CRITERIA)} criteria",
        implied=f"{n_used}; never {', '.join(idle)}",
        how="no rule names the others",
        place="section 3.3",
    )
    yield row.with_number(len(idle) / len(CRITERIA), n=len(CRITERIA))

    # The audited criteria that no level below 3, the highest, names.
    only_at_top = []
    for code in LEAK_PRONE:
        if lowest_levels.get(code, TOP_SCORE) == TOP_SCORE:
            only_at_top.append(code)
    yield Implied(
        quantity="what the audited criteria can change",
        printed=", ".join(LEAK_PRONE),
        implied=f"{', '.join(only_at_top)}: only a dimension at 3",
        how="no lower level asks for them: below 3, lowering them leaves the CVS as it is",
        place="sections 3.3 and 3.5",
    )
