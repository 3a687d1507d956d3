"""Ask a judge for the status of a paper on each criterion of a rubric, in independent runs."""

import time
from pathlib import Path

from mechaware.core.cost_lines import print_cost
from mechaware.instruments.claims.by_rubric.judging import (
    judge_by_rubric,
    paper_questions,
    shown_passages,
)
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.language_model.forecast import account, forecast_questions
from mechaware.instruments.claims.judges.language_model.item_prompts import ItemPrompts
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import PaperText, read_record, write_record
from mechaware.instruments.claims.rubric.rubric import read_rubric
from scripts.command import Output, SideOutput


def main(
    *,
    title: str,
    text: Path,
    flags: Path,
    rubric: Path,
    prompts: list[Path],
    item_prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    claim: str,
    passages: int,
    runs: int,
    responses: SideOutput,
    attempt: int,
    judged: Output,
) -> None:
    """Write the judge's statuses as the record `judged`.

    Raises `UserError` for a paper that cannot be read.

    `flags` is the record of reading the paper, whose text is in `text`. `claim` is the claim to
    judge; if it is empty, the paper as a whole is judged. The judge is shown `passages` passages
    for each criterion. A new `attempt` makes the workflow run this step again, which asks again for
    replies that were unusable; usable replies are kept in `responses`.
    """
    del attempt
    about = read_record(PaperText, flags)
    about.require_readable(title)
    content = text.read_text(encoding="utf-8")
    own_rubric = read_rubric(rubric)

    # Only a provider may cost money: print the expected cost before it is asked.
    is_paid = settings.kind == "provider"
    judge_and_paper = f"{settings.name}, {about.paper}"
    if is_paid:
        questions = paper_questions(shown_passages(content, own_rubric, passages), claim, runs)
        templates = ItemPrompts.load(item_prompts)
        print_cost(judge_and_paper, forecast_questions(settings, templates, questions, own_rubric))

    started = time.monotonic()
    with open_judge(
        settings,
        prompts=prompts,
        responses=responses,
        weights=weights,
        item_prompts=item_prompts,
    ) as judge:
        record = judge_by_rubric(
            judge,
            content,
            own_rubric,
            judge_name=settings.name,
            paper=about.paper,
            claim=claim,
            n_passages=passages,
            runs=runs,
            at_a_time=settings.calls_at_a_time,
        )
    if is_paid:
        print_cost(judge_and_paper, account(record.usage, time.monotonic() - started))
    write_record(record, judged)
