"""Score prompt sets: RDS, RCI, mechanistic score, circuit complexity score."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.feature_extraction.scores import read_weights, score_table
from mechaware.radar.identity import from_origin, with_identity
from scripts.command import Output, run


def main(
    *, model: str, prompt_sets: list[str], training: Path, features: list[Path], weights: Path, out: list[Output]
) -> None:
    """Write the four scores of every prompt, standardised by the training set; `features` and `out` are by set."""
    trained, weighted = pd.read_parquet(training), read_weights(weights)
    for prompt_set, path, scored in zip(prompt_sets, features, out, strict=True):
        table = pd.read_parquet(path)
        scores = score_table(trained, table, weighted)
        write_csv(from_origin(with_identity(table, scores), model, prompt_set), scored)


if __name__ == "__main__":
    run(main)
