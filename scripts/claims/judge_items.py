"""Ask a judge, for each question about a labelled item, which status the item's text supports."""

import time
from pathlib import Path

import pandas as pd

from mechaware.core.cost_lines import print_cost
from mechaware.core.frames import Schema, read_csv, write_csv
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.judge import answer_questions, run_of_item
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.language_model.forecast import account, forecast_questions
from mechaware.instruments.claims.judges.language_model.item_prompts import ItemPrompts
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.rubric import read_rubric
from scripts.command import Output, SideOutput


def main(
    *,
    questions: Path,
    rubric: Path,
    prompts: list[Path],
    item_prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    responses: SideOutput,
    attempt: int,
    answers: Output,
) -> None:
    """Write a row of `answers` for each question: id, edit, status and evidence.

    An unusable reply has no status. Usable replies are kept in `responses`, and so are an embedded
    judge's unusable ones, which it would give again. `attempt` has no effect here: a new value
    makes the workflow run this command again, which then asks for the replies that were unusable.
    """
    del attempt
    table = read_csv(questions, Schema(text=Question._fields))
    asked = []
    for row in table.itertuples(index=False, name=None):
        asked.append(run_of_item(Question(*row)))

    own_rubric = read_rubric(rubric)
    is_paid = settings.kind == "provider"
    if is_paid:
        expected = forecast_questions(settings, ItemPrompts.load(item_prompts), asked, own_rubric)
        print_cost(settings.name, expected)

    started = time.monotonic()
    with open_judge(
        settings,
        prompts=prompts,
        responses=responses,
        weights=weights,
        item_prompts=item_prompts,
    ) as judge:
        pending = answer_questions(
            judge,
            asked,
            own_rubric,
            label=settings.name,
            unit="item",
            at_a_time=settings.calls_at_a_time,
        )
        answered = list(pending)
        if is_paid:
            seconds = time.monotonic() - started
            print_cost(settings.name, account(judge.take_usage(), seconds))
    write_csv(pd.DataFrame(answered, columns=Answer._fields), answers)
