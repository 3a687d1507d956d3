"""How near each judge comes to the planted truth, beside judges that give one status throughout; means over papers."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pandas as pd

from mechaware.claims.rubric.criteria import DIMENSIONS, VALUE, tier_index
from mechaware.claims.rubric.scoring import tier
from mechaware.claims.study.agreement import criterion_agreement, leak_rate, tier_agreement
from mechaware.stats import mean_over_groups

STAGES = {"single": "single runs", "voted": "voted", "audited": "audited"}
BASELINES = {"NO": 0.0, "YES": 10.0}  # the CVS of a judge that gives every criterion this status
PLANTED_TRUTH = "planted truth"  # in the place of a judge's name, the planted claims themselves
MEAN = ("mean", "low", "high")
# Repeated runs over the same papers are not independent: no interval or test that takes them to be.
DEPENDENT = (
    *("leak_low", "leak_high", "tier_exact_low", "tier_exact_high"),
    *("tier_within_one_low", "tier_within_one_high", "tier_p"),
)


class PlantedSummary(NamedTuple):
    """The summary tables that planted papers are judged by (results/claims/summary/{name}.parquet)."""

    papers: pd.DataFrame
    runs: pd.DataFrame
    claims: pd.DataFrame
    criteria: pd.DataFrame
    truth: pd.DataFrame
    levels: pd.DataFrame


class _JudgedStage(NamedTuple):
    """A judge's statuses and scores of the planted papers at one stage.

    `criteria` has the columns paper, claim, stage, status, truth and leak, for the planted claims that the judge found.
    `scored` has the columns cvs and expected_tier and a row per paper, for single runs a row per run and paper.
    `planted_claims` counts the claims planted in these papers, once per row; `main_found` is `_main_claims_found`.
    """

    judge: str
    stage: str
    criteria: pd.DataFrame
    scored: pd.DataFrame
    planted_claims: int
    main_found: int | None


def planted_agreement(summary: PlantedSummary, judges: Iterable[str], *, level: float) -> pd.DataFrame:
    """A row for each judge and stage, then one for each baseline."""
    stages = [*_judged_stages(summary, judges), *_baselines(summary)]
    return pd.DataFrame([_stage_row(stage, level=level) for stage in stages])


def _judged_stages(summary: PlantedSummary, judges: Iterable[str]) -> Iterator[_JudgedStage]:
    """Every stage of every judge; the frames of a judge without records are empty."""
    planted_claims = summary.truth.groupby("paper").size().to_dict()
    criteria = summary.criteria.assign(pooled=_pooled_stages(summary.criteria["stage"]))
    runs = summary.runs[summary.runs["paper"].isin(list(planted_claims))]
    runs = runs.assign(pooled=_pooled_stages(runs["stage"]))
    for judge in judges:
        for stage in STAGES:
            scored = runs[(runs["judge"] == judge) & (runs["pooled"] == stage)]
            yield _JudgedStage(
                judge=judge,
                stage=stage,
                criteria=criteria[(criteria["judge"] == judge) & (criteria["pooled"] == stage)],
                scored=scored,
                planted_claims=sum(planted_claims[paper] for paper in scored["paper"]),
                main_found=_main_claims_found(summary, judge) if stage == "audited" else None,
            )


def _baselines(summary: PlantedSummary) -> Iterator[_JudgedStage]:
    """For each of `BASELINES`, all planted claims of the judged papers with this status for every criterion."""
    planted = summary.papers[summary.papers["paper"].isin(summary.truth["paper"])]
    expected = planted.drop_duplicates("paper")[["paper", "expected_tier"]]
    levels = summary.levels[summary.levels["paper"].isin(expected["paper"])]
    for status, cvs in BASELINES.items():
        yield _JudgedStage(
            judge=f"always {status}",
            stage="",
            criteria=levels.assign(status=status, stage=""),
            scored=expected.assign(cvs=cvs),
            planted_claims=int(summary.truth["paper"].isin(expected["paper"]).sum()),
            main_found=None,
        )


def _main_claims_found(summary: PlantedSummary, judge: str) -> int:
    """In how many planted papers the main claim, whose CVS is the paper's, is a planted system-level claim."""
    main = summary.claims[(summary.claims["judge"] == judge) & summary.claims["main"]]
    system = summary.truth[summary.truth["system"]]
    planted = set(zip(system["paper"], system["claim"], strict=True))
    return sum(match in planted for match in zip(main["paper"], main["truth_claim"], strict=True))


def _pooled_stages(stages: pd.Series) -> pd.Series:
    """The keys of `STAGES` for stages of the records: run-0, run-1, ... are all `single`."""
    return stages.str.replace(r"run-\d+", "single", regex=True)


def _stage_row(stage: _JudgedStage, *, level: float) -> dict[str, object]:
    """The agreement at one stage: criteria, leaks, claims found, and tiers of the papers that were scored."""
    criteria, scored = stage.criteria, stage.scored.dropna(subset="cvs")
    leaks = leak_rate(criteria, level=level)
    tiers = tier_agreement(
        [tier_index(tier(cvs).name) for cvs in scored["cvs"]],
        list(map(tier_index, scored["expected_tier"])),
        level=level,
    )
    row: dict[str, object] = {
        "judge": stage.judge,
        "stage": stage.stage,
        **criterion_agreement(criteria, level=level)._asdict(),
        "leaks": leaks.leaks,
        "leaked": leaks.leaked,
        "leak_rate": leaks.rate,
        "leak_low": leaks.low,
        "leak_high": leaks.high,
        "planted_claims": stage.planted_claims,
        "found_claims": len(criteria.drop_duplicates(["paper", "claim", "stage"])),
        "papers": len(stage.scored),
        "found_papers": criteria["paper"].nunique(),
        "main_found": stage.main_found,
        **{f"tier_{name}": number for name, number in tiers._asdict().items()},
        "tier_always_no": int((scored["expected_tier"] == tier(BASELINES["NO"]).name).sum()),
    }
    return row | dict.fromkeys(DEPENDENT) if stage.stage == "single" else row


def claims_beside_truth(claims: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """The planted claims, under the judge `PLANTED_TRUTH`, and the judges' claims about the same papers.

    Without planted papers, the judges' claims about all papers. Columns: judge, paper, system, cvs and the code of
    each dimension.
    """
    columns = ["judge", "paper", "system", "cvs", *(dimension.code for dimension in DIMENSIONS)]
    if not truth.empty:
        same = claims[claims["paper"].isin(truth["paper"])]
        claims = pd.concat([truth.assign(judge=PLANTED_TRUTH)[columns], same[columns]], ignore_index=True)
    return claims[columns]


def dimension_means(claims: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """Mean score of each judge, kind of claim and dimension, with a t interval over six papers or more.

    `claims` is the table that `claims_beside_truth` returns. Long: judge, system, dimension, mean (0 to 3), low, high.
    The planted truth is not estimated and has no interval. Claims whose score in the dimension is open do not count.
    """
    rows = []
    for (judge, system), part in claims.groupby(["judge", "system"], sort=False):
        for dimension in DIMENSIONS:
            known = part.dropna(subset=[dimension.code])
            if not known.empty:
                values = known[dimension.code].to_numpy(dtype=float)
                interval = None if judge == PLANTED_TRUTH else mean_over_groups(values, known["paper"], level)
                bounds = interval or (None, None)
                rows.append((judge, bool(system), dimension.code, values.mean(), *bounds))
    return pd.DataFrame(rows, columns=["judge", "system", "dimension", *MEAN]).astype(dict.fromkeys(MEAN, float))


def criterion_bias(criteria: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """Mean of status minus truth, -1 to 1, by judge, stage and criterion, with a t interval over six papers or more.

    `criteria` has judge, paper, criterion, stage (run-0, run-1, ..., voted, audited), status and truth. Long: judge,
    stage (single, voted, audited), criterion, mean, low, high, n. Criteria without a status do not count.
    """
    known = criteria[(criteria["status"] != "") & (criteria["truth"] != "")]
    error = known["status"].map(VALUE).astype(float) - known["truth"].map(VALUE).astype(float)
    known = known.assign(stage=_pooled_stages(known["stage"]), error=error)
    rows = []
    for (judge, stage, code), part in known.groupby(["judge", "stage", "criterion"], sort=False):
        errors = part["error"].to_numpy(dtype=float)
        interval = mean_over_groups(errors, part["paper"], level) or (None, None)
        rows.append((judge, stage, code, errors.mean(), *interval, len(part)))
    return pd.DataFrame(rows, columns=["judge", "stage", "criterion", *MEAN, "n"]).astype(dict.fromkeys(MEAN, float))
