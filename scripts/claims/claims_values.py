"""The claims study's numbers for the paper's text."""

from pathlib import Path

import pandas as pd

from mechaware.claims.study.values import constants, mean_ranges, tiers_alike
from mechaware.report.values import write_values
from scripts.command import Output


def main(
    *,
    tables: list[Path],
    single_run: Path,
    reported_papers: Path,
    references: Path,
    judge_labels: dict[str, str],
    judge_kinds: dict[str, str],
    most_claims: dict[str, int],
    temperatures: dict[str, float],
    settings: dict[str, str],
    out: Output,
) -> None:
    """Gather the values of the study's tables; `most_claims` and `temperatures` are of the judges that name one."""
    listed = [
        {
            "name": name,
            "label": label,
            "kind": judge_kinds[name],
            "most_claims": most_claims.get(name),
            "temperature": temperatures.get(name),
        }
        for name, label in judge_labels.items()
    ]
    lists = {"judges": listed, "references": list(pd.read_csv(references)["reference"].unique())}
    computed = constants() | mean_ranges(single_run) | tiers_alike(reported_papers, references)
    write_values(tables, settings, computed, lists, out)
