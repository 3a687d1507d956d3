"""Compute RADAR's features from a prompt set's activations."""

from pathlib import Path

from mechaware.frames import write_parquet
from mechaware.radar.features.extraction import extract_features
from mechaware.radar.features.measurements import Reduction
from scripts.command import Output, run


def main(
    *,
    activations: Path,
    prompts: Path,
    reduction: Reduction,
    specialised_head_entropy: float,
    out: Output,
) -> None:
    """Write id, label, category, n_tokens and the features of every prompt, in the order of the CSV `prompts`."""
    table = extract_features(
        activations, prompts, reduction=reduction, specialised_head_entropy=specialised_head_entropy
    )
    write_parquet(table, out)


if __name__ == "__main__":
    run(main)
