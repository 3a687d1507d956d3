"""Table 5 of the claims study: every paper's main claim and the range of the others, reported and by each judge."""

from pathlib import Path

import pandas as pd

from mechaware.claims.rubric.scoring import printed_score, tier
from mechaware.claims.study.agreement import decimals_text, score_text, span_text, tier_text
from mechaware.claims.study.summaries import read_summary
from mechaware.frames import read_csv, write_csv
from mechaware.report.tables import write_shown
from scripts.command import run

ENDS = ("low", "high")


def main(
    *,
    summary: Path,
    reported: Path,
    reported_claims: Path,
    reported_papers: Path,
    judge_labels: dict[str, str],
    out: Path,
    tex: Path,
) -> None:
    """Stack the printed rows and those of every judge, each with the mean of the other claims where all are known."""
    printed = read_csv(reported).assign(source="reported")
    printed["title"] = printed["paper"].map(read_csv(reported_papers).set_index("paper")["title"])
    listed = read_csv(reported_claims)
    listed["cvs"] = listed["cvs"].map(printed_score)
    others = listed[~listed["main"]].groupby("paper")["cvs"].agg(["mean", "size"]).reindex(printed["paper"])
    complete = others["size"].to_numpy() == printed["n_claims"].to_numpy() - 1
    printed["sub_mean"] = others["mean"].where(complete).to_numpy()
    claims = read_summary(summary, "claims")
    means = claims[~claims["main"]].groupby(["judge", "paper"])["cvs"].mean().rename("sub_mean").reset_index()
    ours = read_summary(summary, "papers").merge(means, on=["judge", "paper"], how="left")
    for end in ENDS:
        ours[f"sub_tier_{end}"] = ["" if pd.isna(score) else tier(score).name for score in ours[f"sub_{end}"]]
    parts = [ours[ours["judge"] == judge].assign(source=judge, place="") for judge in judge_labels]
    table = pd.concat([printed, *parts], ignore_index=True)
    columns = ["source", "paper", "title", "n_claims", "cvs", "tier", *(f"sub_{end}" for end in ENDS)]
    table = table[[*columns, *(f"sub_tier_{end}" for end in ENDS), "sub_mean", "place"]]
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Source": table["source"].map({"reported": "reported", **judge_labels}),
            "Paper": table["title"].where(table["title"] != "", table["paper"]),
            "Claims": table["n_claims"].astype(str),
            "Main claim, CVS": table["cvs"].map(score_text),
            "Tier": table["tier"].map(tier_text),
            "Other claims, CVS": list(map(span_text, *(table[f"sub_{end}"].map(score_text) for end in ENDS))),
            "Tiers": list(map(span_text, *(table[f"sub_tier_{end}"].map(tier_text) for end in ENDS))),
            "Mean": table["sub_mean"].map(decimals_text),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
