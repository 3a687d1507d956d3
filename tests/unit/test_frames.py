"""Tables on their way through files."""

from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.frames import read_csv, write_csv


def test_names_survive_a_csv_as_text_and_missing_numbers_as_missing(tmp_path: Path) -> None:
    table = pd.DataFrame({"id": ["7", "NA"], "label": "recall", "reduction": ["", "sum"], "seed_mean": [np.nan, 0.5]})
    write_csv(table, tmp_path / "t.csv")
    again = read_csv(tmp_path / "t.csv")
    assert again["id"].tolist() == ["7", "NA"]
    assert again["reduction"].tolist() == ["", "sum"]
    assert np.isnan(again["seed_mean"][0])
    assert again["seed_mean"][1] == 0.5
