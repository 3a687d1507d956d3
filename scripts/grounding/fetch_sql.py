"""Fetch an NL-to-SQL dataset at a pinned revision from the Hugging Face hub."""

from mechaware.grounding.data.download import fetch_dataset
from scripts.command import Output, run


def main(*, repo: str, revision: str, out: Output) -> None:
    """Download the Parquet and JSON-lines files of `repo` at `revision` to the folder `out`."""
    fetch_dataset(repo, revision, out)


if __name__ == "__main__":
    run(main)
