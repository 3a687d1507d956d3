"""Build the matched controls, which give the same answers by different mechanisms, and measure them on some pairs."""

import sys
from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.grounding.attribution import attribute_heads
from mechaware.instruments.grounding.data.pairs import (
    first_of_each_category,
    read_pairs,
    wanted_by_request,
)
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.rules import write_measurements
from mechaware.models.registry import Device, device_named
from mechaware.planted.controls.matched import MATCHED
from mechaware.planted.controls.schema_readers import build_control
from scripts.command import Output
from scripts.grounding.measure_controls import CONTEXT_LENGTH


def main(
    *,
    pairs: Path,
    per_category: int,
    tokens_per_batch: int,
    device: Device,
    measured: Output,
    attribution: Output,
) -> None:
    """Write the tables of all matched controls into the folder `measured`, and the gap's `attribution` to their heads.

    The controls are measured on the first `per_category` pairs of each category, and their heads on the first pair.
    Their vocabulary is all words of all pairs, as in `measure_controls`.
    """
    made = read_pairs(pairs)
    prompts = []
    for pair in made:
        prompts += [prompt.text for prompt in pair.prompts.values()]
    wanted = wanted_by_request(made)
    asked = first_of_each_category(made, per_category)
    asked_first = first_of_each_category(asked, 1)

    tables = {}
    attributions = []
    for number, name in enumerate(MATCHED, start=1):
        print(f"control {number} of {len(MATCHED)}: {name}", file=sys.stderr)
        built = build_control(prompts, wanted, name=name, context_length=CONTEXT_LENGTH)
        model = built.model.to(device_named(device))
        tables[name] = measure_pairs(
            model,
            built.tokenizer,
            asked,
            pairs,
            mapped=asked_first,
            tokens_per_batch=tokens_per_batch,
        )
        of_heads = attribute_heads(
            model, built.tokenizer, asked_first, tokens_per_batch=tokens_per_batch
        )
        attributions.append(of_heads.assign(run=name))
    write_measurements(tables, measured)
    write_parquet(pd.concat(attributions, ignore_index=True), attribution)
