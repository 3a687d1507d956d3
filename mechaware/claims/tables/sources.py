"""Rows by source of scores: those that the source paper prints, then those of every judge of ours."""

from collections.abc import Iterable, Mapping

import pandas as pd

from mechaware.report.tables import percent

ENDS = ("low", "high")  # of a range


def stack_sources(
    printed: pd.DataFrame,
    ours: pd.DataFrame,
    judges: Iterable[str],
    reported_papers: pd.DataFrame,
    criteria: pd.DataFrame,
) -> pd.DataFrame:
    """The printed rows and those of each judge under each other, with the column `source`: "reported" or a judge.

    The printed rows take their papers' titles from `reported_papers`; ours have no place in that paper. The column
    `right` is that of `right_on_planted`.
    """
    titles = reported_papers.set_index("paper")["title"]
    printed = printed.assign(source="reported", title=printed["paper"].map(titles))
    parts = [ours[ours["judge"] == judge].assign(source=judge, place="") for judge in judges]
    stacked = pd.concat([printed, *parts], ignore_index=True)
    return stacked.assign(right=right_on_planted(criteria, stacked["source"]))


def first_cells(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> dict[str, pd.Series | list[str]]:
    """The first columns of a table by source and paper; a paper without a title has its name."""
    return {
        "Source": source_labels(numbers["source"], judge_labels),
        "Right, %": right_cells(numbers["right"], numbers["source"]),
        "Paper": numbers["title"].where(numbers["title"] != "", numbers["paper"]),
    }


def source_labels(sources: pd.Series, judge_labels: Mapping[str, str]) -> pd.Series:
    """The sources as a table names them."""
    return sources.map({"reported": "reported", **judge_labels})


def right_on_planted(criteria: pd.DataFrame, sources: pd.Series) -> pd.Series:
    """By row, the share of criteria that its judge got right on planted papers after the audit, 0 to 1.

    `criteria` is the summary's table. Missing for the printed rows, and for a judge that found no planted claim.
    """
    judged = criteria[(criteria["stage"] == "audited") & (criteria["status"] != "")]
    shares = (judged["status"] == judged["truth"]).groupby(judged["judge"]).mean()
    return sources.map(shares).astype(float)


def right_cells(right: pd.Series, sources: pd.Series) -> list[str]:
    """These shares in percent; a judge of ours without one is not tested, the printed judges are not known."""
    return [
        "" if source == "reported" else percent(share) or "not tested"
        for share, source in zip(right, sources, strict=True)
    ]
