"""Build a model whose mechanism is known, because its weights are written by hand."""

from dataclasses import asdict
from pathlib import Path

from mechaware.grounding.controls import build_control
from mechaware.grounding.data.pairs import read_pairs
from scripts.command import Output, run


def main(*, pairs: Path, control: str, seed: int, out: Output) -> dict[str, object]:
    """Write the control to the folder `out`; its words are those of the pairs."""
    return asdict(build_control(control, read_pairs(pairs), out, seed=seed))


if __name__ == "__main__":
    run(main)
