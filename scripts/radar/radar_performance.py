"""Table 1 of RADAR: reported accuracy beside ours, per category, prompt set and model."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csvs, write_csv
from mechaware.radar.names import plain
from mechaware.report.tables import bootstrap_interval, percent, percent_interval, write_shown
from scripts.command import run


def main(
    *,
    performance: list[Path],
    cross_validation: list[Path],
    reported: Path,
    model_labels: dict[str, str],
    out: Path,
    tex: Path,
) -> None:
    """Join accuracies with what the paper prints for the slice of that name, where a set is of the paper's kind."""
    validated = read_csvs(cross_validation).query("slice == 'overall'")
    printed = pd.read_csv(reported)
    size = printed.set_index("slice")["n"]["cross_validation"]
    validated = validated.assign(slice="cross_validation", papers_kind=validated["n"] == size)
    ours = pd.concat([validated, read_csvs(performance)], ignore_index=True)
    printed = printed.assign(reported=printed["percent"] / 100, papers_kind=True)
    printed = printed[["slice", "papers_kind", "reported", "place"]]
    table = ours.merge(printed, on=["slice", "papers_kind"], how="left")
    order = list(table["model"].unique())
    table = table.sort_values("model", key=lambda models: models.map(order.index), kind="stable")
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Model": table["model"].map(model_labels),
            "Prompts": table["prompt_set"],
            "Tasks": table["slice"].map(plain),
            "Reported": table["reported"].map(percent),
            "Ours": table["accuracy"].map(percent),
            "n": table["n"].astype(str),
            "Interval": list(map(percent_interval, table["exact_low"], table["exact_high"])),
            "Bootstrap": list(map(bootstrap_interval, table["bootstrap_low"], table["bootstrap_high"])),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
