"""A table's cells become named values, with intervals, n and the numbers that the paper reports."""

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
    estimate,
    significance_level,
    table_values,
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


def values_of(folder: Path, declared: ValueTable, *lines: str) -> dict[str, dict[str, Any]]:
    """The values of a table `controls.csv` with these lines, by name.

    Each value's part `file` is checked here and left out. It is the name of the CSV without its
    folder, because the folder is not in the repository.
    """
    file = folder / "controls.csv"
    file.write_text("\n".join(lines) + "\n")
    values = table_values(file, declared)
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
        # Ten significant digits.
        "controls/radar/sum/accuracy": number(
            0.123456789, 0.2, 0.4, 10, reported=0.93, place="Table 1"
        ),
        # A key stays text: 007. The empty key adds no part to the name. Missing numbers are null.
        "controls/007/accuracy": number(None, n=20),
    }


def test_an_n_is_an_integer_even_if_other_rows_have_none(tmp_path: Path) -> None:
    declared = ValueTable(("judge", "criterion"), (Quantity("right", n="right_n"),))
    values = values_of(
        tmp_path, declared, "judge,criterion,right,right_n", "a,,0.5,12", "a,I2,0.25,"
    )

    assert repr(values["controls/a/right"]["n"]) == "12"
    assert values["controls/a/I2/right"] == number(0.25)


def test_values_do_not_depend_on_the_order_of_columns(tmp_path: Path) -> None:
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


def test_a_column_that_is_not_declared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        values_of(tmp_path, ACCURACY, *INSERTED)
    assert str(error.value) == (
        "controls.csv: column 'mean' is not declared; declare it in value_tables.py of the study"
    )


def test_a_quantity_may_be_between_another_one_and_its_interval(tmp_path: Path) -> None:
    declared = ACCURACY._replace(quantities=(Quantity("mean"), *ACCURACY.quantities))
    assert values_of(tmp_path, declared, *INSERTED) == {
        "controls/radar/sum/accuracy": number(0.25, 0.2, 0.4, 10),
        "controls/radar/sum/mean": number(0.75, n=10),
    }


def test_a_column_that_is_left_out_gives_no_value(tmp_path: Path) -> None:
    declared = ACCURACY._replace(left_out=("mean",))
    assert values_of(tmp_path, declared, *INSERTED) == {
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
        f"controls.csv: no column '{column}', which value_tables.py of the study declares; "
        "correct one of them"
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
        write_values(
            tables=[tmp_path / "mine.csv"],
            declarations={},
            settings={},
            computed={},
            lists={},
            out=tmp_path / "study.json",
        )
    assert str(error.value) == (
        "mine.csv: its columns are not declared; add 'mine' to value_tables.py of the study"
    )
    assert not (tmp_path / "study.json").exists()


def write_gaps(folder: Path, first: str, second: str) -> list[str]:
    """The names of the values of two tables `t`, which have these lines below a header."""
    files = []
    for name, line in (("first", first), ("second", second)):
        file = folder / name / "t.csv"
        file.parent.mkdir()
        file.write_text(f"run,gap\n{line}\n")
        files.append(file)
    write_values(
        tables=files,
        declarations={"t": ValueTable(("run",), without_interval("gap", n=None))},
        settings={},
        computed={},
        lists={},
        out=folder / "study.json",
    )
    return list(json.loads((folder / "study.json").read_text())["values"])


def test_two_tables_may_have_one_name_if_their_values_have_different_names(tmp_path: Path) -> None:
    assert write_gaps(tmp_path, "a,1", "b,1") == ["t/a/gap", "t/b/gap"]


def test_two_tables_with_a_value_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        write_gaps(tmp_path, "a,1", "a,2")
    assert str(error.value) == "t.csv: t/a/gap is also in t.csv; rename the table"


def test_each_quantity_has_its_own_interval_and_n(tmp_path: Path) -> None:
    declared = ValueTable(
        keys=("run",),
        quantities=(
            estimate("gap", n="gap_n"),
            Quantity("mean", low="lowest", high="highest", n="seeds"),
            # The n of a quantity is the column `n` unless another is named.
            *without_interval("passed", "verdict"),
            *without_interval("passed_first", n=None),
        ),
    )
    values = values_of(
        tmp_path,
        declared,
        "run,lowest,gap_n,gap_high,gap,gap_low,highest,mean,passed,passed_first,verdict,n,seeds",
        "a,1,8,7,6,5,3,2,0.5,0.25,True,20,4",
    )

    assert values == {
        "controls/a/gap": number(6, low=5, high=7, n=8),
        "controls/a/mean": number(2, low=1, high=3, n=4),
        "controls/a/passed": number(0.5, n=20),
        "controls/a/verdict": number(True, n=20),
        "controls/a/passed_first": number(0.25),
    }


OF_OWN_RULES = ("run,n,passed,own_low,own_key", "a,20,0.5,0.25,text")


def test_a_column_with_the_prefix_is_a_quantity_with_the_n_of_its_row(tmp_path: Path) -> None:
    declared = ValueTable(("run",), without_interval("passed"), prefix="own_")

    assert values_of(tmp_path, declared, *OF_OWN_RULES) == {
        "controls/a/passed": number(0.5, n=20),
        "controls/a/own_low": number(0.25, n=20),
        "controls/a/own_key": number("text", n=20),
    }


def test_a_table_without_a_prefix_has_only_declared_columns(tmp_path: Path) -> None:
    declared = ValueTable(("run",), without_interval("passed"))

    with pytest.raises(UserError, match="column 'own_low' is not declared"):
        values_of(tmp_path, declared, *OF_OWN_RULES)


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
    from_csv = table_values(tmp_path / "t.csv", declared)
    from_parquet = table_values(tmp_path / "t.parquet", declared)
    for value in from_csv.values():
        assert value.pop("file") == "t.csv"
    for value in from_parquet.values():
        assert value.pop("file") == "t.parquet"
    assert from_parquet == from_csv
    assert list(from_parquet) == ["t/verbatim/4/mean", "t/64/mean"]


@pytest.mark.parametrize("name", DECLARED)
def test_a_column_has_one_role(name: str) -> None:
    """Except for an n, which several quantities may share, and which may be a quantity itself."""
    table = DECLARED[name]
    declared = [*table.keys, *table.left_out]
    for quantity in table.quantities:
        columns = (quantity.name, quantity.low, quantity.high, quantity.reported)
        declared += [column for column in columns if column is not None]

    assert len(set(declared)) == len(declared)


@pytest.mark.parametrize("name", DECLARED)
def test_a_table_has_a_place_if_it_has_reported_numbers(name: str) -> None:
    table = DECLARED[name]
    reported = [quantity for quantity in table.quantities if quantity.reported is not None]

    assert (table.place is not None) == bool(reported)


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


def test_settings_keep_their_types_and_are_sorted_with_the_computed_values(tmp_path: Path) -> None:
    write_values(
        tables=[],
        declarations={},
        settings={
            "grounding/tau": "0.4",
            "claims/runs": "3",
            "claims/leak_audit": "True",
            "data/source": "generated",
            "training/learning_rate": "1e-05",
            "grounding/seeds": "[0, 1]",
        },
        computed={"a": number(1)},
        lists={"models": ["m"]},
        out=tmp_path / "study.json",
    )
    written = json.loads((tmp_path / "study.json").read_text())

    assert written["lists"] == {"models": ["m"]}
    assert [(name, value["value"]) for name, value in written["values"].items()] == [
        ("a", 1),
        ("claims/leak_audit", True),
        ("claims/runs", 3),
        ("data/source", "generated"),
        ("grounding/seeds", [0, 1]),
        ("grounding/tau", 0.4),
        ("training/learning_rate", 0.00001),
    ]


# 1 - 0.9 is 0.09999999999999998 and 1 - 0.95 is 0.050000000000000044 in binary fractions.
@pytest.mark.parametrize(
    ("confidence_level", "significance"), [("0.9", 0.1), ("0.95", 0.05), ("0.99", 0.01)]
)
def test_the_significance_level_has_no_rounding_error(
    confidence_level: str, significance: float
) -> None:
    values = significance_level({"confidence_level": confidence_level})
    assert values == {"significance_level": number(significance) | {"file": "config"}}
