"""Fetch a model at a pinned revision from the Hugging Face hub."""

from dataclasses import asdict

from mechaware.models.sources import fetch_from_hub
from scripts.command import Output


def main(*, name: str, repo: str, revision: str, out: Output) -> dict[str, object]:
    """Download config, tokenizer and safetensors of `repo` at `revision` to the folder `out`."""
    return asdict(fetch_from_hub(repo, revision, out, name=name))
