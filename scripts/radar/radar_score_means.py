"""RDS, RCI and the two other scores by class: reported beside ours."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csvs, write_csv
from mechaware.radar.names import plain
from mechaware.report.tables import write_shown
from scripts.command import run


def main(*, means: list[Path], reported: Path, model_labels: dict[str, str], out: Path, tex: Path) -> None:
    """Join mean scores with what the paper prints; its scores have no printed formulas, so only ours are defined."""
    printed = pd.read_csv(reported).rename(columns={"mean": "reported"}).assign(papers_kind=True)
    table = read_csvs(means).merge(printed, on=["score", "label", "papers_kind"], how="left")
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Model": table["model"].map(model_labels),
            "Prompts": table["prompt_set"],
            "Score": table["score"].map(plain),
            "Tasks": table["label"],
            "Reported": ["" if pd.isna(value) else f"{value:.3f}" for value in table["reported"]],
            "Ours": [f"{value:.3f}" for value in table["mean"]],
            "Bootstrap": [f"{row.low:.3f} to {row.high:.3f}" for row in table.itertuples()],
            "n": table["n"].astype(str),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
