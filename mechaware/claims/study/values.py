"""The claims study's numbers for the paper's text."""

from pathlib import Path

from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, TIERS
from mechaware.claims.rubric.scoring import printed_score
from mechaware.claims.schemas import BOUNDARIES, JUDGES, PER_PAPER, PLANTED, SINGLE_RUN, TRUST
from mechaware.frames import read_csv
from mechaware.report.values import IMPLIED, Quantity, TableValues, Value, table_values, tables_values, value

_RUBRIC = "mechaware/claims/rubric/criteria.py"
VALUES = {
    "claims_planted": TableValues(
        ("judge", "stage"),
        {
            "exact": Quantity("exact", "fraction", "exact_low", "exact_high", "n"),
            "always_no": Quantity("always_no", "fraction", n="n"),
            "always_yes": Quantity("always_yes", "fraction", n="n"),
            "over_no": Quantity("over_no", "fraction", "over_no_low", "over_no_high", "n"),
            "bias": Quantity("bias", "status", "bias_low", "bias_high", "n"),
            "leak_rate": Quantity("leak_rate", "fraction", "leak_low", "leak_high", "leaks"),
            "leaked": Quantity("leaked", "judgements", n="leaks"),
            "found": Quantity("found_claims", "claims", n="planted_claims"),
            "found_papers": Quantity("found_papers", "papers", n="papers"),
            "main_found": Quantity("main_found", "papers", n="papers"),
            "tier_exact": Quantity("tier_exact", "papers", n="tier_n"),
            "tier_always_no": Quantity("tier_always_no", "papers", n="tier_n"),
            "tier_within_one": Quantity("tier_within_one", "papers", n="tier_n"),
            "kappa": Quantity("tier_kappa_quadratic", "quadratic kappa", n="tier_n"),
            "p": Quantity("tier_p", "p-value", n="tier_n"),
        },
        PLANTED,
    ),
    "claims_boundaries": TableValues(
        ("source", "labels", "boundary", "moved_to"),
        {
            "exact": Quantity("exact", "papers", "exact_low", "exact_high", "n"),
            "within_one": Quantity("within_one", "papers", "within_one_low", "within_one_high", "n"),
            "kappa": Quantity("kappa", "kappa", n="n"),
            "kappa_linear": Quantity("kappa_linear", "linear kappa", n="n"),
            "kappa_quadratic": Quantity("kappa_quadratic", "quadratic kappa", n="n"),
            "up": Quantity("up", "papers", n="n"),
            "down": Quantity("down", "papers", n="n"),
            "p": Quantity("p", "p-value", n="n"),
        },
        BOUNDARIES,
    ),
    "claims_trust": TableValues(
        ("judge", "source", "stage"),
        {
            "moved": Quantity("moved", "fraction", "moved_low", "moved_high", "moved_n"),
            "stayed": Quantity("stayed", "fraction", "stayed_low", "stayed_high", "stayed_n"),
            "against": Quantity("against", "fraction", n="moved_n"),
            "could": Quantity("could", "statuses", n="moved_n"),
            "hard": Quantity("hard", "fraction", "hard_low", "hard_high", "hard_n"),
            "right": Quantity("right", "fraction"),
            "p": Quantity("p", "p-value"),
            "papers_along": Quantity("papers_along", "papers"),
            "papers_against": Quantity("papers_against", "papers"),
            "edits": Quantity("edits", "texts"),
            "trusted": Quantity("trusted", "criteria", n="tested"),
            "error": Quantity("error", "status"),
            "papers": Quantity("papers", "papers"),
        },
        TRUST,
    ),
    "claims_implied": IMPLIED,
}
# Of the rows of our own judges in claims_judges.
JUDGE_VALUES = TableValues(
    ("judge",),
    {
        "claims": Quantity("n_claims", "claims a paper"),
        "unscored": Quantity("unscored", "fraction"),
        "failed_audits": Quantity("failed_audits", "audits"),
        "calls": Quantity("calls", "calls"),
        "prompt_tokens": Quantity("prompt_tokens", "tokens"),
        "completion_tokens": Quantity("completion_tokens", "tokens"),
    },
    JUDGES,
)


def study_values(tables: list[Path], judges: Path, runs: Path, claims: Path) -> dict[str, Value]:
    """The values of `tables`, what each judge of ours used, and the size of the rubric.

    The paths are those of final tables: `judges` of claims_judges, `runs` of claims_single_run and `claims` of
    claims_per_paper.
    """
    rubric = {
        "rubric/criteria": value(len(CRITERIA), unit="criteria", file=_RUBRIC),
        "rubric/dimensions": value(len(DIMENSIONS), unit="dimensions", file=_RUBRIC),
        "rubric/tiers": value(len(TIERS), unit="tiers", file=_RUBRIC),
    }
    rows = read_csv(judges, JUDGE_VALUES.schema)
    ours = rows[rows["source"] == rows["judge"]]
    used = table_values(ours, JUDGE_VALUES, judges)
    return rubric | tables_values(tables, VALUES) | used | _mean_ranges(runs) | _main_over_others(claims)


def _mean_ranges(path: Path) -> dict[str, Value]:
    """By source of scores, the mean over papers of the range of single runs, and that of the range of votes."""
    values = {}
    for source, rows in read_csv(path, SINGLE_RUN).groupby("source"):
        for name in ("single_range", "vote_range"):
            known = rows[name].dropna()
            key = f"{path.stem}/{source}/{name}"
            values[key] = value(known.mean() if len(known) else None, unit="CVS", file=path, n=len(known))
    return values


def _main_over_others(path: Path) -> dict[str, Value]:
    """By source of scores, the number of papers whose main claim has a higher CVS than the mean of the others.

    Papers without that mean do not count. Printed scores are compared as they were before rounding, as in the means.
    """
    values = {}
    for source, rows in read_csv(path, PER_PAPER).groupby("source"):
        known = rows.dropna(subset=["cvs", "sub_mean"])
        main = known["cvs"].map(printed_score) if source == "reported" else known["cvs"]
        above = int((main - known["sub_mean"] > 1e-9).sum())
        values[f"{path.stem}/{source}/main_above_others"] = value(above, unit="papers", file=path, n=len(known))
    return values
