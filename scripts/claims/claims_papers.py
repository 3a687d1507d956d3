"""Table 2 of the claims study: the papers with their reference tiers, the paper's case studies and ours."""

from pathlib import Path

import pandas as pd

from mechaware.claims.study.agreement import score_text, tier_text
from mechaware.claims.study.summaries import read_summary
from mechaware.frames import read_csv, write_csv
from mechaware.report.tables import write_shown
from scripts.command import run


def main(*, summary: Path, reported: Path, out: Path, tex: Path) -> None:
    """List the printed papers, then every paper that was judged here; planted ones with what was planted."""
    printed = read_csv(reported).assign(source="reported")
    papers = read_summary(summary, "papers").drop_duplicates("paper")
    truth, levels = read_summary(summary, "truth"), read_summary(summary, "levels")
    ours = papers[["paper", "title", "expected_tier", "expected_cvs", "label_source"]].assign(
        source="ours",
        planted_claims=papers["paper"].map(truth.groupby("paper").size()),
        planted_leaks=papers["paper"].map(levels.groupby("paper")["leak"].sum()),
    )
    table = pd.concat([printed, ours], ignore_index=True).astype({"identifier": object, "citation": object})
    table = table.astype({"planted_claims": "Int64", "planted_leaks": "Int64"})
    columns = ["source", "paper", "title", "citation", "identifier", "expected_tier", "expected_cvs", "label_source"]
    table = table[[*columns, "planted_claims", "planted_leaks", "place"]]
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Source": table["source"],
            "Paper": table["title"],
            "Identifier": [
                row.identifier if isinstance(row.identifier, str) else row.paper for row in table.itertuples()
            ],
            "Expected tier": table["expected_tier"].map(tier_text),
            "Planted CVS": table["expected_cvs"].map(score_text),
            "Label": table["label_source"],
            "Planted claims": _counts(table["planted_claims"]),
            "Planted leaks": _counts(table["planted_leaks"]),
        }
    )
    write_shown(shown, tex)


def _counts(column: pd.Series) -> list[str]:
    return ["" if pd.isna(count) else str(count) for count in column]


if __name__ == "__main__":
    run(main)
