"""Judge a paper in independent runs, vote over them,
audit the voted claims, and score the paper.
"""

import sys
import time
from pathlib import Path

from mechaware.core.cost_lines import print_cost
from mechaware.instruments.claims.judges.judge import ClaimsFound, independent_runs, with_progress
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.language_model.forecast import account, forecast
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import (
    PaperText,
    VoteRule,
    read_record,
    write_record,
)
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.audit import DevilsAdvocate, audit
from mechaware.instruments.claims.votes.voting import vote as vote_over
from scripts.command import Output, SideOutput


def main(
    *,
    text: Path,
    flags: Path,
    prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    vote: VoteRule,
    claims_found: ClaimsFound,
    least_similarity: float,
    leak_audit: bool,
    devils_advocate: DevilsAdvocate,
    responses: SideOutput,
    attempt: int,
    runs: list[Output],
    voted: Output,
    audited: Output,
    scores: Output,
) -> None:
    """Write one run to each of `runs`, and the three records that follow from them.

    `prompts` are the files of one version of the prompts, `weights` the weights file of an embedded
    judge. Replies are kept in `responses`, so that a judge is not asked again when only the vote or
    the audit has changed. An unusable reply is kept only if the judge is embedded, since it would
    give the same again. Raising `attempt` makes Snakemake run this script again; the judge is then
    asked every question without a kept reply.
    """
    if attempt > 1:
        print(
            f"{settings.name}: asking what has no usable reply (attempt {attempt})", file=sys.stderr
        )

    about = read_record(PaperText, flags)
    content = text.read_text(encoding="utf-8")
    # `forecast` counts calls that send the whole paper; a judge in mode `passages` makes none.
    is_paid = settings.kind == "provider" and settings.mode != "passages"
    asked_about = f"{settings.name}, {about.paper}"
    if is_paid:
        expected = forecast(settings, Prompts.load(prompts), content, about.flags, len(runs))
        print_cost(asked_about, expected)

    started = time.monotonic()
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        pending = independent_runs(
            judge,
            content,
            about,
            len(runs),
            claims_found=claims_found,
            at_a_time=settings.calls_at_a_time,
        )
        judged_runs = list(with_progress(asked_about, pending, len(runs)))
        after_vote = vote_over(judged_runs, least_similarity=least_similarity, rule=vote)
        after_audit = audit(
            after_vote, judge, leak_audit=leak_audit, devils_advocate=devils_advocate
        )
    scored = score_paper(judged_runs, after_vote, after_audit)
    if is_paid:
        print_cost(asked_about, account(scored.usage, time.monotonic() - started))

    for judged_run, path in zip(judged_runs, runs, strict=True):
        write_record(judged_run, path)
    write_record(after_vote, voted)
    write_record(after_audit, audited)
    write_record(scored, scores)
