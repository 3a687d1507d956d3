"""Tables 2-5 of RADAR: what the prompt sets hold, with an example of each kind."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.names import plain
from mechaware.radar.prompts import has_papers_categories, read_prompts
from mechaware.report.tables import write_shown
from scripts.command import run


def main(*, training: Path, evaluation: list[Path], reported: Path, out: Path, tex: Path) -> None:
    """Count prompts per set, category and label, with their words and the first prompt as an example."""
    printed = pd.read_csv(reported, keep_default_na=False)
    sizes = printed.groupby("role")["n"].sum()
    rows = []
    for role, path in [("training", training), *(("evaluation", path) for path in evaluation)]:
        prompts = pd.DataFrame(read_prompts(path))
        prompts["words"] = prompts["prompt"].str.split().str.len()
        papers_size = len(prompts) == sizes["training"]
        papers_kind = papers_size if role == "training" else has_papers_categories(prompts["category"])
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
    table = pd.DataFrame(rows)
    table[["reported_n", "place"]] = [_reported(row, printed) for row in table.itertuples()]
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Prompts": table["prompt_set"],
            "Category": table["category"].map(plain),
            "Label": table["label"],
            "n": table["n"].astype(str),
            "Reported": table["reported_n"],
            "Words": [f"{row.words_mean:.1f} ({row.words_min} to {row.words_max})" for row in table.itertuples()],
            "Example": table["example"],
        }
    )
    write_shown(shown, tex)


def _reported(row: object, printed: pd.DataFrame) -> tuple[str, str]:
    """What the paper prints for this label of its training set or category of its test set, and where; or nothing."""
    same = printed[(printed["role"] == row.role) & printed["category"].isin(["", row.category])]
    same = same[same["label"].isin(["", row.label])]
    if same.empty or not row.papers_kind:
        return "", ""
    whole = row.category_n != row.n and same["label"].iloc[0] == ""
    return f"{same['n'].iloc[0]}{' (category)' if whole else ''}", same["place"].iloc[0]


if __name__ == "__main__":
    run(main)
