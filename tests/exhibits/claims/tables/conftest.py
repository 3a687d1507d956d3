"""The summary of the small study, and a function that fills a table from it."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from exhibits.report.tables import save_table
from tests.exhibits.claims.judged_papers import tables
from tests.exhibits.claims.tables.filled_tables import Fill, filled, write_summary


@pytest.fixture(scope="session")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The summary of the small study (judged_papers.py)."""
    return write_summary(tmp_path_factory.mktemp("summary"), tables())


@pytest.fixture
def table(summary: Path, tmp_path: Path) -> Fill:
    """A function that fills a table, by default from the study, writes it and reads its CSV.

    Cells are text in columns with empty cells, except in `cvs`. The LaTeX must be a tabular.
    """

    def fill(module: ModuleType, *, folder: Path = summary, **arguments: Any) -> pd.DataFrame:
        csv = tmp_path / "t.csv"
        tex = tmp_path / "t.tex"
        made = filled(module, folder, **arguments)
        save_table(made, csv, shown=tmp_path / "shown.csv", tex=tex)
        assert "\\toprule" in tex.read_text()
        return pd.read_csv(csv, keep_default_na=False, na_values={"cvs": [""]})

    return fill
