"""Compute RADAR's features from a prompt set's activations."""

from pathlib import Path

from mechaware.frames import write_parquet
from mechaware.radar.feature_extraction.extraction import extract_features
from scripts.command import Output, run


def main(*, activations: Path, prompts: Path, specialised_head_entropy: float, sum: Output, mean: Output) -> None:
    """Write id, label, category, n_tokens and the features of every prompt, in the order of the CSV `prompts`.

    There is a table for each reduction of the attention entropies.
    """
    tables = extract_features(activations, prompts, specialised_head_entropy=specialised_head_entropy)
    write_parquet(tables["sum"], sum)
    write_parquet(tables["mean"], mean)


if __name__ == "__main__":
    run(main)
