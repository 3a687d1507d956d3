"""Vote over a judge's runs, audit the voted claims, and score the paper."""

from pathlib import Path

from mechaware.claims.judges.kinds import open_judge
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.records import Run, read_record, write_record
from mechaware.claims.rubric.scoring import score_paper
from mechaware.claims.votes.audit import DevilsAdvocate, audit
from mechaware.claims.votes.voting import vote
from scripts.command import Output, SideOutput, run


def main(
    *,
    runs: list[Path],
    prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    least_similarity: float,
    leak_audit: bool,
    devils_advocate: DevilsAdvocate,
    responses: SideOutput,
    out: tuple[Output, Output, Output],
) -> None:
    """Write the voted claims, the audited claims and the scores to the three paths of `out`."""
    extracted = [read_record(Run, path) for path in runs]
    voted = vote(extracted, least_similarity=least_similarity)
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        audited = audit(voted, judge, leak_audit=leak_audit, devils_advocate=devils_advocate)
    for record, path in zip((voted, audited, score_paper(extracted, voted, audited)), out, strict=True):
        write_record(record, path)


if __name__ == "__main__":
    run(main)
