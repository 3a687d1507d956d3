"""The catalogue of the results, by which an archive or a reader finds out what each file is."""

from pathlib import Path

from mechaware.archive import write_crate
from mechaware.provenance import REPOSITORY
from scripts.command import run


def main(
    *,
    results: list[Path],
    records: list[Path],
    inputs: list[Path],
    captions: list[Path],
    out: Path,
) -> None:
    """Write the RO-Crate's metadata file into the folder of the results."""
    citation = REPOSITORY / "CITATION.cff"
    write_crate(out, results=results, records=records, inputs=inputs, captions=captions, citation=citation)


if __name__ == "__main__":
    run(main)
