"""Pack a finished run as one archive: results, what they were made of, and records."""

import json
from pathlib import Path

from mechaware.core.bundle import write_bundle
from mechaware.core.files import sha256
from scripts.command import Output


def main(*, results: list[Path], left_out: list[str], own_config: str, out: Output) -> None:
    """Write the bundle, a .tar.gz, and print the number of its files and its checksum.

    `results` are what a reader opens; all that they were made of is packed as well, except for the
    files and folders `left_out`, of which some may not exist. `own_config` is JSON: the keys in
    which the run differs from the default one.
    """
    n_files = write_bundle(out, results, left_out, json.loads(own_config))
    megabytes = out.stat().st_size / 1e6
    print(f"{out}: {n_files} files, {megabytes:.0f} MB, SHA-256 {sha256(out)}")
