"""Patch every pair at the schema word, layer by layer, in all modes."""

from pathlib import Path

from mechaware.frames import write_parquet
from mechaware.grounding.data.pairs import read_pairs, tokenise_pairs
from mechaware.grounding.patching import patching_table
from mechaware.models.patch import patch_pairs
from mechaware.models.registry import default_device, load_model, load_tokenizer
from scripts.command import Output, run


def main(*, model: Path, pairs: Path, tokens_per_batch: int, out: Output) -> None:
    """Write clean, corrupted and patched logit differences of every pair, mode and layer."""
    matched = read_pairs(pairs)
    tokens = tokenise_pairs(matched, load_tokenizer(model))
    swept = patch_pairs(load_model(model, default_device()), tokens, tokens_per_batch=tokens_per_batch)
    write_parquet(patching_table(matched, swept).assign(run=model.name), out)


if __name__ == "__main__":
    run(main)
