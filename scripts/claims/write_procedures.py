"""Write each judge's procedure, with which its verdicts are reached and its error rates measured."""

from pathlib import Path

from mechaware.instruments.claims.judges.judge import ClaimsFound
from mechaware.instruments.claims.rubric.records import VoteRule
from mechaware.instruments.claims.votes.audit import DevilsAdvocate
from mechaware.verdicts.procedure import write_procedures
from mechaware.verdicts.supported import Judging, procedures_of
from scripts.command import Output


def main(
    *,
    prompts: list[Path],
    judge_settings: dict[str, str],
    revisions: dict[str, str],
    vote: VoteRule,
    claims_found: ClaimsFound,
    least_similarity: float,
    leak_audit: bool,
    devils_advocate: DevilsAdvocate,
    runs: int,
    max_pages: int,
    confidence_level: float,
    procedures: Output,
) -> None:
    """Write the procedures, by judge.

    `judge_settings` are each judge's entry as JSON, `revisions` the weights of those that are embedded.
    """
    judging = Judging(
        prompts=prompts,
        runs=runs,
        vote=vote,
        claims_found=claims_found,
        least_similarity=least_similarity,
        leak_audit=leak_audit,
        devils_advocate=devils_advocate,
        max_pages=max_pages,
        level=confidence_level,
    )
    write_procedures(procedures_of(judge_settings, revisions, judging), procedures)
