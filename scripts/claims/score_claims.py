"""From a judge's runs to the scores of a paper: the minimum vote, the audit of what it leaves, the scores."""

from pathlib import Path
from typing import Literal

from mechaware.claims.judges.judging import open_judge
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.records import Run, read_record, write_record
from mechaware.claims.rubric.scoring import score_paper
from mechaware.claims.votes.debiasing import audit
from mechaware.claims.votes.voting import vote
from scripts.command import run


def main(
    *,
    runs: list[Path],
    prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    least_similarity: float,
    leak_audit: bool,
    devils_advocate: Literal["none", "aggressive", "conservative"],
    responses: Path,
    out: tuple[Path, Path, Path],
) -> None:
    """Write the voted claims, the audited claims and the scores to the three paths of `out`."""
    read = [read_record(Run, path) for path in runs]
    voted = vote(read, least_similarity=least_similarity)
    with open_judge(settings, prompts=prompts[0].parent, responses=responses, weights=weights) as judge:
        audited = audit(voted, judge, leak_audit=leak_audit, devils_advocate=devils_advocate)
    for record, path in zip((voted, audited, score_paper(read, voted, audited)), out, strict=True):
        write_record(record, path)


if __name__ == "__main__":
    run(main)
