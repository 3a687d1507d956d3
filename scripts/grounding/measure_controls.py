"""Build the transformers of known mechanism, and measure them on the pairs."""

import sys
from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.grounding.data.pairs import (
    first_of_each_category,
    read_pairs,
    wanted_by_request,
)
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.rules import write_measurements
from mechaware.models.devices import Device, device_named
from mechaware.planted.controls.generator import drawn_control
from mechaware.planted.controls.schema_readers import build_control
from mechaware.planted.sql.runs import is_drawn
from scripts.command import Output

CONTEXT_LENGTH = 256  # tokens; the longest prompts, with twelve columns, have about a hundred


def main(
    *,
    pairs: Path,
    controls: list[str],
    mapped_per_category: int,
    tokens_per_batch: int,
    device: Device,
    measured: Output,
    truth: Output,
) -> None:
    """Write the tables of all `controls` into the folder `measured`. A control's vocabulary is all
    words of the prompts.

    `truth` has a row per drawn control and pair. Columns: run, pair; held_out, whether the control
    is held out; n_layers and d_model, its sizes; text_length, the pair's clean prompt in
    characters; reads, whether the control reads the requested column in every prompt of the pair.
    """
    made = read_pairs(pairs)
    wanted = wanted_by_request(made)
    prompts = []
    pair_of_prompt = []
    text_lengths = {}
    for pair in made:
        text_lengths[pair.id] = len(pair.prompts["clean"].text)
        for prompt in pair.prompts.values():
            prompts.append(prompt.text)
            pair_of_prompt.append(pair.id)

    tables = {}
    rows = []
    for number, name in enumerate(controls, start=1):
        print(f"control {number} of {len(controls)}: {name}", file=sys.stderr)
        built = build_control(prompts, wanted, name=name, context_length=CONTEXT_LENGTH)
        tables[name] = measure_pairs(
            built.model.to(device_named(device)),
            built.tokenizer,
            made,  # each word is one token, so that all pairs are usable
            pairs,
            mapped=first_of_each_category(made, mapped_per_category),
            tokens_per_batch=tokens_per_batch,
        )
        if is_drawn(name):
            config = built.model.config
            for pair_id, reads in zip(pair_of_prompt, built.reads, strict=True):
                row = {
                    "run": name,
                    "pair": pair_id,
                    "held_out": drawn_control(name).held_out,
                    "n_layers": config.num_hidden_layers,
                    "d_model": config.hidden_size,
                    "text_length": text_lengths[pair_id],
                    "reads": reads,
                }
                rows.append(row)
    write_measurements(tables, measured)

    of_pair = ["run", "pair", "held_out", "n_layers", "d_model", "text_length"]
    by_prompt = pd.DataFrame(rows, columns=[*of_pair, "reads"])
    reads_in_all = by_prompt.groupby(of_pair, sort=False)["reads"].all()
    write_parquet(reads_in_all.reset_index(), truth)
