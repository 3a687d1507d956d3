"""Measure a model on the pairs: patching, cuts, answers, other words, and a map of the residual stream."""

import sys
from pathlib import Path

from mechaware.frames import write_parquet
from mechaware.grounding.data.pairs import (
    first_of_each_category,
    read_pairs,
    usable_pairs,
    with_examples,
    worked_examples,
)
from mechaware.grounding.data.rows import read_rows
from mechaware.grounding.measuring import measure_pairs
from mechaware.models.registry import Device, device_named, load_model, load_tokenizer
from scripts.command import Output, run


def main(
    *,
    model: Path,
    pairs: Path,
    training: Path,
    measured_run: str,
    examples: int,
    examples_seed: int,
    per_category: int,
    mapped_per_category: int,
    tokens_per_batch: int,
    device: Device,
    patching: Output,
    cuts: Output,
    answers: Output,
    third_word_effects: Output,
    residual_map: Output,
) -> None:
    """Write one table of each kind, with the run's name in each row.

    Before each prompt stand `examples` answered requests of the training rows. Pairs that the model's tokenizer gives
    words of unequal lengths are passed over (`usable_pairs`), which the log counts; of the others the first
    `per_category` of each category are measured.
    """
    tokenizer, made = load_tokenizer(model), read_pairs(pairs)
    usable = usable_pairs(made, tokenizer)
    chosen = first_of_each_category(usable, per_category)
    print(f"{len(made) - len(usable)} of {len(made)} pairs passed over, {len(chosen)} measured", file=sys.stderr)
    prefix = worked_examples(read_rows(training), examples, seed=examples_seed)
    measured = measure_pairs(
        load_model(model, device_named(device)),
        tokenizer,
        with_examples(chosen, prefix),
        mapped_per_category=mapped_per_category,
        tokens_per_batch=tokens_per_batch,
    )
    for table, path in zip(measured, (patching, cuts, answers, third_word_effects, residual_map), strict=True):
        write_parquet(table.assign(run=measured_run), path)


if __name__ == "__main__":
    run(main)
