"""Table 3 of the claims study: score and tier of every paper, reported and by each judge."""

from pathlib import Path

import pandas as pd

from mechaware.claims.study.agreement import off_text, score_text, tier_text
from mechaware.claims.study.summaries import read_summary
from mechaware.frames import read_csv, write_csv
from mechaware.report.tables import write_shown
from scripts.command import run


def main(
    *, summary: Path, reported: Path, reported_papers: Path, judge_labels: dict[str, str], out: Path, tex: Path
) -> None:
    """Stack the printed rows and those of every judge."""
    titles = read_csv(reported_papers).set_index("paper")["title"]
    printed = read_csv(reported).assign(source="reported", status="scored", reason="")
    papers = read_summary(summary, "papers")
    parts = [papers[papers["judge"] == judge].assign(source=judge, place="") for judge in judge_labels]
    table = pd.concat([printed.assign(title=printed["paper"].map(titles)), *parts], ignore_index=True)
    table["off_by"] = table["off_by"].astype("Int64")
    columns = ["source", "paper", "title", "cvs", "tier", "expected_tier", "label_source", "off_by", "status", "reason"]
    table = table[[*columns, "place"]]
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Source": table["source"].map({"reported": "reported", **judge_labels}),
            "Paper": table["title"].where(table["title"] != "", table["paper"]),
            "CVS": table["cvs"].map(score_text),
            "Predicted tier": table["tier"].map(tier_text),
            "Expected tier": table["expected_tier"].map(tier_text),
            "Label": table["label_source"],
            "Off by": table["off_by"].map(off_text),
            "Unscored because": table["reason"],
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
