"""Measure a model on pairs of prompts: the five tables of `PairMeasurements`."""

import sys
from pathlib import Path

from mechaware.instruments.grounding.data.pairs import (
    first_of_each_category,
    read_pairs,
    with_examples,
)
from mechaware.instruments.grounding.data.rows import read_rows, worked_examples
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.readable_pairs import usable_pairs
from mechaware.instruments.grounding.rules import write_measurements
from mechaware.models.context import context_length
from mechaware.models.devices import Device, device_named
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import DEFAULTS, ModelSettings
from mechaware.models.tokenisation.vocabulary import embedding_rows
from scripts.command import Output


def main(
    *,
    model: Path,
    pairs: Path,
    training: Path,
    examples: int,
    examples_seed: int,
    per_category: int,
    mapped_per_category: int,
    tokens_per_batch: int,
    device: Device,
    settings: ModelSettings = DEFAULTS,
    measured: Output,
) -> None:
    """Write the tables of `PairMeasurements` into the folder `measured`, whose name is the run's.

    Pairs that the model cannot read, such as two words with different numbers of tokens, are left
    out (`usable_pairs`); the log has their number. The first `per_category` usable pairs of each
    category are measured, and the map of the residual stream has the first `mapped_per_category`
    of them. Each prompt begins with `examples` answered requests from the rows in `training`.
    """
    network = load_model(model, device_named(device), settings)
    tokenizer = load_tokenizer(model)
    all_pairs = read_pairs(pairs)
    usable = usable_pairs(
        all_pairs,
        tokenizer,
        context_length(network.config),
        embedding_rows(network),
        settings.template,
    )
    chosen = first_of_each_category(usable, per_category)
    print(
        f"{len(all_pairs) - len(usable)} of {len(all_pairs)} pairs left out, "
        f"{len(chosen)} measured",
        file=sys.stderr,
    )
    answered_requests = worked_examples(read_rows(training), examples, seed=examples_seed)
    chosen_with_examples = with_examples(chosen, answered_requests)
    tables = measure_pairs(
        network,
        tokenizer,
        chosen_with_examples,
        pairs,
        mapped=first_of_each_category(chosen_with_examples, mapped_per_category),
        tokens_per_batch=tokens_per_batch,
        template=settings.template,
    )
    write_measurements({measured.name: tables}, measured)
