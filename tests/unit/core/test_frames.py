"""Tables keep their values and types through files."""

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
    read = read_csv(tmp_path / "t.csv", Schema(text=("id", "label", "reduction")))
    assert read["id"].tolist() == ["7", "NA"]
    assert read["reduction"].tolist() == ["", "sum"]
    assert np.isnan(read["seed_mean"][0])
    assert read["seed_mean"][1] == 0.5


def test_the_schema_decides_whether_true_is_a_text_or_a_truth_value(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"system": ["True", "False"], "n": 1}).to_csv(path, index=False)
    as_text = read_csv(path, Schema(text=("system",)))
    as_boolean = read_csv(path, Schema(boolean=("system",)))
    assert as_text["system"].tolist() == ["True", "False"]
    assert as_boolean["system"].tolist() == [True, False]


def test_an_empty_truth_value_is_false(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"system": [True, False, None], "n": 1}).to_csv(path, index=False)
    assert read_csv(path, Schema(boolean=("system",)))["system"].tolist() == [True, False, False]


def test_a_column_of_text_that_the_schema_does_not_name_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"id": ["a", "b"], "judge": ["NA", ""]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="column 'judge' holds text"):
        read_csv(tmp_path / "t.csv", Schema(text=("id",)))


TABLE = pd.DataFrame(
    {
        "id": ["", "b"],
        "share": [1 / 3, np.nan],
        "n": [2, 3],
        "tie": [True, False],
        "logit": [100 / 3, -2e6 / 3],
    }
)


def test_a_csv_has_ten_significant_digits(tmp_path: Path) -> None:
    write_csv(TABLE, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines() == [
        "id,share,n,tie,logit",
        ",0.3333333333,2,True,33.33333333",
        "b,,3,False,-666666.6667",
    ]


def test_a_parquet_table_of_ten_digits_equals_the_table_read_from_a_csv(tmp_path: Path) -> None:
    write_csv(TABLE, tmp_path / "t.csv")
    write_parquet(TABLE, tmp_path / "t.parquet", digits=10)
    from_csv = read_csv(tmp_path / "t.csv", Schema(text=("id",), boolean=("tie",)))
    from_parquet = pd.read_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(from_parquet, from_csv)
    assert from_parquet["share"][0] == 0.3333333333
    assert from_parquet["logit"].tolist() == [33.33333333, -666666.6667]


def test_a_parquet_table_keeps_all_digits_by_default(tmp_path: Path) -> None:
    write_parquet(TABLE, tmp_path / "t.parquet")
    assert pd.read_parquet(tmp_path / "t.parquet")["share"][0] == 1 / 3
