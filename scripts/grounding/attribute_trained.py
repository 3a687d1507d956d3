"""Attribute the logit gap of a few pairs per category to the heads of the trained models."""

import sys
from pathlib import Path

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.frames import write_parquet
from mechaware.instruments.grounding.attribution import COLUMNS, attribute_heads
from mechaware.instruments.grounding.data.pairs import first_of_each_category, read_pairs
from mechaware.instruments.grounding.readable_pairs import usable_pairs
from mechaware.models.context import context_length
from mechaware.models.devices import Device, device_named
from mechaware.models.patching.components import has_components
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.tokenisation.vocabulary import embedding_rows
from scripts.command import Output


def main(
    *,
    models: list[Path],
    pairs: Path,
    per_category: int,
    tokens_per_batch: int,
    device: Device,
    attribution: Output,
) -> None:
    """Write the `attribution` of the gap to the heads of each model, with the columns of `COLUMNS`
    and `run`, the name of the model's folder.

    The pairs are the first `per_category` of each category among those that the model can use: the
    words exchanged between prompts have equally many tokens (`usable_pairs`). A model whose heads
    cannot be patched or attributed has no row.
    """
    made = read_pairs(pairs)
    parts = []
    for number, folder in enumerate(models, start=1):
        print(f"model {number} of {len(models)}: {folder.name}", file=sys.stderr)
        model = load_model(folder, device_named(device))
        if not has_components(model):
            print(f"{folder.name}: the heads of this family cannot be patched", file=sys.stderr)
            continue

        tokenizer = load_tokenizer(folder)
        usable = usable_pairs(made, tokenizer, context_length(model.config), embedding_rows(model))
        asked = first_of_each_category(usable, per_category)
        try:
            of_heads = attribute_heads(model, tokenizer, asked, tokens_per_batch=tokens_per_batch)
        except UserError as error:  # such as blocks that attend to different spans
            print(f"{folder.name}: heads not attributed: {error}", file=sys.stderr)
            continue
        parts.append(of_heads.assign(run=folder.name))

    if parts:
        write_parquet(pd.concat(parts, ignore_index=True), attribution)
    else:
        empty = pd.DataFrame(columns=[*COLUMNS, "run"])
        types = {"block": int, "head": int, "attribution": float}
        write_parquet(empty.astype(types), attribution)
