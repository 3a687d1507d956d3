"""Table 4 of the claims study: the range of single runs beside the vote, reported and by each judge."""

from pathlib import Path

import pandas as pd

from mechaware.claims.rubric.scoring import tier, tier_index
from mechaware.claims.study.agreement import decimals_text, off_text, score_text, span_text, tier_text
from mechaware.claims.study.summaries import read_summary
from mechaware.frames import read_csv, write_csv
from mechaware.report.tables import write_shown
from scripts.command import run

ENDS = ("low", "high")


def main(
    *,
    summary: Path,
    reported: Path,
    reported_main: Path,
    reported_papers: Path,
    judge_labels: dict[str, str],
    out: Path,
    tex: Path,
) -> None:
    """Stack the printed ranges and those of every judge; ours with the spread of the vote."""
    printed = read_csv(reported).assign(source="reported")
    printed["title"] = printed["paper"].map(read_csv(reported_papers).set_index("paper")["title"])
    printed["voted_cvs"] = printed["paper"].map(read_csv(reported_main).set_index("paper")["cvs"])
    ours = read_summary(summary, "papers").merge(read_summary(summary, "spread"), on=["judge", "paper"])
    for end in ENDS:
        ours[f"tier_{end}"] = ["" if pd.isna(score) else tier(score).name for score in ours[f"single_{end}"]]
        ours[f"off_{end}"] = list(map(_off_by, ours[f"tier_{end}"], ours["expected_tier"]))
    parts = [ours[ours["judge"] == judge].assign(source=judge, place="") for judge in judge_labels]
    table = pd.concat([printed, *parts], ignore_index=True)
    table["single_range"] = table["single_high"] - table["single_low"]
    table = table.astype({f"off_{end}": "Int64" for end in ENDS} | {"runs": "Int64", "votes": "Int64"})
    columns = ["source", "paper", "title", *(f"single_{end}" for end in ENDS), *(f"tier_{end}" for end in ENDS)]
    columns += ["expected_tier", *(f"off_{end}" for end in ENDS), "voted_cvs", "runs", "single_range", "single_sd"]
    table = table[[*columns, "votes", "vote_range", "vote_sd", "place"]]
    write_csv(table, out)
    labels = {"reported": "reported", **judge_labels}
    write_shown(_shown(table.assign(label=table["source"].map(labels))), tex)


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Source": table["label"],
            "Paper": table["title"].where(table["title"] != "", table["paper"]),
            "Single runs, CVS": _spans(table, "single", score_text),
            "Tier": _spans(table, "tier", tier_text),
            "Expected tier": table["expected_tier"].map(tier_text),
            "Off by": _spans(table, "off", off_text),
            "Voted CVS": table["voted_cvs"].map(score_text),
            "Range": table["single_range"].map(score_text),
            "SD": table["single_sd"].map(decimals_text),
            "Range of votes": table["vote_range"].map(score_text),
            "SD of votes": table["vote_sd"].map(decimals_text),
        }
    )


def _off_by(reached: str, expected: str) -> int | None:
    return tier_index(reached) - tier_index(expected) if reached and expected else None


def _spans(table: pd.DataFrame, name: str, text: object) -> list[str]:
    return list(map(span_text, *(table[f"{name}_{end}"].map(text) for end in ENDS)))


if __name__ == "__main__":
    run(main)
