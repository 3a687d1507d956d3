"""Which layers recover the gap in the pairs that pass."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import layer_usage
from scripts.command import run


def main(*, rules: list[Path], patching: list[Path], out: Path) -> None:
    """Write one row per run and scored layer."""
    layers = read_parquets(patching)["layer"].unique()
    write_csv(layer_usage(read_parquets(rules), sorted(layer for layer in layers if layer > 0)), out)


if __name__ == "__main__":
    run(main)
