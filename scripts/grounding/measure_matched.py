"""Build the matched controls and measure them on pairs.

Matched controls are transformers that give the same answers by different mechanisms.
"""

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
from mechaware.models.devices import Device, device_named
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
    """Write the tables of all matched controls into the folder `measured`, and `attribution`.

    `attribution` has what each head of each control contributes to the gap of a pair, in logits
    (`attribute_heads`). The tables are of the first `per_category` pairs of each category; the map
    of the residual stream, which is one of the tables, and the attribution are of the first pair of
    each category. The controls' vocabulary is all words of all pairs, as in `measure_controls`.
    """
    all_pairs = read_pairs(pairs)
    prompts = []
    for pair in all_pairs:
        prompts += [prompt.text for prompt in pair.prompts.values()]
    wanted = wanted_by_request(all_pairs)
    measured_pairs = first_of_each_category(all_pairs, per_category)
    first_pairs = first_of_each_category(measured_pairs, 1)

    tables = {}
    attributions = []
    for number, name in enumerate(MATCHED, start=1):
        print(f"control {number} of {len(MATCHED)}: {name}", file=sys.stderr)
        built = build_control(prompts, wanted, name=name, context_length=CONTEXT_LENGTH)
        model = built.model.to(device_named(device))
        tables[name] = measure_pairs(
            model,
            built.tokenizer,
            measured_pairs,
            pairs,
            mapped=first_pairs,
            tokens_per_batch=tokens_per_batch,
        )
        by_head = attribute_heads(
            model, built.tokenizer, first_pairs, tokens_per_batch=tokens_per_batch
        )
        attributions.append(by_head.assign(run=name))
    write_measurements(tables, measured)
    write_parquet(pd.concat(attributions, ignore_index=True), attribution)
