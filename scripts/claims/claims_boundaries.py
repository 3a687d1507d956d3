"""What a shift of each tier boundary changes, for the printed scores and for each judge's."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.claims.rubric.scoring import printed_score, tier, tier_index
from mechaware.claims.study.agreement import (
    TierAgreement,
    boundary_sensitivity,
    count_text,
    decimals_text,
    interval_text,
    tier_agreement,
)
from mechaware.claims.study.summaries import read_summary
from mechaware.frames import read_csv, write_csv
from mechaware.report.tables import p_value, write_shown
from scripts.command import run

ALL = "all"


class Setting(NamedTuple):
    """The papers with one kind of label, at the boundaries of section 3.4 (none moved) or with one of them moved."""

    labels: str
    boundary: float | None
    moved_to: float | None
    changed: str
    agreement: TierAgreement


def main(
    *,
    summary: Path,
    reported: Path,
    judge_labels: dict[str, str],
    boundary_shift: float,
    confidence_level: float,
    out: Path,
    tex: Path,
) -> None:
    """Write the agreement as it is, by label source, and after each boundary is moved, for each source of scores."""
    printed = read_csv(reported)
    printed["cvs"] = printed["cvs"].map(printed_score)
    papers = read_summary(summary, "papers")
    known = papers[(papers["status"] == "scored") & (papers["expected_tier"] != "")]
    parts = {"reported": printed} | {judge: known[known["judge"] == judge] for judge in judge_labels}
    rows = [
        {"source": source} | setting._asdict() | setting.agreement._asdict()
        for source, part in parts.items()
        for setting in _settings(part, boundary_shift, confidence_level)
    ]
    table = pd.DataFrame(rows).drop(columns="agreement")
    write_csv(table, out)
    labels = {"reported": "reported", **judge_labels}
    write_shown(_shown(table.assign(label=table["source"].map(labels))), tex)


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Source": table["label"],
            "Labels": table["labels"],
            "Boundary": [_moved(row.boundary, row.moved_to) for row in table.itertuples()],
            "Papers that change": [_changed(row.changed, row.boundary) for row in table.itertuples()],
            "Exact": list(map(count_text, table["exact"], table["n"])),
            "Exact, interval, %": list(map(interval_text, table["exact_low"], table["exact_high"])),
            "Within one": list(map(count_text, table["within_one"], table["n"])),
            "Within one, interval, %": list(map(interval_text, table["within_one_low"], table["within_one_high"])),
            "Kappa": table["kappa"].map(decimals_text),
            "Linear": table["kappa_linear"].map(decimals_text),
            "Quadratic": table["kappa_quadratic"].map(decimals_text),
            "Krippendorff's alpha": table["alpha"].map(decimals_text),
            "Too high": list(map(_errors, table["up"], table["n"])),
            "Too low": list(map(_errors, table["down"], table["n"])),
            "p": table["p"].astype(float).map(p_value),
        }
    )


def _settings(papers: pd.DataFrame, shift: float, level: float) -> Iterator[Setting]:
    sources = papers["label_source"].unique()
    for labels in (ALL, *(sources if len(sources) > 1 else ())):
        part = papers[(papers["label_source"] == labels) | (labels == ALL)]
        predicted = [tier_index(tier(score).name) for score in part["cvs"]]
        expected = list(map(tier_index, part["expected_tier"]))
        yield Setting(labels, None, None, "", tier_agreement(predicted, expected, level=level))
    if papers.empty:
        return
    expected = list(map(tier_index, papers["expected_tier"]))
    for moved in boundary_sensitivity(papers["cvs"].tolist(), expected, shift=shift, level=level):
        changed = " ".join(papers["paper"].iloc[moved.changed])
        yield Setting(ALL, moved.boundary, moved.moved_to, changed, moved.after)


def _errors(count: int, n: int) -> str:
    return str(count) if n else ""


def _moved(boundary: float, moved_to: float) -> str:
    return "none moved" if pd.isna(boundary) else f"{boundary:.1f} to {moved_to:.1f}"


def _changed(papers: str, boundary: float) -> str:
    return ", ".join(papers.split()) or ("" if pd.isna(boundary) else "none")


if __name__ == "__main__":
    run(main)
