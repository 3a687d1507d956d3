"""`mechaware.read_log`: an evaluation log as a table."""

from pathlib import Path

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import read_items


def read_log(
    path: str | Path, *, metric: str = "", question: str | None = None, skip_faulty: bool = False
) -> pd.DataFrame:
    """The samples of an evaluation log, as `mechaware.radar.detect` and `verdict` take items.

    Args:
        path: lm-eval's `samples_*.jsonl`, or a log of Inspect (.eval or .json).
        metric: What counts as correct. For lm-eval a metric such as `acc`, or a metric with a
            filter such as `exact_match,strict-match`; without a filter a sample's first filter
            counts. For Inspect a scorer, or `scorer/key`. By default the first of acc, exact_match,
            acc_norm, em and f1 that the sample has, or else the sample's first number.
        question: For lm-eval the field of a sample's `doc` that is the question; several fields,
            separated by commas, are joined. `arguments` is the whole prompt with its template and
            few-shot examples. By default the question is the one field of question, Question,
            query, question_stem, goal, problem, input and prompt that the prompts repeat, after
            the fields of passage, context, support, article, story and body that they repeat; in
            winogrande the field sentence; where the prompts repeat no such field, the whole prompt.
        skip_faulty: Leave out samples that cannot be read, instead of stopping at the first.

    Returns:
        A row for each sample, in the log's order, with these columns:

        - id: lm-eval's `doc_id` or Inspect's `id`. In a file of several tasks it is `task/doc_id`
          if the lines have a field `task`, or else `doc_id` with the start of `doc_hash`.
        - question: The text of the question.
        - answer: The text that is right, the first of several accepted ones.
        - choices: The texts of which the answer is one, if Inspect's sample has choices or
          lm-eval's prompt shows them with labels. The column is missing if no sample has choices.
        - correct: The mean over epochs, missing without a score that is a number.
        - question_from: The fields of `doc` that are the question, `arguments` (the whole prompt),
          `input` (Inspect), or empty for a text without a question.

        `log.merge(scores, on="id")` adds what `detect` returned. `attrs["skipped"]` has a line for
        each sample that was left out.

    Raises:
        UserError: The file is no such log, an id has two texts, or several fields may be the
            question. Without `skip_faulty` also: a sample lacks its texts, the field `question` or
            the metric; it has no right option or several; or its target leaves the right option
            open, such as a target that is the text of one option and the place of another. With
            `skip_faulty` also: all samples would be left out.
    """
    faults: list[str] | None = [] if skip_faulty else None  # None: the first fault is raised
    items = read_items(Path(path), metric=metric, question=question, faults=faults)
    if faults and not items:
        raise UserError(faults[0])

    rows: list[dict[str, object]] = []
    for item in items:
        row: dict[str, object] = {
            "id": item.id,
            "question": item.texts.question,
            "answer": item.texts.answer,
        }
        if item.texts.choices:
            row["choices"] = list(item.texts.choices)
        row["correct"] = item.correct
        row["question_from"] = item.texts.question_from
        rows.append(row)

    table = pd.DataFrame(rows)
    columns = ["id", "question", "answer", "choices", "correct", "question_from"]
    table = table[[column for column in columns if column in table]]
    table.attrs["skipped"] = faults or []
    return table
