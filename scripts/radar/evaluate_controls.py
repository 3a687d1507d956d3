"""Evaluate RADAR and its controls on the same splits of each prompt set, under many seeds and under permuted labels."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.radar.controls import evaluate_controls, permutation_draws, right_by_seed
from mechaware.radar.feature_extraction.measurements import REDUCTIONS, Reduction
from mechaware.radar.identity import with_origin, with_text
from mechaware.radar.prompts import read_prompts
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_sets: list[str],
    sum: list[Path],
    mean: list[Path],
    prompts: list[Path],
    attention_entropy_reduction: Reduction,
    folds: int,
    seed: int,
    fold_seed: int,
    spread_seeds: int,
    spread_seed: int,
    permutations: int,
    permutation_seeds: list[int],
    predictions: list[Output],
    spread: list[Output],
    permuted: list[Output],
) -> None:
    """Write for each set every system's predictions and what systems get right under each of `spread_seeds` seeds.

    Both are of systems trained on the training set, and cross-validated. `permuted` has a row per permutation of a
    set's labels: the largest effect and, in a set of pairs, the refitted systems' accuracies. The training set comes
    first in `prompt_sets`, `sum`, `mean`, `prompts`, `permutation_seeds` and `permuted`; `predictions` and `spread` are
    of the other sets. `sum` and `mean` are the features under the two reductions of attention entropies.
    """
    texts = [read_prompts(path) for path in prompts]
    tables = {
        reduction: [with_text(pd.read_parquet(path), known) for path, known in zip(paths, texts, strict=True)]
        for reduction, paths in zip(REDUCTIONS, (sum, mean), strict=True)
    }
    for position, (predicted, by_seed) in enumerate(zip(predictions, spread, strict=True), start=1):
        pairs = {reduction: (listed[0], listed[position]) for reduction, listed in tables.items()}
        write_parquet(evaluate_controls(pairs, folds=folds, seed=seed, fold_seed=fold_seed), predicted)
        right = [
            right_by_seed(training, table, folds=folds, seeds=spread_seeds, seed=spread_seed).assign(reduction=name)
            for name, (training, table) in pairs.items()
        ]
        write_parquet(pd.concat(right, ignore_index=True), by_seed)
    sets = zip(prompt_sets, tables[attention_entropy_reduction], permutation_seeds, permuted, strict=True)
    for prompt_set, table, draw_seed, out in sets:
        draws = permutation_draws(table, folds=folds, permutations=permutations, seed=draw_seed)
        write_parquet(with_origin(draws, model, prompt_set), out, digits=10)


if __name__ == "__main__":
    run(main)
