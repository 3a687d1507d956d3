"""RADAR's Tables 2 to 5: what the prompt sets hold, with an example of each kind."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from exhibits.radar.schemas import REPORTED_DATASETS
from exhibits.report.tables import Table
from mechaware.instruments.radar.names import display_name
from mechaware.instruments.radar.prompts import has_papers_categories, read_prompts

READS = {
    "training": "config/prompts/{training}.csv",
    "evaluation": "config/prompts/{evaluated}.csv",
    "reported": "config/reported/radar_datasets.csv",
}


def fill(
    *,
    training: Path,
    evaluation: Sequence[Path],
    reported: Annotated[pd.DataFrame, REPORTED_DATASETS],
) -> Table:
    """One row per prompt set, category and class: prompts, their words, the first prompt, and what
    the paper prints.

    A set is named by its file. The paper prints the number of prompts of each class of its training
    set, and of each category of its test set. These numbers are shown beside sets of the paper's
    kind alone: a training set that is as large as the paper's, and an evaluated set that has all
    categories of the paper's test set.
    """
    is_training = reported["role"] == "training"
    papers_training_size = int(reported.loc[is_training, "n"].sum())
    rows = _rows(training, "training", papers_training_size)
    for path in evaluation:
        rows += _rows(path, "evaluation", papers_training_size)
    table = pd.DataFrame(rows)
    # The number that the paper prints, and its place in the paper.
    table[["reported_n", "place"]] = [_reported(row, reported) for row in table.itertuples()]

    words = []
    for row in table.itertuples():
        words.append(f"{row.words_mean:.1f} ({row.words_min} to {row.words_max})")
    shown = pd.DataFrame(
        {
            "Prompts": table["prompt_set"],
            "Category": table["category"].map(display_name),
            "Label": table["label"],
            "n": table["n"].astype(str),
            "Reported": table["reported_n"],
            "Words": words,
            "Example": table["example"],
        }
    )
    return Table(table, shown)


def _rows(path: Path, role: str, papers_training_size: int) -> list[dict[str, Any]]:
    """The rows of one prompt set, one for each category and class, without the printed numbers.

    `words_mean`, `words_min` and `words_max` are over the prompts of the row; `category_n` is the
    number of prompts in the category, of both classes.
    """
    prompts = pd.DataFrame(read_prompts(path))
    prompts["words"] = [len(prompt.split()) for prompt in prompts["prompt"]]
    if role == "training":
        papers_kind = len(prompts) == papers_training_size
    else:
        papers_kind = has_papers_categories(prompts["category"])

    rows = []
    for (category, label), part in prompts.groupby(["category", "label"], sort=False):
        rows.append(
            {
                "prompt_set": path.stem,
                "role": role,
                "category": category,
                "label": label,
                "n": len(part),
                "category_n": int((prompts["category"] == category).sum()),
                "papers_kind": papers_kind,
                "words_mean": part["words"].mean(),
                "words_min": part["words"].min(),
                "words_max": part["words"].max(),
                "example": part["prompt"].iloc[0],
            }
        )
    return rows


def _reported(row: Any, printed: pd.DataFrame) -> tuple[str, str]:
    """The number that the paper prints for this class of its training set or this category of its
    test set, and the place in the paper.

    A number for a category is marked "(category)" where the row has only one class of the category.
    Number and place are empty where the paper prints no number, or the set is not of the paper's
    kind.
    """
    if not row.papers_kind:
        return "", ""
    # A printed number for a class has no category, and a printed number for a category no class.
    matching = printed[
        (printed["role"] == row.role)
        & printed["category"].isin(["", row.category])
        & printed["label"].isin(["", row.label])
    ]
    if matching.empty:
        return "", ""

    first = matching.iloc[0]
    text = str(first["n"])
    if first["label"] == "" and row.category_n != row.n:
        text += " (category)"
    return text, first["place"]
