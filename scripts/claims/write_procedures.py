"""Write the procedure by which each judge reaches its verdicts and its error rates are measured."""

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
    """Write the `procedures` as JSON, by the judge's name.

    `judge_settings` and `revisions` are by name as well: a judge's entry of config/judges.yaml, as
    JSON, and the SHA-256 of the weights of a judge of kind `embedded`.
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
