"""Read the replies of a judge that was asked elsewhere."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.items.replies import read_replies as read_file
from mechaware.instruments.claims.rubric.rubric import read_rubric
from scripts.command import Output


def main(*, labelled: Path, rubric: Path, replies: Path, answers: Output) -> None:
    """Write a row of `answers` for each reply, as `judge_items` does,
    and for each item without one.
    """
    own_rubric = read_rubric(rubric)
    answered = read_file(replies, read_items(labelled, own_rubric), own_rubric)
    write_csv(pd.DataFrame(answered, columns=Answer._fields), answers)
