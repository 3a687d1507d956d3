"""How near each judge comes to the planted truth after each stage, beside judges that always say the same."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from mechaware.claims.rubric.scoring import tier, tier_index
from mechaware.claims.study.agreement import (
    count_text,
    criterion_agreement,
    decimals_text,
    interval_text,
    leak_rate,
    tier_agreement,
)
from mechaware.claims.study.summaries import PLANTED, read_summary
from mechaware.frames import write_csv
from mechaware.report.tables import p_value, percent, points, write_shown
from mechaware.seeds import derive_seed
from scripts.command import run

STAGES = {"single": "single runs", "voted": "voted", "audited": "audited"}
BASELINES = {"NO": 0.0, "YES": 10.0}  # a judge that always says so, and its CVS
OVER_NO = ("over_no", "over_no_low", "over_no_high")
# Repeated runs over the same papers are not independent: no interval or test that takes them to be.
DEPENDENT = ("exact_low", "exact_high", "within_one_low", "within_one_high", "p")


def main(
    *,
    summary: Path,
    judge_labels: dict[str, str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Path,
    tex: Path,
) -> None:
    """Write a row for each judge and stage, and one for each baseline."""
    tables = {name: read_summary(summary, name) for name in ("papers", "runs", "claims", "criteria", "truth", "levels")}
    rows = []
    for judge, stage, criteria, runs, planted in [*_judged(tables, list(judge_labels)), *_baselines(tables)]:
        draw = derive_seed(seed, "planted")  # the same papers for all: equal rows have equal intervals
        found = criterion_agreement(criteria, level=confidence_level, resamples=bootstrap_resamples, seed=draw)
        leaks = leak_rate(criteria, level=confidence_level)
        known = runs.dropna(subset="cvs")
        predicted, expected = (
            [tier_index(tier(one).name) for one in known["cvs"]],
            list(map(tier_index, known["expected_tier"])),
        )
        tiers = tier_agreement(predicted, expected, level=confidence_level)
        row: dict[str, object] = {"judge": judge, "stage": stage} | found._asdict()
        row |= {"leaks": leaks.leaks, "leaked": leaks.leaked, "leak_rate": leaks.rate}
        row |= {"leak_low": leaks.low, "leak_high": leaks.high}
        matched = len(criteria.drop_duplicates(["paper", "claim", "stage"]))
        row |= {"planted_claims": planted, "found_claims": matched, "papers": len(runs)}
        row["found_papers"] = criteria["paper"].nunique()
        row["main_found"] = _main_claims_found(tables, judge) if stage == "audited" else None
        row |= {f"tier_{name}": value for name, value in tiers._asdict().items()}
        if stage == "single":
            row |= dict.fromkeys(("leak_low", "leak_high", *(f"tier_{name}" for name in DEPENDENT)))
        rows.append(row)
    table = pd.DataFrame(rows)
    write_csv(table, out)
    labels = judge_labels | {f"always {status}": f"always {status}" for status in BASELINES}
    write_shown(_shown(table.assign(label=table["judge"].map(labels))), tex)


Part = tuple[str, str, pd.DataFrame, pd.DataFrame, int]  # judge, stage, criteria, runs, planted claims asked for


def _judged(tables: dict[str, pd.DataFrame], judges: list[str]) -> Iterator[Part]:
    planted = tables["truth"].groupby("paper").size().to_dict()
    kinds = {name: tables[name].assign(kind=_kinds(tables[name])) for name in ("criteria", "runs")}
    runs = kinds["runs"][kinds["runs"]["paper"].isin(list(planted))]
    for judge in judges:
        for stage in STAGES:
            of = runs[(runs["judge"] == judge) & (runs["kind"] == stage)]
            criteria = kinds["criteria"][(kinds["criteria"]["judge"] == judge) & (kinds["criteria"]["kind"] == stage)]
            yield judge, stage, criteria, of, sum(planted[paper] for paper in of["paper"])


def _baselines(tables: dict[str, pd.DataFrame]) -> Iterator[Part]:
    truth, papers = tables["truth"], tables["papers"]
    expected = papers[papers["label_source"] == PLANTED].drop_duplicates("paper")[["paper", "expected_tier"]]
    levels = tables["levels"][tables["levels"]["paper"].isin(expected["paper"])]
    claims = int(truth["paper"].isin(expected["paper"]).sum())
    for status, score in BASELINES.items():
        yield f"always {status}", "", levels.assign(status=status, stage=""), expected.assign(cvs=score), claims


def _main_claims_found(tables: dict[str, pd.DataFrame], judge: str) -> int:
    """In how many planted papers the main claim, whose CVS is the paper's, is a planted system-level claim."""
    claims, truth = tables["claims"], tables["truth"]
    main = claims[(claims["judge"] == judge) & claims["main"]]
    system = truth.loc[truth["system"], ["paper", "claim"]]
    return len(main.merge(system, left_on=["paper", "truth_claim"], right_on=["paper", "claim"]))


def _kinds(table: pd.DataFrame) -> pd.Series:
    return table["stage"].str.replace(r"run-\d+", "single", regex=True)


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Judge": table["label"],
            "Stage": table["stage"].map({"": "", **STAGES}),
            "Claims found": list(map(count_text, table["found_claims"], table["planted_claims"])),
            "Main claim is a planted one": [
                "" if pd.isna(found) else count_text(int(found), n)
                for found, n in zip(table["main_found"], table["papers"], strict=True)
            ],
            "Criteria": table["n"].astype(str),
            "Unscored, %": table["unscored"].astype(float).map(percent),
            "Exact, %": table["exact"].astype(float).map(percent),
            "Exact, interval, %": list(map(interval_text, table["exact_low"], table["exact_high"])),
            "Always NO there, %": table["always_no"].astype(float).map(percent),
            "Always YES there, %": table["always_yes"].astype(float).map(percent),
            "Exact over NO, points": list(map(points, *(table[name].astype(float) for name in OVER_NO))),
            "Mean absolute error": table["mae"].map(lambda value: decimals_text(value, 3)),
            "Bias": ["" if pd.isna(value) else f"{value:+.3f}" for value in table["bias"]],
            "Bias, interval": [_bias(row.bias_low, row.bias_high) for row in table.itertuples()],
            "Leaks": list(map(count_text, table["leaked"], table["leaks"])),
            "Leak rate, %": table["leak_rate"].astype(float).map(percent),
            "Leak rate, interval, %": list(map(interval_text, table["leak_low"], table["leak_high"])),
            "Tier exact": list(map(count_text, table["tier_exact"], table["tier_n"])),
            "Tier exact, interval, %": list(map(interval_text, table["tier_exact_low"], table["tier_exact_high"])),
            "Within one": list(map(count_text, table["tier_within_one"], table["tier_n"])),
            "Quadratic kappa": table["tier_kappa_quadratic"].map(decimals_text),
            "Too high": list(map(_errors, table["tier_up"], table["tier_n"])),
            "Too low": list(map(_errors, table["tier_down"], table["tier_n"])),
            "p": table["tier_p"].astype(float).map(p_value),
        }
    )


def _errors(count: int, n: int) -> str:
    return str(count) if n else ""


def _bias(low: float, high: float) -> str:
    return "" if pd.isna(low) else f"{low:+.3f} to {high:+.3f}"


if __name__ == "__main__":
    run(main)
