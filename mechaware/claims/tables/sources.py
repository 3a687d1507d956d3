"""Rows by source of scores: those that the source paper prints, then those of every judge of ours."""

from collections.abc import Iterable, Mapping

import pandas as pd

ENDS = ("low", "high")  # of a range


def stack_sources(
    printed: pd.DataFrame, ours: pd.DataFrame, judges: Iterable[str], reported_papers: pd.DataFrame
) -> pd.DataFrame:
    """The printed rows and those of each judge under each other, with the column `source`: "reported" or a judge.

    The printed rows take their papers' titles from `reported_papers`; ours have no place in that paper.
    """
    titles = reported_papers.set_index("paper")["title"]
    printed = printed.assign(source="reported", title=printed["paper"].map(titles))
    parts = [ours[ours["judge"] == judge].assign(source=judge, place="") for judge in judges]
    return pd.concat([printed, *parts], ignore_index=True)


def source_labels(sources: pd.Series, judge_labels: Mapping[str, str]) -> pd.Series:
    """The sources as a table names them."""
    return sources.map({"reported": "reported", **judge_labels})


def paper_names(table: pd.DataFrame) -> pd.Series:
    """The papers by title, those without one by name."""
    return table["title"].where(table["title"] != "", table["paper"])
