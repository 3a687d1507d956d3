"""The claims study's tables, filled from the printed numbers and from a small study of two judges.

The printed numbers are in config/reported. The small study (judged_papers.py) has two judges:
`broken` fails on planted-01, and `good` judges four papers, each in three runs. A criterion that is
not named below is NO, and `good` finds the planted status unless another one is named.

    paper       claim   status, raw score                             found instead, by run
    planted-01  COPY    C1 I1 I2 V3 YES, C5 M3 PARTIAL: 8             0: E5 YES, raw 10
                HEAD    C1 I1 YES: 3                                  0: I2 YES, E5 PARTIAL
                                                                      1: I2 YES
                                                                      2: I2 PARTIAL
    planted-02  YEARS   C1 YES: 1.5                                   0, 1: I1 I2 YES, raw 4.5
                                                                      2: I1 YES, I2 not scored
                MLP     all NO: 0                                     not found
    ioi         IOI     C1 I1 I2 V2 V3 E1 YES, C5 M3 PARTIAL: 10
                MOVERS  C1 I1 YES: 3
    mine        MLP     all NO: 0

The first claim of a paper is its main claim. A CVS is the raw score / 1.8. The planted leaks,
criteria at NO for which the text offers evidence of the whole circuit, are I2 and E5 of HEAD and I2
of MLP. In run 0 `good` also finds a claim in planted-02 that is not planted. After the three runs
the vote takes the lowest status of each criterion, and the audit then lowers I2 of HEAD to NO.
`ioi` has a label, `mine` has none.

A summary is the folder of tables that the workflow makes of a study's records.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from exhibits.report.tables import Table
from mechaware.core.frames import read_csv, write_parquet
from tests.checkout import REPOSITORY
from tests.exhibits.claims.judged_papers import LABELS

# The config of tables with intervals, and of the table of boundaries.
INTERVALS = {"confidence_level": 0.95}
BOUNDARIES = {"boundary_shift": 0.5, "confidence_level": 0.95}
Fill = Callable[..., pd.DataFrame]


def write_summary(folder: Path, tables_by_name: dict[str, pd.DataFrame]) -> Path:
    """Write the tables of a summary as the workflow does, and return their folder."""
    for name, frame in tables_by_name.items():
        write_parquet(frame, folder / f"{name}.parquet")
    return folder


def filled(module: ModuleType, summary: Path, **arguments: Any) -> Table:
    """The table of `module`, filled from the files that it declares in `READS`.

    Printed tables are read with their schemas, and the others from the folder `summary`.
    `arguments` are the table's config values.
    """
    parameters = inspect.signature(module.fill).parameters
    folders = {"config/reported": REPOSITORY / "config/reported", "results/claims/summary": summary}
    for name, path in module.READS.items():
        file = folders[str(Path(path).parent)] / Path(path).name
        if file.suffix == ".parquet":
            arguments[name] = pd.read_parquet(file)
        else:
            (schema,) = parameters[name].annotation.__metadata__
            arguments[name] = read_csv(file, schema)
    if "judge_labels" in parameters:
        arguments["judge_labels"] = LABELS
    return module.fill(**arguments)


def floats(row: pd.Series, *names: str) -> list[float]:
    """Numbers of a row that was read as text."""
    return [float(row[name]) for name in names]
