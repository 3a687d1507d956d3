"""Write the catalogue of the results, which describes each file to an archive or a reader."""

from pathlib import Path

from mechaware.core.archive import write_crate
from scripts.command import Output


def main(
    *,
    results: list[Path],
    records: list[Path],
    inputs: list[Path],
    captions: list[Path],
    citation: Path,
    out: Output,
) -> None:
    """Write the RO-Crate's metadata file, `out`, which lies in the folder of the results."""
    write_crate(
        out, results=results, records=records, inputs=inputs, captions=captions, citation=citation
    )
