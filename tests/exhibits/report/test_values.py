"""A table's cells become named values, with interval, n and the place that a reported number has in its paper."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from exhibits.report.values import _table_values, write_values


def values_of(folder: Path, *lines: str, name: str = "controls") -> dict[str, dict[str, Any]]:
    """The values of a CSV, without the file that each names: by its name alone, as it lies outside of the run."""
    file = folder / f"{name}.csv"
    file.write_text("\n".join(lines) + "\n")
    values = _table_values(file)
    assert {value.pop("file") for value in values.values()} == {file.name}
    return values


def number(
    value: Any, low: Any = None, high: Any = None, n: Any = None, **reported: Any
) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "n": n, **reported}


def test_a_row_is_named_by_its_keys_and_carries_all_that_belongs_to_its_number(
    tmp_path: Path,
) -> None:
    values = values_of(
        tmp_path,
        "system,reduction,accuracy,exact_low,exact_high,n,reported,place",
        "radar,sum,0.123456789012,0.2,0.4,10,0.93,Table 1",
        "007,,,,,20,,",
    )
    assert values == {
        "controls/radar/sum/accuracy": number(
            0.123456789, 0.2, 0.4, 10, reported=0.93, place="Table 1"
        ),  # ten digits
        # A name stays text. An empty key names nothing; a missing number is null; nothing is reported.
        "controls/007/accuracy": number(None, n=20),
    }
    values = values_of(tmp_path, "judge,criterion,right,right_n", "a,,0.5,12", "a,I2,0.25,")
    assert repr(values["controls/a/right"]["n"]) == "12"  # whole, where other rows have none
    assert values["controls/a/I2/right"] == number(0.25)


def test_two_rows_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two rows are named controls/radar/accuracy"):
        values_of(tmp_path, "system,accuracy", "radar,0.5", "lookup,0.25", "radar,0.5")


def test_a_share_of_some_of_a_rows_items_has_no_n_of_all(tmp_path: Path) -> None:
    values = values_of(
        tmp_path, "run,n,passed,passed_first,right_elsewhere,right_n", "a,20,0.5,0.25,0.75,8"
    )
    assert values == {
        "controls/a/passed": number(0.5, n=20),
        "controls/a/passed_first": number(0.25),
        "controls/a/right_elsewhere": number(0.75, n=8),
    }


def test_an_interval_is_not_the_range_over_seeds(tmp_path: Path) -> None:
    values = values_of(
        tmp_path, "run,seeds,gap,gap_lowest,gap_low,gap_highest,gap_high", "a,3,5,4.5,2,5.5,8"
    )
    assert values == {"controls/a/gap": number(5, 2, 8, 3)}


def test_a_parquet_table_gives_the_values_of_its_csv(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "form": ["verbatim", None],
            "dose": [4, 64],
            "mean": [0.5, None],
            "low": 0.1,
            "high": 0.9,
            "n": 7,
        }
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet", index=False)
    from_csv, from_parquet = (
        _table_values(tmp_path / f"t.{suffix}") for suffix in ("csv", "parquet")
    )
    file = {"file": "t.parquet"}
    assert from_parquet == {name: value | file for name, value in from_csv.items()}
    assert list(from_parquet) == ["t/verbatim/4/mean", "t/64/mean"]


def test_each_quantity_has_its_own_interval_n_and_reported_number(tmp_path: Path) -> None:
    values = values_of(
        tmp_path,
        "run,reported,share,low,high,lead,lead_low,lead_high,absent,tier_exact,right_n,right,absent_lowest,absent_highest,"
        "tier_n,seeds,grounds,reported_lead,place",
        "a,0.5,0.6,0.1,0.9,7,6,8,3,2,4,1,2,5,12,6,True,9,Table 2",
    )
    assert values == {
        "controls/a/share": number(0.6, 0.1, 0.9, 6, reported=0.5, place="Table 2"),
        "controls/a/lead": number(7, 6, 8, 6, reported=9, place="Table 2"),
        "controls/a/absent": number(3, 2, 5, 6),
        "controls/a/tier_exact": number(2, n=12),
        "controls/a/right": number(1, n=4),
        "controls/a/grounds": number(True, n=6),
    }


def test_radars_accuracy_beside_controls_has_the_interval_that_draws_pairs_whole(
    tmp_path: Path,
) -> None:
    lines = (
        "system,accuracy,exact_low,exact_high,bootstrap_low,bootstrap_high",
        "radar,0.5,0.1,0.9,0.3,0.7",
    )
    assert values_of(tmp_path, *lines, name="radar_controls") == {
        "radar_controls/radar/accuracy": number(0.5, 0.3, 0.7)
    }


def test_settings_keep_their_kind_and_lie_beside_the_lists_of_names(tmp_path: Path) -> None:
    settings = {
        "grounding/tau": "0.4",
        "claims/runs": "3",
        "claims/leak_audit": "True",
        "data/source": "generated",
    }
    settings |= {"training/learning_rate": str(0.00001), "grounding/seeds": str([0, 1])}
    write_values([], settings, {"a": number(1)}, {"models": ["m"]}, tmp_path / "study.json")
    written = json.loads((tmp_path / "study.json").read_text())
    assert written["lists"] == {"models": ["m"]}
    values = {
        "a": 1,
        "claims/leak_audit": True,
        "claims/runs": 3,
        "data/source": "generated",
        "grounding/tau": 0.4,
    }
    values |= {"training/learning_rate": 0.00001, "grounding/seeds": [0, 1]}
    assert {name: value["value"] for name, value in written["values"].items()} == values
    assert list(written["values"]) == sorted(values)
