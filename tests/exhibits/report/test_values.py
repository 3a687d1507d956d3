"""A table's cells become named values, with interval, n and the place that a reported number has in its paper."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from exhibits.claims.value_tables import VALUE_TABLES as CLAIMS
from exhibits.grounding.value_tables import VALUE_TABLES as GROUNDING
from exhibits.radar.value_tables import VALUE_TABLES as RADAR
from exhibits.report.results import find_results
from exhibits.report.values import (
    Quantity,
    ValueTable,
    _table_values,
    estimate,
    significance_level,
    without_interval,
    write_values,
)
from mechaware.core.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[3]
DECLARED = RADAR | GROUNDING | CLAIMS
ACCURACY = ValueTable(
    keys=("system", "reduction"),
    quantities=(Quantity("accuracy", low="low", high="high", reported="printed"),),
    place="place",
)


def values_of(
    folder: Path, declared: ValueTable, *lines: str, name: str = "controls"
) -> dict[str, dict[str, Any]]:
    """The values of a CSV, without the file that each names: by its name alone, as it lies outside of the run."""
    file = folder / f"{name}.csv"
    file.write_text("\n".join(lines) + "\n")
    values = _table_values(file, declared)
    assert {value.pop("file") for value in values.values()} == {file.name}
    return values


def number(
    value: Any, low: Any = None, high: Any = None, n: Any = None, **reported: Any
) -> dict[str, Any]:
    """A value with its interval and n, and with what its source paper prints."""
    return {"value": value, "low": low, "high": high, "n": n, **reported}


def test_a_row_is_named_by_its_keys_and_carries_all_that_belongs_to_its_number(
    tmp_path: Path,
) -> None:
    values = values_of(
        tmp_path,
        ACCURACY,
        "system,reduction,accuracy,low,high,n,printed,place",
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


def test_an_n_is_whole_where_other_rows_have_none(tmp_path: Path) -> None:
    declared = ValueTable(("judge", "criterion"), (Quantity("right", n="right_n"),))
    values = values_of(
        tmp_path, declared, "judge,criterion,right,right_n", "a,,0.5,12", "a,I2,0.25,"
    )

    assert repr(values["controls/a/right"]["n"]) == "12"
    assert values["controls/a/I2/right"] == number(0.25)


def test_the_order_of_columns_names_nothing(tmp_path: Path) -> None:
    values = values_of(
        tmp_path,
        ACCURACY,
        "place,high,reduction,printed,n,system,low,accuracy",
        "Table 1,0.4,sum,0.93,10,radar,0.2,0.25",
    )

    assert values == {
        "controls/radar/sum/accuracy": number(0.25, 0.2, 0.4, 10, reported=0.93, place="Table 1")
    }


# `mean` is between accuracy and the interval of accuracy.
INSERTED = (
    "system,reduction,accuracy,mean,low,high,n,printed,place",
    "radar,sum,0.25,0.75,0.2,0.4,10,,",
)


def test_a_column_between_a_quantity_and_its_interval_is_refused_until_it_is_declared(
    tmp_path: Path,
) -> None:
    with pytest.raises(UserError) as error:
        values_of(tmp_path, ACCURACY, *INSERTED)
    assert str(error.value) == (
        "controls.csv: column 'mean' is not declared; declare it in value_tables.py of the study"
    )


def test_a_column_between_a_quantity_and_its_interval_moves_nothing(tmp_path: Path) -> None:
    declared = ACCURACY._replace(quantities=(Quantity("mean"), *ACCURACY.quantities))
    assert values_of(tmp_path, declared, *INSERTED) == {
        "controls/radar/sum/accuracy": number(0.25, 0.2, 0.4, 10),
        "controls/radar/sum/mean": number(0.75, n=10),
    }

    left_out = ACCURACY._replace(left_out=("mean",))
    assert values_of(tmp_path, left_out, *INSERTED) == {
        "controls/radar/sum/accuracy": number(0.25, 0.2, 0.4, 10)
    }


@pytest.mark.parametrize(
    "column", ["system", "reduction", "accuracy", "low", "high", "n", "printed", "place"]
)
def test_a_table_that_lacks_a_declared_column_is_refused(tmp_path: Path, column: str) -> None:
    header = "system,reduction,accuracy,low,high,n,printed,place"
    kept = [name for name in header.split(",") if name != column]
    with pytest.raises(UserError) as error:
        values_of(tmp_path, ACCURACY, ",".join(kept), ",".join("1" for _ in kept))
    assert str(error.value) == (
        f"controls.csv: no column '{column}', which value_tables.py of the study declares; correct one of them"
    )


def test_two_rows_of_one_name_are_refused(tmp_path: Path) -> None:
    declared = ValueTable(("system",), without_interval("accuracy", n=None))
    with pytest.raises(UserError) as error:
        values_of(tmp_path, declared, "system,accuracy", "radar,0.5", "lookup,0.25", "radar,0.5")
    assert str(error.value) == (
        "controls.csv: two rows are named controls/radar/accuracy; "
        "declare in value_tables.py of the study the key that differs"
    )


def test_a_table_that_is_not_declared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        write_values([tmp_path / "mine.csv"], {}, {}, {}, {}, tmp_path / "study.json")
    assert str(error.value) == (
        "mine.csv: its columns are not declared; add 'mine' to value_tables.py of the study"
    )
    assert not (tmp_path / "study.json").exists()


def test_two_tables_with_a_value_of_one_name_are_refused(tmp_path: Path) -> None:
    declared = {"t": ValueTable(("run",), without_interval("gap", n=None))}
    files = [tmp_path / folder / "t.csv" for folder in ("first", "second")]
    for file, run in zip(files, "ab", strict=True):
        file.parent.mkdir()
        file.write_text(f"run,gap\n{run},1\n")
    write_values(files, declared, {}, {}, {}, tmp_path / "study.json")
    written = json.loads((tmp_path / "study.json").read_text())

    assert list(written["values"]) == ["t/a/gap", "t/b/gap"]

    files[1].write_text("run,gap\na,2\n")
    with pytest.raises(UserError) as error:
        write_values(files, declared, {}, {}, {}, tmp_path / "study.json")
    assert str(error.value) == "t.csv: t/a/gap is also in t.csv; rename the table"


def test_each_quantity_has_its_own_interval_and_n(tmp_path: Path) -> None:
    declared = ValueTable(
        keys=("run",),
        quantities=(
            estimate("gap", n="gap_n"),
            Quantity("absent", low="lowest", high="highest", n="seeds"),
            *without_interval("passed", "grounds"),
            *without_interval("passed_first", n=None),
        ),
    )
    values = values_of(
        tmp_path,
        declared,
        "run,lowest,gap_n,gap_high,gap,gap_low,highest,absent,passed,passed_first,grounds,n,seeds",
        "a,1,8,7,6,5,3,2,0.5,0.25,True,20,4",
    )

    assert values == {
        "controls/a/gap": number(6, 5, 7, 8),
        "controls/a/absent": number(2, 1, 3, 4),
        "controls/a/passed": number(0.5, n=20),
        "controls/a/passed_first": number(0.25),
        "controls/a/grounds": number(True, n=20),
    }


def test_a_column_behind_the_prefix_is_a_quantity_of_the_row(tmp_path: Path) -> None:
    declared = ValueTable(("run",), without_interval("passed"), prefix="own_")
    lines = ("run,n,passed,own_low,own_key", "a,20,0.5,0.25,text")

    assert values_of(tmp_path, declared, *lines) == {
        "controls/a/passed": number(0.5, n=20),
        "controls/a/own_low": number(0.25, n=20),
        "controls/a/own_key": number("text", n=20),
    }

    with pytest.raises(UserError, match="column 'own_low' is not declared"):
        values_of(tmp_path, declared._replace(prefix=None), *lines)


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
    declared = ValueTable(("form", "dose"), (Quantity("mean", low="low", high="high"),))
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet", index=False)
    from_csv = _table_values(tmp_path / "t.csv", declared)
    from_parquet = _table_values(tmp_path / "t.parquet", declared)
    file = {"file": "t.parquet"}

    assert from_parquet == {name: value | file for name, value in from_csv.items()}
    assert list(from_parquet) == ["t/verbatim/4/mean", "t/64/mean"]


@pytest.mark.parametrize("name", DECLARED)
def test_a_column_is_declared_as_one_thing_and_reported_numbers_have_a_place(name: str) -> None:
    table = DECLARED[name]
    quantities = [quantity.name for quantity in table.quantities]

    declared = [*quantities, *table.keys, *table.left_out]

    assert len(set(declared)) == len(declared)

    reported = [quantity for quantity in table.quantities if quantity.reported is not None]
    assert (table.place is not None) == bool(reported)

    # The ends of an interval and the reported number belong to one quantity; an n may be shared.
    parts = set()
    for quantity in table.quantities:
        for part, column in quantity.parts.items():
            if part != "n":
                parts.add(column)
    assert not parts & set(declared)


def test_the_paper_reads_every_table_that_is_declared_and_no_other() -> None:
    rules = (REPOSITORY / "rules/paper.smk").read_text(encoding="utf-8")
    listed = []
    for names in re.findall(r"table_csvs\((.*?)\)", rules, re.DOTALL):
        listed += re.findall(r'"(\w+)"', names)
    tables = {result.name for result in find_results(REPOSITORY) if result.folder == "tables"}

    assert sorted(listed) == sorted(DECLARED.keys() & tables)

    # Files that are not in results/tables.
    for name in DECLARED.keys() - tables:
        assert re.search(rf"\b{name}\.(csv|parquet)\"", rules), name


def test_settings_keep_their_kind_and_lie_beside_the_lists_of_names(tmp_path: Path) -> None:
    settings = {
        "grounding/tau": "0.4",
        "claims/runs": "3",
        "claims/leak_audit": "True",
        "data/source": "generated",
    }
    settings |= {"training/learning_rate": str(0.00001), "grounding/seeds": str([0, 1])}
    write_values([], {}, settings, {"a": number(1)}, {"models": ["m"]}, tmp_path / "study.json")
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


# 1 - 0.9 is 0.09999999999999998 and 1 - 0.95 is 0.050000000000000044 in binary fractions.
@pytest.mark.parametrize(
    ("confidence_level", "significance"), [("0.9", 0.1), ("0.95", 0.05), ("0.99", 0.01)]
)
def test_the_level_of_tests_is_the_decimal_number(
    confidence_level: str, significance: float
) -> None:
    values = significance_level({"confidence_level": confidence_level})
    assert values == {"significance_level": number(significance) | {"file": "config"}}
