"""Apply the rules R1 to R3 to a patching table."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.grounding.rules import apply_rules
from scripts.command import Output, run


def main(*, patching: Path, patched_run: str, tau: float, alpha: float, out: Output) -> None:
    """Write gap, recovery and verdicts of every pair; no model is touched."""
    write_parquet(apply_rules(pd.read_parquet(patching), tau=tau, alpha=alpha).assign(run=patched_run), out)


if __name__ == "__main__":
    run(main)
