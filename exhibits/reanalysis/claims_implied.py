"""What the numbers that the claim-validity paper prints imply, derived from nothing but them and the rubric."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from exhibits.claims import schemas
from exhibits.reanalysis.implied import Implied, exact_interval, implied_table
from exhibits.report.tables import Table
from mechaware.core.stats import clopper_pearson
from mechaware.instruments.claims.agreement import boundary_sensitivity, sign_test, tier_agreement
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    LEAK_PRONE,
    TIERS,
    tier_index,
)
from mechaware.instruments.claims.rubric.scoring import (
    attainable_scores,
    printed_score,
    tier,
    weighted_score,
)

READS = {
    "papers": "config/reported/claims_papers.csv",
    "main": "config/reported/claims_main.csv",
    "single_run": "config/reported/claims_single_run.csv",
    "per_paper": "config/reported/claims_per_paper.csv",
    "judges": "config/reported/claims_judges.csv",
    "claims": "config/reported/claims_claims.csv",
    "boundaries": "config/reported/claims_boundaries.csv",
    "statements": "config/reported/claims_statements.csv",
    "references": "config/reported/claims_references.csv",
}
SHIFT = 0.5  # section 6.3 moves each boundary by this
CONFIDENCE_LEVEL = 0.95
NOT_PRINTED = "not printed"
MAIN_JUDGE = "DeepSeek V4 Pro"  # section 4.1
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


def fill(
    *,
    papers: Annotated[pd.DataFrame, schemas.REPORTED_PAPERS],
    main: Annotated[pd.DataFrame, schemas.REPORTED_MAIN],
    single_run: Annotated[pd.DataFrame, schemas.REPORTED_SINGLE_RUN],
    per_paper: Annotated[pd.DataFrame, schemas.REPORTED_PER_PAPER],
    judges: Annotated[pd.DataFrame, schemas.REPORTED_JUDGES],
    claims: Annotated[pd.DataFrame, schemas.REPORTED_CLAIMS],
    boundaries: Annotated[pd.DataFrame, schemas.REPORTED_BOUNDARIES],
    statements: Annotated[pd.DataFrame, schemas.REPORTED_STATEMENTS],
    references: Annotated[pd.DataFrame, schemas.REPORTED_REFERENCES],
) -> Table:
    """One row per printed number: what is printed, what follows from the rest of the paper, and how."""
    printed = Printed(
        papers=papers.set_index("paper"),
        main=main.set_index("paper"),
        single_run=single_run.set_index("paper"),
        per_paper=per_paper.set_index("paper"),
        claims=claims.set_index("paper"),
        judges=judges,
        boundaries=boundaries.set_index(["boundary", "moved_to"]),
        statements=statements.set_index("quantity"),
        references=references,
    )
    rows: list[Implied] = []
    rows += _agreement(printed)
    rows += _references(printed)
    rows += _coverage(printed)
    rows += _scores(printed)
    rows += _worked_example(printed)
    rows += _single_runs(printed)
    rows += _audit(printed)
    rows += _main_claims(printed)
    rows += _boundaries(printed)
    rows += _judges(printed)
    rows += _rubric()
    return implied_table(rows)


class Printed(NamedTuple):
    """The printed tables, by paper where they have one, and the single numbers of the text (`statements`)."""

    papers: pd.DataFrame
    main: pd.DataFrame
    single_run: pd.DataFrame
    per_paper: pd.DataFrame
    claims: pd.DataFrame
    judges: pd.DataFrame
    boundaries: pd.DataFrame
    statements: pd.DataFrame
    references: pd.DataFrame

    @property
    def scores(self) -> list[float]:
        """The CVS of every paper of Table 3 before rounding."""
        return [printed_score(value) for value in self.main["cvs"]]

    @property
    def expected(self) -> list[int]:
        """The ranks of the labels in Table 3, 0 to 4."""
        return list(map(tier_index, self.main["expected_tier"]))

    @property
    def predicted(self) -> list[int]:
        """The ranks of the tiers in Table 3, 0 to 4."""
        return list(map(tier_index, self.main["tier"]))

    def number(self, quantity: str, column: str = "value") -> float:
        """A number that the text prints."""
        return float(self.statements[column].loc[quantity])

    def named(self, quantity: str) -> str:
        """The titles of the papers that the text names."""
        return self.titles(str(self.statements["papers"].loc[quantity]).split())

    def titles(self, papers: Iterable[str]) -> str:
        """The titles of papers, sorted."""
        return ", ".join(sorted(self.papers["title"].loc[list(papers)]))


def counts_printed_as(text: str, n: int, *, step: float = 1.0, scale: float = 1.0) -> list[float]:
    """The totals that a paper may have had behind a mean that it prints.

    Args:
        text: The mean as printed, such as "33.3".
        n: Over how many units.
        step: Totals are multiples of it, from 0 to n.
        scale: What the mean is multiplied by before it is printed; 100 for percentages.

    Returns:
        The totals in ascending order: of 3 units, "33.3" percent is a total of 1.
    """
    decimals = len(text.partition(".")[2])
    fitting = []
    for count in range(int(n / step) + 1):
        total = step * count
        if f"{scale * total / n:.{decimals}f}" == text:
            fitting.append(total)
    return fitting


def _agreement(printed: Printed) -> Iterator[Implied]:
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
        how="two-sided sign test; Clopper-Pearson, 95%: nine papers do not show that no paper is scored too low",
        place="abstract; section 5.1",
    )
    yield _agreement_by_source(printed)
    yield _confusion(printed)


def _agreement_by_source(printed: Printed) -> Implied:
    """Whether labels of the registry are met more often than labels of experts."""
    texts = []
    counts = []
    table = []
    for source in ("Registry", "Expert"):
        name = source.lower()
        texts.append(
            f"{printed.number(f'exact_{name}'):.0f} of {printed.number(f'papers_{name}'):.0f}"
        )
        is_exact = printed.main.loc[printed.main["label_source"] == source, "off_by"] == 0
        counts.append(f"{is_exact.sum()} of {len(is_exact)}")
        table.append([is_exact.sum(), (~is_exact).sum()])
    p = fisher_exact(np.array(table)).pvalue
    return Implied(
        quantity="exact tier, registry and expert labels",
        printed=" and ".join(texts),
        implied=f"{' and '.join(counts)}; p = {p:.3f}",
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


def _references(printed: Printed) -> Iterator[Implied]:
    """The agreement of the printed tiers with the lists of tiers that their author prints elsewhere."""
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


def _coverage(printed: Printed) -> Iterator[Implied]:
    """What the paper says of its labels, models and over-scored papers, counted."""
    labels = set(printed.papers["expected_tier"])
    absent = [tier.name for tier in TIERS if tier.name not in labels]
    n_spanned = len(TIERS) - len(absent)
    yield Implied(
        quantity="tiers among the reference labels",
        printed=f"all {printed.number('tiers_spanned'):.0f} tiers",
        implied=f"{n_spanned} of {len(TIERS)}: no paper is {', '.join(absent)}",
        how="counted",
        place="section 4.2; Table 2",
    )

    n_models = printed.judges["judge"].nunique()
    yield Implied(
        quantity="models compared",
        printed=f"{printed.number('models'):.0f} models",
        implied=f"{n_models}",
        how="different names in Table 6",
        place="section 4.1; Table 6",
    )

    main = printed.main
    is_suggestive = main["expected_tier"] == "Causally Suggestive"
    is_over = main["off_by"] > 0
    elsewhere = printed.titles(main.index[~is_suggestive & is_over])
    yield Implied(
        quantity="over-scored among the Causally Suggestive",
        printed=printed.named("overscored_suggestive"),
        implied=printed.titles(main.index[is_suggestive & is_over]),
        how=f"off-by of Table 3; over-scored too: {elsewhere}",
        place="section 5.2; Table 3",
    )


def _scores(printed: Printed) -> Iterator[Implied]:
    """Whether each printed CVS can be reached, and whether its printed tier is the one that it falls in."""
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


def _worked_example(printed: Printed) -> Iterator[Implied]:
    """Whether the scores of section 3.9 follow from the example's five levels, and the levels from its statuses."""
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
    """An ablation (I1 = YES) is a causal intervention, for which section 3.3 gives External 1."""
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


def _single_runs(printed: Printed) -> Iterator[Implied]:
    """What the ranges of single runs in Table 4 show about the vote."""
    single = printed.single_run
    lowest_is_exact = single["off_low"] == 0
    all_are_exact = lowest_is_exact & (single["off_high"] == 0)
    n_lowest = int(lowest_is_exact.sum())
    yield Implied(
        quantity="exact tier without the vote",
        printed=f"{printed.number('single_run_exact'):.0f} of {len(single)}",
        implied=f"{int(all_are_exact.sum())} of {len(single)}",
        how=f"right over the whole printed range; taking the lowest run of each, {n_lowest} of {len(single)}",
        place="section 5.2; Table 4",
    )

    differing = single[single["single_low"] < single["single_high"]]
    n_agreeing = len(single) - len(differing)
    is_lowest = differing["single_low"] == printed.main["cvs"].loc[differing.index]
    yield Implied(
        quantity="CVS after the vote",
        printed=NOT_PRINTED,
        implied=f"equal to the lowest run in {int(is_lowest.sum())} of {len(differing)} whose runs differ",
        how=f"a minimum of statuses is at most the lowest run; in the other {n_agreeing} all runs agree",
        place="Tables 3 and 4",
    )

    ranges = (single["single_high"] - single["single_low"]).round(1)
    in_text = printed.number("single_run_largest_range")
    in_figure = printed.number("figure4_range_copy")
    yield Implied(
        quantity="range of single runs",
        printed=f"up to {in_text}; {in_figure} in Figure 4",
        implied=f"{ranges.max()}",
        how=printed.titles(ranges.index[ranges == ranges.max()]),
        place="section 5.2; Table 4, Figure 4",
    )
    yield Implied(
        quantity="spread after the vote",
        printed="variance is eliminated",
        implied="1 value a paper",
        how="one vote a paper has no spread: whether votes vary less is not measured",
        place="section 3.7; Figure 4",
    )


class AuditTotals(NamedTuple):
    """The totals that print as section 5.3 does, if it judged so many claims; empty where none does.

    `agreeing_*` are numbers of judgements that agree with the reference before and after the audit, `error_*` sums of
    absolute errors in steps of half a status.
    """

    n: int  # judgements
    agreeing_before: list[float]
    agreeing_after: list[float]
    error_before: list[float]
    error_after: list[float]

    @property
    def fits(self) -> bool:
        """Whether all four printed numbers have a total."""
        return bool(
            self.agreeing_before and self.agreeing_after and self.error_before and self.error_after
        )


def _audit(printed: Printed) -> Iterator[Implied]:
    """What section 5.3 prints of the leak audit of IOI."""
    before = printed.number("audit_cvs_before")
    after = printed.number("audit_cvs_after")
    yield Implied(
        quantity="leak audit, IOI's main claim",
        printed=f"{before} to {after}",
        implied="no change is possible",
        how="it never lowers a system-level claim (section 3.5); the two runs had different prompts too (v11, v14d)",
        place="section 5.3",
    )

    share_before = f"{printed.number('audit_exact_before'):.1f}"
    share_after = f"{printed.number('audit_exact_after'):.1f}"
    error_before = f"{printed.number('audit_mae_before'):.3f}"
    error_after = f"{printed.number('audit_mae_after'):.3f}"
    n_claims = int(printed.number("reference_claims"))
    totals = {}
    for number in range(1, n_claims + 1):
        n = number * len(CRITERIA)
        totals[number] = AuditTotals(
            n=n,
            agreeing_before=counts_printed_as(share_before, n, scale=100.0),
            agreeing_after=counts_printed_as(share_after, n, scale=100.0),
            error_before=counts_printed_as(error_before, n, step=0.5),
            error_after=counts_printed_as(error_after, n, step=0.5),
        )
    fitting = [number for number in totals if totals[number].fits]

    others = [number for number in fitting if number != n_claims]
    for number in (n_claims, *others):
        of_number = totals[number]
        agreeing = f"{_either(of_number.agreeing_before)} and {_either(of_number.agreeing_after)}"
        yield Implied(
            quantity=f"agreement before and after, {number} claims",
            printed=f"about {share_before}% and {share_after}%",
            implied=f"{agreeing} of {of_number.n}",
            how="counts that are printed so",
            place="section 5.3",
        )
        errors = f"{_either(of_number.error_before)} and {_either(of_number.error_after)}"
        yield Implied(
            quantity=f"mean absolute error before and after, {number} claims",
            printed=f"{error_before} and {error_after}",
            implied=f"{errors} over {of_number.n}",
            how="sums, in half steps, whose means are printed so",
            place="section 5.3",
        )

    n_listed = printed.per_paper["n_claims"]["ioi"]
    all_four = f"of 1 to {n_claims}, those for which all four numbers have counts"
    yield Implied(
        quantity="claims behind these four numbers",
        printed=f"{n_claims}",
        implied=", ".join(map(str, fitting)),
        how=f"{all_four}; Table 5 has {n_listed} claims of IOI",
        place="section 5.3",
    )

    gains = []
    for number in fitting:
        gains.append(int(totals[number].agreeing_after[0] - totals[number].agreeing_before[-1]))
    fewest = printed.number("audit_downgrades", "low")
    most = printed.number("audit_downgrades", "high")
    yield Implied(
        quantity="downgrades by the audit",
        printed=f"{fewest:.0f} to {most:.0f} a paper",
        implied=f"at least {min(gains)} in IOI",
        how="so many more judgements agree after it; a downgrade changes one, so the prompts made a "
        "difference or more fell",
        place="section 5.3",
    )


def _either(totals: list[float]) -> str:
    """Totals in words: "22", "98 or 99", or that there is none."""
    return " or ".join(f"{total:g}" for total in totals) or "no count"


def _main_claims(printed: Printed) -> Iterator[Implied]:
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
    """The least and the greatest mean CVS that the claims of a paper but its main one can have.

    Claims without a printed CVS lie between the ends of the printed range: the mean is least with all of them at the
    lower end, and greatest with all at the upper one.
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
    if abs(gap) < 1e-9:
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


def _boundaries(printed: Printed) -> Iterator[Implied]:
    """Which papers change their tier if a boundary of the tiers moves, and which lie near one."""
    papers = list(printed.main.index)
    for moved in boundary_sensitivity(
        printed.scores, printed.expected, shift=SHIFT, confidence_level=CONFIDENCE_LEVEL
    ):
        move = (moved.boundary, moved.moved_to)
        text = NOT_PRINTED
        if move in printed.boundaries.index:
            changed = str(printed.boundaries["changed"].loc[move]).split()
            text = printed.titles(changed) or "no paper"
        implied = printed.titles(papers[index] for index in moved.changed)
        yield Implied(
            quantity=f"papers that change tier, {moved.boundary} to {moved.moved_to}",
            printed=text,
            implied=implied or "no paper",
            how=f"Table 3; exact in {moved.after.exact} of {len(papers)} after it",
            place="section 6.3",
        )

    near = []
    for paper, score in zip(papers, printed.scores, strict=True):
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


def _judges(printed: Printed) -> Iterator[Implied]:
    """How many claims the judges of Table 6 find."""
    judges = printed.judges
    n_models = 0
    n_fewer = 0
    for _, modes in judges[judges["thinking"] != ""].groupby("judge"):
        is_off = modes["thinking"] == "off"
        if is_off.all() or not is_off.any():
            continue
        n_models += 1
        without = modes.loc[is_off, "n_claims"].item()
        n_fewer += bool(without < modes.loc[~is_off, "n_claims"].item())
    yield Implied(
        quantity="claims without thinking",
        printed="fewer",
        implied=f"fewer in {n_fewer} of {n_models} models",
        how="models tested in both modes",
        place="section 4.1; Table 6",
    )

    of_main_judge = judges.loc[judges["judge"] == MAIN_JUDGE, "n_claims"]
    yield Implied(
        quantity=f"claims of IOI by {MAIN_JUDGE}",
        printed=f"{' and '.join(map(str, of_main_judge))} in Table 6",
        implied=f"{printed.per_paper['n_claims']['ioi']} in Table 5",
        how="same judge and paper; the paper does not say what became of the others",
        place="Tables 5 and 6",
    )


def _rubric() -> Iterator[Implied]:
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

    # What only a dimension at 3, the highest level, asks for; or no level by name.
    only_at_top = [code for code in LEAK_PRONE if lowest_levels.get(code, 3) == 3]
    yield Implied(
        quantity="what the audited criteria can change",
        printed=", ".join(LEAK_PRONE),
        implied=f"{', '.join(only_at_top)}: only a dimension at 3",
        how="no lower level asks for them: below 3, lowering them leaves the CVS as it is",
        place="sections 3.3 and 3.5",
    )
