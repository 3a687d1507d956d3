"""What is committed of a run: its headlines, as rows that are read again, and its error rates."""

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from exhibits.report.reported import COLUMNS, Reported, read_reported, reported_rows
from mechaware.core.errors import UserError
from mechaware.core.frames import write_csv
from scripts.paper.reported import main

REPOSITORY = Path(__file__).resolve().parents[3]
# The state of the repository in which a file was made, as the file's record has it.
GIT = {"commit": "0123abc", "modified": False}


def a_number(cell: str, value: float, low: float | None, high: float | None) -> dict[str, Any]:
    """A test or a control of a headline: a value of 22 seeds, compared with one half."""
    return {
        "cell": cell,
        "value": value,
        "low": low,
        "high": high,
        "n": 22,
        "bound_low": 0.5,
        "bound_high": 0.5,
        "bound": "0.5",
    }


HEADLINES = {
    "first": {
        "outcome": "yes",
        "sentence": "It is, with 0.63.",
        "p_holm": 0.031,
        "tests": [a_number("t/a", 0.63, 0.52, 0.74), a_number("t/b", 0.61, 0.51, 0.71)],
        "controls": [a_number("t/words", 0.5, None, None)],
    },
    "second": {
        "outcome": "undecided",
        "sentence": "Whether it is, is open.",
        "p_holm": None,
        "tests": [a_number("t/c", 0.4, 0.2, 0.6)],
        "controls": [],
    },
}


def rows_of(git: dict[str, Any]) -> pd.DataFrame:
    return reported_rows(HEADLINES, git, seeds="22 planted", machine="2 CPU cores")


def test_each_test_and_control_is_a_row_with_the_runs_commit_seeds_and_machine() -> None:
    rows = rows_of(GIT)
    assert list(rows) == list(COLUMNS)
    assert rows[["headline", "role", "cell"]].to_numpy().tolist() == [
        ["first", "test", "t/a"],
        ["first", "test", "t/b"],
        ["first", "control", "t/words"],
        ["second", "test", "t/c"],
    ]
    assert rows.loc[1, ["value", "low", "high", "n"]].tolist() == [0.61, 0.51, 0.71, 22]
    assert set(rows["seeds"]) == {"22 planted"}
    assert set(rows["commit"]) == {"0123abc"}
    assert set(rows["machine"]) == {"2 CPU cores"}


def test_written_rows_are_read_as_headlines(tmp_path: Path) -> None:
    path = tmp_path / "headlines.csv"
    write_csv(rows_of(GIT), path)

    assert read_reported(path) == {
        "first": Reported("yes", "It is, with 0.63.", 0.031, "0123abc", "2 CPU cores"),
        "second": Reported("undecided", "Whether it is, is open.", None, "0123abc", "2 CPU cores"),
    }


@pytest.mark.parametrize(
    ("git", "message"),
    [
        ({"commit": None, "modified": None}, r"names no commit \(no git repository\); mend that"),
        ({"commit": "0123abc", "modified": True}, "changes that no commit holds; commit them"),
    ],
)
def test_a_run_of_unknown_code_gives_no_rows(git: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        rows_of(git)


def write_result(path: Path, content: str, git: dict[str, Any]) -> Path:
    """Write a file of a run, and beside it the record of how it was made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    record = {"git": git, "steps": [], "models": [], "machines": ["16 CPU cores", "2 CPU cores"]}
    path.with_suffix(".provenance.json").write_text(json.dumps(record))
    return path


def collected(folder: Path, git_of_rules: dict[str, Any]) -> dict[str, str]:
    """The contents of the files that the command collects from a run, by name.

    The error rates of the rules were made at `git_of_rules`, all other results at `GIT`.
    """
    headlines = write_result(folder / "values/headlines.json", json.dumps(HEADLINES), GIT)
    detectors = [
        write_result(folder / "memorisation/calibration.csv", "text,rate\nnames,0.125\n", GIT),
        write_result(folder / "natural/calibration.csv", "text,rate\ndocstrings,0.0625\n", GIT),
    ]
    spreads = "text,text_length,loss_spread\ndocstrings,250,0.75\nnames,38,0.5\n"
    kinds = write_result(folder / "memorisation/planted_texts.csv", spreads, GIT)
    rules = write_result(
        folder / "grounding/calibration.csv", "rules,rate\nr1,0.25\n", git_of_rules
    )
    judges = write_result(folder / "claims/calibration.csv", "judge,rate\nlexical,0.5\n", GIT)
    out = folder / "reported"
    out.mkdir()
    main(
        headlines=headlines,
        detectors=detectors,
        kinds=kinds,
        rules=rules,
        judges=judges,
        planted_seeds=22,
        grounding_seeds=5,
        out=out / "headlines.csv",
        out_detectors=out / "detectors.csv",
        out_rules=out / "rules.csv",
        out_judges=out / "judges.csv",
    )
    return {path.name: path.read_text() for path in out.iterdir()}


def test_collected_headlines_name_the_seeds_and_machines_of_the_run(tmp_path: Path) -> None:
    files = collected(tmp_path, GIT)
    rows = pd.read_csv(io.StringIO(files["headlines.csv"]))

    assert set(rows["seeds"]) == {"22 planted, 5 of grounding"}
    assert set(rows["machine"]) == {"16 CPU cores; 2 CPU cores"}


def test_collected_error_rates_of_detectors_are_one_table_with_the_spread_of_losses(
    tmp_path: Path,
) -> None:
    files = collected(tmp_path, GIT)
    del files["headlines.csv"]

    assert files == {
        "detectors.csv": "text,rate,loss_spread\nnames,0.125,0.5\ndocstrings,0.0625,0.75\n",
        "rules.csv": "rules,rate\nr1,0.25\n",
        "judges.csv": "judge,rate\nlexical,0.5\n",
    }


def test_error_rates_of_unknown_code_are_not_collected(tmp_path: Path) -> None:
    message = r"grounding/calibration\.csv: made with changes that no commit holds"
    with pytest.raises(UserError, match=message):
        collected(tmp_path, GIT | {"modified": True})
    assert not (tmp_path / "reported/rules.csv").exists()


def test_the_committed_rows_have_their_columns_and_no_empty_origin() -> None:
    rows = pd.read_csv(REPOSITORY / "docs/measured/headlines.csv", dtype=str)
    assert list(rows) == list(COLUMNS)
    assert not rows[["outcome", "sentence", "seeds", "commit", "machine"]].isna().any(axis=None)
