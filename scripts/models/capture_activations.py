"""Run a model over a prompt set and keep its activations."""

from pathlib import Path

from mechaware.models.activations import save_activations
from mechaware.models.capture import capture, encode_prompts
from mechaware.models.registry import default_device, load_model, load_tokenizer, read_manifest
from mechaware.radar.prompts import read_prompts
from scripts.command import Output, run


def main(*, model: Path, prompts: Path, tokens_per_batch: int, out: Output) -> None:
    """Capture the activations of every prompt of the CSV `prompts` and write them as safetensors."""
    rows, manifest = read_prompts(prompts), read_manifest(model)
    names = [f"{prompts}, row {row.row}" for row in rows]
    ids = encode_prompts([row.prompt for row in rows], names, load_tokenizer(model), manifest)
    network = load_model(model, default_device())
    activations = capture(network, ids, tokens_per_batch=tokens_per_batch, progress=True)
    save_activations(activations, out, prompt_ids=[row.id for row in rows], description=manifest.identity())


if __name__ == "__main__":
    run(main)
