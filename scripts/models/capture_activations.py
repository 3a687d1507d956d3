"""Run a model over a prompt set and keep its activations."""

from pathlib import Path

from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.capture import Kept, capture_shards
from mechaware.models.devices import default_device
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.models.settings import DEFAULTS, ModelSettings
from mechaware.models.tokenisation.token_ids import encode_prompts
from scripts.command import Output


def main(
    *,
    model: Path,
    prompts: Path,
    tokens_per_batch: int,
    shard_bytes: int,
    keep: Kept,
    settings: ModelSettings = DEFAULTS,
    out: Output,
) -> None:
    """Capture the activations of every prompt of the CSV `prompts` into shards in the folder `out`.

    With `keep` "states" the shards hold all states, with "summaries" only what RADAR's features are
    computed from.
    """
    rows = read_prompts(prompts)
    manifest = read_manifest(model)
    # As error messages name a prompt.
    names = [f"{prompts}, row {row.row}" for row in rows]
    texts = [row.prompt for row in rows]
    tokenizer = load_tokenizer(model)
    ids = encode_prompts(
        texts,
        names,
        tokenizer,
        model=manifest.name,
        context_length=manifest.context_length,
        n_embeddings=manifest.vocab_size,
        template=settings.template,
    )
    network = load_model(model, default_device(), settings)
    capture_shards(
        network,
        ids,
        out,
        prompt_ids=[row.id for row in rows],
        description=manifest.identity() | settings.chosen(),
        tokens_per_batch=tokens_per_batch,
        shard_bytes=shard_bytes,
        keep=keep,
    )
