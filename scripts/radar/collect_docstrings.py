"""Collect the docstrings of installed packages, of which the natural plant is made."""

import json

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_parquet
from mechaware.planted.natural.corpus import (
    Passage,
    corpus_digest,
    installed_passages,
    installed_versions,
)
from scripts.command import Output


def main(*, passages: Output, corpus: Output) -> None:
    """Write a row per passage (package, text), and what they are made of:
    versions, count, and SHA-256 of them all.
    """
    found = installed_passages()
    write_parquet(pd.DataFrame(found, columns=Passage._fields), passages)
    made_of = {
        "packages": installed_versions(),
        "passages": len(found),
        "sha256": corpus_digest(found),
    }
    with atomic_write(corpus) as partial:
        partial.write_text(json.dumps(made_of, indent=2) + "\n", encoding="utf-8")
