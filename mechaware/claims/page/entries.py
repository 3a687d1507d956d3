"""What pages show: the records of one paper by one judge, with what is known of both."""

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.claims.fetching.papers import Paper
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.records import Audited, PaperText, Scores, Voted
from mechaware.claims.study.summaries import match_planted

Records = tuple[Scores, Voted, Audited, PaperText]


class Entry(NamedTuple):
    """The records of one paper by one judge, under the heading and with the expected tier that the page shows."""

    title: str
    note: str  # beside the title: the paper's identifier and source, or the judge's name
    expected: str | None
    label_source: str
    rules: bool  # whether the judge follows rules: then all runs are one
    trust: str  # what the judge got right where the truth is known
    content: str  # the paper's text, if the folder of the page holds it for quotes to link to
    truth: Mapping[int, Mapping[str, str]]  # of a planted paper: by claim and criterion, the status that was planted
    scores: Scores
    voted: Voted
    audited: Audited
    text: PaperText


def judge_entries(
    records: Iterable[Records], papers: Mapping[str, Paper], summary: pd.DataFrame, *, rules: bool, trust: str
) -> list[Entry]:
    """One judge's records, paper by paper.

    `papers` is the list of papers, which has no planted ones; `summary` has the title, expected_tier and label_source
    of every paper. `rules` and `trust` are the judge's, as in `Entry`.
    """
    columns = ["title", "expected_tier", "label_source"]
    lines = summary.drop_duplicates("paper").set_index("paper")[columns].astype(object).fillna("")
    entries = []
    for of_paper in records:
        paper = of_paper[0].paper
        title, expected, label_source = map(str, lines.loc[paper])
        note = f"{paper} · {_source(papers[paper])}" if paper in papers else paper
        entries.append(Entry(title or paper, note, expected or None, label_source, rules, trust, "", {}, *of_paper))
    return entries


def paper_entries(
    records: Iterable[Records],
    content: str,
    planted: PlantedPaper | None,
    least_similarity: float,
    judge_labels: Mapping[str, str],
    rule_judges: Container[str],
    trust: Mapping[str, str],
) -> list[Entry]:
    """One paper's records, judge by judge.

    `content` is the paper's text, `trust` is by judge, as in `Entry`. `planted` is what a planted paper was written
    from; a judge's claim is one of its claims if they are similar by `least_similarity` (see `votes.voting`).
    """
    entries = []
    for of_judge in records:
        judge, truth = of_judge[0].judge, {}
        if planted:
            pairs = match_planted(of_judge[0].claims, planted, least_similarity)
            truth = {index: planted.claims[same].levels for index, same in pairs}
        expected = (planted.tier, "as planted") if planted else (None, "")
        worth = (judge in rule_judges, trust[judge])
        entries.append(Entry(judge_labels[judge], judge, *expected, *worth, content, truth, *of_judge))
    return entries


def _source(paper: Paper) -> str:
    """Where a paper comes from; of a local file the name alone, not its place on a user's disk."""
    return f"{paper.source} {Path(paper.location).name if paper.source == 'file' else paper.location}"
