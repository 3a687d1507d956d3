"""A table that is kept says when, where, from which commit and by which command it was measured."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from mechaware.errors import UserError
from scripts.keep_measured import main

PLACE = {"device": "two CPU cores", "command": "snakemake grounding_ladder --cores 1"}


def make_table(folder: Path, **git: object) -> Path:
    table = folder / "ladder.csv"
    table.write_text("run,known_blocks,share\nw64,,0.10\nNA,1 3,1e-05\n")
    os.utime(table, (1_767_312_000, 1_767_312_000))  # 2 January 2026, 0:00 UTC
    state = {"commit": "0123456789abcdef", "modified": False} | git
    (folder / "ladder.provenance.json").write_text(json.dumps({"git": state}))
    return table


def test_the_cells_are_kept_as_they_are_beside_the_place_of_the_measurement(tmp_path: Path) -> None:
    main(table=make_table(tmp_path), out=tmp_path / "kept.csv", **PLACE)
    assert (tmp_path / "kept.csv").read_text() == (
        "run,known_blocks,share,date,device,commit,command\n"
        "w64,,0.10,2026-01-02,two CPU cores,0123456,snakemake grounding_ladder --cores 1\n"
        "NA,1 3,1e-05,2026-01-02,two CPU cores,0123456,snakemake grounding_ladder --cores 1\n"
    )


@pytest.mark.parametrize("git", [{"modified": True}, {"commit": None, "modified": None}])
def test_a_table_of_code_that_no_commit_has_is_refused(git: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="made with changes that no commit has; commit them"):
        main(table=make_table(tmp_path, **git), out=tmp_path / "kept.csv", **PLACE)
    assert not (tmp_path / "kept.csv").exists()


def test_a_table_without_a_record_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1]}).to_csv(tmp_path / "own.csv")
    with pytest.raises(UserError, match=r"no own.provenance.json beside it"):
        main(table=tmp_path / "own.csv", out=tmp_path / "kept.csv", **PLACE)
