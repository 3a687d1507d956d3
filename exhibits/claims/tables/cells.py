"""What the claims study's tables share: how numbers and tiers are written, and rows by source of
scores.

A missing value is an empty cell. A source of scores is the source paper ("reported") or one of our
judges.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from exhibits.report.tables import percent, percent_interval, with_interval
from mechaware.instruments.claims.rubric.criteria import TIERS, tier_index
from mechaware.instruments.claims.rubric.scoring import tier


def score_text(score: Any) -> str:
    """A CVS as the paper prints it, with one decimal."""
    return decimals_text(score, 1)


def decimals_text(number: Any, decimals: int = 2, *, sign: str = "") -> str:
    """A number with this many decimals; with `sign` "+" it is always signed."""
    if pd.isna(number):
        return ""
    return f"{number:{sign}.{decimals}f}"


def span_text(low: str, high: str) -> str:
    """The two ends of a range: "low to high", or one text if they are the same.

    Two empty ends give an empty text.
    """
    if low == high:
        return low
    return f"{low} to {high}"


def count_text(count: Any, n: Any) -> str:
    """A number out of n; empty where n is 0."""
    if pd.isna(count) or not n:
        return ""
    return f"{count} of {n}"


def share_cells(numbers: pd.DataFrame, name: str) -> list[str]:
    """The shares of column `name` in per cent, each with its interval.

    The bounds of the intervals are the columns `{name}_low` and `{name}_high`.
    """
    shares = numbers[name].map(percent)
    intervals = map(percent_interval, numbers[f"{name}_low"], numbers[f"{name}_high"])
    return list(map(with_interval, shares, intervals))


def tier_text(name: str) -> str:
    """A tier as the paper's tables abbreviate it; empty for an empty name."""
    if not name:
        return ""
    return TIERS[tier_index(name)].short


def tiers_of(scores: pd.Series) -> list[str]:
    """The name of each score's tier; empty where the score is missing."""
    return ["" if pd.isna(score) else tier(score).name for score in scores]


def stack_sources(
    printed: pd.DataFrame,
    ours: pd.DataFrame,
    judges: Iterable[str],
    reported_papers: pd.DataFrame,
    criteria: pd.DataFrame,
) -> pd.DataFrame:
    """The printed rows, then the rows of each judge, with the columns `source` ("reported" or a
    judge) and `right`.

    The printed rows take the titles of papers from `reported_papers`. The column `place` says where
    the source paper prints a row; it is empty in the rows of judges. `right` is the share of
    `right_on_planted`, computed from the summary's table `criteria`.
    """
    titles = reported_papers.set_index("paper")["title"]
    printed = printed.assign(source="reported", title=printed["paper"].map(titles))
    parts = [printed]
    for judge in judges:
        of_judge = ours[ours["judge"] == judge]
        parts.append(of_judge.assign(source=judge, place=""))
    stacked = pd.concat(parts, ignore_index=True)
    return stacked.assign(right=right_on_planted(criteria, stacked["source"]))


def first_cells(
    numbers: pd.DataFrame, judge_labels: Mapping[str, str]
) -> dict[str, pd.Series | list[str]]:
    """The first columns of a table by source and paper; a paper without a title shows its name."""
    return {
        "Source": source_labels(numbers["source"], judge_labels),
        "Right, %": right_cells(numbers["right"], numbers["source"]),
        "Paper": numbers["title"].where(numbers["title"] != "", numbers["paper"]),
    }


def source_labels(sources: pd.Series, judge_labels: Mapping[str, str]) -> pd.Series:
    """The sources as a table names them."""
    return sources.map({"reported": "reported", **judge_labels})


def right_on_planted(criteria: pd.DataFrame, sources: pd.Series) -> pd.Series:
    """For each of `sources`, the share of criteria that the judge got right on planted papers after
    the audit, 0 to 1.

    `criteria` is the summary's table. Missing for the printed rows, and for a judge that found no
    planted claim.
    """
    judged = criteria[(criteria["stage"] == "audited") & (criteria["status"] != "")]
    shares = (judged["status"] == judged["truth"]).groupby(judged["judge"]).mean()
    return sources.map(shares).astype(float)


def right_cells(right: pd.Series, sources: pd.Series) -> list[str]:
    """The shares of `right_on_planted` in per cent.

    Without a share, the cell of a judge is "not tested". The cell of a printed row is empty.
    """
    cells = []
    for share, source in zip(right, sources, strict=True):
        if source == "reported":
            cells.append("")
        else:
            cells.append(percent(share) or "not tested")
    return cells
