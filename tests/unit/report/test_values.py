"""A table's cells become named values, with interval, n, unit and the place that a reported number has in its paper."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.frames import Schema
from mechaware.report.values import Quantity, TableValues, setting_values, table_values, write_values

TAKEN = TableValues(
    ("system", "reduction"),
    {"accuracy": Quantity("accuracy", "fraction", "low", "high", "n", "reported")},
    Schema(text=("system", "reduction", "place")),
)
TABLE = pd.DataFrame(
    {
        "system": ["radar", "prompt_length"],
        "reduction": ["sum", ""],
        "accuracy": [0.1 + 0.2, np.nan],
        "low": [0.2, np.nan],
        "high": [0.4, np.nan],
        "n": np.array([10, 20]),
        "reported": [0.93, np.nan],
        "place": ["Table 1", ""],
    }
)


def test_a_row_is_named_by_its_keys_and_carries_all_that_belongs_to_its_number(tmp_path: Path) -> None:
    values = table_values(TABLE, TAKEN, Path("results/tables/controls.csv"))
    write_values(values, {"models": ["m"]}, tmp_path / "study.json")
    written = json.loads((tmp_path / "study.json").read_text())
    file = "results/tables/controls.csv"
    assert written == {
        "lists": {"models": ["m"]},
        "values": {
            "controls/radar/sum/accuracy": {
                "value": 0.3,  # ten significant digits
                "low": 0.2,
                "high": 0.4,
                "n": 10,
                "unit": "fraction",
                "file": file,
                "reported": 0.93,
                "place": "Table 1",
            },
            # An empty key names nothing; a missing number is null; nothing is reported.
            "controls/prompt_length/accuracy": {
                "value": None,
                "low": None,
                "high": None,
                "n": 20,
                "unit": "fraction",
                "file": file,
            },
        },
    }


def test_two_rows_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two rows are named controls/radar/sum/accuracy"):
        table_values(pd.concat([TABLE, TABLE]), TAKEN, Path("controls.csv"))


def test_settings_keep_their_kind() -> None:
    settings = {"grounding/tau": "0.4", "claims/runs": "3", "claims/leak_audit": "True", "data/source": "generated"}
    values = [value["value"] for value in setting_values(settings).values()]
    assert values == [0.4, 3, True, "generated"]
