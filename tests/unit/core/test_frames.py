"""Tables on their way through files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.core.frames import Schema, read_csv, write_csv, write_parquet


def test_text_survives_a_csv_as_text_and_missing_numbers_as_missing(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"id": ["7", "NA"], "label": "recall", "reduction": ["", "sum"], "seed_mean": [np.nan, 0.5]}
    )
    write_csv(table, tmp_path / "t.csv")
    again = read_csv(tmp_path / "t.csv", Schema(text=("id", "label", "reduction")))
    assert again["id"].tolist() == ["7", "NA"]
    assert again["reduction"].tolist() == ["", "sum"]
    assert np.isnan(again["seed_mean"][0])
    assert again["seed_mean"][1] == 0.5


def test_one_name_is_text_in_one_table_and_a_truth_value_in_another(tmp_path: Path) -> None:
    pd.DataFrame({"system": ["True", "False"], "n": 1}).to_csv(tmp_path / "t.csv", index=False)
    assert read_csv(tmp_path / "t.csv", Schema(text=("system",)))["system"].tolist() == [
        "True",
        "False",
    ]
    assert read_csv(tmp_path / "t.csv", Schema(boolean=("system",)))["system"].tolist() == [
        True,
        False,
    ]
    pd.DataFrame({"system": [True, False, None], "n": 1}).to_csv(tmp_path / "t.csv", index=False)
    assert read_csv(tmp_path / "t.csv", Schema(boolean=("system",)))["system"].tolist() == [
        True,
        False,
        False,
    ]


def test_a_column_of_text_that_the_schema_does_not_name_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"id": ["a", "b"], "judge": ["NA", ""]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="column 'judge' holds text"):
        read_csv(tmp_path / "t.csv", Schema(text=("id",)))


def test_ten_digits_of_a_parquet_table_are_those_of_a_csv(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"id": ["", "b"], "share": [1 / 3, np.nan], "n": [2, 3], "tie": [True, False]}
    )
    table["logit"] = [100 / 3, -2e6 / 3]
    write_csv(table, tmp_path / "t.csv")
    write_parquet(table, tmp_path / "t.parquet", digits=10)
    again = pd.read_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(
        again, read_csv(tmp_path / "t.csv", Schema(text=("id",), boolean=("tie",)))
    )
    assert again["share"][0] == 0.3333333333
    assert again["logit"].tolist() == [33.33333333, -666666.6667]
    assert (tmp_path / "t.csv").read_text().splitlines() == [
        "id,share,n,tie,logit",
        ",0.3333333333,2,True,33.33333333",
        "b,,3,False,-666666.6667",
    ]
    write_parquet(table, tmp_path / "t.parquet")
    assert pd.read_parquet(tmp_path / "t.parquet")["share"][0] == 1 / 3
