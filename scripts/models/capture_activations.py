"""Run a model over a prompt set and keep its activations."""

from pathlib import Path

from mechaware.errors import UserError
from mechaware.models.activations import save_activations
from mechaware.models.capture import capture
from mechaware.models.registry import default_device, load_model, load_tokenizer, read_manifest
from mechaware.radar.prompts import read_prompts
from scripts.command import run


def main(*, model: Path, prompts: Path, tokens_per_batch: int, out: Path) -> None:
    """Capture the activations of every prompt of the CSV `prompts` and write them as safetensors."""
    rows = read_prompts(prompts)
    manifest, tokenizer = read_manifest(model), load_tokenizer(model)
    ids = [tokenizer(row.prompt, verbose=False).input_ids for row in rows]
    for row, tokens in zip(rows, ids, strict=True):
        if len(tokens) > manifest.context_length:
            raise UserError(
                f"{prompts}, row {row.row}: {len(tokens)} tokens, but {manifest.name} reads at most "
                f"{manifest.context_length}; shorten the prompt or choose a model with a longer context"
            )
    network = load_model(model, default_device())
    activations = capture(network, ids, tokens_per_batch=tokens_per_batch, progress=True)
    description = {
        "model": manifest.name,
        "revision": manifest.revision,
        "weights_sha256": manifest.weights_sha256,
        "tokenizer_sha256": manifest.tokenizer_sha256,
    }
    save_activations(activations, out, prompt_ids=[row.id for row in rows], description=description)


if __name__ == "__main__":
    run(main)
