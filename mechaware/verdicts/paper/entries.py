"""What a page of scores shows: records of papers by judges, and how far a judge can be trusted."""

from collections.abc import Container, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.instruments.claims.rubric.records import Audited, PaperText, Scores, Voted
from mechaware.planted.papers.claim_matching import match_planted
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.supported import PaperEvidence
from mechaware.verdicts.trust.verdicts import TOO_FEW, YES
from mechaware.verdicts.verdict import Verdict

NOT_TESTED = (
    "not tested on planted papers (snakemake results/tables/claims_planted.csv tests the judges of "
    "the config)"
)
A_FLOOR = "keyword rules: use them to see the page, never to judge a paper"
STAGE = "audited"  # the stage whose tiers are shown


class Records(NamedTuple):
    """The records of one paper by one judge.

    `text` is the record of how the paper's text was read.
    """

    scores: Scores
    voted: Voted
    audited: Audited
    text: PaperText


class Entry(NamedTuple):
    """The records of one paper by one judge, with what else a page shows."""

    title: str
    note: str  # under the title: the paper's identifier and source, or the judge's name
    expected: str | None
    label_source: str
    rules: bool  # whether the judge follows rules: then all runs are one
    trust: str  # what the judge got right where the truth is known
    content: str  # the paper's text, if the folder of the page holds it for quotes to link to
    # Of a planted paper: by claim and criterion, the status that was planted.
    truth: Mapping[int, Mapping[str, str]]
    scores: Scores
    voted: Voted
    audited: Audited
    text: PaperText
    # In a report on one paper; the page of one judge on many papers has none.
    verdict: Verdict[PaperEvidence] | None = None
    # Which vote suits the judge (`paper.votes`); empty for rules, which give the same reply in each
    # run.
    vote_advice: str = ""


def judge_entries(
    records: Iterable[Records],
    papers: Mapping[str, Paper],
    summary: pd.DataFrame,
    *,
    rules: bool,
    trust: str,
) -> list[Entry]:
    """One judge's records, paper by paper.

    Args:
        records: The records of the judge, in the order of the page.
        papers: The list of papers, which lacks the planted ones.
        summary: The title, expected_tier and label_source of every paper, the same in all of its
            rows.
        rules: Whether the judge follows rules.
        trust: As in `Entry`.
    """
    columns = ["title", "expected_tier", "label_source"]
    labels = summary.drop_duplicates("paper").set_index("paper")[columns]
    labels = labels.astype(object).fillna("")
    entries = []
    for record in records:
        paper = record.scores.paper
        title, expected, label_source = map(str, labels.loc[paper])
        note = f"{paper} · {_source(papers[paper])}" if paper in papers else paper
        entries.append(
            Entry(
                title=title or paper,
                note=note,
                expected=expected or None,
                label_source=label_source,
                rules=rules,
                trust=trust,
                content="",
                truth={},
                scores=record.scores,
                voted=record.voted,
                audited=record.audited,
                text=record.text,
            )
        )
    return entries


def paper_entries(
    records: Iterable[Records],
    *,
    content: str,
    planted: PlantedPaper | None,
    least_similarity: float,
    judge_labels: Mapping[str, str],
    rule_judges: Container[str],
    trust: Mapping[str, str],
    verdicts: Mapping[str, Verdict[PaperEvidence]],
) -> list[Entry]:
    """One paper's records, judge by judge.

    Args:
        records: The records of the judges, in the order of the page.
        content: The paper's text.
        planted: What a planted paper was written from; None for any other paper.
        least_similarity: The similarity from which a judge's claim counts as a planted one
            (`votes.matching`).
        judge_labels: By judge, its name on the page.
        rule_judges: The judges that follow rules.
        trust: By judge, as in `Entry`.
        verdicts: By judge, its verdict; a judge may have none.
    """
    entries = []
    for record in records:
        scores = record.scores
        truth: dict[int, Mapping[str, str]] = {}
        if planted:
            for judged, planted_index in match_planted(scores.claims, planted, least_similarity):
                truth[judged] = planted.claims[planted_index].levels
        entries.append(
            Entry(
                title=judge_labels[scores.judge],
                note=scores.judge,
                expected=planted.tier if planted else None,
                label_source="as planted" if planted else "",
                rules=scores.judge in rule_judges,
                trust=trust[scores.judge],
                content=content,
                truth=truth,
                scores=scores,
                voted=record.voted,
                audited=record.audited,
                text=record.text,
                verdict=verdicts.get(scores.judge),
            )
        )
    return entries


def _source(paper: Paper) -> str:
    """Where a paper comes from; of a local file only its name, not the user's folder."""
    if paper.source == "file":
        return f"{paper.source} {Path(paper.location).name}"
    return f"{paper.source} {paper.location}"


def trust_lines(
    judges: Iterable[str], planted: Iterable[pd.DataFrame], criteria: Iterable[pd.DataFrame]
) -> dict[str, str]:
    """By judge, what it got right on planted papers, and on which criteria it can be trusted.

    Args:
        judges: The judges.
        planted: Tables claims_planted, of which rows after the audit count; if several have a row
            for a judge, the last counts. A judge is called not tested if no table has a row for
            it, or if it found no planted claim.
        criteria: Tables criteria.csv of the trust study, one for each judge; a judge may have none.
    """
    agreement: dict[str, str] = {}
    for table in planted:
        # Rows of single criteria have no share `exact`.
        rows = table[table["stage"] == STAGE].dropna(subset="exact")
        for row in rows.to_dict("records"):
            agreement[str(row["judge"])] = _agreement_line(row)

    trusted: dict[str, str] = {}
    for table in criteria:
        judge = str(table["judge"].iloc[0])
        trusted[judge] = _trusted_line(table)

    lines = {}
    for judge in judges:
        line = agreement.get(judge, NOT_TESTED)
        lines[judge] = f"{line}; {trusted[judge]}" if judge in trusted else line
    return lines


def _agreement_line(row: Mapping[Hashable, Any]) -> str:
    """How many tiers and criteria of planted papers a judge got right, compared with constant
    answers.
    """
    exact = float(row["exact"])
    always_yes = float(row["always_yes"])
    always_no = float(row["always_no"])
    criteria = (
        f"criteria right {100 * exact:.0f}%, always YES {100 * always_yes:.0f}%, "
        f"always NO {100 * always_no:.0f}%"
    )
    if exact <= max(always_yes, always_no):
        criteria += ": no better than one answer to all, so its scores are no verdict"
    if not row["tier_n"] > 0:  # 0 or missing
        return f"{criteria}, on planted papers"

    right = f"tier right on {int(row['tier_exact'])} of {int(row['tier_n'])} planted papers"
    tiers = [f"{right} (always NO: {int(row['tier_always_no'])})"]
    if row["tier_down"]:
        tiers.append(f"{int(row['tier_down'])} too low")
    if row["tier_up"]:
        tiers.append(f"{int(row['tier_up'])} too high")
    return f"{', '.join(tiers)}; {criteria}"


def _trusted_line(table: pd.DataFrame) -> str:
    """The criteria on which a judge can be trusted, then those tested on too few claims to tell."""
    if (table["trusted"] == TOO_FEW).all():
        return "trust by edits of planted papers: not tested, on too few claims to tell"
    trusted = ", ".join(table.loc[table["trusted"] == YES, "criterion"])
    too_few = ", ".join(table.loc[table["trusted"] == TOO_FEW, "criterion"])
    line = f"criteria to trust it on, by edits of planted papers: {trusted or 'none'}"
    if too_few:
        return f"{line}; on too few claims to tell: {too_few}"
    return line
