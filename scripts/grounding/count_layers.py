"""Which layers recover the gap in the pairs that pass."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.rules import scored_layers
from mechaware.grounding.study.summaries import layer_usage
from scripts.command import Output, run


def main(*, rules: list[Path], patching: list[Path], out: Output) -> None:
    """Write one row per run and scored layer."""
    write_csv(layer_usage(read_parquets(rules), scored_layers(read_parquets(patching))), out)


if __name__ == "__main__":
    run(main)
