"""Put the training histories of all runs into one table."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.grounding.names import HISTORY
from mechaware.grounding.schemas import TRAINING
from scripts.command import Output, run


def main(*, models: list[Path], out: Output) -> None:
    """Write run, step, losses and held-out exact match."""
    write_csv(pd.concat([read_csv(model / HISTORY, TRAINING).assign(run=model.name) for model in models]), out)


if __name__ == "__main__":
    run(main)
