"""The printed tables that a reanalysis reads, from its own declarations."""

from pathlib import Path
from types import ModuleType

import pandas as pd

from mechaware.core.frames import read_csv

REPOSITORY = Path(__file__).resolve().parents[3]
REPORTED = REPOSITORY / "config/reported"


def printed_tables(module: ModuleType) -> dict[str, pd.DataFrame]:
    """The files of the module's READS by parameter,
    each read with the schema in the parameter's annotation.
    """
    hints = module.fill.__annotations__
    return {
        name: read_csv(REPOSITORY / path, hints[name].__metadata__[0])
        for name, path in module.READS.items()
    }
