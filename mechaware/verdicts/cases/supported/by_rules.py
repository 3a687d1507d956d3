"""What any judge decides on a text, from its runs to the score,
and what the lexical rules do on committed texts.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechaware.instruments.claims.judges.judge import Judge, independent_runs
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import PaperText
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.rubric.support import find_support
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.cases.supported import texts
from mechaware.verdicts.cases.supported.records import LEAST_SIMILARITY, described


def rule_outcomes(judge: JudgeSettings, prompts: Sequence[Path]) -> list[Any]:
    """`text_outcome` of the judge by lexical rules, for each of the committed texts."""
    outcomes = []
    with open_judge(judge, prompts=prompts, responses=Path("none"), weights=()) as rules:
        for text in texts.for_rules():
            outcomes.append(text_outcome(rules, text))
    return outcomes


def text_outcome(judge: Judge, text: str) -> list[Any]:
    """What any judge reaches on a text, with the flag NO_VARIANCE_REPORTED whatever the text is.

    A list of five:

    - for each of two runs: its claims (`described`), whether it has no fault, and its number of
      claims that were left out;
    - the voted claims (`described`);
    - the audited claims (`described`);
    - for each audited claim, its quotes, a list for each of `CRITERIA`;
    - the index of the main claim, its CVS, and the status of `find_support`.
    """
    about = PaperText(
        paper="paper",
        pages=None,
        pages_read=None,
        truncated=False,
        characters=len(text),
        flags=["NO_VARIANCE_REPORTED"],
        hidden=[],
    )
    runs = list(independent_runs(judge, text, about, 2, claims_found="once"))
    voted = vote(runs, least_similarity=LEAST_SIMILARITY)
    audited = audit(voted, judge, leak_audit=True, devils_advocate="conservative")
    scores = score_paper(runs, voted, audited)

    quotes = []
    for claim in audited.claims:
        quotes.append([claim.criteria[code].quotes for code in CRITERIA])
    return [
        [[described(run.claims), run.fault is None, run.left_out] for run in runs],
        described(voted.claims),
        described(audited.claims),
        quotes,
        [scores.main, scores.cvs, find_support(scores).status],
    ]
