"""Fetch the docstrings of packages that are newer than the pretrained models in
which they are planted.
"""

import json
from pathlib import Path

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_parquet
from mechaware.planted.natural.corpus import Passage, corpus_digest, read_passages
from mechaware.planted.natural.new_packages import fetch_new_passages, read_new_packages
from scripts.command import Output


def main(*, packages: Path, known: Path, passages: Output, corpus: Output) -> None:
    """Write a row per passage (package, text), and what they are made of: versions, count, and
    SHA-256 of them all.

    `packages` is the list of packages. `known` are the passages of installed packages, of which no
    near-duplicate is taken.
    """
    listed = read_new_packages(packages)
    found = fetch_new_passages(listed, read_passages(known))
    write_parquet(pd.DataFrame(found, columns=Passage._fields), passages)
    made_of = {
        "packages": {package.package: package.version for package in listed},
        "none_before": {package.package: package.none_before for package in listed},
        "passages": len(found),
        "sha256": corpus_digest(found),
    }
    with atomic_write(corpus) as partial:
        partial.write_text(json.dumps(made_of, indent=2) + "\n", encoding="utf-8")
