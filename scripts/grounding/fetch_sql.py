"""Fetch an NL-to-SQL dataset at a pinned revision from the Hugging Face hub."""

from mechaware.instruments.grounding.data.importing import fetch_dataset
from scripts.command import Output


def main(*, repo: str, revision: str, dataset: Output) -> None:
    """Download the Parquet and JSON-lines files of `repo` at `revision` to the folder `dataset`."""
    fetch_dataset(repo, revision, dataset)
