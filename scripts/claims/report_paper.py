"""Report what the judges find in one paper: a page, verdicts and scores."""

from pathlib import Path

import pandas as pd

from exhibits.claims.schemas import PLANTED, TRUSTED_CRITERIA
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.rubric.records import (
    Audited,
    PaperText,
    Scores,
    Voted,
    read_record,
)
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.paper.entries import Records, paper_entries, trust_lines
from mechaware.verdicts.paper.html_page import write_report
from mechaware.verdicts.paper.votes import with_vote_advice
from mechaware.verdicts.procedure import read_procedures
from mechaware.verdicts.supported import judge_support
from scripts.command import Output


def main(
    *,
    title: str,
    truth: list[Path],
    least_similarity: float,
    scores: list[Path],
    voted: list[Path],
    audited: list[Path],
    flags: Path,
    text: Path,
    prompts: list[Path],
    planted: list[Path],
    criteria: list[Path],
    calibration: list[Path],
    procedures: Path,
    judge_labels: dict[str, str],
    rule_judges: list[str],
    confidence_level: float,
    out: Output,
) -> None:
    """Write the report into the folder `out`. Raises `UserError` for an unreadable paper.

    The lists `scores`, `voted` and `audited` have one file for each judge, in the same order.

    - `truth`: what a planted paper was written from, one file; empty for any other paper.
    - `least_similarity`: the similarity from which a judge's claim counts as a planted claim.
    - `planted`: tables claims_planted, of what judges got right on planted papers. Of two rows on
      one judge, the row in the later table counts.
    - `criteria`: tables of the trust study, each on one judge; may be empty.
    - `calibration`: the error rates of judges by procedure.
    - `procedures`: the procedure of each judge.
    - `rule_judges`: the judges that follow rules.
    """
    about = read_record(PaperText, flags)
    about.require_readable(title)

    scores_of_judges = [read_record(Scores, path) for path in scores]
    records = []
    for scored, voted_file, audited_file in zip(scores_of_judges, voted, audited, strict=True):
        records_of_judge = Records(
            scores=scored,
            voted=read_record(Voted, voted_file),
            audited=read_record(Audited, audited_file),
            text=about,
        )
        records.append(records_of_judge)

    procedure_of = read_procedures(procedures)
    error_rates = pd.concat(map(read_calibration, calibration), ignore_index=True)
    verdicts = {}
    for scored in scores_of_judges:
        procedure = procedure_of[scored.judge]
        verdicts[scored.judge] = judge_support(
            scored, about, procedure, error_rates, confidence_level=confidence_level
        )

    planted_results = [read_csv(table, PLANTED) for table in planted]
    trust_results = [read_csv(table, TRUSTED_CRITERIA) for table in criteria]
    planted_paper = read_record(PlantedPaper, truth[0]) if truth else None
    entries = paper_entries(
        records,
        content=text.read_text(encoding="utf-8"),
        planted=planted_paper,
        least_similarity=least_similarity,
        judge_labels=judge_labels,
        rule_judges=rule_judges,
        trust=trust_lines(judge_labels, planted_results, trust_results),
        verdicts=verdicts,
    )
    with_advice = with_vote_advice(entries, planted_results)
    heading = f"{planted_paper.title} ({title})" if planted_paper else title
    write_report(heading, with_advice, Prompts.load(prompts).criteria, out)
