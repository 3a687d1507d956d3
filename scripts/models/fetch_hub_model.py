"""Fetch a model at a pinned revision from the Hugging Face hub."""

from dataclasses import asdict
from pathlib import Path

from mechaware.models.sources import fetch_from_hub
from scripts.command import Output


def main(
    *, name: str, repo: str, revision: str, adapter: list[Path], out: Output
) -> dict[str, object]:
    """Download config, tokenizer and safetensors of `repo` at `revision` to the folder `out`.

    `adapter` is the folder of an adapter, or none.
    """
    adapter_folder = adapter[0] if adapter else None
    return asdict(fetch_from_hub(repo, revision, out, name=name, adapter=adapter_folder))
