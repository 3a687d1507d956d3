"""Which scores the printed rules of the rubric can give, and which criteria can change a score."""

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
    attainable_scores,
    printed_score,
    tier,
    weighted_score,
)

# Every CVS that the text prints and no table does.
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
    fits = [tier(score).name == name for score, name in scores_with_tiers if name]
    yield Implied(
        quantity="printed tiers that fit their CVS",
        printed=f"{len(fits)} tiers",
        implied=f"{sum(fits)} of {len(fits)}",
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
    """Every CVS that a table prints, with its tier, which is empty where none is printed."""
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
    for table, score, name in columns:
        known = table.dropna(subset=score)
        pairs += zip(known[score], known[name], strict=True)
    return pairs


def worked_example(printed: Printed) -> Iterator[Implied]:
    """Whether the scores of section 3.9 follow from the example's five levels,
    and the levels from its statuses.
    """
    levels = {}
    for dimension in DIMENSIONS:
        levels[dimension.code] = int(printed.number(f"worked_{dimension.code}"))
    yield from _final_score(printed, levels)
    yield from _external(printed, levels)


def _final_score(printed: Printed, levels: dict[str, int]) -> Iterator[Implied]:
    """Whether any lowering of the five levels gives the example's final score."""
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
        n_ways += f"{weighted_score(lowered):.1f}" == f"{final:.1f}"
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
    """Which scores the example would have with External 1 in place of 0.

    The example has I1 = YES: an ablation, which is a causal intervention, for which section 3.3
    gives External 1.
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
    """The weighted sum of dimension scores behind a CVS."""
    return score / 10 * sum(3 * dimension.weight for dimension in DIMENSIONS)


def criteria_that_count() -> Iterator[Implied]:
    """Which criteria can move the CVS at all, by the printed rules."""
    lowest_levels: dict[str, int] = {}  # the lowest level that names a criterion, where one does
    summed: set[str] = set()  # the criteria of dimensions that have a level by the sum of statuses
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

    # Criteria that only level 3, the highest, asks for, or no level by name.
    only_at_top = [code for code in LEAK_PRONE if lowest_levels.get(code, 3) == 3]
    yield Implied(
        quantity="what the audited criteria can change",
        printed=", ".join(LEAK_PRONE),
        implied=f"{', '.join(only_at_top)}: only a dimension at 3",
        how="no lower level asks for them: below 3, lowering them leaves the CVS as it is",
        place="sections 3.3 and 3.5",
    )
