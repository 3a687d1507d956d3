"""The controls: what the rules should say of a mechanism that is known, and what they say."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, read_parquets, write_csv
from mechaware.grounding.names import CONTROLS
from mechaware.grounding.study.summaries import judge_controls
from mechaware.report.tables import percent, percent_interval, write_shown
from scripts.command import run


def main(*, rules: list[Path], summary: Path, out: Path, tex: Path) -> None:
    """Write one row per control and rule: expected and found pass rate, expected and found layer."""
    table = judge_controls(read_parquets(rules), read_csv(summary))
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Control": table["run"].map(CONTROLS),
            "Rule": table["rule"].str.upper(),
            "Known": table["expected"].map(percent),
            "Ours": table["found"].map(percent),
            "Interval": list(map(percent_interval, table["low"], table["high"])),
            "Layers that carry it": table["expected_layers"],
            "L*": table["found_layer"].map(lambda layer: "" if pd.isna(layer) else f"{layer:.0f}"),
            "Answers the clean prompt": table["clean_right"].map(percent),
            "Follows the schema": table["follows_schema"].map(percent),
            "n": table["n"].astype(str),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
