"""Ask a judge which status each question has by its passages."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import Schema, read_csv, write_csv
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.judge import answer_questions
from mechaware.instruments.claims.judges.kinds import open_judge
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
    """Write a row of `answers` for each question: id, edit, status and evidence; an unusable reply has no status.

    `attempt` only makes the workflow ask again for replies that were unusable; usable ones are kept in `responses`.
    """
    del attempt
    table = read_csv(questions, Schema(text=Question._fields))
    asked = [Question(*row) for row in table.itertuples(index=False, name=None)]
    with open_judge(
        settings,
        prompts=prompts,
        responses=responses,
        weights=weights,
        item_prompts=item_prompts,
    ) as judge:
        given = list(answer_questions(judge, asked, read_rubric(rubric), settings.name))
    write_csv(pd.DataFrame(given, columns=Answer._fields), answers)
