"""Build the models whose mechanism is known, because their weights are written by hand."""

from pathlib import Path

from mechaware.grounding.controls import build_controls
from mechaware.grounding.data.pairs import read_pairs
from scripts.command import Output, run


def main(*, pairs: Path, controls: list[str], out: list[Output]) -> None:
    """Write each of `controls` to the folder of `out` at its place; their words are those of the pairs."""
    build_controls(dict(zip(controls, out, strict=True)), read_pairs(pairs))


if __name__ == "__main__":
    run(main)
