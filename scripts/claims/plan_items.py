"""Write what a judge is asked about labelled items:
each of them, and some again after edits of their text.
"""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.instruments.claims.items.edits import Question, plan_questions
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.rubric.rubric import read_rubric
from scripts.command import Output


def main(*, labelled: Path, rubric: Path, edited_items: int, seed: int, questions: Output) -> None:
    """Write a row of `questions` for each question: id, edit, criterion, claim and text."""
    items = read_items(labelled, read_rubric(rubric))
    planned = plan_questions(items, edited=edited_items, seed=seed)
    write_csv(pd.DataFrame(planned, columns=Question._fields), questions)
