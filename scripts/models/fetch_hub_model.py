"""Fetch a model at a pinned revision from the Hugging Face hub."""

from dataclasses import asdict
from pathlib import Path

from mechaware.models.sources import fetch_from_hub
from scripts.command import run


def main(*, name: str, repo: str, revision: str, out: Path) -> dict[str, object]:
    """Download config, tokenizer and safetensors of `repo` at `revision` to the folder `out`."""
    return asdict(fetch_from_hub(repo, revision, out, name=name))


if __name__ == "__main__":
    run(main)
