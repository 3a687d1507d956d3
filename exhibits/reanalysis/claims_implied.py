"""What the numbers that the claim-validity paper prints imply, worked out from them and the rubric alone."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
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
LEVEL = 0.95
NOT_PRINTED = "not printed"
MAIN_JUDGE = "DeepSeek V4 Pro"  # section 4.1


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
    of_papers = [
        table.set_index("paper") for table in (papers, main, single_run, per_paper, claims)
    ]
    others = [
        judges,
        boundaries.set_index(["boundary", "moved_to"]),
        statements.set_index("quantity"),
        references,
    ]
    printed = Printed(*of_papers, *others)
    parts = (
        *(_agreement, _references, _coverage, _scores, _worked_example),
        *(_single_runs, _audit, _main_claims, _boundaries, _judges),
    )
    return implied_table([*(row for part in parts for row in part(printed)), *_rubric()])


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
    """The totals in steps of `step`, up to n, whose mean over n, times `scale`, is printed as `text`."""
    decimals = len(text.partition(".")[2])
    totals = (step * count for count in range(int(n / step) + 1))
    return [total for total in totals if f"{scale * total / n:.{decimals}f}" == text]


def _agreement(printed: Printed) -> Iterator[Implied]:
    agreement = tier_agreement(printed.predicted, printed.expected, level=LEVEL)
    for name, count, quantity in (
        ("exact", agreement.exact, "exact tier"),
        ("within_one", agreement.within_one, "within one tier"),
    ):
        low, high = (100 * printed.number(name, side) for side in ("low", "high"))
        text = f"{printed.number(name):.0f} of {printed.number('papers'):.0f}; {low:.0f}% to {high:.0f}%"
        implied = f"{count} of {agreement.n}; {exact_interval(count, agreement.n)}"
        yield Implied(quantity, text, implied, "Clopper-Pearson, 95%", "section 5.1; Table 3")
    kappas = f"{agreement.kappa:.3f}; {agreement.kappa_linear:.3f} linear, {agreement.kappa_quadratic:.3f} quadratic"
    yield Implied(
        "Cohen's kappa of the tiers", NOT_PRINTED, kappas, "from Table 3, five tiers", "Table 3"
    )
    text = f"{printed.number('errors_up'):.0f} errors, all upwards; never too low"
    below = clopper_pearson(agreement.down, agreement.n, LEVEL).high
    p = f"p = {sign_test(agreement.up, agreement.down):.3f}; at most {100 * below:.1f}% too low"
    how = "two-sided sign test; Clopper-Pearson, 95%: nine papers do not show that no paper is scored too low"
    yield Implied("direction of the errors", text, p, how, "abstract; section 5.1")
    main = printed.main
    parts = [
        main.loc[main["label_source"] == label, "off_by"] == 0 for label in ("Registry", "Expert")
    ]
    counts = " and ".join(f"{part.sum()} of {len(part)}" for part in parts)
    test = fisher_exact(np.array([[part.sum(), (~part).sum()] for part in parts])).pvalue
    shares = [
        [f"{printed.number(f'{what}_{label}'):.0f}" for what in ("exact", "papers")]
        for label in ("registry", "expert")
    ]
    text = " and ".join(map(" of ".join, shares))
    how = "Fisher's exact test; so few papers would hide all but the greatest difference"
    implied = f"{counts}; p = {test:.3f}"
    yield Implied(
        "exact tier, registry and expert labels", text, implied, how, "section 5.1; Table 3"
    )
    cells = sorted(Counter(zip(printed.expected, printed.predicted, strict=True)).items())
    matrix = "; ".join(
        f"{TIERS[expected].name} as {TIERS[predicted].name}: {count}"
        for (expected, predicted), count in cells
    )
    yield Implied(
        "confusion matrix",
        "a figure without numbers",
        matrix,
        "expected as predicted, Table 3",
        "Figure 5",
    )


def _references(printed: Printed) -> Iterator[Implied]:
    """The agreement of the printed tiers with the lists of tiers that their author prints elsewhere."""
    for name, listed in printed.references.groupby("reference", sort=False):
        predicted = list(map(tier_index, printed.main["tier"].loc[listed["paper"]]))
        found = tier_agreement(predicted, list(map(tier_index, listed["tier"])), level=LEVEL)
        text = (
            f"{printed.number('exact'):.0f} of {printed.number('papers'):.0f} exact, never too low"
        )
        exact = f"{found.exact} of {found.n} exact; {exact_interval(found.exact, found.n)}"
        implied = f"{exact}; {found.up} too high, {found.down} too low"
        how = f"kappa {found.kappa:.3f}; the papers that both lists have"
        yield Implied(
            f"tiers by the author's {name}",
            text,
            implied,
            how,
            "section 5.1; repository of the framework",
        )


def _coverage(printed: Printed) -> Iterator[Implied]:
    spanned = [tier.name for tier in TIERS if tier.name in set(printed.papers["expected_tier"])]
    absent = ", ".join(tier.name for tier in TIERS if tier.name not in spanned)
    text = f"all {printed.number('tiers_spanned'):.0f} tiers"
    implied = f"{len(spanned)} of {len(TIERS)}: no paper is {absent}"
    yield Implied(
        "tiers among the reference labels", text, implied, "counted", "section 4.2; Table 2"
    )
    models = printed.judges["judge"].nunique()
    text, how = f"{printed.number('models'):.0f} models", "different names in Table 6"
    yield Implied("models compared", text, f"{models}", how, "section 4.1; Table 6")
    main = printed.main
    suggestive = main["expected_tier"] == "Causally Suggestive"
    over = printed.titles(main.index[suggestive & (main["off_by"] > 0)])
    elsewhere = printed.titles(main.index[~suggestive & (main["off_by"] > 0)])
    text = printed.named("overscored_suggestive")
    how = f"off-by of Table 3; over-scored too: {elsewhere}"
    yield Implied(
        "over-scored among the Causally Suggestive", text, over, how, "section 5.2; Table 3"
    )


def _scores(printed: Printed) -> Iterator[Implied]:
    """Whether each printed CVS can be reached, and whether its printed tier is the one that it falls in."""
    kinds = [f"{name} cvs tier" for name in ("main", "per_paper", "judges", "claims")]
    kinds += [f"single_run single_{end} tier_{end}" for end in ("low", "high")]
    kinds += [f"per_paper sub_{end} sub_tier_{end}" for end in ("low", "high")]
    parts = [
        getattr(printed, name)[[cvs, label]].dropna(subset=cvs)
        for name, cvs, label in map(str.split, kinds)
    ]
    pairs = [pair for part in parts for pair in part.itertuples(index=False, name=None)]
    values = [score for score, _ in pairs]
    stated = (
        "worked_cvs",
        "worked_final",
        "advocate_before",
        "advocate_after",
        "theory_standard",
        "theory_guided",
    )
    values += [printed.number(name) for name in (*stated, "audit_cvs_before", "audit_cvs_after")]
    attainable = {f"{score:.1f}" for score in attainable_scores()}
    how = (
        f"one of the {len(attainable)} values that the rubric can give, multiples of 0.5 / 18 x 10"
    )
    text, implied = (
        f"{len(values)} scores",
        f"{sum(f'{value:.1f}' in attainable for value in values)} of {len(values)}",
    )
    yield Implied(
        "printed CVS that can be reached", text, implied, how, "Tables 3 to 6; Appendix B; text"
    )
    fits = [tier(score).name == name for score, name in pairs if name]
    text, implied = f"{len(fits)} tiers", f"{sum(fits)} of {len(fits)}"
    yield Implied(
        "printed tiers that fit their CVS",
        text,
        implied,
        "section 3.4",
        "Tables 3 to 6; Appendix B",
    )
    after, off = printed.number("advocate_after"), printed.number("advocate_off_by")
    reference = printed.main["expected_tier"]["ioi"]
    text = f"{printed.number('advocate_before')} to {after}, {abs(off):.0f} tier below the label"
    implied = f"{tier(after).name}: off by {tier_index(tier(after).name) - tier_index(reference)}"
    yield Implied(
        "IOI after the devil's advocate", text, implied, f"the label is {reference}", "section 3.8"
    )


def _worked_example(printed: Printed) -> Iterator[Implied]:
    """Whether the scores of section 3.9 follow from the example's five levels, and the levels from its statuses."""
    scores = {
        dimension.code: int(printed.number(f"worked_{dimension.code}")) for dimension in DIMENSIONS
    }
    yield from _final_score(printed, scores)
    yield from _external(printed, scores)


def _final_score(printed: Printed, scores: dict[str, int]) -> Iterator[Implied]:
    cvs, final = weighted_score(scores), printed.number("worked_final")
    raw, text = _raw(cvs), f"raw {printed.number('worked_raw')}, CVS {printed.number('worked_cvs')}"
    yield Implied(
        "worked example, CVS",
        text,
        f"raw {raw:.1f}, CVS {cvs:.2f}",
        "weights of Table 1",
        "section 3.9",
    )
    needed = _raw(printed_score(final))
    lower = [
        dict(zip(scores, below, strict=True))
        for below in product(*(range(top + 1) for top in scores.values()))
    ]
    fits = [below for below in lower if f"{weighted_score(below):.1f}" == f"{final:.1f}"]
    text = f"{final} after lower internal validity"
    internal = (
        f"{weighted_score({**scores, 'I': scores['I'] - 1}):.1f} with Internal {scores['I'] - 1}"
    )
    how = f"{final} is raw {needed:.1f}, {raw - needed:.1f} less; {len(fits)} ways to lower the five scores give that"
    yield Implied("worked example, final CVS", text, internal, how, "section 3.9")
    single = [(code, to) for code, top in scores.items() for to in reversed(range(top))]
    listed = "; ".join(
        f"{code} {scores[code]} to {to}: {weighted_score({**scores, code: to}):.1f}"
        for code, to in single
    )
    how = "every lowering of one dimension; the smallest step is a weight, 1.0 or 1.5"
    yield Implied("worked example, what can follow", f"{final}", listed, how, "section 3.9")


def _external(printed: Printed, scores: dict[str, int]) -> Iterator[Implied]:
    """An ablation (I1 = YES) is a causal intervention, for which section 3.3 gives External 1."""
    raised = scores | {"E": 1}
    implied = f"at least {raised['E']}: raw {_raw(weighted_score(raised)):.1f}, CVS {weighted_score(raised):.1f}"
    how = "an ablation is a causal intervention, which External 1 asks for"
    yield Implied(
        "worked example, External",
        f"I1 = YES, External {scores['E']}",
        implied,
        how,
        "sections 3.3 and 3.9",
    )
    lowered = raised | {"I": scores["I"] - 1}
    implied = f"{weighted_score(lowered):.1f} with Internal {lowered['I']}"
    how = f"but no pass lowers I1, which is YES: the audit sees {', '.join(LEAK_PRONE)} alone"
    text = f"{printed.number('worked_final')} after lower internal validity"
    yield Implied(
        "worked example, final CVS with External 1", text, implied, how, "sections 3.3, 3.5 and 3.9"
    )


def _raw(score: float) -> float:
    """The weighted sum of dimension scores behind a CVS."""
    return score / 10 * sum(3 * dimension.weight for dimension in DIMENSIONS)


def _single_runs(printed: Printed) -> Iterator[Implied]:
    single, main = printed.single_run, printed.main
    always = int(((single["off_low"] == 0) & (single["off_high"] == 0)).sum())
    lowest = int((single["off_low"] == 0).sum())
    text = f"{printed.number('single_run_exact'):.0f} of {len(single)}"
    how = f"right over the whole printed range; taking the lowest run of each, {lowest} of {len(single)}"
    implied = f"{always} of {len(single)}"
    yield Implied("exact tier without the vote", text, implied, how, "section 5.2; Table 4")
    differing = single[single["single_low"] < single["single_high"]]
    n_equal = int((differing["single_low"] == main["cvs"].loc[differing.index]).sum())
    how = f"a minimum of statuses is at most the lowest run; in the other {len(single) - len(differing)} all runs agree"
    implied = f"equal to the lowest run in {n_equal} of {len(differing)} whose runs differ"
    yield Implied("CVS after the vote", NOT_PRINTED, implied, how, "Tables 3 and 4")
    ranges = (single["single_high"] - single["single_low"]).round(1)
    widest = printed.titles(ranges.index[ranges == ranges.max()])
    text = f"up to {printed.number('single_run_largest_range')}; {printed.number('figure4_range_copy')} in Figure 4"
    yield Implied(
        "range of single runs", text, f"{ranges.max()}", widest, "section 5.2; Table 4, Figure 4"
    )
    text, how = (
        "variance is eliminated",
        "one vote a paper has no spread: whether votes vary less is not measured",
    )
    yield Implied("spread after the vote", text, "1 value a paper", how, "section 3.7; Figure 4")


def _audit(printed: Printed) -> Iterator[Implied]:
    before, after = printed.number("audit_cvs_before"), printed.number("audit_cvs_after")
    how = "it never lowers a system-level claim (section 3.5); the two runs had different prompts too (v11, v14d)"
    yield Implied(
        "leak audit, IOI's main claim",
        f"{before} to {after}",
        "no change is possible",
        how,
        "section 5.3",
    )
    claims = int(printed.number("reference_claims"))
    shares = [f"{printed.number(f'audit_exact_{when}'):.1f}" for when in ("before", "after")]
    errors = [f"{printed.number(f'audit_mae_{when}'):.3f}" for when in ("before", "after")]
    solutions = {}
    for number in range(1, claims + 1):
        n = number * len(CRITERIA)
        exact = [counts_printed_as(share, n, scale=100.0) for share in shares]
        solutions[number] = [*exact, *(counts_printed_as(error, n, step=0.5) for error in errors)]
    fits = [number for number, counts in solutions.items() if all(counts)]
    for number in dict.fromkeys((claims, *fits)):
        n = number * len(CRITERIA)
        totals = [
            " or ".join(f"{count:g}" for count in counts) or "no count"
            for counts in solutions[number]
        ]
        text, implied = (
            f"about {shares[0]}% and {shares[1]}%",
            f"{totals[0]} and {totals[1]} of {n}",
        )
        how = "counts that are printed so"
        yield Implied(
            f"agreement before and after, {number} claims", text, implied, how, "section 5.3"
        )
        text, implied = f"{errors[0]} and {errors[1]}", f"{totals[2]} and {totals[3]} over {n}"
        how = "sums, in half steps, whose means are printed so"
        yield Implied(
            f"mean absolute error before and after, {number} claims",
            text,
            implied,
            how,
            "section 5.3",
        )
    listed = printed.per_paper["n_claims"]["ioi"]
    how = f"of 1 to {claims}, those for which all four numbers have counts; Table 5 has {listed} claims of IOI"
    yield Implied(
        "claims behind these four numbers",
        f"{claims}",
        ", ".join(map(str, fits)),
        how,
        "section 5.3",
    )
    gained = min(int(solutions[number][1][0] - solutions[number][0][-1]) for number in fits)
    text = "{:.0f} to {:.0f} a paper".format(
        *(printed.number("audit_downgrades", side) for side in ("low", "high"))
    )
    how = (
        "so many more judgements agree after it; a downgrade changes one, so the prompts made a "
        "difference or more fell"
    )
    yield Implied("downgrades by the audit", text, f"at least {gained} in IOI", how, "section 5.3")


def _main_claims(printed: Printed) -> Iterator[Implied]:
    per_paper, claims = printed.per_paper, printed.claims
    gaps = {}
    for paper in map(str, per_paper.index):
        others = per_paper["n_claims"][paper] - 1
        main = printed_score(per_paper["cvs"][paper])
        known = [printed_score(value) for value in claims[~claims["main"]]["cvs"].loc[[paper]]]
        ends = [printed_score(per_paper[end][paper]) for end in ("sub_low", "sub_high")]
        # Claims without a printed CVS lie between the printed ends: the mean is bounded by putting all at one end.
        means = [(sum(known) + (others - len(known)) * end) / others for end in ends]
        gaps[paper] = main - sum(means) / 2
        mean_text = " to ".join(dict.fromkeys(f"{mean:.2f}" for mean in means))
        verdict = "equal" if abs(gaps[paper]) < 1e-9 else "higher" if gaps[paper] > 0 else "lower"
        quantity, how = (
            f"main claim and mean of the others, {printed.papers['title'][paper]}",
            "scores before rounding",
        )
        yield Implied(
            quantity,
            "higher",
            f"{main:.2f} and {mean_text}: {verdict}",
            how,
            "section 5.5; Appendix B",
        )
    ranked = sorted(gaps, key=lambda paper: gaps[paper])
    for quantity, papers in (("smallest_gaps", ranked[:2]), ("largest_gaps", ranked[-2:])):
        text, name = printed.named(quantity), quantity.replace("_", " of these ")
        yield Implied(name, text, printed.titles(papers), "from the rows above", "section 5.5")
    higher = per_paper[per_paper["sub_high"] > per_paper["cvs"]].itertuples()
    listed = "; ".join(
        f"{printed.titles([str(row.Index)])}: {row.cvs} below {row.sub_high}" for row in higher
    )
    best = per_paper[["cvs", "sub_high"]].max(axis=1).loc[printed.main.index]
    exact = sum(
        tier_index(tier(score).name) == label
        for score, label in zip(best, printed.expected, strict=True)
    )
    how = f"with the highest-scoring claim as the main one, {exact} of {len(best)} tiers are exact"
    yield Implied(
        "main claim is the highest-scoring",
        "in every paper",
        f"not in {listed}",
        how,
        "Table 5; Appendix B",
    )


def _boundaries(printed: Printed) -> Iterator[Implied]:
    papers, moves = list(printed.main.index), printed.boundaries
    for moved in boundary_sensitivity(printed.scores, printed.expected, shift=SHIFT, level=LEVEL):
        move = (moved.boundary, moved.moved_to)
        changed = str(moves["changed"].loc[move]).split() if move in moves.index else None
        text = NOT_PRINTED if changed is None else printed.titles(changed) or "no paper"
        implied = printed.titles(papers[index] for index in moved.changed) or "no paper"
        how = f"Table 3; exact in {moved.after.exact} of {len(papers)} after it"
        quantity = f"papers that change tier, {moved.boundary} to {moved.moved_to}"
        yield Implied(quantity, text, implied, how, "section 6.3")
    boundaries = [tier.boundary for tier in TIERS[1:]]
    distances = [min(abs(score - boundary) for boundary in boundaries) for score in printed.scores]
    near = [paper for paper, distance in zip(papers, distances, strict=True) if distance <= SHIFT]
    text = f"{printed.named('near_boundary')}; all others are farther"
    yield Implied(
        f"CVS within {SHIFT} of a boundary", text, printed.titles(near), "Table 3", "section 6.3"
    )


def _judges(printed: Printed) -> Iterator[Implied]:
    judges = printed.judges
    modes = judges[judges["thinking"] != ""].assign(off=lambda table: table["thinking"] == "off")
    pairs = [
        part.set_index("off")["n_claims"]
        for _, part in modes.groupby("judge")
        if part["off"].nunique() > 1
    ]
    fewer = sum(bool(counts[True] < counts[False]) for counts in pairs)
    text, implied = "fewer", f"fewer in {fewer} of {len(pairs)} models"
    yield Implied(
        "claims without thinking",
        text,
        implied,
        "models tested in both modes",
        "section 4.1; Table 6",
    )
    ours = " and ".join(map(str, judges.loc[judges["judge"] == MAIN_JUDGE, "n_claims"]))
    final = f"{printed.per_paper['n_claims']['ioi']} in Table 5"
    how = "same judge and paper; the paper does not say what became of the others"
    yield Implied(
        f"claims of IOI by {MAIN_JUDGE}", f"{ours} in Table 6", final, how, "Tables 5 and 6"
    )


def _rubric() -> Iterator[Implied]:
    """Which criteria can move the CVS at all, by the printed rules."""
    lowest = {
        code: min(
            (level.score for level in dimension.levels for way in level.any_of if code in way),
            default=None,
        )
        for dimension in DIMENSIONS
        for code in dimension.criteria
    }
    summed = {
        code
        for dimension in DIMENSIONS
        for code in dimension.criteria
        if any(level.least_sum for level in dimension.levels)
    }
    idle = [code for code in CRITERIA if lowest[code] is None and code not in summed]
    text, implied = (
        f"{len(CRITERIA)} criteria",
        f"{len(CRITERIA) - len(idle)}; never {', '.join(idle)}",
    )
    unused = len(idle) / len(CRITERIA)
    row = Implied(
        "criteria that enter the CVS", text, implied, "no rule names the others", "section 3.3"
    )
    yield row.with_number(unused, n=len(CRITERIA))
    top = [code for code in LEAK_PRONE if lowest[code] in (None, 3)]
    implied = f"{', '.join(top)}: only a dimension at 3"
    how = "no lower level asks for them: below 3, lowering them leaves the CVS as it is"
    yield Implied(
        "what the audited criteria can change",
        ", ".join(LEAK_PRONE),
        implied,
        how,
        "sections 3.3 and 3.5",
    )
