"""Table 6 of the claims study: the judges compared, the paper's on IOI alone and ours on every labelled paper."""

from pathlib import Path

import pandas as pd

from mechaware.claims.rubric.scoring import tier_index
from mechaware.claims.study.agreement import (
    TierAgreement,
    decimals_text,
    off_text,
    score_text,
    tier_agreement,
    tier_text,
)
from mechaware.claims.study.summaries import read_summary
from mechaware.frames import read_csv, write_csv
from mechaware.report.tables import percent, write_shown
from scripts.command import run

IOI = "ioi"  # the one paper of the printed table
COUNTS = (
    *("papers", "labelled", "exact", "within_one", "off_by"),
    *("failed_audits", "calls", "prompt_tokens", "completion_tokens"),
)


def main(
    *, summary: Path, reported: Path, judge_labels: dict[str, str], confidence_level: float, out: Path, tex: Path
) -> None:
    """Stack the printed rows and one per judge: its result on IOI, if it read it, and on all papers with a label."""
    printed = read_csv(reported)
    printed = printed.assign(source="reported", label=printed["judge"], papers=1)
    papers, usage = read_summary(summary, "papers"), read_summary(summary, "usage")
    rows = [
        {"source": judge, "judge": judge, "label": label}
        | _ours(papers[papers["judge"] == judge], usage[usage["judge"] == judge], confidence_level)
        for judge, label in judge_labels.items()
    ]
    ours = pd.DataFrame(rows)
    table = pd.concat([printed, ours], ignore_index=True)
    columns = ["source", "judge", "label", "thinking", "papers", "n_claims", "cvs", "tier", "off_by", "labelled"]
    columns += ["exact", "exact_low", "exact_high", "within_one", "mean_off_by", "unscored", "failed_audits", "calls"]
    table = table.reindex(columns=[*columns, "prompt_tokens", "completion_tokens", "cost", "place"])
    table = table.astype(dict.fromkeys(COUNTS, "Int64"))
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Source": ["reported" if source == "reported" else "ours" for source in table["source"]],
            "Judge": table["label"],
            "Thinking": table["thinking"].fillna(""),
            "Papers": _counts(table["papers"]),
            "Claims a paper": [f"{number:.3g}" if pd.notna(number) else "" for number in table["n_claims"]],
            "IOI, CVS": table["cvs"].map(score_text),
            "Tier": [
                "failed" if source == "reported" and pd.isna(cvs) else tier_text(tier)
                for source, cvs, tier in zip(table["source"], table["cvs"], table["tier"].fillna(""), strict=True)
            ],
            "Off by": table["off_by"].map(off_text),
            "Exact tier": _shares(table, "exact"),
            "Within one": _shares(table, "within_one"),
            "Mean off by": ["" if pd.isna(mean) else f"{mean:+.2f}" for mean in table["mean_off_by"]],
            "Unscored, %": table["unscored"].astype(float).map(percent),
            "Failed audits": _counts(table["failed_audits"]),
            "Calls": _counts(table["calls"]),
            "Tokens in": _counts(table["prompt_tokens"]),
            "Tokens out": _counts(table["completion_tokens"]),
            "Cost, USD": table["cost"].map(decimals_text),
        }
    )
    write_shown(shown, tex)


def _ours(papers: pd.DataFrame, usage: pd.DataFrame, level: float) -> dict[str, object]:
    """A judge's row; what it did not do is empty."""
    asked = usage["n_criteria"].sum()
    row: dict[str, object] = {
        "papers": len(papers),
        "n_claims": papers["n_claims"].mean(),
        "unscored": usage["unscored"].sum() / asked if asked else None,
        **{name: usage[name].sum() for name in ("failed_audits", "calls", "prompt_tokens", "completion_tokens")},
        "cost": usage["cost"].sum(min_count=len(usage)) if len(usage) else None,  # of some calls is not that of all
    }
    for one in papers[papers["paper"] == IOI].itertuples():
        row |= {"cvs": one.cvs, "tier": one.tier, "off_by": one.off_by}
    known = papers[(papers["tier"] != "") & (papers["expected_tier"] != "")]
    if known.empty:
        return row
    tiers = (list(map(tier_index, known[name])) for name in ("tier", "expected_tier"))
    found: TierAgreement = tier_agreement(*tiers, level=level)
    agreement = {name: getattr(found, name) for name in ("exact", "exact_low", "exact_high", "within_one")}
    return row | agreement | {"labelled": found.n, "mean_off_by": known["off_by"].mean()}


def _counts(column: pd.Series) -> list[str]:
    return ["" if pd.isna(count) else str(count) for count in column]


def _shares(table: pd.DataFrame, name: str) -> list[str]:
    pairs = zip(table[name], table["labelled"], strict=True)
    return ["" if pd.isna(count) else f"{count} of {n}" for count, n in pairs]


if __name__ == "__main__":
    run(main)
