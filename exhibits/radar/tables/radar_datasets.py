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

    A set is named by its file. The paper prints one number for a whole category of its test set,
    and one for a class of its training set; its numbers are compared only with sets of the paper's
    kind.
    """
    training_size = reported.groupby("role")["n"].sum()["training"]
    rows = _rows(training, "training", training_size)
    for path in evaluation:
        rows += _rows(path, "evaluation", training_size)
    table = pd.DataFrame(rows)
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


def _rows(path: Path, role: str, training_size: int) -> list[dict[str, Any]]:
    """The rows of one prompt set; a training set is of the paper's kind if it has the
    paper's `training_size`.
    """
    prompts = pd.DataFrame(read_prompts(path))
    prompts["words"] = [len(prompt.split()) for prompt in prompts["prompt"]]
    papers_kind = has_papers_categories(prompts["category"])
    if role == "training":
        papers_kind = len(prompts) == training_size

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
    """What the paper prints for this class of its training set or category of its test set,
    and where; or nothing.
    """
    if not row.papers_kind:
        return "", ""
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
